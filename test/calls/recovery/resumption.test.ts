/** Calls that go on from what their dead process has left of them. */
import test from 'ava';
import { resumption, type LeftCall } from '#src/calls/recovery/resumption.ts';
import type { AgentType } from '#src/domain/agent-binding.ts';
import type { JournalEntry } from '#src/persistence/call-journal.ts';
import type { CallProgress } from '#src/persistence/call-revivals.ts';
import { usualBargeIn } from '#src/domain/barge-in.ts';
import { usualTurnEnd } from '#src/domain/turn-end.ts';
import { usualSpeech } from '#test/helpers/usual-speech.ts';

const kickoff = '[outbound call connected]';

const entry = (sequence: number, type: string, more: Partial<JournalEntry> = {}): JournalEntry => ({
  sequence,
  type,
  at: new Date(1_000 * sequence),
  data: {},
  tOffsetSec: null,
  role: null,
  text: null,
  whole: null,
  summary: null,
  ...more,
});

const turn = (sequence: number, role: 'assistant' | 'user', text: string): JournalEntry =>
  entry(sequence, 'turn.spoken', { role, text, whole: true });

const saidHello = [entry(1, 'call.answered'), turn(2, 'assistant', 'Hello.'), turn(3, 'user', 'Yes?')];

type Conversation = CallProgress['conversation'];

const at = (state: string, conversation: Partial<Conversation> = {}, facts = 3): CallProgress => ({
  facts,
  endReason: null,
  conversation: {
    state,
    turn: 2,
    utterance: 4,
    spoken: null,
    unanswered: 0,
    asked: [],
    failuresInARow: 0,
    wasReprompted: false,
    unplayed: [],
    ...conversation,
  },
});

const left = (
  progress: CallProgress | null,
  { facts = saidHello, agentType = null, ...more }: Partial<LeftCall> & { agentType?: AgentType | null } = {},
): LeftCall => ({
  call: { answeredBy: null },
  revival: {
    tokenSealed: null,
    aheadMs: 0,
    progress,
    beginning: {
      greeting: null,
      speech: usualSpeech,
      voicemail: { policy: 'talk', message: null },
      policy: {
        silenceTimeoutSec: 30,
        ringTimeoutSec: 45,
        recordingEnabled: true,
        bargeIn: { mode: 'pause', ...usualBargeIn },
        turnEnd: { mode: 'pause', ...usualTurnEnd },
      },
      binding: {
        direction: 'outbound',
        agent: agentType === null ? 'builtin' : 'endpoint',
        agentType,
        chatUrl: null,
        assistantId: null,
        agentId: null,
      },
    },
  },
  facts,
  kickoff,
  greeting: null,
  ...more,
});

const howItGoesOn = (...given: Parameters<typeof left>) => {
  const { conversation, ...call } = resumption(left(...given), 'second');
  return { ...call, ...conversation };
};

test('what was said is known in its order, with the kickoff first', (t) => {
  const spokenInto = [turn(2, 'user', 'Wait!'), { ...turn(3, 'assistant', 'Let me'), at: new Date(1) }];
  t.deepEqual(howItGoesOn(at('listening.silent'), { facts: spokenInto }).messages, [
    { role: 'user', content: kickoff },
    { role: 'assistant', content: 'Let me' },
    { role: 'user', content: 'Wait!' },
  ]);
});

test('a reply that was asked for is asked for once more where its server remembers nothing', (t) => {
  const thinking = at('replying.thinking');
  for (const agentType of [null, 'openai_compatible', 'mastra'] as const)
    t.like(howItGoesOn(thinking, { agentType }), { resumesAs: 'listening', unanswered: 1, unsaid: [] });
  for (const agentType of ['webhook', 'n8n', 'langgraph'] as const)
    t.like(howItGoesOn(thinking, { agentType }), { resumesAs: 'broken-off', unanswered: 0, unsaid: [] });
});

test('a kickoff of which nothing was heard is asked for once more, of whatever agent', (t) => {
  const facts = [entry(1, 'call.answered')];
  for (const agentType of [null, 'webhook'] as const)
    for (const progress of [null, at('replying.thinking', {}, 1)])
      t.like(howItGoesOn(progress, { facts, agentType }), { resumesAs: 'listening', unanswered: 1 });
});

test('a caller who was to be greeted is greeted', (t) => {
  t.like(howItGoesOn(null, { facts: [entry(1, 'call.answered')], kickoff: null, greeting: 'Welcome.' }), {
    resumesAs: 'saying',
    unsaid: ['Welcome.'],
    messages: [],
  });
});

test('a reply whose first sentences were heard goes on with the one that was cut', (t) => {
  const spoken = { startedAt: 1, endedAt: 2, text: 'One.', whole: true };
  for (const state of ['replying.speaking', 'replying.paused'])
    t.like(howItGoesOn(at(state, { spoken, unplayed: ['Two.'] })), {
      resumesAs: 'broken-off',
      unsaid: ['Two.'],
      spoken,
    });
  for (const state of ['saying.sounding', 'saying.paused'])
    t.like(howItGoesOn(at(state, { spoken, unplayed: ['Two.'] })), {
      resumesAs: 'saying',
      unsaid: ['Two.'],
      spoken,
    });
});

test('what the journal knows beyond what was kept last counts', (t) => {
  const facts = [...saidHello, turn(4, 'assistant', 'One. Two.'), turn(5, 'user', 'Good.')];
  t.like(howItGoesOn(at('saying.sounding', { unplayed: ['Two.'] }), { facts }), {
    resumesAs: 'listening',
    unsaid: [],
    unanswered: 1,
  });
});

test('a reply is not asked for twice though only the journal knows that it was asked for', (t) => {
  const facts = [...saidHello, turn(4, 'assistant', 'One.'), turn(5, 'user', 'And two?')];
  for (const progress of [at('listening.silent', {}, 4), at('saying.sounding', { unplayed: ['One.'] })]) {
    t.like(howItGoesOn(progress, { facts, agentType: 'webhook' }), { resumesAs: 'broken-off', unsaid: [] });
    t.like(howItGoesOn(progress, { facts, agentType: 'mastra' }), { resumesAs: 'listening', unanswered: 1 });
  }
  // What was said into a turn that is finished first is answered behind it.
  const into = [...saidHello, turn(4, 'user', 'And two?'), turn(5, 'assistant', 'One.')];
  t.like(howItGoesOn(at('saying.sounding', { unplayed: ['One.'] }), { facts: into, agentType: 'webhook' }), {
    resumesAs: 'broken-off',
  });
});

test('words that were never written are not waited for', (t) => {
  t.is(howItGoesOn(at('listening.silent', { unanswered: 3 }, 9)).unanswered, 1);
});

test('hold, pause, a pending hangup and who has answered are as the journal says', (t) => {
  const told = (...types: string[]) =>
    howItGoesOn(at('listening.silent'), {
      facts: [
        ...saidHello,
        ...types.map((type, index) => entry(4 + index, type, { data: { immediate: false } })),
      ],
    });
  t.is(told('call.held').resumesAs, 'on-hold');
  t.is(told('call.held', 'call.resumed').resumesAs, 'listening');
  t.true(told('recording.paused').recordingIsPaused);
  t.false(told('recording.paused', 'recording.resumed').recordingIsPaused);
  t.true(told('call.hangup_requested').hangupIsPending);
  t.false(told('call.hangup_requested', 'call.hangup_cancelled').hangupIsPending);
});

test('an end that was decided stays decided', (t) => {
  t.is(howItGoesOn({ ...at('closing'), endReason: 'silence_timeout' }).endReason, 'silence_timeout');
  const facts = [...saidHello, entry(4, 'call.hangup_requested', { data: { immediate: true } })];
  t.is(howItGoesOn(at('listening.silent'), { facts }).endReason, 'agent_hangup');
  t.is(howItGoesOn(at('parting')).endReason, 'agent_error', 'its goodbye was heard');
  t.is(howItGoesOn(at('parting', { unplayed: ['Goodbye.'] })).endReason, null);
});

test('words of a program that nobody has heard yet are still to be said, once', (t) => {
  const requested = (sequence: number, text: string): JournalEntry =>
    entry(sequence, 'say.requested', { data: { text, interrupt: false } });
  const facts = [...saidHello, requested(4, 'One moment.'), turn(5, 'assistant', 'Kept. One moment.')];
  t.deepEqual(howItGoesOn(at('replying.thinking', { asked: ['Kept.'] })).asked, ['Kept.']);
  t.deepEqual(howItGoesOn(at('replying.thinking'), { facts: facts.slice(0, 4) }).asked, ['One moment.']);
  t.deepEqual(howItGoesOn(at('replying.thinking', { asked: ['Kept.'] }), { facts }).asked, []);
  t.deepEqual(howItGoesOn(at('replying.thinking', { asked: ['Kept.'] }, 5), { facts }).asked, ['Kept.']);
  t.deepEqual(howItGoesOn(null, { facts: facts.slice(0, 4) }).asked, ['One moment.']);
});
