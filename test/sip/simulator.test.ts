/** The simulated line: callees, scripts, pauses and transfers. */
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import * as fc from 'fast-check';
import type { LineEvent } from '#machines/line.ts';
import {
  maxScriptSteps,
  parseScript,
  type Role,
  type Script,
  type ScriptStep,
} from '#sip/simulator/script.ts';
import type { ScriptedCallee } from '#sip/simulator/callees.ts';
import { sayingTime } from '#sip/audio/speaking-time.ts';
import { acceleratedClock } from '#src/clocks.ts';
import type { Arrival, ArrivalVerdict } from '#src/domain/arrival.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import { pausing } from '#test/helpers/usual-barge-in.ts';
import { agentWith, createNetwork, scriptedInput, scriptedNumber } from './simulator/network.ts';
import { done, recorded, recordingNetwork, stretches } from './simulator/recording-network.ts';

// Simulator lines

const call = { to: '0212345678', from: '01012345678', script: null };

test.serial('a simulated caller arrives, is admitted and answered, and its words are heard', async (t) => {
  const { clock, lines, until } = createNetwork();
  const arrivals: Arrival[] = [];
  const begin = clock.now();
  await lines.start(async (arrival) => {
    arrivals.push(arrival);
    return { accepted: true };
  });
  const { callId, verdict } = await lines.placeInbound({
    ...call,
    script: [{ say: 'I would like to book a table.' }, { hang_up: true }],
  });
  t.deepEqual(verdict, { accepted: true });
  t.deepEqual(arrivals, [{ callId, from: '01012345678', to: '0212345678', at: begin }]);

  const line = openWatched(lines.open, scriptedInput({ callId, direction: 'inbound' }));
  until(() => line.isOver());
  t.is(line.all('line.answered')[0]?.at, begin + 50);
  t.deepEqual(line.story(), ['line.answered', 'line.speech', 'line.heard', 'line.ended']);
  t.deepEqual(line.finish(), []);
  await lines.close();
  t.is(clock.pending(), 0);
});

test.serial('allows the line to be opened before the admission is decided', async (t) => {
  const { lines, until } = createNetwork();
  let line: WatchedLine | undefined;
  await lines.start(async ({ callId }) => {
    line = openWatched(lines.open, scriptedInput({ callId, direction: 'inbound' }));
    return { accepted: true };
  });
  await lines.placeInbound(call);
  until(() => line?.saw('line.answered') === true);
  t.pass();
});

test.serial('a caller without a script opens with a sentence and continues politely', async (t) => {
  const { clock, lines, until } = createNetwork();
  await lines.start(async () => ({ accepted: true }));
  const { callId } = await lines.placeInbound(call);
  const agent = agentWith(clock, [
    'Good morning, how can I help you?',
    'Certainly, which day?',
    'At what time?',
  ]);
  const line = openWatched(lines.open, scriptedInput({ callId, direction: 'inbound' }), agent);
  until(() => line.all('line.heard').length === 3);
  t.true(line.all('line.played').every(({ whole }) => whole));
});

test.serial('a caller speaks the requested language', async (t) => {
  const { lines, until } = createNetwork();
  await lines.start(async () => ({ accepted: true }));
  const { callId } = await lines.placeInbound({ ...call, language: 'ko' });
  const line = openWatched(lines.open, scriptedInput({ callId, direction: 'inbound', language: 'en' }));
  until(() => line.saw('line.heard'));
  t.regex(line.all('line.heard')[0]?.text ?? '', /\p{Script=Hangul}/u);
});

test.serial('forgets a rejected caller', async (t) => {
  const { clock, lines } = createNetwork();
  const rejected: ArrivalVerdict = { accepted: false, because: 'unknown_number' };
  await lines.start(async () => rejected);
  const { callId, verdict } = await lines.placeInbound(call);
  t.deepEqual(verdict, rejected);
  const line = openWatched(lines.open, scriptedInput({ callId, direction: 'inbound' }));
  clock.advance(1_000);
  t.is(line.all('line.unanswered')[0]?.cause, 'media_error');
  t.deepEqual(line.finish(), []);
});

test.serial('hangs up an unanswered caller after ten seconds', async (t) => {
  const { clock, lines } = createNetwork();
  await lines.start(async () => ({ accepted: true }));
  const { callId } = await lines.placeInbound(call);
  clock.advance(10_001);
  const line = openWatched(lines.open, scriptedInput({ callId, direction: 'inbound' }));
  clock.advance(1_000);
  t.is(line.all('line.unanswered')[0]?.cause, 'media_error');
});

test.serial('answers a caller only once', async (t) => {
  const { clock, lines } = createNetwork();
  await lines.start(async () => ({ accepted: true }));
  const { callId } = await lines.placeInbound(call);
  const [first, second] = [1, 2].map(() =>
    openWatched(lines.open, scriptedInput({ callId, direction: 'inbound' })),
  );
  clock.advance(1_000);
  t.true(first?.saw('line.answered'));
  t.is(second?.all('line.unanswered')[0]?.cause, 'media_error');
});

test.serial('rejects the request of an arrival that gets no admission decision', async (t) => {
  const { clock, lines } = createNetwork();
  await lines.start(async () => {
    throw new Error('The database is away');
  });
  await t.throwsAsync(lines.placeInbound(call), { message: 'The database is away' });
  t.is(clock.pending(), 0);
});

test.serial('reports lines as ready between start and close', async (t) => {
  const { lines } = createNetwork();
  t.false(lines.health().ready);
  await t.throwsAsync(lines.placeInbound(call));
  await lines.start(async () => ({ accepted: true }));
  t.deepEqual(lines.health(), { ready: true });
  await lines.close();
  t.false(lines.health().ready);
  await t.throwsAsync(lines.placeInbound(call));
});

test.serial('ends every line and clears every timer on close', async (t) => {
  const { clock, lines, reach, until } = createNetwork();
  await lines.start(async () => ({ accepted: true }));
  await lines.placeInbound(call);
  const talking = reach({ to: '01000000001' });
  const ringing = reach({ to: '01000000002' });
  until(() => talking.saw('line.answered'));
  talking.say('This sentence is not said to its end.');
  const events = talking.events.length + ringing.events.length;
  await lines.close();
  await lines.close();
  t.is(clock.pending(), 0);
  clock.advance(60_000);
  t.is(talking.events.length + ringing.events.length, events);

  const late = reach({ to: '01000000001' });
  clock.advance(1_000);
  t.is(late.all('line.unanswered')[0]?.cause, 'trunk_error');
});

test.serial('a defined callee plays its script and replaces the built-in callee of the number', (t) => {
  const { lines, reach, until } = createNetwork();
  lines.defineCallee(scriptedNumber, [{ busy: true }]);
  lines.defineCallee('01000000001', [{ decline: true }]);
  for (const [to, cause] of [
    [scriptedNumber, 'busy'],
    ['01000000001', 'declined'],
  ] as const) {
    const line = reach({ to });
    until(() => line.isOver());
    t.is(line.all('line.unanswered')[0]?.cause, cause);
  }
});

test.serial('each workspace has its own callees', (t) => {
  const { lines, reach, until } = createNetwork({ workspaceOf: (callId) => callId.split('/')[0] });
  lines.defineCallee('01000000001', [{ busy: true }], 'one');
  lines.defineCallee('01000000001', [{ decline: true }], 'another');
  const outcome = (callId: string) => {
    const line = reach({ callId, to: '01000000001' });
    until(() => line.isOver() || line.saw('line.answered'));
    return line.all('line.unanswered')[0]?.cause ?? 'answered';
  };
  t.deepEqual(['one/a', 'another/b', 'third/c'].map(outcome), ['busy', 'declined', 'answered']);
});

test.serial('a callee that is being looked up does nothing before it is found', async (t) => {
  const found = Promise.withResolvers<ScriptedCallee>();
  const { clock, reach, until } = createNetwork({ findCallee: () => found.promise });
  const line = reach();
  clock.advance(10_000);
  t.deepEqual(line.events, []);
  found.resolve({ script: [{ answer_after_sec: 1 }, { hang_up: true }], rehearsal: undefined });
  await found.promise;
  await nextTurn();
  const at = clock.now();
  until(() => line.isOver());
  t.is((line.all('line.answered')[0]?.at ?? 0) - at, 1_000);
});

test.serial('creates no party for a call that ended during the look-up', async (t) => {
  const found = Promise.withResolvers<undefined>();
  let parties = 0;
  const { reach, until } = createNetwork({
    findCallee: () => found.promise,
    anybody: () => () => {
      parties += 1;
      return { start() {}, notice() {}, stop() {} };
    },
  });
  const [cancelled] = [reach(), reach()];
  cancelled.tell({ type: 'hangUp' });
  until(() => cancelled.isOver());
  found.resolve(undefined);
  await nextTurn();
  t.is(parties, 1);
});

test.serial('a person with a script continues in another process behind the completed steps', async (t) => {
  const changed: string[] = [];
  const here = createNetwork({ onCheckpoint: (callId) => changed.push(callId) });
  const callId = crypto.randomUUID();
  const script = [{ say: 'The first.' }, { say: 'The second.' }, { digits: '1' }, { hang_up: true }] as const;
  here.lines.defineCallee(scriptedNumber, script);
  const line = here.reach({ callId });
  here.until(() => line.saw('line.answered'));
  t.like(here.lines.checkpoint(callId), { isResumable: true, farEnd: { is: 'script', stepsDone: 0 } });
  here.until(() => line.saw('line.heard'));
  here.clock.advance(100);
  const { farEnd } = here.lines.checkpoint(callId);
  t.deepEqual(farEnd, { is: 'script', script, stepsDone: 1, rehearsal: null });
  t.deepEqual(changed, [callId, callId], 'at the answer and after the step');

  assert(farEnd !== null);
  const there = createNetwork();
  const resumed = there.resume(farEnd, { callId });
  there.until(() => resumed.isOver());
  t.true(resumed.saw('line.adopted'));
  t.deepEqual(
    resumed.all('line.heard').map(({ text }) => text),
    ['The second.'],
  );
  t.is(resumed.all('line.digit').length, 1);
  t.is(resumed.all('line.ended')[0]?.by, 'counterparty');
});

test.serial('a script that this version cannot play is lost with its process', async (t) => {
  const { resume, until } = createNetwork();
  const script = [{ sing: 'La.' }];
  const line = resume({ is: 'script', script, stepsDone: 0, rehearsal: null });
  await nextTurn();
  until(() => line.isOver());
  t.false(line.saw('line.adopted'));
  t.is(line.all('line.ended')[0]?.by, 'gateway');
});

test.serial('the call ends with system_error if its callee cannot be looked up', async (t) => {
  const { clock, reach } = createNetwork({ findCallee: () => Promise.reject(new Error('no database')) });
  const line = reach();
  await nextTurn();
  clock.advance(1_000);
  t.is(line.all('line.unanswered')[0]?.cause, 'system_error');
});

test.serial(
  'an accelerated line takes a fraction of the time and cuts words at the same place',
  async (t) => {
    const speed = 20;
    const { lines } = createNetwork({ clock: acceleratedClock(speed), speed });
    const sentence =
      'This is a long sentence, of which about a half should have been heard by now, and not less.';
    // Long enough to be cut off even if the machine is late.
    const monologue = Array.from({ length: 40 }, () => sentence).join(' ');
    const text = await new Promise<string>((resolve) => {
      const line = openWatched(lines.open, scriptedInput({ to: '01000000006' }), (event) => {
        if (event.type === 'line.played') resolve(event.text);
        if (event.type !== 'line.answered') return;
        line.say(monologue);
        setTimeout(() => line.tell({ type: 'stopTalking' }), 2_500 / speed);
      });
    });
    // Without acceleration, a line would have said two letters in this time.
    t.true(text.length > sentence.length / 4 && text.length < monologue.length, text);
    await lines.close();
  },
);

// Callees

const question = 'Good afternoon, may I ask whether you are free tomorrow at three?';
const farewell = 'Thank you very much for your time, have a nice day, and goodbye.';

test('01000000001 answers after a second, replies politely and does not speak during the farewell', (t) => {
  const { clock, reach, until } = createNetwork();
  const begin = clock.now();
  const agent = agentWith(clock, [question, question, question, farewell], (line) =>
    line.tell({ type: 'expectHangup' }),
  );
  const line = reach({ to: '01000000001' }, agent);
  until(() => line.saw('line.answered'));
  t.is(line.all('line.ringing')[0]?.at, begin + 100);
  t.is(line.all('line.answered')[0]?.at, begin + 1_000);

  until(() => line.all('line.played').length === 4);
  const played = line.all('line.played');
  const heard = line.all('line.heard');
  t.true(played.every(({ whole }) => whole));
  t.is(heard.length, 3);
  t.is(new Set(heard.map(({ text }) => text)).size, 3, 'its sentences vary');
  for (const [index, { startedAt }] of heard.entries())
    t.is(startedAt - (played[index]?.at ?? 0), 800, 'a polite pause before each');

  clock.advance(20_000);
  t.is(line.all('line.heard').length, 3, 'it says nothing into or after the farewell');
  line.tell({ type: 'hangUp' });
  clock.advance(1_000);
  t.is(line.all('line.ended')[0]?.by, 'gateway');
  t.deepEqual(line.finish(), []);
});

for (const [language, form] of [
  ['ko', /\p{Script=Hangul}/u],
  ['ja-JP', /\p{Script=Hiragana}/u],
  ['en-GB', /[a-z]/u],
  ['fr', /[a-z]/u],
] as const)
  test(`callees speak the language of the call: ${language}`, (t) => {
    const { clock, reach, until } = createNetwork();
    const line = reach({ to: '01000000001', language }, agentWith(clock, [question]));
    until(() => line.saw('line.heard'));
    t.regex(line.all('line.heard')[0]?.text ?? '', form);
  });

test('01000000002 rings and never answers', (t) => {
  const { clock, reach } = createNetwork();
  const line = reach({ to: '01000000002' });
  clock.advance(3_600_000);
  t.deepEqual(line.story(), ['line.ringing']);
  line.close();
  t.is(clock.pending(), 0);
});

for (const [number, cause] of [
  ['01000000003', 'busy'],
  ['01000000004', 'declined'],
  ['01000000009', 'trunk_error'],
] as const)
  test(`${number} is not answered: ${cause}`, (t) => {
    const { clock, reach } = createNetwork();
    const line = reach({ to: number });
    clock.advance(5_000);
    t.is(line.all('line.unanswered')[0]?.cause, cause);
    t.is(line.saw('line.ringing'), cause === 'declined', 'only a telephone that is free rings');
    t.deepEqual(line.finish(), []);
    t.is(clock.pending(), 0);
  });

for (const moment of ['with', 'well before', 'in the middle of'] as const)
  test(`01000000005 speaks once during the first farewell when the line expects a hangup ${moment} it`, (t) => {
    const { clock, reach, until } = createNetwork();
    const line = reach({ to: '01000000005' }, (event, it) => {
      if (event.type === 'line.speech') it.tell({ type: 'stopTalking' });
    });
    until(() => line.saw('line.answered'));
    line.say(question);
    until(() => line.saw('line.heard'));

    if (moment === 'well before') {
      line.tell({ type: 'expectHangup' });
      clock.advance(4_000);
    }
    line.say(farewell);
    const begin = clock.now();
    if (moment === 'with') line.tell({ type: 'expectHangup' });
    if (moment === 'in the middle of') {
      clock.advance(2_000);
      line.tell({ type: 'expectHangup' });
    }
    until(() => line.all('line.speech').length === 2);
    const waited = clock.now() - begin;
    t.true(moment === 'in the middle of' ? waited <= 2_210 : waited >= 895 && waited <= 910, `${waited}`);
    until(() => line.all('line.heard').length === 2);
    t.false(line.all('line.played')[1]?.whole ?? true);

    line.say('Of course, here is the answer to your question.');
    until(() => line.all('line.heard').length === 3);
    line.say(farewell);
    line.tell({ type: 'expectHangup' });
    until(() => line.all('line.played').length === 4);
    t.true(line.all('line.played')[3]?.whole ?? false, 'the second farewell is left alone');
    clock.advance(10_000);
    t.is(line.all('line.heard').length, 3);
  });

test('01000000005 interrupts a very short farewell', (t) => {
  const { reach, until } = createNetwork();
  const line = reach({ to: '01000000005' });
  until(() => line.saw('line.answered'));
  line.say('Goodbye!');
  line.tell({ type: 'expectHangup' });
  until(() => line.saw('line.speech'));
  t.false(line.saw('line.played'), 'the farewell still sounds');
});

test('01000000006 answers and stays silent', (t) => {
  const { clock, reach, until } = createNetwork();
  const line = reach({ to: '01000000006' }, agentWith(clock, [question]));
  until(() => line.saw('line.played'));
  clock.advance(600_000);
  t.deepEqual(line.story(), ['line.ringing', 'line.answered', 'line.played']);
});

test('01000000007 says one sentence and hangs up', (t) => {
  const { clock, reach, until } = createNetwork();
  const line = reach({ to: '01000000007' }, agentWith(clock, [question]));
  until(() => line.isOver());
  t.is(line.all('line.heard').length, 1);
  t.is(line.all('line.ended')[0]?.by, 'counterparty');
  t.true(line.all('line.played')[0]?.whole ?? false, 'it lets the agent finish first');
  t.deepEqual(line.finish(), []);
  t.is(clock.pending(), 0);
});

test('01000000008 interrupts every reply once', (t) => {
  const { clock, reach, until } = createNetwork();
  const line = reach({ to: '01000000008' }, agentWith(clock, [question, question, question]));
  until(() => line.all('line.heard').length === 3);
  clock.advance(10_000);
  t.deepEqual(
    line.all('line.played').map(({ whole }) => whole),
    [false, false, false],
  );
  t.is(line.all('line.heard').length, 3);
  t.true(line.all('line.played').every(({ text }) => text.length > 0 && text.length < question.length));
});

test('01000000008 interrupts a farewell and accepts its repetition', (t) => {
  const { reach, until } = createNetwork();
  const line = reach({ to: '01000000008' }, (event, it) => {
    if (event.type === 'line.speech') it.tell({ type: 'stopTalking' });
  });
  until(() => line.saw('line.answered'));
  const talk = (text: string, isFarewell: boolean): void => {
    line.say(text);
    if (isFarewell) line.tell({ type: 'expectHangup' });
  };
  talk(farewell, true);
  until(() => line.all('line.heard').length === 1);
  talk(question, false);
  until(() => line.all('line.heard').length === 2);
  talk(farewell, true);
  until(() => line.all('line.played').length === 3);
  t.deepEqual(
    line.all('line.played').map(({ whole }) => whole),
    [false, false, true],
  );
});

test('an unknown number rings until the line is closed', (t) => {
  const { clock, reach } = createNetwork();
  const line = reach({ to: '0299998888' });
  clock.advance(600_000);
  t.deepEqual(line.story(), ['line.ringing']);
  line.close();
  t.is(clock.pending(), 0);
});

// Script

const accepts = test.macro<[script: unknown]>({
  exec(t, script) {
    t.deepEqual(parseScript(script, 'callee'), { script });
  },
  title: (_, script) => `accepts the script ${JSON.stringify(script)}`,
});

const refuses = test.macro<[script: unknown, step: number, message: RegExp, role?: Role]>({
  exec(t, script, step, message, role = 'callee') {
    const { errors } = parseScript(script, role);
    t.is(errors?.length, 1);
    t.is(errors?.[0]?.step, step);
    t.regex(errors?.[0]?.message ?? '', message);
  },
  title: (_, script, __, ___, role = 'callee') => `rejects the ${role}'s script ${JSON.stringify(script)}`,
});

test(accepts, []);
test(accepts, [{ say: 'Hello.' }, { wait_sec: 0.5 }, { interrupt: 'Wait!' }, { hang_up: true }]);
test(accepts, [
  { answer_after_sec: 3 },
  { listen: true },
  { backchannel: 'yeah' },
  { noise_sec: 2 },
  { announce: 'Please leave a message.' },
  { beep: true },
  { digits: '12#' },
  { await_digits: '1' },
]);
test(accepts, [{ busy: true }]);
test(accepts, [{ decline: true }]);
test(accepts, [{ no_answer: true }]);
test(accepts, [{ trunk_error: true }]);

test(refuses, 'hello', 0, /list/);
test(refuses, null, 0, /list/);
test(refuses, [{ say: 'Hello.' }, 'hang_up'], 1, /object with one member/);
test(refuses, [{}], 0, /object with one member/);
test(refuses, [{ say: 'Hello.', wait_sec: 1 }], 0, /object with one member/);
test(refuses, [{ shout: 'Hello.' }], 0, /no such step/);
test(refuses, [{ constructor: true }], 0, /no such step/);
test(refuses, [{ say: ' ' }], 0, /say must be a text/);
test(refuses, [{ say: 5 }], 0, /say must be a text/);
test(refuses, [{ wait_sec: -1 }], 0, /wait_sec must be a number/);
test(refuses, [{ wait_sec: Number.NaN }], 0, /wait_sec must be a number/);
test(refuses, [{ wait_sec: 100_000 }], 0, /wait_sec must be a number/);
test(refuses, [{ hang_up: false }], 0, /hang_up must be true/);
test(refuses, [{ digits: '12x' }], 0, /digits must be/);
test(refuses, [{ say: 'Hello.' }, { answer_after_sec: 1 }], 1, /only be the first step/);
test(refuses, [{ busy: true }, { say: 'Hello.' }], 0, /only be the only step/);
test(refuses, [{ answer_after_sec: 1 }], 0, /is for callees/, 'caller');

test('rejects a script with too many steps', (t) => {
  const script = Array.from({ length: maxScriptSteps + 1 }, () => ({ listen: true }));
  t.is(parseScript(script, 'callee').errors?.length, 1);
});

test('names each invalid step of a script', (t) => {
  const { errors } = parseScript([{ say: '' }, { say: 'Fine.' }, { jump: 1 }], 'callee');
  t.deepEqual(
    errors?.map(({ step }) => step),
    [0, 2],
  );
});

test('any input is either a script or has errors', (t) => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const { script, errors } = parseScript(value, 'callee');
      return script === undefined ? errors.length > 0 : script === value;
    }),
  );
  t.pass();
});

// Play script

const reply = 'Of course, I will look that up for you right away, one moment please.';

test('say: the first words start when the agent is silent', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Hello?' }], agentWith(clock, [reply]));
  until(() => line.saw('line.heard'));
  const [played] = line.all('line.played');
  t.true(played?.whole);
  t.is(line.all('line.heard')[0]?.startedAt, (played?.at ?? 0) + 800);
});

test('say: speaks first if the agent is silent', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Hello?' }]);
  until(() => line.saw('line.heard'));
  t.is(line.all('line.heard')[0]?.startedAt, (line.all('line.answered')[0]?.at ?? 0) + 800);
});

test('say: later words wait for the answer to the earlier ones', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const agent = agentWith(clock, ['Hello.', reply, reply]);
  const line = reachScript([{ say: 'What time is it?' }, { say: 'And what day?' }], agent);
  until(() => line.all('line.heard').length === 2);
  t.deepEqual(
    line.all('line.played').map(({ whole }) => whole),
    [true, true],
  );
  t.is(line.all('line.heard')[1]?.startedAt, (line.all('line.played')[1]?.at ?? 0) + 800);
});

test('say: waits at most five seconds for an answer', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Hello?' }, { say: 'Is anybody there?' }]);
  until(() => line.all('line.heard').length === 2);
  const [first, second] = line.all('line.heard');
  const said = (first?.at ?? 0) - 300;
  t.is((second?.startedAt ?? 0) - said, 5_800);
});

test('say: words are recognized after 200 ms and final 300 ms after their end', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Hello there.' }]);
  until(() => line.saw('line.heard'));
  const [heard] = line.all('line.heard');
  const startedAt = heard?.startedAt ?? 0;
  t.is((line.all('line.speech')[0]?.at ?? 0) - startedAt, 200);
  t.is(heard?.text, 'Hello there.');
  t.true((heard?.at ?? 0) - startedAt > 800);
});

test('interrupt: speaks 0.7 s after the agent begins', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ interrupt: 'Wait, please.' }], agentWith(clock, [reply]));
  until(() => line.saw('line.heard'));
  const [played] = line.all('line.played');
  t.is(line.all('line.heard')[0]?.startedAt, (played?.startedAt ?? 0) + 700);
  t.false(played?.whole);
});

test('interrupt: speaks earlier when the utterance is short', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ interrupt: 'Wait, please.' }], agentWith(clock, ['Thank you.']));
  until(() => line.saw('line.heard'));
  t.true((line.all('line.heard')[0]?.startedAt ?? 0) < (line.all('line.played')[0]?.at ?? 0));
});

test('interrupt: interrupts the next utterance if the agent stops too early', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ interrupt: 'Wait, please.' }]);
  until(() => line.saw('line.answered'));
  line.say(reply);
  clock.advance(300);
  line.tell({ type: 'stopTalking' });
  clock.advance(5_000);
  t.false(line.saw('line.speech'));
  line.say(reply);
  t.is(
    until(() => line.saw('line.speech')),
    900,
  );
});

test('backchannel: does not interrupt the agent', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ backchannel: 'Mm-hmm.' }, { say: 'I see.' }], agentWith(clock, [reply]));
  until(() => line.all('line.heard').length === 2);
  t.true(line.all('line.played')[0]?.whole);
  t.deepEqual(
    line.all('line.heard').map(({ text, backchannel }) => [text, backchannel]),
    [
      ['Mm-hmm.', true],
      ['I see.', false],
    ],
  );
  t.is(line.all('line.speech').length, 1);
});

test('backchannel: words in silence are ordinary words', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Okay.' }]);
  until(() => line.saw('line.heard'));
  t.true(line.saw('line.speech'));
  t.false(line.all('line.heard')[0]?.backchannel);
});

test('backchannel: words that are no backchannel interrupt the agent', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ backchannel: 'No, no, stop.' }], agentWith(clock, [reply]));
  until(() => line.saw('line.heard'));
  t.true(line.saw('line.speech'));
});

test('listen: waits for one whole reply', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ listen: true }, { hang_up: true }], agentWith(clock, [reply]));
  until(() => line.isOver());
  t.true(line.all('line.played')[0]?.whole);
});

test('listen: after words, waits for the reply to them, however long it takes', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Hello?' }, { listen: true }, { hang_up: true }]);
  until(() => line.saw('line.heard'));
  clock.advance(120_000);
  t.false(line.isOver());
  line.say(reply);
  until(() => line.isOver());
  t.true(line.all('line.played')[0]?.whole);
});

test('listen: needs no further reply before the next words', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const agent = agentWith(clock, ['Hello.', reply]);
  const line = reachScript([{ say: 'Tell me.' }, { listen: true }, { say: 'Thanks.' }], agent);
  until(() => line.all('line.heard').length === 2);
  t.is(line.all('line.heard')[1]?.startedAt, (line.all('line.played')[1]?.at ?? 0) + 1_600);
});

test('announce and beep: a machine speaks over the agent and takes a message', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([
    { announce: 'Please leave a message after the tone.' },
    { wait_sec: 1 },
    { beep: true },
    { hang_up: true },
  ]);
  until(() => line.saw('line.answered'));
  line.say('This is a rather long sentence, which takes a few seconds until it was said to its end.');
  until(() => line.isOver());
  t.deepEqual(
    line.story().filter((type) => type !== 'line.ringing'),
    ['line.answered', 'line.speech', 'line.answered_by', 'line.heard', 'line.played', 'line.ended'],
    'it hangs up in the moment in which it would take a message',
  );
  t.is(line.all('line.answered_by')[0]?.by, 'machine');
});

test('wait_sec and noise_sec: emit no events while time passes', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ wait_sec: 3 }, { noise_sec: 2.5 }, { hang_up: true }]);
  until(() => line.isOver());
  t.deepEqual(line.story(), ['line.ringing', 'line.answered', 'line.ended']);
  t.is((line.all('line.ended')[0]?.at ?? 0) - (line.all('line.answered')[0]?.at ?? 0), 5_520);
});

test('digits: presses digits one after the other', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ digits: '0#D' }]);
  until(() => line.all('line.digit').length === 3);
  const digits = line.all('line.digit');
  t.deepEqual(
    digits.map(({ digit, at }) => [digit, at - (digits[0]?.at ?? 0)]),
    [
      ['0', 0],
      ['#', 250],
      ['D', 500],
    ],
  );
});

test('await_digits: continues once the agent has pressed these digits, each of which counts once', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([
    { await_digits: '1' },
    { digits: 'A' },
    { await_digits: '1#' },
    { digits: 'B' },
    { hang_up: true },
  ]);
  until(() => line.saw('line.answered'));
  const pressed = (): string[] => line.all('line.digit').map(({ digit }) => digit);
  line.tell({ type: 'press', keys: '0w1' });
  until(() => pressed().length === 1);
  line.tell({ type: 'press', keys: '#' });
  line.tell({ type: 'press', keys: '1' });
  t.deepEqual(pressed(), ['A']);
  line.tell({ type: 'press', keys: '#' });
  until(() => line.isOver());
  t.deepEqual(pressed(), ['A', 'B']);
});

test('hang_up: hangs up at once, with the words completed before it', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Not today.' }, { hang_up: true }, { say: 'Never said.' }]);
  until(() => line.isOver());
  clock.advance(10_000);
  t.deepEqual(line.story().slice(-3), ['line.speech', 'line.heard', 'line.ended']);
  t.is(line.all('line.ended')[0]?.by, 'counterparty');
  t.is(clock.pending(), 0);
});

test('answer_after_sec: rings for this time before the answer', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ answer_after_sec: 12 }, { say: 'Sorry for the wait.' }]);
  const waited = until(() => line.saw('line.answered'));
  t.is(waited, 12_000);
  t.is((line.all('line.answered')[0]?.at ?? 0) - (line.all('line.ringing')[0]?.at ?? 0), 11_900);
  until(() => line.saw('line.heard'));
});

test('answer_after_sec: 0 answers at once', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ answer_after_sec: 0 }]);
  t.true(until(() => line.saw('line.answered')) <= 5);
  t.deepEqual(line.story(), ['line.ringing', 'line.answered']);
});

for (const [step, cause] of [
  [{ busy: true }, 'busy'],
  [{ decline: true }, 'declined'],
  [{ trunk_error: true }, 'trunk_error'],
] as const)
  test(`${Object.keys(step).join('')}: does not answer the call`, (t) => {
    const { reachScript, until } = createNetwork();
    const line = reachScript([step]);
    until(() => line.isOver());
    t.is(line.all('line.unanswered')[0]?.cause, cause);
  });

test('no_answer: keeps ringing', (t) => {
  const { clock, reachScript } = createNetwork();
  const line = reachScript([{ no_answer: true }]);
  clock.advance(600_000);
  t.deepEqual(line.story(), ['line.ringing']);
});

test('stays on the line in silence after the last step of a script', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Hello?' }], agentWith(clock, ['Hello.', reply, reply]));
  until(() => line.saw('line.heard'));
  clock.advance(600_000);
  t.is(line.all('line.heard').length, 1);
  t.false(line.isOver());
});

// Pauses
// Sounds during the agent's speech on a line that pauses.

const { onsetMs, resumeMs } = pausing;

const asCallsDo = ({ type }: LineEvent, line: WatchedLine): void => {
  if (type === 'line.answered') line.say(reply);
  if (type === 'line.onset') line.tell({ type: 'pauseTalking' });
  if (type === 'line.no_speech') line.tell({ type: 'resumeTalking' });
  if (type === 'line.speech') line.tell({ type: 'stopTalking' });
};

const reach = (script: Script): { line: WatchedLine; network: ReturnType<typeof createNetwork> } => {
  const network = createNetwork();
  network.lines.defineCallee(scriptedNumber, script);
  return { line: network.reach({ bargeIn: pausing }, asCallsDo), network };
};

test.serial(
  "reports noise during the agent's speech as an onset, and as a false one after a silence",
  (t) => {
    const { line, network } = reach([{ wait_sec: 1 }, { noise_sec: 0.5 }]);
    network.until(() => line.saw('line.played'));
    const [answer] = line.all('line.answered');
    const [onset] = line.all('line.onset');
    const [nothing] = line.all('line.no_speech');
    const [played] = line.all('line.played');
    t.is((onset?.at ?? 0) - (answer?.at ?? 0), 1_000 + onsetMs);
    t.is((nothing?.at ?? 0) - (answer?.at ?? 0), 1_500 + resumeMs);
    t.true(played?.whole);
    const pausedMs = (nothing?.at ?? 0) - (onset?.at ?? 0);
    t.is((played?.at ?? 0) - (played?.startedAt ?? 0), Math.round(sayingTime(reply)) + pausedMs);
  },
);

test.serial('continuous noise pauses the agent for two seconds', (t) => {
  const { line, network } = reach([{ wait_sec: 1 }, { noise_sec: 30 }]);
  network.until(() => line.saw('line.played'));
  t.is((line.all('line.no_speech')[0]?.at ?? 0) - (line.all('line.onset')[0]?.at ?? 0), 2_000);
  t.true(line.all('line.played')[0]?.whole);
});

test.serial('reports no onset for noise in silence or for a click', (t) => {
  const { line, network } = reach([{ wait_sec: 1 }, { noise_sec: 0.05 }, { wait_sec: 10 }, { noise_sec: 1 }]);
  network.until(() => line.saw('line.played'));
  network.clock.advance(10_000);
  t.false(line.saw('line.onset'));
});

test.serial('records both halves of an interrupted sentence and the pause between them', async (t) => {
  const network = await recordingNetwork();
  network.lines.defineCallee(scriptedNumber, [
    { wait_sec: 1 },
    { noise_sec: 0.5 },
    { wait_sec: 9 },
    { hang_up: true },
  ]);
  const line = network.reach({ ...recorded, bargeIn: pausing, to: scriptedNumber }, asCallsDo);
  network.until(() => line.isOver());
  const [answer] = line.all('line.answered');
  const tape = await done(network.tapes.get(recorded.callId));
  const told = stretches(tape.agent);
  t.is(told.length, 2);
  const pausedAt = (line.all('line.onset')[0]?.at ?? 0) - (answer?.at ?? 0);
  const wentOnAt = (line.all('line.no_speech')[0]?.at ?? 0) - (answer?.at ?? 0);
  t.true(Math.abs((told[0]?.[1] ?? 0) - pausedAt) < 10, JSON.stringify(told));
  t.true(Math.abs((told[1]?.[0] ?? 0) - wentOnAt) < 10, JSON.stringify(told));
});

// Transferring

test('two persons talk without recognition until one of them hangs up', (t) => {
  const { reachScript, until, clock } = createNetwork();
  const line = reachScript([
    { wait_sec: 3 },
    { say: 'This is for you alone.' },
    { digits: '12' },
    { wait_sec: 60 },
  ]);
  until(() => line.saw('line.answered'));
  line.tell({ type: 'transfer', to: '01000000011', mode: 'cold' });
  until(() => line.isOver());
  t.deepEqual(line.story().slice(-3), ['line.answered', 'line.transferred', 'line.ended']);
  const [end] = line.all('line.ended');
  const [connected] = line.all('line.transferred');
  t.is((end?.at ?? 0) - (connected?.at ?? 0), 10_020, 'ten seconds, and what a line takes to end');
  t.deepEqual(line.finish(), []);
  clock.advance(60_000);
  t.is(clock.pending(), 0);
});

test('rejects the hand-over of a line while a person is ringing', (t) => {
  const { lines, reach, until } = createNetwork();
  const line = reach({ to: '01000000006' });
  until(() => line.saw('line.answered'));
  t.true(lines.checkpoint(line.callId).isResumable);
  line.tell({ type: 'transfer', to: '01000000012', mode: 'cold' });
  t.false(lines.checkpoint(line.callId).isResumable);
  until(() => line.saw('line.transfer_failed'));
  t.true(lines.checkpoint(line.callId).isResumable);
});

test('hands over a line with two persons whom the next gateway knows as well', (t) => {
  const { lines, reach, until, clock } = createNetwork();
  const line = reach({ to: '01000000006' });
  until(() => line.saw('line.answered'));
  line.tell({ type: 'transfer', to: '01000000011', mode: 'cold' });
  t.false(lines.checkpoint(line.callId).isResumable);
  until(() => line.saw('line.transferred'));
  t.true(lines.checkpoint(line.callId).isResumable);
  line.release();
  clock.advance(60_000);
  t.false(line.isOver());
  t.is(clock.pending(), 0);
});

test('two persons keep talking after a take-over, until one of them hangs up', (t) => {
  const { adopt, until, clock } = createNetwork();
  const line = adopt('01000000001', { to: '01000000011', talkedMs: 4_000 });
  until(() => line.saw('line.adopted'));
  // Words that were addressed to the other party are no answer to the agent.
  line.say('Good morning.');
  until(() => line.isOver());
  t.deepEqual(
    line.story().filter((type) => type !== 'line.played'),
    ['line.adopted', 'line.ended'],
  );
  const [adopted] = line.all('line.adopted');
  const [end] = line.all('line.ended');
  t.is(end?.by, 'counterparty');
  t.is((end?.at ?? 0) - (adopted?.at ?? 0), 6_020);
  t.is(clock.pending(), 0);
});

test('keeps a person as hung up who hung up before the take-over', (t) => {
  const { adopt, until } = createNetwork();
  const line = adopt('01000000006', { to: '01000000011', talkedMs: 11_000 });
  until(() => line.isOver());
  t.deepEqual(line.story(), ['line.adopted', 'line.ended']);
  t.is(line.all('line.ended')[0]?.by, 'counterparty');
});

test('does not resume two persons if one was known only to the dead gateway', async (t) => {
  const { adopt } = createNetwork();
  const line = adopt('01000000006', { to: '01055550009', talkedMs: 0 });
  await new Promise((resolve) => void setImmediate(resolve));
  t.deepEqual(line.story(), ['line.ended']);
  t.is(line.all('line.ended')[0]?.by, 'gateway');
});

// Invariants

const words = fc.constantFrom(
  'Hello?',
  'Wait a moment, please.',
  'uh-huh',
  'Yes.',
  'mm',
  '…',
  'I would like to know more.',
);
const seconds = fc.integer({ min: 0, max: 40 }).map((tenths) => tenths / 10);

const talking: fc.Arbitrary<ScriptStep> = fc.oneof(
  words.map((say) => ({ say })),
  words.map((interrupt) => ({ interrupt })),
  words.map((backchannel) => ({ backchannel })),
  seconds.map((wait_sec) => ({ wait_sec })),
  seconds.map((noise_sec) => ({ noise_sec })),
  fc.constant({ listen: true as const }),
  fc.constant({ digits: '1#' }),
  fc.constant({ hang_up: true as const }),
);

const script: fc.Arbitrary<Script> = fc.oneof(
  { weight: 8, arbitrary: fc.array(talking, { maxLength: 8 }) },
  {
    weight: 2,
    arbitrary: fc.array(talking, { maxLength: 4 }).map((steps) => [{ answer_after_sec: 0 }, ...steps]),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Script>([{ busy: true }], [{ decline: true }], [{ no_answer: true }]),
  },
);

const number = fc.oneof(
  { weight: 3, arbitrary: fc.constant(scriptedNumber) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }).map((digit) => `0100000000${digit}`) },
);

type Act = (line: WatchedLine) => void;

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: words.map(
      (text): Act =>
        (line) =>
          void line.say(text),
    ),
  },
  { weight: 3, arbitrary: fc.constant<Act>((line) => line.tell({ type: 'stopTalking' })) },
  { weight: 2, arbitrary: fc.constant<Act>((line) => line.tell({ type: 'expectHangup' })) },
  { weight: 1, arbitrary: fc.constant<Act>((line) => line.tell({ type: 'hangUp' })) },
);

const commands = fc.array(fc.record({ act, afterMs: fc.oneof(fc.constant(0), fc.nat(3_000)) }), {
  maxLength: 25,
});

/** Actions of the call during its first events, one per event. */
const reactions = fc.array(fc.option(act, { nil: null }), { maxLength: 12 });

test('a line keeps its contract for any script and any commands', (t) => {
  fc.assert(
    fc.property(number, script, commands, reactions, fc.boolean(), (to, steps, told, reacts, isClosed) => {
      const { clock, lines, reach } = createNetwork();
      lines.defineCallee(scriptedNumber, steps);
      let events = 0;
      const line = reach({ to }, (_event, it) => {
        reacts[events]?.(it);
        events += 1;
      });
      for (const { act, afterMs } of told) {
        clock.advance(afterMs);
        act(line);
      }
      if (isClosed) line.close();
      else line.tell({ type: 'hangUp' });
      clock.advance(60_000);
      assert.deepEqual(line.finish(), []);
      assert.equal(clock.pending(), 0);
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});

test('reports an unused line as idle', (t) => {
  fc.assert(
    fc.property(script, (steps) => {
      const { clock, reachScript } = createNetwork();
      const line = reachScript(steps);
      clock.advance(600_000);
      assert.deepEqual(line.breaches, []);
      assert.equal(clock.pending(), 0);
    }),
  );
  t.pass();
});
