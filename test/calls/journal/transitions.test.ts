import test from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { chartVersionOf } from '#src/calls/journal/chart-version.ts';
import { callOpening } from '#src/calls/journal/opening.ts';
import { createTransitions } from '#src/calls/journal/transitions.ts';
import type { StoredTransition } from '#src/persistence/call-transitions.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';

const setUp = ({ limit = 100, opening }: { limit?: number; opening?: string } = {}) => {
  const clock = new SimulatedClock();
  const statements: StoredTransition[][] = [];
  const trouble: { error: Error | null; isPassing: boolean } = { error: null, isPassing: true };
  const transitions = createTransitions({
    ...(opening === undefined ? {} : { opening }),
    write: async (some) => {
      if (trouble.error !== null) throw trouble.error;
      statements.push([...some]);
    },
    isPassing: () => trouble.isPassing,
    clock,
    gatherMs: 250,
    batch: 1_000,
    limit,
    retryMs: 5_000,
    logger: pino({ level: 'silent' }),
  });
  const world = createCallWorld({}, { inspect: transitions.inspectorOf('a', () => new Date(7)) });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const pass = async (milliseconds: number): Promise<void> => {
    clock.increment(milliseconds);
    await settle();
  };
  return { clock, statements, trouble, transitions, world, pass };
};

test('transitions of a call are kept with their states, in one statement for all that came together', async (t) => {
  const { statements, world, pass, transitions } = setUp();
  t.deepEqual(statements, [], 'the birth of a call writes nothing');
  transitions.countFact('a');
  world.answer();
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  await pass(249);
  t.deepEqual(statements, []);
  await pass(1);
  t.is(statements.length, 1);
  t.deepEqual(
    statements[0]?.map((one) => [one.sequence, one.machine, one.stateBefore, one.eventType, one.stateAfter]),
    [
      [1, 'call', null, 'xstate.init', 'ringing.alerting'],
      [2, 'conversation', null, 'xstate.init', 'replying.thinking'],
      [3, 'call', 'ringing.alerting', 'line.answered', 'active.talking.conversing'],
      [4, 'conversation', 'replying.thinking', 'call.over', 'closing'],
      [5, 'call', 'active.talking.conversing', 'line.ended', 'active.hung-up'],
      [6, 'call', 'active.hung-up', 'agent.quiet', 'completed'],
    ],
  );
  t.deepEqual(new Set(statements[0]?.map(({ at }) => at.getTime())), new Set([7]));
  t.is(statements[0]?.at(-1)?.factsBefore, 1);
  t.is(new Set(statements[0]?.map(({ chartVersion }) => chartVersion)).size, 2);
});

test('while the database is away transitions wait; what is refused is given up', async (t) => {
  const { statements, trouble, world, pass } = setUp();
  trouble.error = new Error('away');
  await pass(250);
  trouble.error = null;
  world.answer();
  await pass(5_000);
  t.is(statements[0]?.length, 3);
  trouble.error = new Error('refused');
  trouble.isPassing = false;
  world.ask({ type: 'hangup.requested', immediate: true });
  await pass(250);
  trouble.error = null;
  world.onLine({ type: 'line.ended', by: 'gateway' });
  await pass(250);
  t.is(statements[1]?.[0]?.stateAfter, 'completed');
});

test('no more than the limit waits, and the end writes what does', async (t) => {
  const { statements, world, transitions } = setUp({ limit: 2 });
  world.answer();
  world.hear('Hello?');
  await transitions.close();
  t.is(statements[0]?.length, 2);
});

test('what is not written yet may be written with the end, with what happens in the same breath', async (t) => {
  const { statements, transitions, world, pass } = setUp();
  const atTheEnd = transitions.unwritten('a');
  world.answer();
  const some = await atTheEnd;
  const states = ['ringing.alerting', 'replying.thinking', 'active.talking.conversing'];
  t.deepEqual(
    some.map(({ stateAfter }) => stateAfter),
    states,
  );
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  transitions.wereWritten('a', some);
  await pass(250);
  t.deepEqual(
    statements.map((statement) => statement.map(({ sequence }) => sequence)),
    [[4, 5, 6]],
    'only what came meanwhile is left',
  );
  t.deepEqual(await transitions.unwritten('a'), []);
});

test('what comes while others are being written is written after them', async (t) => {
  const { statements, trouble, transitions, world, pass } = setUp();
  world.answer();
  trouble.error = new Error('away');
  await pass(250);
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  trouble.error = null;
  await pass(5_000);
  t.deepEqual(
    statements.map((statement) => statement.map(({ sequence }) => sequence)),
    [[1, 2, 3, 4, 5, 6]],
  );
  t.deepEqual(await transitions.unwritten('a'), []);
});

test('of a call whose first state is written with its row, what follows is kept', async (t) => {
  const { statements, world, pass } = setUp({ opening: 'ringing.alerting' });
  await pass(250);
  t.deepEqual(statements, []);
  world.answer();
  await pass(250);
  t.deepEqual(
    statements[0]?.map(({ sequence, machine, stateBefore, stateAfter }) => [
      sequence,
      machine,
      stateBefore,
      stateAfter,
    ]),
    [
      [2, 'conversation', null, 'replying.thinking'],
      [3, 'call', 'ringing.alerting', 'active.talking.conversing'],
    ],
  );
});

test('the first state of each call is the one that its chart begins with', (t) => {
  const world = createCallWorld();
  t.is(callOpening.state, world.state());
  t.is(callOpening.chartVersion, chartVersionOf('call'));
});
