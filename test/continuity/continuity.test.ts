/** Hand-over, stored legs, resume state and ownership of calls. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import pino from 'pino';
import { createActor, fromCallback, SimulatedClock } from 'xstate';
import { callTimes, journalLimits } from '#config/policy.ts';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import type { KeysCommand, LineCommand, LineInput } from '#machines/line.ts';
import type { ReplyInput } from '#machines/reply.ts';
import { beginHandOver, type Successors } from '#src/continuity/hand-over.ts';
import { createCheckpoints, type CheckpointsOptions } from '#src/continuity/checkpoint/checkpoints.ts';
import { type ResumableCall, resumeStateOf } from '#src/continuity/resume-state.ts';
import { createOwnership } from '#src/continuity/ownership.ts';
import { createTakeOver } from '#src/continuity/take-over.ts';
import { DatabaseAway } from '#src/persistence/database/connection-errors.ts';
import { systemClock } from '#src/clocks.ts';
import type { AgentType } from '#src/domain/agent-binding.ts';
import { usualBargeIn } from '#src/domain/barge-in.ts';
import type { SimulatedFarEnd } from '#src/domain/simulated-far-end.ts';
import type { OrphanLeg, SipLeg } from '#src/domain/sip-leg.ts';
import { usualTurnEnd } from '#src/domain/turn-end.ts';
import type { JournalEntry } from '#src/persistence/calls/call-journal.ts';
import { type CallProgress, readCheckpoint } from '#src/persistence/calls/call-checkpoints.ts';
import { openFarEnd, sealScript, withoutScript } from '#src/persistence/calls/checkpoint-far-end.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { takeHandedOver, type TakenCall } from '#src/persistence/calls/claim-calls.ts';
import { legsOf } from '#src/persistence/calls/checkpoint-legs.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { callInput } from '#test/helpers/call-world.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { scriptedDatabase, scriptedStatements } from '#test/helpers/scripted-database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { sealing } from '#test/helpers/test-sealing.ts';
import { usualSpeech } from '#test/helpers/usual-speech.ts';

// Resume state: derived from the stored progress and the journal of a dead process.

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
  leftAt: null,
  farEnd: null,
  conversation: {
    state,
    turn: 2,
    utterance: 4,
    spoken: null,
    unanswered: 0,
    isReplyOwed: false,
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
  {
    facts = saidHello,
    agentType = null,
    ...more
  }: Partial<ResumableCall> & { agentType?: AgentType | null } = {},
): ResumableCall => ({
  call: { answeredBy: null },
  checkpoint: {
    tokenSealed: null,
    headersSealed: null,
    aheadMs: 0,
    progress,
    settings: {
      greeting: null,
      speech: usualSpeech,
      voicemail: { policy: 'talk', message: null },
      screening: { policy: 'answer', callerName: null },
      menu: 'talk',
      transferTo: [],
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
        model: null,
        prompt: null,
        tools: null,
      },
      scriptSealed: null,
    },
  },
  facts,
  kickoff,
  greeting: null,
  now: 0,
  unheldMs: 0,
  ...more,
});

const howItGoesOn = (...given: Parameters<typeof left>) => {
  const { conversation, ...call } = resumeStateOf(left(...given), { node: 'second', from: 'first' });
  return { ...call, ...conversation };
};

test('orders turns by the time of speech, with the kickoff first', (t) => {
  const spokenInto = [turn(2, 'user', 'Wait!'), { ...turn(3, 'assistant', 'Let me'), at: new Date(1) }];
  t.deepEqual(howItGoesOn(at('listening.silent'), { facts: spokenInto }).messages, [
    { role: 'user', content: kickoff },
    { role: 'assistant', content: 'Let me' },
    { role: 'user', content: 'Wait!' },
  ]);
});

test('excludes the words of call screening from the conversation', (t) => {
  const screened = entry(2, 'call.answered_by', { data: { by: 'screening' } });
  const question = turn(3, 'user', 'Say your name.');
  const during = howItGoesOn(at('screened.waiting'), {
    facts: [turn(1, 'assistant', 'Good'), screened, question],
  });
  t.like(during, { resumesAs: 'listening', unanswered: 1, unsaid: [] });
  t.deepEqual(during.messages, [{ role: 'user', content: kickoff }]);
  const person = entry(4, 'call.answered_by', { data: { by: 'human' } });
  const facts = [turn(1, 'assistant', 'Good'), screened, question, person, turn(5, 'user', 'Hello?')];
  t.deepEqual(howItGoesOn(at('listening.silent'), { facts }).messages, [
    { role: 'user', content: kickoff },
    { role: 'user', content: 'Hello?' },
  ]);
});

test('requests a pending reply again from an agent without history', (t) => {
  const thinking = at('replying.thinking');
  for (const agentType of [null, 'openai_compatible', 'mastra'] as const)
    t.like(howItGoesOn(thinking, { agentType }), { resumesAs: 'listening', unanswered: 1, unsaid: [] });
  for (const agentType of ['webhook', 'n8n', 'langgraph'] as const)
    t.like(howItGoesOn(thinking, { agentType }), { resumesAs: 'broken-off', unanswered: 0, unsaid: [] });
});

test('executes a pending control after repeating the words before it', (t) => {
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
  const { checkpoint } = left(kept);
  const read = readCheckpoint({
    settings: checkpoint.settings,
    tokenSealed: null,
    headersSealed: null,
    progress: JSON.parse(JSON.stringify(kept)),
    aheadMs: 0,
  });
  t.deepEqual(howItGoesOn(read?.progress ?? null).controls, controls);
});

test('a resumed call keeps the built-in settings that it began with, without tools that this version lacks', (t) => {
  const { settings } = left(null).checkpoint;
  const read = (binding: object): unknown => {
    const kept = readCheckpoint({
      settings: { ...settings, binding: { ...settings.binding, ...binding } },
      tokenSealed: null,
      headersSealed: null,
      progress: null,
      aheadMs: 0,
    });
    const { model, prompt, tools } = kept?.settings.binding ?? {};
    return { model, prompt, tools };
  };
  const own = { model: 'large', prompt: 'Be brief.', tools: ['hang_up'] };
  t.deepEqual(read(own), own);
  t.deepEqual(read({ ...own, tools: ['send_fax', 'hang_up'] }), own);
  // Older gateways do not write the settings.
  const older = { model: undefined, prompt: undefined, tools: undefined };
  t.deepEqual(read(older), { model: null, prompt: null, tools: null });
});

test('stores the script of a simulated call sealed with the answer, and its completed steps with the progress', (t) => {
  const { settings } = left(null).checkpoint;
  const callId = randomUUID();
  const read = (scriptSealed: string | null | undefined, progress: unknown): SimulatedFarEnd | null => {
    const row = { tokenSealed: null, headersSealed: null, progress, aheadMs: 0 };
    const checkpoint = readCheckpoint({ ...row, settings: { ...settings, scriptSealed } });
    if (checkpoint === undefined) throw new Error('The checkpoint is unreadable');
    const stored = checkpoint.progress?.farEnd ?? null;
    return openFarEnd(sealing, stored, checkpoint.settings.scriptSealed, callId);
  };
  const rehearsal = { stepTimeoutSec: 30, people: { '0212345678': 'accepts' as const } };
  const farEnds: (SimulatedFarEnd | null)[] = [
    null,
    { is: 'phone', name: 'phone-0001', hasSound: true },
    { is: 'script', script: [{ press: '271828' }], stepsDone: 1, rehearsal },
  ];
  for (const farEnd of farEnds) {
    const [sealed, stored] = [sealScript(sealing, farEnd, callId), withoutScript(farEnd)];
    t.deepEqual(read(sealed, { ...at('listening.silent'), farEnd: stored }), farEnd);
    t.false(`${sealed} ${JSON.stringify(stored)}`.includes('271828'), 'a script may contain secret digits');
  }
  const { farEnd: _, ...older } = at('listening.silent');
  t.is(read(undefined, older), null);
});

test('requests the reply to an unheard kickoff again, for every agent type', (t) => {
  const facts = [entry(1, 'call.answered')];
  for (const agentType of [null, 'webhook'] as const)
    for (const progress of [null, at('replying.thinking', {}, 1)])
      t.like(howItGoesOn(progress, { facts, agentType }), { resumesAs: 'listening', unanswered: 1 });
});

test('asks for consent again, and hides earlier words from the agent', (t) => {
  const asked = (progress: CallProgress | null, facts: readonly JournalEntry[]) => {
    const given = left(progress, { facts });
    const { settings } = given.checkpoint;
    const consent = { announce: 'We record. Do you agree?', require: 'speech' } as const;
    const checkpoint = {
      ...given.checkpoint,
      settings: { ...settings, policy: { ...settings.policy, consent } },
    };
    return resumeStateOf({ ...given, checkpoint }, { node: 'second', from: 'first' });
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

test('requests a reply again that a hold or a noise had aborted before its first word', (t) => {
  const facts = [...saidHello, turn(4, 'user', 'What is the price?')];
  const owed = { isReplyOwed: true };
  for (const unheldMs of [null, 0])
    t.like(howItGoesOn(at('listening.hearing', owed, 4), { facts, unheldMs }), {
      resumesAs: 'listening',
      isReplyOwed: true,
    });
  const held = [...facts, entry(5, 'call.held')];
  for (const state of ['on-hold', 'replying.thinking', 'replying.speaking', 'saying.sounding'])
    for (const agentType of [null, 'webhook'] as const)
      t.like(
        howItGoesOn(at(state, owed, 4), { facts: held, unheldMs: null, agentType }),
        { resumesAs: 'on-hold', isReplyOwed: true, unsaid: [] },
        state,
      );
  t.like(howItGoesOn(at('on-hold', owed, 5), { facts: [...held, entry(6, 'call.resumed')] }), {
    resumesAs: 'listening',
    isReplyOwed: true,
  });
  // An agent with a memory may have received the question, so the other party is asked to repeat it.
  const unheard = { facts, unheldMs: null, agentType: 'webhook' } as const;
  t.like(howItGoesOn(at('listening.hearing', owed, 4), unheard), {
    resumesAs: 'broken-off',
    isReplyOwed: false,
  });
  // The queued words are said again instead.
  t.like(howItGoesOn(at('saying.sounding', { ...owed, unplayed: ['It costs a lot.'] }, 4), unheard), {
    resumesAs: 'saying',
    unsaid: ['It costs a lot.'],
  });
  // The reply was heard after all.
  t.false(
    howItGoesOn(at('listening.hearing', owed, 4), { facts: [...facts, turn(5, 'assistant', 'It costs')] })
      .isReplyOwed,
  );
});

test('reads the progress of an older gateway, which stored no owed reply', (t) => {
  const { isReplyOwed: _, ...conversation } = at('on-hold', { unanswered: 1 }).conversation;
  const { settings } = left(null).checkpoint;
  const read = readCheckpoint({
    settings,
    tokenSealed: null,
    headersSealed: null,
    progress: { ...at('on-hold'), conversation },
    aheadMs: 0,
  });
  t.like(read?.progress?.conversation, { isReplyOwed: false, unanswered: 1 });
});

test('repeats a greeting that was not heard', (t) => {
  t.like(howItGoesOn(null, { facts: [entry(1, 'call.answered')], kickoff: null, greeting: 'Welcome.' }), {
    resumesAs: 'saying',
    unsaid: ['Welcome.'],
    messages: [],
  });
});

test('continues a reply with the interrupted sentence', (t) => {
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

test('applies facts that are newer than the checkpoint', (t) => {
  const facts = [...saidHello, turn(4, 'assistant', 'One. Two.'), turn(5, 'user', 'Good.')];
  t.like(howItGoesOn(at('saying.sounding', { unplayed: ['Two.'] }), { facts }), {
    resumesAs: 'listening',
    unsaid: [],
    unanswered: 1,
  });
});

test('does not request a reply twice when only the journal records the request', (t) => {
  const facts = [...saidHello, turn(4, 'assistant', 'One.'), turn(5, 'user', 'And two?')];
  for (const progress of [at('listening.silent', {}, 4), at('saying.sounding', { unplayed: ['One.'] })]) {
    t.like(howItGoesOn(progress, { facts, agentType: 'webhook' }), {
      resumesAs: 'broken-off',
      unsaid: [],
      unanswered: 0,
    });
    t.like(howItGoesOn(progress, { facts, agentType: 'mastra' }), { resumesAs: 'listening', unanswered: 1 });
  }
  // Speech during a turn that is finished first is answered after that turn.
  const into = [...saidHello, turn(4, 'user', 'And two?'), turn(5, 'assistant', 'One.')];
  t.like(howItGoesOn(at('saying.sounding', { unplayed: ['One.'] }), { facts: into, agentType: 'webhook' }), {
    resumesAs: 'broken-off',
    unanswered: 0,
  });
});

test('does not send words again that an agent with a memory may have received before the death', (t) => {
  const facts = [...saidHello, turn(4, 'user', 'And two?')];
  const stored = [
    at('replying.thinking'),
    at('replying.speaking', { unplayed: ['One.'] }),
    at('saying.sounding', { unplayed: ['Sorry?'] }),
    at('listening.hearing', { unplayed: ['One.'], unanswered: 1 }, 4),
  ];
  for (const progress of stored) {
    const died = { facts, unheldMs: null };
    t.like(
      howItGoesOn(progress, { ...died, agentType: 'n8n' }),
      { resumesAs: 'broken-off', unanswered: 0 },
      progress.conversation.state,
    );
    t.is(howItGoesOn(progress, { ...died, agentType: 'mastra' }).unanswered, 1);
  }
  // A hand-over stores the progress of its last moment.
  t.like(howItGoesOn(at('listening.hearing', { unanswered: 1 }, 4), { facts, agentType: 'n8n' }), {
    resumesAs: 'listening',
    unanswered: 1,
  });
});

test('does not wait for a reply to words that were never stored', (t) => {
  t.is(howItGoesOn(at('listening.silent', { unanswered: 3 }, 9)).unanswered, 1);
});

test('asks the counterparty to repeat words that may be lost since the crash', (t) => {
  const facts = [...saidHello, turn(4, 'assistant', 'How are you?')];
  const resumedAs = (state: string, given: Partial<ResumableCall> = {}, kept: Partial<Conversation> = {}) =>
    howItGoesOn(at(state, kept, 4), { facts, ...given }).resumesAs;
  for (const unheldMs of [null, 1_001, 60_000]) {
    for (const state of ['listening.silent', 'listening.settling', 'listening.hearing', 'saying.sounding'])
      t.is(resumedAs(state, { unheldMs }), 'words-lost', `${state} ${unheldMs}`);
    t.is(resumedAs('on-hold', { unheldMs, facts: [...facts, entry(5, 'call.held')] }), 'on-hold');
    t.is(resumedAs('listening.silent', { unheldMs }, { asked: ['One moment.'] }), 'listening');
    t.is(resumedAs('saying.sounding', { unheldMs }, { unplayed: ['Well.'] }), 'saying');
  }
  // A quick hand-over: only a counterparty that was speaking is asked to repeat.
  t.is(resumedAs('listening.silent', { unheldMs: 200 }), 'listening');
  t.is(resumedAs('listening.hearing', { unheldMs: 200 }), 'words-lost');
  t.is(resumedAs('listening.catching-up.waiting', { unheldMs: 200 }), 'words-lost');
  const greeted = { facts: [entry(1, 'call.answered')], kickoff: null, unheldMs: null };
  t.is(howItGoesOn(null, greeted).resumesAs, 'words-lost');
});

test('does not ask for lost words if words, a hangup or a transfer are pending', (t) => {
  const unheldMs = null;
  t.is(howItGoesOn(at('listening.hearing', { unanswered: 1 }), { unheldMs }).resumesAs, 'listening');
  const said = turn(4, 'assistant', 'Goodbye.');
  for (const type of ['call.hangup_requested', 'call.transfer_requested']) {
    const data = { immediate: false, transferId: 'a', to: '0212345678' };
    const facts = [...saidHello, said, entry(5, type, { data })];
    t.is(howItGoesOn(at('listening.silent', {}, 5), { facts, unheldMs }).resumesAs, 'listening');
  }
});

test('reads hold, recording pause, pending hang-up and answer detection from the journal', (t) => {
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

test('keeps the reason of an end that was already decided', (t) => {
  t.is(howItGoesOn({ ...at('closing'), endReason: 'silence_timeout' }).endReason, 'silence_timeout');
  const facts = [...saidHello, entry(4, 'call.hangup_requested', { data: { immediate: true } })];
  t.is(howItGoesOn(at('listening.silent'), { facts }).endReason, 'agent_hangup');
  t.is(howItGoesOn(at('parting')).endReason, 'agent_error', 'its goodbye was heard');
  t.is(howItGoesOn(at('parting', { unplayed: ['Goodbye.'] })).endReason, null);
});

test('says words requested by API once if they were not heard', (t) => {
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

test('continues a collection of DTMF digits with the stored ones', (t) => {
  const collected = { wanted: fourDigits, keys: '12', areAll: false, startedAt: 5, endedAt: 6 };
  t.deepEqual(howItGoesOn(at('listening.collecting', { collected })).collected, collected);
});

test('collects DTMF digits requested after the checkpoint until they form a turn', (t) => {
  const facts = [...saidHello, entry(4, 'collect.requested', { data: { ...fourDigits } })];
  const waiting = howItGoesOn(at('listening.silent'), { facts });
  t.like(waiting.collected, { wanted: fourDigits, keys: '', areAll: false });
  const over = howItGoesOn(at('listening.silent'), { facts: [...facts, turn(5, 'user', '[keys] 1234')] });
  t.is(over.collected, null);
});

test('hides DTMF digits until non-secret digits are collected', (t) => {
  const secret = entry(4, 'collect.requested', { data: { ...fourDigits, secret: true } });
  const heard = turn(5, 'user', '[keys] ••••');
  const clear = entry(6, 'collect.requested', { data: { ...fourDigits } });
  const isHidden = (...facts: JournalEntry[]): boolean =>
    howItGoesOn(at('listening.silent'), { facts: [...saidHello, ...facts] }).keysAreHidden;
  t.false(isHidden());
  t.true(isHidden(secret));
  t.true(isHidden(secret, heard));
  t.false(isHidden(secret, heard, clear));
});

const transferIds = { transferId: 'a-transfer', to: '01000000011' };
const terms = { recorded: false, maxDurationSec: 600 };

const transferBehind = (types: readonly string[], data: Record<string, unknown> = terms, now = 8_500) => {
  const happened = ['call.transfer_requested', ...types];
  const transferFacts = happened.map((type, index) =>
    entry(4 + index, type, { data: { ...transferIds, ...data } }),
  );
  return howItGoesOn(at('closing'), { facts: [...saidHello, ...transferFacts], now }).transfer;
};

test('continues a connected transfer for its remaining time', (t) => {
  t.deepEqual(transferBehind(['call.transfer_connected']), {
    state: 'connected',
    ...transferIds,
    isRecorded: false,
    maxDurationSec: 600,
    talkedMs: 3_500,
  });
  t.like(transferBehind(['call.transfer_connected', 'call.taken_over']), { talkedMs: 3_500 });
  t.like(transferBehind(['call.transfer_connected'], terms, 4_000), { talkedMs: 0 });
});

test('ends a transfer that was not connected', (t) => {
  const lost = { state: 'lost', ...transferIds };
  t.deepEqual(transferBehind([]), lost);
  t.deepEqual(transferBehind(['call.transfer_ringing', 'call.transfer_answered']), lost);
  t.is(transferBehind(['call.transfer_failed']), null);
  t.is(transferBehind(['call.transfer_returned']), null);
});

test('ends a transfer connected by an earlier version that stored no data for it', (t) => {
  t.deepEqual(transferBehind(['call.transfer_connected'], {}), { state: 'lost', ...transferIds });
});

test('keeps the language that the agent set', (t) => {
  const changed = (sequence: number, language: string): JournalEntry =>
    entry(sequence, 'language.changed', { data: { language } });
  t.is(howItGoesOn(at('listening.silent')).language, null);
  const facts = [...saidHello, changed(4, 'ja'), changed(5, 'ko')];
  t.is(howItGoesOn(at('listening.silent'), { facts }).language, 'ko');
});

// Ownership: a take-over whose confirmation is lost resumes the taken calls once, and no others.

const lostConnection = (): Error => new Error('Connection terminated unexpectedly');

/** Hands two calls over to a gateway whose database connection runs `then` after the statement of the take-over. */
const takingWorld = async (then: (database: Database) => Database['transaction']) => {
  const database = await testDatabase();
  const owner = await storedNumber(database);
  const from = randomUUID();
  const by = randomUUID();
  const storedAt = async (node: string): Promise<string[]> =>
    [await storedCall(database, owner, { node }), await storedCall(database, owner, { node })].sort();
  const callIds = await storedAt(from);
  const wentOn: string[][] = [];
  const left: string[] = [];
  let fails = 0;
  let held = Promise.resolve();
  const taking = createOwnership({
    node: by,
    release: (callId) => left.push(callId),
    database: {
      ...database,
      execute: (...asked) => (fails-- > 0 ? Promise.reject(lostConnection()) : database.execute(...asked)),
      transaction: async (work) => {
        await held;
        return fails-- > 0 ? Promise.reject(lostConnection()) : database.transaction(work);
      },
    },
    resume: async (calls) => void wentOn.push(calls.map(({ id }) => id).sort()),
  });
  const transaction = then(database);
  return {
    ...taking,
    callIds,
    storedAt,
    by,
    wentOn,
    left,
    /** Holds claims of released calls until the returned function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    /** This many of the following statements get no response. */
    failNext: (times: number) => (fails = times),
    take: () => taking.take(() => takeHandedOver({ transaction }, { from, by, callIds })),
  };
};

/** Loses the connection during the first transactions. `commits`: whether the server receives the commit before. */
const lost =
  (commits: boolean, times = 1) =>
  (database: Database): Database['transaction'] => {
    let begun = 0;
    return async (work) => {
      begun += 1;
      const isLost = begun <= times;
      const result = await database.transaction(async (...transaction) => {
        const done = await work(...transaction);
        if (isLost && !commits) throw lostConnection();
        return done;
      });
      if (isLost) throw lostConnection();
      return result;
    };
  };

const answerIsLost = lost(true);
const commitIsLost = lost(false);

test.serial('resumes taken-over calls even if the commit was not confirmed', async (t) => {
  const { take, settle, wentOn, callIds } = await takingWorld(answerIsLost);
  await take();
  await settle();
  t.deepEqual(wentOn, [callIds, []]);
});

test.serial('resumes calls once that are taken over after two commits were lost', async (t) => {
  const { take, settle, wentOn, callIds } = await takingWorld(lost(false, 2));
  await t.throwsAsync(take(), { message: /not known/ });
  await take();
  await settle();
  t.deepEqual(wentOn.flat(), callIds);
});

test.serial(
  'resumes calls of an unconfirmed take-over once, when the database is reachable again',
  async (t) => {
    const { take, settle, wentOn, callIds, failNext } = await takingWorld(answerIsLost);
    failNext(2);
    await t.throwsAsync(take(), { message: /Connection terminated/ });
    await t.throwsAsync(settle(), { message: /Connection terminated/ });
    t.deepEqual(wentOn, []);
    await Promise.all([settle(), settle()]);
    await settle();
    t.deepEqual(wentOn, [callIds]);
  },
);

test.serial('repeats a take-over that was rolled back', async (t) => {
  const { take, settle, wentOn, callIds } = await takingWorld(commitIsLost);
  await take();
  await settle();
  t.deepEqual(wentOn, [[], callIds]);
});

const unharmed = (database: Database): Database['transaction'] => database.transaction;

test.serial('releases the actor from before the loss of a call that it takes again', async (t) => {
  const { take, left, wentOn, callIds } = await takingWorld(unharmed);
  await take();
  t.deepEqual([left, wentOn], [callIds, [callIds]]);
});

test.serial('claims released calls that no other gateway has taken', async (t) => {
  const { takeBack, settle, storedAt, callIds: taken, by, wentOn } = await takingWorld(unharmed);
  const ownIds = await storedAt(by);
  takeBack([...ownIds, ...taken]);
  await settle();
  await settle();
  t.deepEqual(wentOn, [ownIds]);
});

test.serial('claims released calls when the database is reachable again', async (t) => {
  const { takeBack, settle, storedAt, by, failNext, wentOn } = await takingWorld(unharmed);
  const ownIds = await storedAt(by);
  takeBack(ownIds);
  failNext(1);
  await t.throwsAsync(settle(), { message: /Connection terminated/ });
  await settle();
  t.deepEqual(wentOn, [ownIds]);
});

test.serial('does not claim a released call again that it has taken from another gateway', async (t) => {
  const { takeBack, take, settle, callIds, wentOn } = await takingWorld(unharmed);
  takeBack(callIds);
  await take();
  await settle();
  t.deepEqual(wentOn, [callIds]);
});

test.serial('does not claim a released call while it takes the call from another gateway', async (t) => {
  const taken = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  const { takeBack, take, settle, callIds, wentOn } = await takingWorld((database) => async (work) => {
    const result = await database.transaction(work);
    taken.resolve();
    await resumed.promise;
    return result;
  });
  takeBack(callIds);
  const taking = take();
  await taken.promise;
  await settle();
  resumed.resolve();
  await taking;
  await settle();
  t.deepEqual(wentOn, [callIds]);
});

test.serial('takes calls after a claim of released calls that is in progress', async (t) => {
  const { takeBack, take, settle, hold, storedAt, by, callIds, wentOn } = await takingWorld(unharmed);
  const ownIds = await storedAt(by);
  takeBack([...ownIds, ...callIds]);
  const letClaim = hold();
  const settling = settle();
  await new Promise((resolve) => setImmediate(resolve));
  const taking = take();
  // More statements than a take has.
  for (let statements = 0; statements < 5; statements += 1) await storedAt(by);
  t.deepEqual(wentOn, []);
  letClaim();
  await Promise.all([settling, taking]);
  t.deepEqual(wentOn, [ownIds, callIds]);
});

// Hand-over

type Call = { isStanding: boolean; isQuiet: boolean };

const quiet: Call = { isStanding: true, isQuiet: true };
const speaking: Call = { ...quiet, isQuiet: false };
/** The call is still being set up, or its far end ends with this process. */
const bound: Call = { ...quiet, isStanding: false };

const numbers = { lookMs: 50, chooseMs: 1_000, giveMs: 15_000, batch: 2, atOnce: 2, silenceMs: 3_000 };

const handOverWorld = (
  successors: Successors | null,
  calls: Record<string, Call>,
  gives: (node: string) => Promise<boolean> = async () => true,
  choose: () => Promise<Successors | null> = async () => null,
) => {
  const clock = createOrderedClock();
  const done: string[] = [];
  const held = new Map(Object.entries(calls));
  const handOver = beginHandOver(successors, {
    choose,
    count: () => held.size,
    standing: () =>
      [...held].flatMap(([callId, { isStanding, isQuiet }]) => (isStanding ? [{ callId, isQuiet }] : [])),
    async letGo(callIds) {
      for (const callId of callIds) held.delete(callId);
      done.push(`let go of ${callIds.join(', ')}`);
    },
    async give(node, callIds) {
      const isTaken = await gives(node);
      done.push(`${node} ${isTaken ? 'takes' : 'does not take'} ${callIds.join(', ')}`);
      return isTaken;
    },
    numbers,
    clock,
    logger: pino({ level: 'silent' }),
  });
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    held,
    done,
    clock,
    finish: handOver.finish,
    async look(times = 1): Promise<void> {
      for (let index = 0; index < times; index += 1) {
        clock.advance(numbers.lookMs);
        await settle();
      }
    },
  };
};

const others: Successors = { are: 'others', nodes: ['one', 'two'] };

test.serial('hands calls over during silence, in batches, to all gateways in turn', async (t) => {
  const { held, done, look, finish } = handOverWorld(others, {
    a: quiet,
    b: speaking,
    c: quiet,
    d: quiet,
    e: bound,
  });
  await look();
  t.deepEqual(done.splice(0), ['let go of a, c', 'let go of d', 'one takes a, c', 'two takes d']);
  held.set('b', quiet);
  held.set('e', quiet);
  await look();
  t.deepEqual(done.splice(0), ['let go of b, e', 'one takes b, e']);
  await finish();
  t.deepEqual(done, []);
});

test.serial('releases no more calls than other gateways are taking at the moment', async (t) => {
  const answers: (() => void)[] = [];
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const { held, look, finish } = handOverWorld(
    others,
    Object.fromEntries(names.map((name) => [name, quiet])),
    () => new Promise((resolve) => void answers.push(() => resolve(true))),
  );
  await look(3);
  t.deepEqual([...held.keys()], ['e', 'f']);
  answers[0]?.();
  await look();
  t.deepEqual([...held.keys()], []);
  for (const answer of answers) answer();
  await finish();
});

test.serial('hands calls over as soon as another gateway is found', async (t) => {
  let found: Successors | null = null;
  const { done, look, finish, clock } = handOverWorld(
    null,
    { a: quiet, b: quiet },
    async () => true,
    async () => found,
  );
  await look(30);
  t.deepEqual(done, []);
  found = others;
  await look(20);
  t.deepEqual(done, ['let go of a, b', 'one takes a, b']);
  await finish();
  t.is(clock.pending(), 0);
});

test.serial('stops its search for another gateway at the end of the shutdown', async (t) => {
  const { done, look, finish, clock } = handOverWorld(null, { a: quiet });
  await look();
  await finish();
  t.is(clock.pending(), 0);
  t.deepEqual(done, []);
});

test.serial('hands over all remaining calls at the end of the shutdown, even during speech', async (t) => {
  const { held, done, look, finish } = handOverWorld(others, { a: speaking, b: bound, c: bound });
  await look(100);
  t.deepEqual(done, []);
  await finish();
  t.deepEqual(done, ['let go of a', 'one takes a']);
  t.deepEqual([...held.keys()], ['b', 'c']);
  held.set('b', quiet);
  await look(100);
  t.is(done.length, 2, 'nothing more is handed over');
});

test.serial(
  'skips a gateway that rejects the calls, and does not delay a shutdown if all reject them',
  async (t) => {
    const passed = handOverWorld(others, { a: quiet }, async (node) => {
      if (node === 'one') throw new Error('No answer');
      return true;
    });
    await passed.look();
    t.deepEqual(passed.done, ['let go of a', 'two takes a']);
    const refused = handOverWorld(others, { a: quiet }, async () => false);
    await refused.look();
    await refused.finish();
    t.deepEqual(refused.done, ['let go of a', 'one does not take a', 'two does not take a']);
  },
);

test.serial('offers released calls again to a gateway that does not respond in time', async (t) => {
  let asked = 0;
  const { done, look, finish, clock } = handOverWorld(
    { are: 'others', nodes: ['one'] },
    { a: quiet },
    async () => {
      asked += 1;
      if (asked < 3) throw new Error('No answer');
      return true;
    },
  );
  await look(5);
  t.deepEqual(done, ['let go of a', 'one takes a']);
  t.is(asked, 3);
  await finish();
  t.is(clock.pending(), 0);
});

test.serial('does not offer released calls for ever', async (t) => {
  const { done, look, finish, clock } = handOverWorld(
    { are: 'others', nodes: ['one'] },
    { a: quiet },
    async () => {
      throw new Error('No answer');
    },
  );
  await look(302);
  await finish();
  t.deepEqual(done, ['let go of a']);
  t.is(clock.pending(), 0);
});

const next: Successors = { are: 'next process' };

test.serial('hands all calls to the next process at once, in silence or after a time-out', async (t) => {
  const together = handOverWorld(next, { a: quiet, b: speaking });
  await together.look(10);
  t.deepEqual(together.done, []);
  together.held.set('b', quiet);
  await together.look();
  t.deepEqual(together.done, ['let go of a, b']);

  const talking = handOverWorld(next, { a: quiet, b: speaking });
  await talking.look(59);
  t.deepEqual(talking.done, []);
  await talking.look(2);
  t.deepEqual(talking.done, ['let go of a, b']);
});

test.serial('hands no call to the next process while another call is being set up', async (t) => {
  const { held, done, look, finish } = handOverWorld(next, { a: quiet, b: bound });
  await look(200);
  t.deepEqual(done, []);
  held.delete('b');
  await look();
  t.deepEqual(done, ['let go of a']);
  await finish();
});

// Checkpoints

const leg: SipLeg = {
  state: 'inviting',
  transactionId: 'transaction',
  dialogId: 'a@b;from-tag=c',
  sipCallId: 'a@b',
  local: '"O\'Neil" <sip:us@gateway>;tag=us',
  remote: '<sip:them@far>',
  target: 'sip:them@192.0.2.1',
  nextHop: null,
  channel: { server: '127.0.0.1:8021', uuid: 'channel' },
  dialog: null,
};

const quietLogger = pino({ level: 'silent' });

const checkpointsOn = (database: Database, node: string, more: Partial<CheckpointsOptions> = {}) =>
  createCheckpoints({
    database,
    sealing,
    node,
    epochOf: () => 1,
    awaitsAnswer: () => false,
    shiftOf: () => 0,
    aheadOf: () => 0,
    nowIn: () => 0,
    isPassing: () => true,
    ...journalLimits.checkpoints,
    clock: systemClock,
    logger: quietLogger,
    ...more,
  });

const legIds = async (database: Database, node: string): Promise<string[]> =>
  (await legsOf(database, sealing, node)).flatMap(({ legs }) => legs.map(({ id }) => id));

/** A database that counts the statements of checkpoints. */
const counting = (database: Database) => {
  let statements = 0;
  const scripted = scriptedStatements(async (...asked) => {
    const rows = await database.execute<object>(...asked);
    statements += 1;
    return rows;
  });
  return {
    database: { ...database, journal: { ...database.journal, ...scripted } },
    count: () => statements,
    async written(count: number): Promise<void> {
      while (statements < count) await new Promise((resolve) => setImmediate(resolve));
    },
  };
};

test.serial('reads the latest stored state of the legs of an earlier process', async (t) => {
  const database = await testDatabase();
  const node = randomUUID();
  const checkpoints = checkpointsOn(database, node);
  const [standing, over, arrived, callId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  checkpoints.lineChanged(callId, [{ id: standing, leg }]);
  checkpoints.lineChanged(over, [{ id: over, leg }]);
  const established: SipLeg = { ...leg, state: 'standing', nextHop: 'sip:proxy;lr' };
  checkpoints.lineChanged(callId, [{ id: standing, leg: established }]);
  await checkpoints.written();
  checkpoints.lineChanged(over, []);
  const arriving: SipLeg = { ...leg, state: 'arriving', channel: null };
  checkpoints.lineChanged(arrived, [{ id: arrived, leg: arriving }]);
  await checkpoints.close(10_000);

  const next = checkpointsOn(database, node);
  const found = await next.orphans(() => false);
  t.deepEqual(
    found.toSorted((one, other) => one.leg.state.localeCompare(other.leg.state)),
    [
      { id: arrived, callId: null, leg: arriving },
      { id: standing, callId, leg: established },
    ],
  );
  for (const { id, callId: call } of found) next.lineChanged(call ?? id, []);
  await next.close(10_000);
  t.deepEqual(await legsOf(database, sealing, node), []);
});

test.serial('deletes the last leg of a resumed call although another leg is being written', async (t) => {
  const database = await testDatabase();
  const [node, callId, left, other] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const dead = checkpointsOn(database, node);
  dead.lineChanged(callId, [{ id: left, leg }]);
  await dead.close(10_000);
  const next = checkpointsOn(database, node);
  next.resume(callId, [{ id: left, leg }]);
  next.lineChanged(other, [{ id: other, leg }]);
  next.lineChanged(callId, [{ id: left, leg: { ...leg } }]);
  next.lineChanged(callId, []);
  await next.close(10_000);
  t.deepEqual(await legIds(database, node), [other]);
});

test.serial('keeps the legs of another node unless that node is named', async (t) => {
  const database = await testDatabase();
  const [one, other, id] = [randomUUID(), randomUUID(), randomUUID()];
  const checkpoints = checkpointsOn(database, one);
  checkpoints.lineChanged(id, [{ id, leg }]);
  await checkpoints.close(10_000);
  t.deepEqual(await checkpointsOn(database, other).orphans(() => false), []);
  t.deepEqual(await checkpointsOn(database, other).orphans(() => false, one), [{ id, callId: null, leg }]);
});

test.serial('writes the latest legs of each call when the database is reachable again', async (t) => {
  const database = await testDatabase();
  const node = randomUUID();
  let isAway = true;
  let tries = 0;
  const scripted = scriptedStatements((...asked) => {
    if (!isAway) return database.execute(...asked);
    tries += 1;
    return Promise.reject(new Error('away'));
  });
  const failing: Database = { ...database, journal: { ...database.journal, ...scripted } };
  const checkpoints = checkpointsOn(failing, node);
  const [lasting, unchanged, passing] = [randomUUID(), randomUUID(), randomUUID()];
  checkpoints.lineChanged(lasting, [{ id: lasting, leg }]);
  checkpoints.lineChanged(unchanged, [{ id: unchanged, leg }]);
  checkpoints.lineChanged(passing, [{ id: passing, leg }]);
  // The second try has all calls.
  while (tries < 2) await new Promise((resolve) => setImmediate(resolve));
  checkpoints.lineChanged(lasting, [{ id: lasting, leg: { ...leg, state: 'standing' } }]);
  checkpoints.lineChanged(passing, []);
  isAway = false;
  while ((await legsOf(database, sealing, node)).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  await checkpoints.close(10_000);
  const stored = await legsOf(database, sealing, node);
  t.deepEqual(Object.fromEntries(stored.map(({ callId, legs }) => [callId, legs[0]?.leg.state])), {
    [lasting]: 'standing',
    [unchanged]: 'inviting',
  });
});

test.serial('discards what a released call had to write when the call is resumed again', async (t) => {
  const database = await testDatabase();
  const node = randomUUID();
  let isAway = true;
  let tries = 0;
  const scripted = scriptedStatements((...asked) => {
    if (!isAway) return database.execute(...asked);
    tries += 1;
    return Promise.reject(new Error('away'));
  });
  const failing: Database = { ...database, journal: { ...database.journal, ...scripted } };
  const checkpoints = checkpointsOn(failing, node);
  const [other, callId, id] = [randomUUID(), randomUUID(), randomUUID()];
  checkpoints.lineChanged(other, [{ id: other, leg }]);
  while (tries === 0) await new Promise((resolve) => setImmediate(resolve));
  checkpoints.lineChanged(callId, [{ id, leg }]);
  checkpoints.release(callId);
  checkpoints.resume(callId, [{ id, leg: { ...leg, state: 'standing' } }]);
  isAway = false;
  await checkpoints.written();
  t.deepEqual(await legIds(database, node), [other]);
});

test.serial('a checkpoint that the database rejects does not block the others', async (t) => {
  const database = await testDatabase();
  const node = randomUUID();
  const [rejected, stored] = [randomUUID(), randomUUID()];
  let tries = 0;
  const scripted = scriptedStatements((...asked) => {
    tries += 1;
    return tries === 1 ? Promise.reject(new Error('bad value')) : database.execute(...asked);
  });
  const failing: Database = { ...database, journal: { ...database.journal, ...scripted } };
  const checkpoints = checkpointsOn(failing, node, { isPassing: () => false });
  checkpoints.lineChanged(rejected, [{ id: rejected, leg }]);
  while (tries === 0) await new Promise((resolve) => setImmediate(resolve));
  checkpoints.lineChanged(stored, [{ id: stored, leg }]);
  await checkpoints.written();
  t.deepEqual(await legIds(database, node), [stored]);
});

test.serial('deletes an ended leg with the next written leg, or after a short delay', async (t) => {
  const real = await testDatabase();
  const node = randomUUID();
  const { database, count, written } = counting(real);
  const clock = new SimulatedClock();
  const checkpoints = checkpointsOn(database, node, { clock });
  const [first, second] = [randomUUID(), randomUUID()];
  const ids = (): Promise<string[]> => legIds(real, node);

  checkpoints.lineChanged(first, [{ id: first, leg }]);
  await written(1);
  checkpoints.lineChanged(first, []);
  clock.increment(999);
  t.deepEqual([await ids(), count()], [[first], 1]);
  checkpoints.lineChanged(second, [{ id: second, leg }]);
  await written(2);
  t.deepEqual([await ids(), count()], [[second], 2]);

  checkpoints.lineChanged(second, []);
  clock.increment(1_000);
  await written(3);
  t.deepEqual([await ids(), count()], [[], 3]);
});

test.serial(
  'reports the legs of a call as deleted after its last leg has ended and all writes are done',
  async (t) => {
    const database = await testDatabase();
    const node = randomUUID();
    const checkpoints = checkpointsOn(database, node);
    const callId = randomUUID();
    const counterparty = { id: randomUUID(), leg };
    const person = { id: randomUUID(), leg: { ...leg, isOfTransfer: true } };
    t.false(checkpoints.areGone(callId), 'a call without legs here may have stored ones');
    checkpoints.lineChanged(callId, [counterparty]);
    checkpoints.lineChanged(callId, [counterparty, person]);
    await checkpoints.written();
    checkpoints.lineChanged(callId, [counterparty]);
    t.false(checkpoints.areGone(callId));
    checkpoints.lineChanged(callId, []);
    t.true(checkpoints.areGone(callId));
    checkpoints.ended(callId);
    t.false(checkpoints.areGone(callId), 'it is forgotten');

    const crossing = randomUUID();
    checkpoints.lineChanged(crossing, [counterparty]);
    checkpoints.lineChanged(crossing, []);
    t.false(checkpoints.areGone(crossing), 'a write that stores it is under way');
    await checkpoints.close(10_000);
    t.deepEqual((await legIds(database, node)).length, 2, 'the end deletes the first call');
  },
);

test.serial('keeps the stored leg that another process continues', async (t) => {
  const database = await testDatabase();
  const node = randomUUID();
  const checkpoints = checkpointsOn(database, node);
  const [callId, id] = [randomUUID(), randomUUID()];
  checkpoints.lineChanged(callId, [{ id, leg }]);
  checkpoints.release(callId);
  await checkpoints.written();
  checkpoints.lineChanged(callId, []);
  await checkpoints.close(10_000);
  t.deepEqual(await legIds(database, node), [id]);
});

test.serial('deletes a leg that ends while it is being written', async (t) => {
  const real = await testDatabase();
  const node = randomUUID();
  const { database, written } = counting(real);
  const clock = new SimulatedClock();
  const checkpoints = checkpointsOn(database, node, { clock });
  const [callId, id] = [randomUUID(), randomUUID()];
  checkpoints.lineChanged(callId, [{ id, leg }]);
  checkpoints.lineChanged(callId, []);
  await written(1);
  await checkpoints.written();
  t.deepEqual(await legIds(real, node), [id]);
  clock.increment(journalLimits.checkpoints.dropMs);
  await written(2);
  t.deepEqual(await legIds(real, node), []);
});

test.serial('does not write an established leg that the statement of the answer contains', async (t) => {
  const real = await testDatabase();
  const { database, count, written } = counting(real);
  const clock = new SimulatedClock();
  const [callId, id] = [randomUUID(), randomUUID()];
  const checkpoints = checkpointsOn(database, randomUUID(), { clock, awaitsAnswer: () => true });
  checkpoints.lineChanged(callId, [{ id, leg }]);
  await written(1);
  await checkpoints.written();
  const established = [{ id, leg: { ...leg, state: 'standing' as const } }];
  checkpoints.lineChanged(callId, established);
  t.deepEqual(checkpoints.withAnswer(callId), { legs: established, farEnd: null });
  checkpoints.answered(callId);
  clock.increment(journalLimits.checkpoints.gatherMs);
  await checkpoints.written();
  t.is(count(), 1);
});

test.serial('writes an established leg without a late answer', async (t) => {
  const real = await testDatabase();
  const node = randomUUID();
  const { database, count, written } = counting(real);
  const clock = new SimulatedClock();
  const [callId, id] = [randomUUID(), randomUUID()];
  const checkpoints = checkpointsOn(database, node, { clock, awaitsAnswer: () => true });
  checkpoints.lineChanged(callId, [{ id, leg }]);
  await written(1);
  await checkpoints.written();
  checkpoints.lineChanged(callId, [{ id, leg: { ...leg, state: 'standing' } }]);
  clock.increment(journalLimits.checkpoints.gatherMs - 1);
  t.is(count(), 1);
  clock.increment(1);
  await written(2);
  t.is((await legsOf(real, sealing, node))[0]?.legs[0]?.leg.state, 'standing');
});

test.serial('writes a new leg of a call that awaits its answer at once', async (t) => {
  const real = await testDatabase();
  const node = randomUUID();
  const { database, written } = counting(real);
  const clock = new SimulatedClock();
  const [callId, refused, next] = [randomUUID(), randomUUID(), randomUUID()];
  const checkpoints = checkpointsOn(database, node, { clock, awaitsAnswer: () => true });
  checkpoints.lineChanged(callId, [{ id: refused, leg }]);
  await written(1);
  checkpoints.lineChanged(callId, []);
  checkpoints.lineChanged(callId, [{ id: next, leg }]);
  await written(2);
  t.deepEqual(await legIds(real, node), [next]);
});

for (const [change, when] of [
  ['before the statement of the answer was read', 'read'],
  ['while the answer is being written', 'written'],
] as const)
  test.serial(`writes a leg again that changes ${change}`, async (t) => {
    const real = await testDatabase();
    const node = randomUUID();
    const { database, count, written } = counting(real);
    const clock = new SimulatedClock();
    const [callId, id] = [randomUUID(), randomUUID()];
    const checkpoints = checkpointsOn(database, node, { clock, awaitsAnswer: () => true });
    checkpoints.lineChanged(callId, [{ id, leg }]);
    // The first write may be committed after the answer.
    if (when === 'written') {
      await written(1);
      await checkpoints.written();
    }
    const established = { ...leg, state: 'standing' as const };
    checkpoints.lineChanged(callId, [{ id, leg: established }]);
    checkpoints.withAnswer(callId);
    if (when === 'written')
      checkpoints.lineChanged(callId, [{ id, leg: { ...established, nextHop: 'sip:proxy;lr' } }]);
    checkpoints.answered(callId);
    await written(2);
    await checkpoints.written();
    t.is(count(), 2);
    const [stored] = await legsOf(real, sealing, node);
    t.like(stored?.legs[0]?.leg, {
      state: 'standing',
      nextHop: when === 'written' ? 'sip:proxy;lr' : null,
    });
  });

test.serial('writes a leg again if the answer was stored during an earlier write of the call', async (t) => {
  const real = await testDatabase();
  const node = randomUUID();
  const { database, written } = counting(real);
  const [callId, id] = [randomUUID(), randomUUID()];
  const checkpoints = checkpointsOn(database, node, {
    clock: new SimulatedClock(),
    awaitsAnswer: () => true,
  });
  checkpoints.lineChanged(callId, [{ id, leg }]);
  checkpoints.lineChanged(callId, [{ id, leg: { ...leg, state: 'standing' } }]);
  checkpoints.withAnswer(callId);
  await written(1);
  await new Promise((resolve) => setImmediate(resolve));
  checkpoints.answered(callId);
  await written(2);
  t.is((await legsOf(real, sealing, node))[0]?.legs[0]?.leg.state, 'standing');
});

/** A snapshot of a call whose conversation has begun. */
const conversing = () => {
  const line = fromCallback<LineCommand | KeysCommand, LineInput>(() => {});
  const reply = fromCallback<{ type: 'none' }, ReplyInput>(() => {});
  const publish = (): void => {};
  const conversation = conversationMachine.provide({ actors: { reply }, actions: { publish } });
  const machine = callMachine.provide({ actors: { line, conversation }, actions: { publish } });
  const call = createActor(machine, { input: callInput, clock: new SimulatedClock() });
  call.start();
  call.send({ type: 'line.answered', at: 0 });
  return call.getSnapshot();
};

test.serial('gives the progress of a call to the statement of its turn', async (t) => {
  const real = await testDatabase();
  const { database, count, written } = counting(real);
  const clock = new SimulatedClock();
  const callId = randomUUID();
  const checkpoints = checkpointsOn(database, randomUUID(), { clock });
  t.is(checkpoints.withTurn(callId), null);
  checkpoints.conversationChanged(callId, conversing(), 1);
  t.like(checkpoints.withTurn(callId), { callId, epoch: 1, progress: { facts: 1 } });
  checkpoints.turnWritten(callId, true);
  clock.increment(journalLimits.checkpoints.gatherMs);
  await checkpoints.written();
  t.is(count(), 0);
  t.is(checkpoints.withTurn(callId), null);

  checkpoints.conversationChanged(callId, conversing(), 2);
  t.like(checkpoints.withTurn(callId), { progress: { facts: 2 } });
  checkpoints.turnWritten(callId, false);
  clock.increment(journalLimits.checkpoints.gatherMs);
  await written(1);
  t.is(count(), 1);
});

test.serial('writes later progress of a call only when the statement of its turn is over', async (t) => {
  const real = await testDatabase();
  const { database, count, written } = counting(real);
  const clock = new SimulatedClock();
  const [callId, other] = [randomUUID(), randomUUID()];
  const checkpoints = checkpointsOn(database, randomUUID(), { clock });
  checkpoints.conversationChanged(callId, conversing(), 1);
  checkpoints.withTurn(callId);
  checkpoints.conversationChanged(callId, conversing(), 2);
  checkpoints.conversationChanged(other, conversing(), 1);
  clock.increment(journalLimits.checkpoints.gatherMs);
  await written(1);
  // The statement was that of the other call.
  t.is(checkpoints.withTurn(other), null);
  t.is(checkpoints.withTurn(callId), null);
  const isStored = checkpoints.written();
  await new Promise((resolve) => setImmediate(resolve));
  t.is(count(), 1);
  checkpoints.turnWritten(callId, true);
  await isStored;
  t.is(count(), 2);
});

test.serial('writes nothing when a line that is taken over reports its stored legs', async (t) => {
  const real = await testDatabase();
  const { database, count } = counting(real);
  const [callId, id] = [randomUUID(), randomUUID()];
  const checkpoints = checkpointsOn(database, randomUUID());
  checkpoints.resume(callId, [{ id, leg }]);
  checkpoints.lineChanged(callId, [{ id, leg }]);
  await checkpoints.close(10_000);
  t.is(count(), 0);
});

// Take-over of many calls.

const takenCall = (id: string): TakenCall => ({
  id,
  workspaceId: 'workspace',
  numberId: 'number',
  direction: 'outbound',
  ownNumber: '0700',
  counterparty: '0100',
  language: 'en',
  instruction: null,
  maxDurationSec: 600,
  startedAt: new Date(0),
  answeredAt: new Date(1_000),
  answeredBy: null,
  node: 'second',
  epoch: 2,
  takenFrom: 'first',
  checkpoint: left(null).checkpoint,
  legs: {},
});

/** `refuses`: whether the database rejects the query of the journals of these calls. */
const takeOverWorld = (
  refuses: (callIds: readonly string[]) => boolean = () => false,
  { sliceMs = 10, refusal = new Error('no') } = {},
) => {
  const queried: string[][] = [];
  const started: string[] = [];
  const ended: string[] = [];
  const hungUp: OrphanLeg[] = [];
  const storedLegs: string[] = [];
  const takeOver = createTakeOver({
    database: scriptedDatabase(async (_sql, parameters) => {
      const callIds = parameters.flatMap((value) => (Array.isArray(value) ? value.map(String) : []));
      queried.push(callIds);
      if (refuses(callIds)) throw refusal;
      return [];
    }),
    sealing,
    journal: { open() {} },
    orphanedCalls: { end: ({ id }) => ended.push(id) },
    switchboard: { connect: ({ input }) => started.push(input.callId) },
    bus: { publish() {} },
    keepAgent() {},
    checkpoints: {
      resume: (callId, legs) => void storedLegs.push(...legs.map(({ id }) => `${callId} ${id}`)),
    },
    expectLine() {},
    endLegs: (legs) => void hungUp.push(...legs),
    expectRecording() {},
    times: callTimes,
    node: 'second',
    callTime: { resume() {}, now: () => 2_000, shiftOf: () => 0, release() {} },
    clocks: { wall: () => 2_000, database: () => 2_000 },
    timers: { setTimeout: (callback) => setImmediate(callback) },
    sliceMs,
    logger: pino({ level: 'silent' }),
  });
  return { takeOver, queried, started, ended, hungUp, storedLegs };
};

const manyIds = Array.from({ length: 150 }, (_, index) => `call ${index}`);

test('resumes many calls in order, with one query of journals for many of them', async (t) => {
  const { takeOver, queried, started, ended } = takeOverWorld();
  await takeOver.resume(manyIds.map(takenCall));
  t.deepEqual(started, manyIds);
  t.deepEqual(queried.flat(), manyIds);
  t.deepEqual(
    queried.map(({ length }) => length),
    [64, 64, 22],
  );
  t.deepEqual(ended, []);
});

test('reads the journals of calls one by one if their common query fails', async (t) => {
  const { takeOver, queried, started, ended } = takeOverWorld((callIds) => callIds.includes('call 64'));
  await takeOver.resume(manyIds.map(takenCall));
  t.deepEqual(started, manyIds);
  t.is(queried.length, 3 + 64);
  t.deepEqual(ended, []);
});

test('reads the journals again while the database is unavailable, and resumes the calls then', async (t) => {
  let failures = 5;
  const { takeOver, queried, started, ended } = takeOverWorld(() => (failures -= 1) >= 0, {
    refusal: new DatabaseAway(),
  });
  await takeOver.resume(manyIds.map(takenCall));
  t.deepEqual([started, ended], [manyIds, []]);
  t.is(queried.length, 3 + 5);
});

test('ends the calls if the database stays unavailable', async (t) => {
  const { takeOver, queried, started, ended } = takeOverWorld(() => true, { refusal: new DatabaseAway() });
  await takeOver.resume(manyIds.map(takenCall));
  t.deepEqual([started, ended], [[], manyIds]);
  // The calls share the repetitions.
  t.true(queried.length < 3 + 50 + manyIds.length + 1, String(queried.length));
});

test('hangs up the far ends of calls that cannot be resumed', async (t) => {
  const { takeOver, started, ended, hungUp, storedLegs } = takeOverWorld();
  const legs = { one: leg, other: leg };
  await takeOver.resume([
    takenCall('resumed'),
    { ...takenCall('in another language'), language: 'xx', legs },
    { ...takenCall('of another version'), checkpoint: null, legs: { third: leg } },
    { ...takenCall('without far ends'), checkpoint: null },
  ]);
  t.deepEqual(started, ['resumed']);
  t.deepEqual(ended, ['of another version', 'without far ends', 'in another language']);
  t.deepEqual(hungUp, [
    { id: 'third', callId: 'of another version', leg },
    { id: 'one', callId: 'in another language', leg },
    { id: 'other', callId: 'in another language', leg },
  ]);
  // The checkpoint is deleted when its legs have ended.
  t.deepEqual(storedLegs, [
    'of another version third',
    'in another language one',
    'in another language other',
  ]);
});

test('ends a call whose far ends cannot be read, and resumes the others', async (t) => {
  const { takeOver, started, ended, hungUp } = takeOverWorld();
  const dialog = {
    type: 'uac',
    localTag: 'us',
    remoteTag: 'them',
    localContact: '<sip:us@gateway>',
    localSdp: '',
    remoteSdp: '',
    weRefresh: true,
    expiresSec: NaN,
    takesInfo: false,
    trunkId: 'trunk',
  } as const;
  const legs = { one: { ...leg, dialog } };
  await takeOver.resume([{ ...takenCall('unreadable'), legs }, takenCall('resumed')]);
  t.deepEqual([started, ended, hungUp], [['resumed'], ['unreadable'], []]);
});

test('lets the event loop run between slices of many calls that resume', async (t) => {
  const { takeOver, started } = takeOverWorld(undefined, { sliceMs: 0 });
  const seen: number[] = [];
  const watch = (): void => {
    seen.push(started.length);
    if (started.length < 3) setImmediate(watch);
  };
  setImmediate(watch);
  await takeOver.resume(['a', 'b', 'c'].map(takenCall));
  t.deepEqual(started, ['a', 'b', 'c']);
  t.true(seen.includes(1) && seen.includes(2), `calls that had started in each pass: ${seen.join(', ')}`);
});
