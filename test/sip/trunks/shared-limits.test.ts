/** Two gateways of one database with one trunk between them. */
import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { createTrunkLimits, type Permit } from '#sip/trunks/limits.ts';
import { createSharedLimits, type SharedTrunkLoad } from '#sip/trunks/shared-limits.ts';
import { steadyClock } from '#src/clocks.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createTrunkLoad } from '#src/persistence/trunk-load.ts';
import { openTestDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { until } from '#test/helpers/until.ts';
import { someTrunk } from './some-trunk.ts';

const patienceMs = 3_000;
const signal = new AbortController().signal;

const limitsOver = (load: SharedTrunkLoad, clock: Clock = steadyClock) => {
  const warned: string[] = [];
  const limits = createSharedLimits({
    limits: createTrunkLimits({ clock, patienceMs }),
    load,
    clock,
    patienceMs,
    inBackground: (_, work) => void work().catch(() => {}),
    logger: pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) }),
  });
  return { ...limits, warned };
};

const twoGateways = async (t: ExecutionContext) => {
  const url = await testDatabaseUrl(t);
  const gateway = async (node: 'one' | 'two') =>
    limitsOver(createTrunkLoad(await openTestDatabase(t, url, node), node));
  return [await gateway('one'), await gateway('two')] as const;
};

test('calls that go out and come in at two gateways at once have the channels of their trunk between them', async (t) => {
  const [one, two] = await twoGateways(t);
  const trunk = someTrunk({ maxChannels: 10 });
  const out = async ({ acquire }: typeof one): Promise<Permit | null> => {
    const acquired = await acquire(trunk, false, { callId: randomUUID(), signal });
    if ('permit' in acquired) return acquired.permit;
    t.is(acquired.full, 'The trunk "carrier" has no free channel (of 10).');
    return null;
  };
  const incoming = async ({ arrive }: typeof one): Promise<Permit | null> => {
    const joining = arrive(trunk, randomUUID());
    if (joining === null) return null;
    if (await joining.hasChannel) return joining.permit;
    joining.permit.release();
    return null;
  };
  const asked = Array.from({ length: 15 }, () => [out(one), out(two), incoming(one), incoming(two)]);
  const permits = (await Promise.all(asked.flat())).filter((permit) => permit !== null);
  t.is(permits.length, 10);
  t.is(one.channelsOf('carrier') + two.channelsOf('carrier'), 10);

  for (const permit of permits) permit.release();
  t.is(one.channelsOf('carrier') + two.channelsOf('carrier'), 0);
  await until('all of it is free at one gateway', async () => {
    const again = await Promise.all(Array.from({ length: 10 }, () => out(two)));
    const taken = again.filter((permit) => permit !== null);
    for (const permit of taken) permit.release();
    return taken.length === 10 || undefined;
  });
});

test('on its last trunk a call waits for a channel of another gateway', async (t) => {
  const [one, two] = await twoGateways(t);
  const trunk = someTrunk({ maxChannels: 1 });
  const first = await one.acquire(trunk, true, { callId: randomUUID(), signal });
  if ('full' in first) throw new Error(first.full);
  const waiting = two.acquire(trunk, true, { callId: randomUUID(), signal });
  first.permit.release();
  t.true('permit' in (await waiting));
});

const away = (): Promise<never> => Promise.reject(new Error('The database is away'));

test('while the database is away a gateway holds the limits for itself, and says so', async (t) => {
  const gateway = limitsOver({ take: away, keep: away, giveBack: away, turn: away }, new SimulatedClock());
  const trunk = someTrunk({ maxChannels: 1, callsPerSecond: 1 });
  const first = await gateway.acquire(trunk, false, { callId: randomUUID(), signal });
  t.true('permit' in first);
  t.true('full' in (await gateway.acquire(trunk, false, { callId: randomUUID(), signal })));
  t.is(gateway.arrive(trunk, randomUUID()), null);
  t.true(gateway.warned.length > 0);
  if ('permit' in first) first.permit.release();
  t.is(gateway.channelsOf('carrier'), 0);
});

test('a database that does not answer keeps a call no longer than its patience', async (t) => {
  const clock = new SimulatedClock();
  const silent = (): Promise<never> => new Promise(() => {});
  const gateway = limitsOver({ take: silent, keep: silent, giveBack: silent, turn: silent }, clock);
  const trunk = someTrunk({ maxChannels: 1 });
  const acquiring = gateway.acquire(trunk, false, { callId: randomUUID(), signal });
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
  clock.increment(patienceMs);
  t.true('permit' in (await acquiring));
});
