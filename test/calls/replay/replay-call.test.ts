import test from 'ava';
import { fromCallback } from 'xstate';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import type { LineCommand, LineInput } from '#machines/line.ts';
import type { ReplyInput } from '#machines/reply.ts';
import { createReplay, type RecordedCall } from '#src/calls/replay/replay-call.ts';
import type { CallEvent } from '#src/persistence/call-events.ts';

const nothing = { publish: () => {} };
const replay = createReplay(
  callMachine.provide({
    actors: {
      line: fromCallback<LineCommand, LineInput>(() => {}),
      conversation: conversationMachine.provide({
        actors: { reply: fromCallback<{ type: 'none' }, ReplyInput>(() => {}) },
        actions: nothing,
      }),
    },
    actions: nothing,
  }),
  { farewellWaitMs: 30_000, hangUpTimeoutMs: 5_000 },
);

const begun = Date.UTC(2026, 10, 21);

/** `at` and `to` in milliseconds from the beginning. */
const fact = (type: string, at: number, data: Record<string, unknown> = {}): Omit<CallEvent, 'sequence'> => ({
  type,
  at: new Date(begun + at),
  data,
  tOffsetSec: null,
  role: null,
  text: null,
  whole: null,
  summary: null,
});

const turn = (role: 'assistant' | 'user', at: number, to: number, whole = true) => ({
  ...fact('turn.spoken', at, { endedAt: begun + to }),
  role,
  text: 'Words.',
  whole,
});

const replayed = (facts: readonly Omit<CallEvent, 'sequence'>[], call: Partial<RecordedCall> = {}) =>
  replay({
    id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
    direction: 'outbound',
    startedAt: new Date(begun),
    endReason: 'counterparty_hangup',
    maxDurationSec: 600,
    recordingEnabled: false,
    facts: facts.map((each, index) => ({ ...each, sequence: index + 1 })),
    ...call,
  });

test('a reply that sounds in the moment in which its question ends is still thought about and said', (t) => {
  const steps = replayed([
    fact('call.answered', 1_000),
    turn('assistant', 1_100, 3_000),
    turn('user', 3_400, 5_000),
    turn('assistant', 4_990, 6_000),
    fact('call.ended', 7_000),
  ]);
  const states = steps.map(({ conversation }) => conversation);
  t.true(states.lastIndexOf('replying.speaking') > states.lastIndexOf('listening.hearing'));
  t.deepEqual(steps.at(-1)?.call, 'completed');
});

test('a murmur takes no floor, words that cut in do', (t) => {
  const murmur = replayed([
    fact('call.answered', 1_000),
    turn('user', 2_000, 2_300),
    turn('assistant', 1_100, 5_000),
    fact('call.ended', 7_000),
  ]);
  t.false(murmur.some(({ conversation }) => conversation === 'listening.hearing'));
  const interruption = replayed([
    fact('call.answered', 1_000),
    turn('assistant', 1_100, 2_400, false),
    turn('user', 2_000, 3_300),
    fact('call.ended', 7_000),
  ]);
  const hearing = interruption.find(({ conversation }) => conversation === 'listening.hearing');
  t.deepEqual([hearing?.event, hearing?.at], ['line.speech', begun + 2_000]);
});

test('a time that was up is told with its time', (t) => {
  const steps = replayed([fact('call.answered', 1_000), fact('call.ended', 61_500)], {
    endReason: 'max_duration',
    maxDurationSec: 60,
  });
  const ending = steps.find(({ call }) => call === 'active.ending');
  t.deepEqual([ending?.event, ending?.fact, ending?.at], ['(time)', null, begun + 61_000]);
});

for (const [endReason, ...states] of [
  ['no_answer', 'no_answer'],
  ['busy', 'no_answer'],
  ['cancelled', 'ringing.cancelling', 'no_answer'],
  ['trunk_error', 'failed'],
  ['system_error', 'ringing.cancelling', 'failed'],
] as const)
  test(`a call that nobody answered because of ${endReason} ends as ${states.at(-1)}`, (t) => {
    const steps = replayed([fact('call.ended', 2_000)], { endReason });
    t.deepEqual(
      steps.map(({ call }) => call),
      ['ringing.alerting', ...states],
    );
  });

test('a message that was left on a machine is replayed', (t) => {
  const steps = replayed(
    [
      fact('call.answered', 1_000),
      fact('call.answered_by', 4_000, { by: 'machine' }),
      turn('assistant', 6_000, 9_000),
      fact('call.ended', 9_100),
    ],
    { endReason: 'agent_hangup' },
  );
  t.true(steps.some(({ call }) => call === 'active.talking.leaving-message'));
  t.is(steps.at(-1)?.call, 'completed');
});

test('a reply that broke off is replayed as one, though its first words were heard only behind its failure', (t) => {
  const steps = replayed([
    fact('call.answered', 1_000),
    fact('reply.failed', 1_500, { failure: 'reply_cut_off', begun: true }),
    turn('assistant', 1_700, 4_000),
    fact('call.ended', 7_000),
  ]);
  const states = steps.map(({ conversation }) => conversation);
  t.true(states.includes('prompting'));
  t.true(
    states.indexOf('listening.silent') > states.indexOf('prompting'),
    'the apology was heard to its end',
  );
});

test('a second failure is replayed with its goodbye, and ends the call by the agent', (t) => {
  const steps = replayed(
    [
      fact('call.answered', 1_000),
      turn('assistant', 1_100, 2_000),
      turn('user', 2_500, 3_000),
      fact('reply.failed', 3_200),
      turn('assistant', 3_300, 5_000),
      turn('user', 5_500, 6_000),
      fact('reply.failed', 6_200),
      turn('assistant', 6_300, 8_000),
      fact('call.ended', 8_100),
    ],
    { endReason: 'agent_error' },
  );
  const told = steps.map(({ event, conversation, call }) => `${event}: ${conversation ?? '-'}, ${call}`);
  t.true(told.includes('reply.failed: parting, active.talking.conversing'));
  t.true(
    told.some((step) => step.startsWith('line.played: closing')),
    'the goodbye itself ends it',
  );
  t.is(steps.at(-1)?.call, 'failed');
});
