import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { ServerRefusal, startHeartbeat } from '#sip/drachtio/heartbeat.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const watching = (outcomes: readonly (Error | null)[]) => {
  const clock = createOrderedClock();
  const world = { asked: 0, silent: 0 };
  const end = startHeartbeat({
    async probe() {
      const outcome = outcomes[world.asked] ?? null;
      world.asked += 1;
      if (outcome !== null) throw outcome;
    },
    everyMs: 5_000,
    clock,
    onSilent: () => (world.silent += 1),
  });
  const pass = async (times: number): Promise<void> => {
    for (let time = 1; time <= times; time += 1) {
      clock.advance(5_000);
      await turn();
    }
  };
  return { clock, world, end, pass };
};

const silence = new Error('it does not answer.');

test('two answers in a row that do not come are silence, said once', async (t) => {
  const { clock, world, pass } = watching([null, silence, null, silence, silence]);
  await pass(4);
  t.is(world.silent, 0);
  await pass(3);
  t.deepEqual(world, { asked: 5, silent: 1 });
  t.is(clock.pending(), 0);
});

test('a server that says no is there', async (t) => {
  const no = new ServerRefusal('it refused the secret.');
  const { world, pass } = watching([silence, no, silence, no, silence]);
  await pass(6);
  t.is(world.silent, 0);
});

test('a watch that is ended asks no more and says nothing of an answer that is still to come', async (t) => {
  const { clock, world, end, pass } = watching([silence, silence]);
  await pass(1);
  clock.advance(5_000);
  end();
  await pass(2);
  t.deepEqual(world, { asked: 2, silent: 0 });
  t.is(clock.pending(), 0);
});
