import { setImmediate as allMicrotasks } from 'node:timers/promises';
import test from 'ava';
import pino from 'pino';
import { fromCallback, SimulatedClock } from 'xstate';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import type { CallFact } from '#machines/facts.ts';
import type { KeysCommand, LineCommand, LineEvent, LineInput } from '#machines/line.ts';
import type { ReplyInput } from '#machines/reply.ts';
import { stateName } from '#src/calls/live/chart-watch.ts';
import { createLiveCalls } from '#src/calls/live/live-calls.ts';
import { createSwitchboard } from '#src/calls/live/switchboard.ts';
import { callInput } from '#test/helpers/call-world.ts';

/** A switchboard with the real charts over lines that the test speaks for. */
const setUp = (faults: { publish?: (fact: CallFact) => void; release?: (callId: string) => void } = {}) => {
  const clock = new SimulatedClock();
  const liveCalls = createLiveCalls();
  const lines = new Map<string, (event: LineEvent) => void>();
  const disposed: string[] = [];
  const abandoned: string[] = [];
  const published: string[] = [];
  const ends: string[] = [];
  const released: string[] = [];
  const left: string[] = [];
  const logged: string[] = [];
  const publish = ({ context }: { context: { callId: string } }, fact: CallFact): void => {
    faults.publish?.(fact);
    published.push(`${context.callId} ${fact.type}`);
  };
  const conversation = conversationMachine.provide({
    actors: {
      reply: fromCallback<{ type: 'none' }, ReplyInput>(
        ({ input }) =>
          () =>
            void abandoned.push(input.callId),
      ),
    },
    actions: { publish },
  });
  const line = fromCallback<LineCommand | KeysCommand, LineInput>(({ input, sendBack }) => {
    lines.set(input.callId, sendBack);
    return () => void disposed.push(input.callId);
  });
  const switchboard = createSwitchboard({
    machine: callMachine.provide({ actors: { line, conversation }, actions: { publish } }),
    clock,
    liveCalls,
    publish: (callId, fact) => void published.push(`${callId} ${fact.type} by the switchboard`),
    observer: { ended: ({ callId, status, reason }) => void ends.push(`${callId} ${status} ${reason}`) },
    leaveLine: (callId) => void left.push(callId),
    release(callId) {
      released.push(callId);
      faults.release?.(callId);
    },
    logger: pino({ base: null }, { write: (text: string) => void logged.push(text) }),
  });
  return {
    clock,
    liveCalls,
    switchboard,
    disposed,
    abandoned,
    published,
    ends,
    released,
    left,
    logged,
    connect: (callId: string): void =>
      switchboard.connect({ numberId: 'n', workspaceId: 'w', input: { ...callInput, callId } }),
    tell: (callId: string, event: LineEvent): void => lines.get(callId)?.(event),
    stateOf: (callId: string) => {
      const actor = switchboard.find(callId);
      return actor && stateName(actor.getSnapshot().value);
    },
  };
};

const answered: LineEvent = { type: 'line.answered', at: 1 };

test('a call that is connected is found, and watched from state to state until it is over', (t) => {
  const world = setUp();
  world.connect('a');
  t.truthy(world.switchboard.find('a'));
  t.is(world.switchboard.find('b'), undefined);
  t.like(world.liveCalls.get('a'), {
    numberId: 'n',
    workspaceId: 'w',
    direction: 'outbound',
    status: 'ringing',
  });
  world.tell('a', answered);
  t.is(world.stateOf('a'), 'active.talking.conversing');
  world.switchboard.find('a')?.send({ type: 'hangup.requested', immediate: true });
  t.is(world.stateOf('a'), 'active.ending');
  world.tell('a', { type: 'line.ended', at: 2, by: 'gateway' });
  world.clock.increment(5_000);
  t.is(world.switchboard.find('a'), undefined);
  t.is(world.stateOf('a'), undefined);
  t.deepEqual(world.ends, ['a completed agent_hangup']);
  t.deepEqual(world.released, ['a']);
});

test('all are asked to hang up as a client would: answered calls hear their agent out, others go on ringing', (t) => {
  const world = setUp();
  for (const callId of ['a', 'b']) world.connect(callId);
  world.tell('a', answered);
  world.switchboard.hangUpAll();
  t.is(world.stateOf('a'), 'active.talking.hangup-pending');
  t.true(world.published.includes('a call.hangup_requested'));
  t.is(world.stateOf('b'), 'ringing.alerting');
});

test('a call that was never answered tells so', (t) => {
  const world = setUp();
  for (const callId of ['a', 'b']) world.connect(callId);
  world.tell('a', { type: 'line.unanswered', at: 1, cause: 'busy' });
  world.tell('b', { type: 'line.unanswered', at: 1, cause: 'trunk_error' });
  t.deepEqual(world.ends, ['a no_answer busy', 'b failed trunk_error']);
});

test('a call that crashes ends, with a fact, and takes no other along', (t) => {
  const world = setUp({
    publish(fact) {
      if (fact.type === 'call.hangup_requested') throw new Error('A mistake of ours');
    },
  });
  for (const callId of ['a', 'b']) {
    world.connect(callId);
    world.tell(callId, answered);
  }
  world.switchboard.find('a')?.send({ type: 'hangup.requested', immediate: false });
  t.is(world.switchboard.find('a'), undefined);
  t.deepEqual(world.ends, ['a failed system_error']);
  t.true(world.published.includes('a call.ended by the switchboard'));
  t.deepEqual(world.released, ['a']);
  t.deepEqual(world.abandoned, ['a'], 'nobody waits for its reply any more');
  t.true(world.logged.some((text) => text.includes('A mistake of ours') && text.includes('"call_id":"a"')));
  t.is(world.stateOf('b'), 'active.talking.conversing');
  world.tell('b', { type: 'line.ended', at: 2, by: 'counterparty' });
  world.clock.increment(5_000);
  t.is(world.ends.at(-1), 'b completed counterparty_hangup');
});

test('what cannot be let go of is logged, and harms nobody', async (t) => {
  const world = setUp({
    release() {
      throw new Error('It will not go');
    },
  });
  world.connect('a');
  world.tell('a', { type: 'line.unanswered', at: 1, cause: 'busy' });
  t.true(world.logged.some((text) => text.includes('It will not go')));
  t.is(world.switchboard.find('a'), undefined);
  await world.switchboard.empty(60_000);
});

test('all are asked to end, and so is who comes later', (t) => {
  const world = setUp();
  for (const callId of ['ringing', 'talking']) world.connect(callId);
  world.tell('talking', answered);
  world.switchboard.closeAll();
  t.is(world.stateOf('ringing'), 'ringing.cancelling');
  t.is(world.stateOf('talking'), 'active.ending');
  world.connect('late');
  t.is(world.stateOf('late'), 'ringing.cancelling');
  world.clock.increment(5_000);
  t.deepEqual(world.ends.toSorted(), [
    'late failed system_error',
    'ringing failed system_error',
    'talking failed system_error',
  ]);
  t.is(world.liveCalls.count(), 0);
});

test('one waits until no call is left, or until the time is over', async (t) => {
  const world = setUp();
  await world.switchboard.empty(60_000);
  for (const callId of ['a', 'b']) world.connect(callId);
  await world.switchboard.empty(1);
  t.is(world.liveCalls.count(), 2);
  const order: string[] = [];
  const waits = async (): Promise<void> => {
    await world.switchboard.empty(60_000);
    order.push('empty');
  };
  const empty = waits();
  world.tell('a', { type: 'line.unanswered', at: 1, cause: 'busy' });
  await allMicrotasks();
  order.push('one is left');
  world.tell('b', { type: 'line.unanswered', at: 1, cause: 'busy' });
  await empty;
  t.deepEqual(order, ['one is left', 'empty']);
});

test('a call that another gateway holds is let go of without a word, and the others go on', async (t) => {
  const world = setUp();
  for (const callId of ['taken', 'held']) world.connect(callId);
  world.tell('taken', answered);
  const before = world.published.length;
  world.switchboard.leave('taken');
  world.switchboard.leave('taken');
  t.is(world.switchboard.find('taken'), undefined);
  t.deepEqual(world.left, ['taken'], 'its line before its actor, which would hang up');
  t.deepEqual(world.released, ['taken']);
  t.deepEqual([world.published.length, world.ends], [before, []]);
  t.is(world.stateOf('held'), 'ringing.alerting');
  world.switchboard.leaveAll();
  t.deepEqual(world.left, ['taken', 'held']);
  await world.switchboard.empty(60_000);
});
