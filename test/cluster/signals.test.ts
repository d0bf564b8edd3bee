import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createNodeSignals, NodeUnreachable } from '#src/cluster/signals.ts';
import { databaseWakeUps } from '#src/cluster/wake-ups.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { ownDatabase } from '#test/helpers/database.ts';
import { until } from '#test/helpers/until.ts';

/** Two gateways on one database; their patience ends when the test turns the clock. */
const world = async (t: ExecutionContext) => {
  const database = await ownDatabase(t);
  const clock = createOrderedClock();
  const names = { asking: `asking-${randomUUID()}`, asked: `asked-${randomUUID()}` };
  const signalsOf = (node: string) => {
    const signals = createNodeSignals({
      database,
      wakeUps: databaseWakeUps(database),
      node,
      answerMs: 60_000,
      clock,
      logger: pino({ level: 'silent' }),
    });
    t.teardown(signals.close);
    return signals;
  };
  const asking = signalsOf(names.asking);
  await asking.open(async () => ({}));
  const rows = async (): Promise<string[]> =>
    (await database.execute<{ state: string }>('select state from node_signal')).map(({ state }) => state);
  return { clock, names, asking, asked: signalsOf(names.asked), rows };
};

test('a gateway is asked, does it, and its answer comes back to the one that asked', async (t) => {
  const { names, asking, asked, rows, clock } = await world(t);
  const requests: unknown[] = [];
  await asked.open(async (request) => {
    requests.push(request);
    return { done: requests.length };
  });
  t.deepEqual(await asking.ask(names.asked, { hangUp: 'one' }), { done: 1 });
  t.deepEqual(await asking.ask(names.asked, { hangUp: 'another' }), { done: 2 });
  t.deepEqual(requests, [{ hangUp: 'one' }, { hangUp: 'another' }]);
  t.deepEqual(await rows(), []);
  t.is(clock.pending(), 0);
});

test('a request that takes long holds up no other', async (t) => {
  const { names, asking, asked } = await world(t);
  const long = Promise.withResolvers<object>();
  let asks = 0;
  await asked.open(async () => ((asks += 1) === 1 ? long.promise : { quick: true }));
  const first = asking.ask(names.asked, {});
  await until('it is under way', () => asks === 1 || undefined);
  t.deepEqual(await asking.ask(names.asked, {}), { quick: true });
  long.resolve({ long: true });
  t.deepEqual(await first, { long: true });
});

test('what is not answered in time is withdrawn, and is not carried out later', async (t) => {
  const { names, asking, asked, rows, clock } = await world(t);
  const answer = asking.ask(names.asked, {});
  await until('it is sent', async () => (await rows()).length === 1 || undefined);
  clock.advance(60_000);
  await t.throwsAsync(answer, { instanceOf: NodeUnreachable });
  t.deepEqual(await rows(), []);
  let asks = 0;
  await asked.open(async () => ({ asks: (asks += 1) }));
  t.deepEqual(await asking.ask(names.asked, {}), { asks: 1 });
});

test('a request that fails is not answered, and the next one is', async (t) => {
  const { names, asking, asked, rows, clock } = await world(t);
  let asks = 0;
  await asked.open(async () => {
    asks += 1;
    if (asks === 1) throw new Error('This cannot be done');
    return { asks };
  });
  const failing = asking.ask(names.asked, {});
  await until('it was tried', () => asks === 1 || undefined);
  t.deepEqual(await asking.ask(names.asked, {}), { asks: 2 });
  clock.advance(60_000);
  await t.throwsAsync(failing, { instanceOf: NodeUnreachable });
  t.deepEqual(await rows(), []);
});
