/**
 * Three gateways as processes on a PostgreSQL server, woken by NATS if its server is installed, with calls among them:
 * they are killed with SIGKILL and frozen with SIGSTOP, and NATS dies and returns. The rules are those of the simulation
 * at rest (`test/simulation/checks.ts`), except those about the writers of facts, which only the simulated database
 * knows.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { rulesOfTables } from '#test/simulation/checks.ts';
import { hasNatsServer, startNatsServer } from '#test/helpers/nats-server.ts';
import { until } from '#test/helpers/until.ts';
import { oneDatabase, place, type Running } from '#test/journeys/gateways-of-one-database.ts';

const names = ['north', 'south', 'west'];
/** Three talk, one is silent, one hangs up, one interrupts everything. */
const callees = ['01000000001', '01000000005', '01000000006', '01000000001', '01000000007', '01000000008'];
const calls = 36;
/** Time between two deaths: the calls of the first have been taken over then. */
const pauseMs = 8_000;
/** A killed gateway is away for less than this: it may find its own calls, or another gateway has them. */
const awayMs = [500, 9_000, 500, 9_000, 500, 9_000];
/** Longer than a lease. */
const frozenMs = 40_000;
const restWithinMs = 180_000;

test.serial('every rule holds after kills of gateways and of NATS', async (t) => {
  t.timeout(600_000);
  const { start, rows } = await oneDatabase(t);
  const nats = hasNatsServer ? await startNatsServer() : null;
  const settings: Record<string, string> =
    nats === null ? {} : { GW_NATS_URL: `nats://127.0.0.1:${nats.port}`, GW_LOG_LEVEL: 'warn' };
  let wakeUps = nats;
  t.teardown(() => wakeUps?.stop());
  t.log(nats === null ? 'nats-server is not installed' : 'wake-ups go through NATS');

  const running = new Map<string, Running>();
  const begin = async (name: string): Promise<void> => {
    running.set(name, await start(name, { ...settings, GW_LOG_LEVEL: 'info' }));
  };
  for (const name of names) await begin(name);
  const gateway = (name: string): Running => {
    const found = running.get(name);
    if (found === undefined) throw new Error(`${name} does not run`);
    return found;
  };
  const kill = async (name: string): Promise<void> => {
    const { signal, ended } = gateway(name);
    running.delete(name);
    signal('SIGKILL');
    await ended;
  };
  const placed: string[] = [];
  const placeSome = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const ready = [...running.values()];
      const at = ready[placed.length % ready.length];
      if (at === undefined) throw new Error('No gateway runs');
      placed.push(await place(at, callees[placed.length % callees.length] ?? ''));
    }
  };

  // Kills, with new calls before each.
  for (const [index, away] of awayMs.entries()) {
    const name = names[index % names.length] ?? '';
    await placeSome(calls / awayMs.length);
    await sleep(pauseMs / 2);
    await kill(name);
    if (index === 2 && wakeUps !== null) {
      const { port } = wakeUps;
      await wakeUps.stop();
      wakeUps = await startNatsServer({ port });
    }
    await sleep(away);
    await begin(name);
    await sleep(pauseMs / 2);
  }
  // A freeze, after which the gateway finds its calls taken.
  await placeSome(names.length);
  const frozen = gateway('north');
  frozen.signal('SIGSTOP');
  await sleep(frozenMs);
  frozen.signal('SIGCONT');

  await until(
    'all calls have ended',
    async () => {
      for (const { id } of (await rows(`select id from call where ended_at is null`)) as { id: string }[])
        await gateway('south').client.post(`/api/v1/calls/${id}/hangup`, { immediate: true });
      const left = await rows(`select id from call where ended_at is null limit 1`);
      return left.length === 0 ? true : undefined;
    },
    restWithinMs,
  );
  for (const { what, broken } of rulesOfTables) t.deepEqual(await rows(broken), [], what);
  const [counted] = (await rows(`select count(*)::int as calls,
    (select count(*)::int from call_fact where type = 'call.taken_over') as taken,
    (select count(*)::int from call where end_reason = 'system_error') as lost from call`)) as {
    calls: number;
    taken: number;
    lost: number;
  }[];
  t.log(counted);
  t.is(counted?.calls, placed.length);
  t.true((counted?.taken ?? 0) > 0);
});
