/** Recovery: hand-over, leg keeping, resumption and take-over. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { beginHandOver, type Heirs } from '#src/calls/recovery/hand-over.ts';
import { createLegKeeper } from '#src/calls/recovery/leg-keeper.ts';
import { type LeftCall, resumption } from '#src/calls/recovery/resumption.ts';
import { createTaking } from '#src/calls/recovery/taking.ts';
import { systemClock } from '#src/clocks.ts';
import type { AgentType } from '#src/domain/agent-binding.ts';
import { usualBargeIn } from '#src/domain/barge-in.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { SipLeg } from '#src/domain/sip-leg.ts';
import { usualTurnEnd } from '#src/domain/turn-end.ts';
import type { JournalEntry } from '#src/persistence/call-journal.ts';
import { type CallProgress, readRevival } from '#src/persistence/call-revivals.ts';
import type { Database } from '#src/persistence/database.ts';
import { takeHandedOver } from '#src/persistence/held-calls.ts';
import { legsOf } from '#src/persistence/sip-legs.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { sealing } from '#test/helpers/test-sealing.ts';
import { usualSpeech } from '#test/helpers/usual-speech.ts';

// Resumption
// Calls that go on from what their dead process has left of them.

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
    headersSealed: null,
    aheadMs: 0,
    progress,
    beginning: {
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
      },
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

test('what was said to call screening, and by it, is no part of the conversation', (t) => {
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
    headersSealed: null,
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

test('what the other party said into a death is asked for, wherever the floor was free', (t) => {
  const facts = [...saidHello, turn(4, 'assistant', 'How are you?')];
  const resumedAs = (state: string, given: Partial<LeftCall> = {}, kept: Partial<Conversation> = {}) =>
    howItGoesOn(at(state, kept, 4), { facts, ...given }).resumesAs;
  for (const unheldMs of [null, 1_001, 60_000]) {
    for (const state of ['listening.silent', 'listening.settling', 'listening.hearing', 'saying.sounding'])
      t.is(resumedAs(state, { unheldMs }), 'words-lost', `${state} ${unheldMs}`);
    t.is(resumedAs('on-hold', { unheldMs, facts: [...facts, entry(5, 'call.held')] }), 'on-hold');
    t.is(resumedAs('listening.silent', { unheldMs }, { asked: ['One moment.'] }), 'listening');
    t.is(resumedAs('saying.sounding', { unheldMs }, { unplayed: ['Well.'] }), 'saying');
  }
  // It was handed over in a moment: only who was speaking is asked.
  t.is(resumedAs('listening.silent', { unheldMs: 200 }), 'listening');
  t.is(resumedAs('listening.hearing', { unheldMs: 200 }), 'words-lost');
  t.is(resumedAs('listening.catching-up.waiting', { unheldMs: 200 }), 'words-lost');
  const greeted = { facts: [entry(1, 'call.answered')], kickoff: null, unheldMs: null };
  t.is(howItGoesOn(null, greeted).resumesAs, 'words-lost');
});

test('what gives a reason to speak or to end goes before lost words', (t) => {
  const unheldMs = null;
  t.is(howItGoesOn(at('listening.hearing', { unanswered: 1 }), { unheldMs }).resumesAs, 'listening');
  const said = turn(4, 'assistant', 'Goodbye.');
  for (const type of ['call.hangup_requested', 'call.transfer_requested']) {
    const data = { immediate: false, transferId: 'a', to: '0212345678' };
    const facts = [...saidHello, said, entry(5, type, { data })];
    t.is(howItGoesOn(at('listening.silent', {}, 5), { facts, unheldMs }).resumesAs, 'listening');
  }
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

test('keys stay hidden at the next gateway until others than secret ones were collected', (t) => {
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

test('a transfer that has come about goes on for what remains of its time', (t) => {
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

test('a transfer for which nobody had come is lost with its process', (t) => {
  const lost = { state: 'lost', ...transferIds };
  t.deepEqual(transferBehind([]), lost);
  t.deepEqual(transferBehind(['call.transfer_ringing', 'call.transfer_answered']), lost);
  t.is(transferBehind(['call.transfer_failed']), null);
  t.is(transferBehind(['call.transfer_returned']), null);
});

test('a transfer that an earlier version has connected is lost with its process', (t) => {
  t.deepEqual(transferBehind(['call.transfer_connected'], {}), { state: 'lost', ...transferIds });
});

test('a language that the agent has changed stays changed', (t) => {
  const changed = (sequence: number, language: string): JournalEntry =>
    entry(sequence, 'language.changed', { data: { language } });
  t.is(howItGoesOn(at('listening.silent')).language, null);
  const facts = [...saidHello, changed(4, 'ja'), changed(5, 'ko')];
  t.is(howItGoesOn(at('listening.silent'), { facts }).language, 'ko');
});

// Taking
// A taking whose answer is lost: what was taken is gone on with, once, and nothing else is.

const lostConnection = (): Error => new Error('Connection terminated unexpectedly');

/** A gateway to which two calls are handed over, on a connection that does `then` after the taking. */
const takingWorld = async (then: (database: Database) => Database['transaction']) => {
  const database = await testDatabase();
  const owner = await storedNumber(database);
  const from = randomUUID();
  const callIds = [
    await storedCall(database, owner, { node: from }),
    await storedCall(database, owner, { node: from }),
  ].sort();
  const wentOn: string[][] = [];
  let fails = 0;
  const taking = createTaking({
    database: {
      ...database,
      run: (query) => (fails-- > 0 ? Promise.reject(lostConnection()) : database.run(query)),
    },
    goOn: async (calls) => void wentOn.push(calls.map(({ id }) => id).sort()),
  });
  const transaction = then(database);
  return {
    ...taking,
    callIds,
    wentOn,
    /** So many of the statements that follow are not answered. */
    failNext: (times: number) => (fails = times),
    take: () => taking.take(() => takeHandedOver({ transaction }, { from, by: randomUUID(), callIds })),
  };
};

/** The server has committed it. */
const answerIsLost =
  (database: Database): Database['transaction'] =>
  async (work) => {
    await database.transaction(work);
    throw lostConnection();
  };

/** The server hears of no commit. */
const commitIsLost =
  (database: Database): Database['transaction'] =>
  (work) =>
    database.transaction(async (statements) => {
      await work(statements);
      throw lostConnection();
    });

test.serial('calls that were taken are gone on with though the answer is lost', async (t) => {
  const { take, settleDoubts, wentOn, callIds } = await takingWorld(answerIsLost);
  await take();
  await settleDoubts();
  t.deepEqual(wentOn, [callIds]);
});

test.serial('while the database is away nobody knows; afterwards they are gone on with, once', async (t) => {
  const { take, settleDoubts, wentOn, callIds, failNext } = await takingWorld(answerIsLost);
  failNext(2);
  await t.throwsAsync(take(), { message: /Connection terminated/ });
  await t.throwsAsync(settleDoubts(), { message: /Connection terminated/ });
  t.deepEqual(wentOn, []);
  await Promise.all([settleDoubts(), settleDoubts()]);
  await settleDoubts();
  t.deepEqual(wentOn, [callIds]);
});

test.serial('calls that were not taken are left to whoever takes them', async (t) => {
  const { take, wentOn } = await takingWorld(commitIsLost);
  await take();
  t.deepEqual(wentOn, [[]]);
});

// Hand over

type Call = { isStanding: boolean; isQuiet: boolean };

const quiet: Call = { isStanding: true, isQuiet: true };
const speaking: Call = { ...quiet, isQuiet: false };
/** It is only being set up, or its far end ends with this process. */
const bound: Call = { ...quiet, isStanding: false };

const numbers = { lookMs: 50, batch: 2, silenceMs: 3_000 };

const handOverWorld = (
  heirs: Heirs,
  calls: Record<string, Call>,
  gives: (node: string) => Promise<boolean> = async () => true,
) => {
  const clock = createOrderedClock();
  const done: string[] = [];
  const held = new Map(Object.entries(calls));
  const handOver = beginHandOver(heirs, {
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
    finish: handOver.finish,
    async look(times = 1): Promise<void> {
      for (let index = 0; index < times; index += 1) {
        clock.advance(numbers.lookMs);
        await settle();
      }
    },
  };
};

const others: Heirs = { are: 'others', nodes: ['one', 'two'] };

test.serial('each call goes when nobody speaks in it, some at once, to the gateways in turns', async (t) => {
  const { held, done, look, finish } = handOverWorld(others, {
    a: quiet,
    b: speaking,
    c: quiet,
    d: quiet,
    e: bound,
  });
  await look(2);
  t.deepEqual(done.splice(0), ['let go of a, c', 'one takes a, c', 'let go of d', 'two takes d']);
  held.set('b', quiet);
  held.set('e', quiet);
  await look();
  t.deepEqual(done.splice(0), ['let go of b, e', 'one takes b, e']);
  await finish();
  t.deepEqual(done, []);
});

test.serial('in the end what can go goes, whatever is being said in it; what cannot stays', async (t) => {
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
  'a gateway that does not take them is passed by, and one that takes none keeps the end from nothing',
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

const next: Heirs = { are: 'next process' };

test.serial(
  'for the next process all are let go of at once, when nobody speaks, or after a while',
  async (t) => {
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
  },
);

test.serial('for the next process none is let go of while another one is only being set up', async (t) => {
  const { held, done, look, finish } = handOverWorld(next, { a: quiet, b: bound });
  await look(200);
  t.deepEqual(done, []);
  held.delete('b');
  await look();
  t.deepEqual(done, ['let go of a']);
  await finish();
});

// Leg keeper

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

const keeperOn = (database: Database, node: string, clock: Clock = systemClock) =>
  createLegKeeper({
    database,
    sealing,
    node,
    epochOf: () => 1,
    goesOn: () => false,
    clock,
    logger: pino({ level: 'silent' }),
  });

test.serial('the next process of a node finds the legs that were not over, as they were last', async (t) => {
  const database = await testDatabase();
  const node = randomUUID();
  const keeper = keeperOn(database, node);
  const [standing, over, arrived, callId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  keeper.keep(standing, { callId, leg });
  keeper.keep(over, { callId: null, leg });
  keeper.keep(standing, { callId, leg: { ...leg, state: 'standing', nextHop: 'sip:proxy;lr' } });
  await keeper.settled(10_000);
  keeper.remove(over);
  keeper.keep(arrived, { callId: null, leg: { ...leg, state: 'arriving', channel: null } });
  await keeper.settled(10_000);

  const next = keeperOn(database, node);
  const found = await next.orphans();
  t.deepEqual(
    found.toSorted((one, other) => one.leg.state.localeCompare(other.leg.state)),
    [
      { id: arrived, callId: null, leg: { ...leg, state: 'arriving', channel: null } },
      { id: standing, callId, leg: { ...leg, state: 'standing', nextHop: 'sip:proxy;lr' } },
    ],
  );
  for (const { id } of found) next.remove(id);
  await next.settled(10_000);
  t.deepEqual(await legsOf(database, sealing, node), []);
});

test.serial(
  'removes the leg of a call that goes on here, although something else is being written',
  async (t) => {
    const database = await testDatabase();
    const [node, callId, left, other] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const dead = keeperOn(database, node);
    dead.keep(left, { callId, leg });
    await dead.settled(10_000);
    const next = keeperOn(database, node);
    next.takeOver(left, callId);
    next.keep(other, { callId: null, leg });
    next.keep(left, { callId, leg });
    next.remove(left);
    await next.settled(10_000);
    t.deepEqual(
      (await legsOf(database, sealing, node)).map(({ id }) => id),
      [other],
    );
  },
);

test.serial('legs of another node are left alone, unless they are asked for', async (t) => {
  const database = await testDatabase();
  const [one, other, id] = [randomUUID(), randomUUID(), randomUUID()];
  const keeper = keeperOn(database, one);
  keeper.keep(id, { callId: null, leg });
  await keeper.settled(10_000);
  t.deepEqual(await keeperOn(database, other).orphans(), []);
  t.deepEqual(await keeperOn(database, other).orphans(one), [{ id, callId: null, leg }]);
});

test.serial(
  'an absent database holds nothing up, and gets the last word on each leg when it is back',
  async (t) => {
    const database = await testDatabase();
    const node = randomUUID();
    let isAway = true;
    let tries = 0;
    const failing: Database = {
      ...database,
      ...scriptedStatements((...asked) => {
        if (!isAway) return database.execute(...asked);
        tries += 1;
        return Promise.reject(new Error('away'));
      }),
    };
    const keeper = keeperOn(failing, node);
    const [lasting, passing] = [randomUUID(), randomUUID()];
    keeper.keep(lasting, { callId: null, leg });
    keeper.keep(passing, { callId: null, leg });
    while (tries === 0) await new Promise((resolve) => setImmediate(resolve));
    keeper.keep(lasting, { callId: null, leg: { ...leg, state: 'standing' } });
    keeper.remove(passing);
    isAway = false;
    while ((await legsOf(database, sealing, node)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await keeper.settled(10_000);
    t.deepEqual(await legsOf(database, sealing, node), [
      { id: lasting, callId: null, epoch: 1, leg: { ...leg, state: 'standing' } },
    ]);
  },
);

test.serial('a leg that is over is dropped with the next one that is kept, or a moment later', async (t) => {
  const database = await testDatabase();
  const node = randomUUID();
  let statements = 0;
  const counting: Database = {
    ...database,
    ...scriptedStatements(async (...asked) => {
      const rows = await database.execute<object>(...asked);
      statements += 1;
      return rows;
    }),
  };
  const clock = new SimulatedClock();
  const keeper = keeperOn(counting, node, clock);
  const [first, second] = [randomUUID(), randomUUID()];
  const ids = async (): Promise<string[]> => (await legsOf(database, sealing, node)).map(({ id }) => id);
  const written = async (count: number): Promise<void> => {
    while (statements < count) await new Promise((resolve) => setImmediate(resolve));
  };

  keeper.keep(first, { callId: null, leg });
  await written(1);
  keeper.remove(first);
  clock.increment(999);
  t.deepEqual([await ids(), statements], [[first], 1]);
  keeper.keep(second, { callId: null, leg });
  await written(2);
  t.deepEqual([await ids(), statements], [[second], 2]);

  keeper.remove(second);
  clock.increment(1_000);
  await written(3);
  t.deepEqual([await ids(), statements], [[], 3]);
});
