/** Calls that go on from what their dead process has left of them. */
import test from 'ava';
import { resumption, type LeftCall } from '#src/calls/recovery/resumption.ts';
import type { AgentType } from '#src/domain/agent-binding.ts';
import type { JournalEntry } from '#src/persistence/call-journal.ts';
import { readRevival, type CallProgress } from '#src/persistence/call-revivals.ts';
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
  pausedForSecret: false,
  conversation: {
    state,
    turn: 2,
    utterance: 4,
    spoken: null,
    unanswered: 0,
    asked: [],
    controls: [],
    collected: null,
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
        consent: { announce: null, require: 'none' },
      },
      binding: {
        direction: 'outbound',
        agent: agentType === null ? 'builtin' : 'endpoint',
        agentType,
        chatUrl: null,
        assistantId: null,
        agentId: null,
        controls: 'off',
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

test('what the agent wanted to be done behind words is done behind them, once they are said again', (t) => {
  const transfer = {
    to: '0212345678',
    mode: 'warm',
    say: null,
    briefing: 'An order.',
    acceptKey: '1',
    ringTimeoutSec: 25,
    onFailure: 'resume',
  } as const;
  const controls = [
    { behind: 1, control: { act: 'press_keys', keys: '1' } },
    { behind: 2, control: { act: 'transfer', transfer } },
  ] as const;
  const kept = at('saying.sounding', { unplayed: ['One moment.', 'I connect you.'], controls });
  const { revival } = left(kept);
  const read = readRevival({
    start: revival.beginning,
    tokenSealed: null,
    progress: JSON.parse(JSON.stringify(kept)),
    aheadMs: 0,
  });
  t.deepEqual(howItGoesOn(read?.progress ?? null).controls, controls);
});

test('a kickoff of which nothing was heard is asked for once more, of whatever agent', (t) => {
  const facts = [entry(1, 'call.answered')];
  for (const agentType of [null, 'webhook'] as const)
    for (const progress of [null, at('replying.thinking', {}, 1)])
      t.like(howItGoesOn(progress, { facts, agentType }), { resumesAs: 'listening', unanswered: 1 });
});

test('who had not agreed yet is asked anew, and nothing of it is the agent’s', (t) => {
  const asked = (progress: CallProgress | null, facts: readonly JournalEntry[]) => {
    const given = left(progress, { facts });
    const { beginning } = given.revival;
    const consent = { announce: 'We record. Do you agree?', require: 'speech' } as const;
    const revival = {
      ...given.revival,
      beginning: { ...beginning, policy: { ...beginning.policy, consent } },
    };
    return resumption({ ...given, revival }, 'second');
  };
  const told = [entry(1, 'call.answered'), turn(2, 'assistant', 'We record. Do you agree?')];
  for (const progress of [null, at('consenting.awaiting-words', {}, 2)])
    t.like(asked(progress, told).conversation, { resumesAs: 'consenting', messages: [], unanswered: 0 });
  const agreed = [...told, turn(3, 'user', 'Yes.'), { ...entry(4, 'call.consent'), data: { given: true } }];
  for (const progress of [null, at('consenting.awaiting-words', {}, 2)])
    t.like(asked(progress, agreed).conversation, {
      resumesAs: 'listening',
      messages: [{ role: 'user', content: kickoff }],
      unanswered: 1,
    });
  const refused = [...told, turn(3, 'user', 'No.'), { ...entry(4, 'call.consent'), data: { given: false } }];
  t.is(asked(at('consenting.refused', {}, 4), refused).endReason, 'consent_refused');
  t.is(asked(at('voicemail.silent', {}, 2), told).conversation.resumesAs, 'voicemail');
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

const fourDigits = { digits: 4, finish: null, timeoutSec: 10, secret: false };

test('keys that were waited for are waited for still, as far as they had come', (t) => {
  const collected = { wanted: fourDigits, keys: '12', areAll: false, startedAt: 5, endedAt: 6 };
  t.deepEqual(howItGoesOn(at('listening.collecting', { collected })).collected, collected);
});

test('keys that were asked for behind what was kept are waited for, until they were a turn', (t) => {
  const facts = [...saidHello, entry(4, 'collect.requested', { data: { ...fourDigits } })];
  const waiting = howItGoesOn(at('listening.silent'), { facts });
  t.like(waiting.collected, { wanted: fourDigits, keys: '', areAll: false });
  const over = howItGoesOn(at('listening.silent'), { facts: [...facts, turn(5, 'user', '[keys] 1234')] });
  t.is(over.collected, null);
});

test('a transfer of which nothing has become, or for which somebody had come, is lost with its process', (t) => {
  const ids = { transferId: 'a-transfer', to: '01000000011' };
  const requested = [...saidHello, entry(4, 'call.transfer_requested', { data: ids })];
  const lostBehind = (...types: string[]) => {
    const facts = [...requested, ...types.map((type, index) => entry(5 + index, type, { data: ids }))];
    return howItGoesOn(at('listening.silent'), { facts }).lostTransfer;
  };
  t.deepEqual(lostBehind(), ids);
  t.deepEqual(lostBehind('call.transfer_connected'), ids);
  t.is(lostBehind('call.transfer_failed'), null);
  t.is(lostBehind('call.transfer_returned'), null);
});

test('a language that the agent has changed stays changed', (t) => {
  const changed = (sequence: number, language: string): JournalEntry =>
    entry(sequence, 'language.changed', { data: { language } });
  t.is(howItGoesOn(at('listening.silent')).language, null);
  const facts = [...saidHello, changed(4, 'ja'), changed(5, 'ko')];
  t.is(howItGoesOn(at('listening.silent'), { facts }).language, 'ko');
});
