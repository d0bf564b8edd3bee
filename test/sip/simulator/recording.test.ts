/** Audio of the simulated line: recordings and rehearsed scripts. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { recordingSampleRate } from '#sip/audio/recording-sink.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import { renderRecording } from '#sip/simulator/render-recording.ts';
import { parseScript, type Script } from '#sip/simulator/script.ts';
import type { HeardBefore } from '#src/domain/sip-leg.ts';
import { sayingTime } from '#sip/audio/speaking-time.ts';
import type { Synthesizer } from '#sip/audio/speech.ts';
import { loadPatterns } from '#src/domain/said-pattern.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { agentWith, createNetwork, scriptedNumber } from './network.ts';
import { done, hum, loudness, recorded, recordingNetwork, stretches } from './recording-network.ts';

// The patterns are loaded before the first test, because AVA accepts only tests that are declared synchronously.
const readPattern = await loadPatterns();

// Recording

test.serial('records both parties at the time and for the length of their audio', async (t) => {
  const { lines, reach, until, tapes, clock } = await recordingNetwork();
  lines.defineCallee('01055550001', [
    { interrupt: 'Wait a moment, please.' },
    { wait_sec: 1 },
    { hang_up: true },
  ]);
  const line = reach({ ...recorded, to: '01055550001' }, (event, it) => {
    if (event.type === 'line.speech') it.tell({ type: 'stopTalking' });
  });
  until(() => line.saw('line.answered'));
  const answeredAt = clock.now();
  clock.advance(500);
  line.say('Good afternoon, this is a rather long sentence that will be cut.');
  until(() => line.isOver());
  const endedAt = clock.now() - 20;

  const tape = await done(tapes.get(recorded.callId));
  t.is(tape.outcome, 'finished');
  t.is(tape.counterparty.length, tape.agent.length);
  t.true(Math.abs(tape.agent.length / 16 - (endedAt - answeredAt)) < 10, 'as long as the call');
  t.true(tape.longestWrite <= recordingSampleRate / 10);

  const [played] = line.all('line.played');
  const [heard] = line.all('line.heard');
  const [agent, ...noMore] = stretches(tape.agent);
  t.deepEqual(noMore, []);
  t.true(Math.abs((agent?.[0] ?? 0) - ((played?.startedAt ?? 0) - answeredAt)) < 10);
  t.is(Math.round((agent?.[1] ?? 0) - (agent?.[0] ?? 0)), 900, 'cut where the voice was cut');
  const [other] = stretches(tape.counterparty);
  t.true(Math.abs((other?.[0] ?? 0) - ((heard?.startedAt ?? 0) - answeredAt)) < 10);
  t.true(Math.abs((other?.[1] ?? 0) - ((heard?.at ?? 0) - 300 - answeredAt)) < 10);
});

for (const sampleRate of [8_000, 22_050, 48_000])
  test.serial(`resamples a synthesizer's ${sampleRate} Hz to the rate of the recording`, async (t) => {
    const { reach, until, tapes } = await recordingNetwork({ voice: hum(sampleRate, 1) });
    const line = reach({ ...recorded, to: '01000000006' });
    until(() => line.saw('line.answered'));
    line.say('This sentence takes quite a bit longer than the second of sound that there is for it.');
    until(() => line.saw('line.played'));
    line.tell({ type: 'hangUp' });
    until(() => line.isOver());
    const tape = await done(tapes.get(recorded.callId));
    const [[from, to] = [0, 0], ...noMore] = stretches(tape.agent);
    t.deepEqual(noMore, []);
    t.true(Math.abs(to - from - 1_000) < 2, `${to - from} ms`);
    // A hum with abrupt edges rings at the edges, as with every filter.
    const middle = tape.agent.slice((from + 10) * 16, (to - 10) * 16);
    t.true(middle.every((sample) => Math.abs(sample - loudness) < 100));
  });

test.serial('records an accelerated call at its natural pace', async (t) => {
  const { clock, reach, until, tapes } = await recordingNetwork({ speed: 10 });
  const line = reach({ ...recorded, to: '01000000006' });
  until(() => line.saw('line.answered'));
  const answeredAt = clock.now();
  clock.advance(100);
  line.say('This sentence is said ten times faster than anybody could.');
  until(() => line.saw('line.played'));
  const [played] = line.all('line.played');
  line.tell({ type: 'hangUp' });
  until(() => line.isOver());
  const tape = await done(tapes.get(recorded.callId));
  const [[from, to] = [0, 0]] = stretches(tape.agent);
  t.true(Math.abs(from - ((played?.startedAt ?? 0) - answeredAt) * 10) < 10, `${from} ms`);
  t.true(Math.abs(to - from - sayingTime(played?.text ?? '')) < 10, `${to - from} ms`);
});

test.serial('keeps the recording so far when a call is closed', async (t) => {
  const { clock, reach, until, tapes } = await recordingNetwork();
  const line = reach({ ...recorded, to: '01000000006' });
  until(() => line.saw('line.answered'));
  line.say('This sentence is cut when everything ends.');
  clock.advance(1_000);
  line.close();
  const tape = await done(tapes.get(recorded.callId));
  t.is(tape.outcome, 'finished');
  t.is(stretches(tape.agent).length, 1);
});

test.serial('leaves the recording of a call that another gateway takes over', async (t) => {
  const { clock, reach, until, tapes } = await recordingNetwork();
  const line = reach({ ...recorded, to: '01000000006' });
  until(() => line.saw('line.answered'));
  line.say('This sentence is handed over in its middle.');
  clock.advance(1_000);
  line.release();
  const tape = await done(tapes.get(recorded.callId));
  t.is(tape.outcome, 'left');
  t.is(tape.agent.length, 0);
  t.deepEqual(line.breaches, []);
});

/** A minute of a call in another process. */
const heard: HeardBefore = {
  turns: [
    { role: 'assistant', text: 'Good morning.', fromMs: 1_000, toMs: 2_000 },
    { role: 'user', text: 'Good morning to you.', fromMs: 3_000, toMs: 4_500 },
    { role: 'user', text: 'My card is one two three.', fromMs: 30_000, toMs: 33_000 },
  ],
  pauses: [{ fromMs: 29_000, toMs: 34_000 }],
  talkedMs: 60_000,
};

test.serial('records a call that was taken over from its beginning, pauses included', async (t) => {
  const { clock, adoptRecorded, until, tapes } = await recordingNetwork();
  const line = adoptRecorded({ ...recorded, to: '01000000006' }, heard);
  until(() => line.saw('line.adopted'));
  clock.advance(1_000);
  line.say('I am back.');
  until(() => line.saw('line.played'));
  line.tell({ type: 'hangUp' });
  until(() => line.isOver());
  const tape = await done(tapes.get(recorded.callId));
  t.is(tape.outcome, 'finished');
  t.is(tape.extent, 'whole');
  const seconds = (channel: readonly number[]) =>
    stretches(channel).map((stretch) => stretch.map((at) => Math.round(at / 100) / 10));
  t.deepEqual(seconds(tape.counterparty), [[3, 4.5]]);
  const [before, after, ...noMore] = seconds(tape.agent);
  t.deepEqual(noMore, []);
  t.deepEqual(before, [1, 2]);
  t.is(after?.[0], 61);
});

test.serial('records what was heard of a call whose far end was lost with its gateway', async (t) => {
  const { adoptRecorded, tapes } = await recordingNetwork();
  const line = adoptRecorded({ ...recorded, to: '01055559999' }, heard);
  await setImmediate();
  t.true(line.isOver() && !line.saw('line.adopted'));
  const tape = await done(tapes.get(recorded.callId));
  t.is(tape.outcome, 'finished');
  t.is(Math.round(tape.agent.length / recordingSampleRate), 60);
});

test.serial('records a call only if it is answered and recording is enabled', async (t) => {
  const { clock, reach, tapes } = await recordingNetwork();
  const lines = [
    reach({ recording: true, to: '01000000003' }),
    reach({ recording: true, to: '01000000002' }),
    reach({ recording: false, to: '01000000006' }),
  ];
  clock.advance(5_000);
  for (const line of lines) line.close();
  t.is(tapes.size, 0);
  const unvoiced = await recordingNetwork({ recording: null });
  unvoiced.reach({ ...recorded, to: '01000000006' });
  unvoiced.clock.advance(5_000);
  t.is(unvoiced.tapes.size, 0);
});

test.serial('a failing synthesizer fails only the recording', async (t) => {
  const synthesizer: Synthesizer = {
    name: 'broken',
    synthesize: async () => {
      throw new Error('broken: it has no voice');
    },
  };
  const { reach, until, tapes } = await recordingNetwork({ voice: synthesizer });
  const line = reach({ ...recorded, to: '01000000006' });
  until(() => line.saw('line.answered'));
  line.say('Hello.');
  until(() => line.saw('line.played'));
  line.tell({ type: 'hangUp' });
  until(() => line.isOver());
  const tape = await done(tapes.get(recorded.callId));
  t.is(tape.outcome, 'broken: it has no voice');
  t.deepEqual(line.finish(), []);
});

test.serial('a recording that cannot be opened does not affect the call', async (t) => {
  const open = (): never => {
    throw new Error('The disk is full');
  };
  const resample = await loadResampler();
  const { reach, until } = createNetwork({ recording: { open, speech: sameSpeech(hum()), resample } });
  const line = reach({ ...recorded, to: '01000000006' });
  until(() => line.saw('line.answered'));
  line.say('Hello.');
  until(() => line.saw('line.played'));
  t.deepEqual(line.breaches, []);
});

test.serial('limits the number of simultaneous recordings', async (t) => {
  let speaking = 0;
  let most = 0;
  const synthesizer: Synthesizer = {
    name: 'slow',
    async synthesize() {
      speaking += 1;
      most = Math.max(most, speaking);
      await setImmediate();
      speaking -= 1;
      return { sampleRate: recordingSampleRate, samples: new Int16Array(160).fill(loudness) };
    },
  };
  const { reach, clock, tapes } = await recordingNetwork({
    voice: synthesizer,
    renderingsAtOnce: 2,
  });
  const lines = Array.from({ length: 10 }, () => reach({ recording: true, to: '01000000006' }));
  clock.advance(2_000);
  for (const line of lines) line.say('Hello.');
  clock.advance(2_000);
  for (const line of lines) line.tell({ type: 'hangUp' });
  clock.advance(2_000);
  for (const tape of tapes.values()) t.is((await done(tape)).outcome, 'finished');
  t.is(tapes.size, 10);
  t.is(most, 2);
});

test.serial('waits for recordings on close up to a time limit', async (t) => {
  const synthesizer: Synthesizer = {
    name: 'endless',
    synthesize: (text, _language, signal) =>
      text === 'Hello.'
        ? Promise.resolve({ sampleRate: recordingSampleRate, samples: new Int16Array(160).fill(loudness) })
        : new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason as Error));
          }),
  };
  const { lines, reach, clock, tapes } = await recordingNetwork({
    voice: synthesizer,
    renderingsAtOnce: 1,
    closeWithinMs: 3_000,
  });
  const good = reach({ callId: 'good', recording: true, to: '01000000006' });
  const stuck = reach({ callId: 'stuck', recording: true, to: '01000000006' });
  const queued = reach({ callId: 'queued', recording: true, to: '01000000006' });
  clock.advance(2_000);
  good.say('Hello.');
  stuck.say('Hello for ever.');
  queued.say('Hello.');
  clock.advance(2_000);
  const closing = lines.close();
  await done(tapes.get('good'));
  clock.advance(2_900);
  await setImmediate();
  t.is(tapes.get('stuck')?.outcome, 'open');
  clock.advance(200);
  await closing;
  t.is(tapes.get('good')?.outcome, 'finished');
  // The storage of recordings is closed later and keeps the finished parts.
  t.is(tapes.get('stuck')?.outcome, 'open');
  t.is(tapes.get('queued')?.outcome, 'open');
  t.is(clock.pending(), 0);
});

test.serial('records silence in a recording pause and keeps all other audio at its time', async (t) => {
  const spoken: string[] = [];
  const heard = hum();
  const { lines, clock, reach, until, tapes } = await recordingNetwork({
    voice: {
      name: 'remembering',
      synthesize(text, ...others) {
        spoken.push(text);
        return heard.synthesize(text, ...others);
      },
    },
  });
  lines.defineCallee('01055550001', [{ wait_sec: 3 }, { say: 'My number is 1234.' }, { wait_sec: 60 }]);
  const line = reach({ ...recorded, to: '01055550001' });
  until(() => line.saw('line.answered'));
  const answeredAt = clock.now();
  const sinceAnswer = (): number => clock.now() - answeredAt;
  line.say('This sentence is still being said when the recording is paused.');
  clock.advance(1_000);
  const pausedAt = sinceAnswer();
  line.tell({ type: 'pauseRecording' });
  line.tell({ type: 'pauseRecording' });
  until(() => line.all('line.played').length === 1);
  line.say('The card is 9876.');
  until(() => line.saw('line.heard'));
  line.say('This one is begun in the pause and still being said when it is over.');
  clock.advance(1_500);
  const resumedAt = sinceAnswer();
  line.tell({ type: 'resumeRecording' });
  line.tell({ type: 'resumeRecording' });
  until(() => line.all('line.played').length === 3);
  line.tell({ type: 'hangUp' });
  until(() => line.isOver());
  const tape = await done(tapes.get(recorded.callId));
  t.deepEqual(
    spoken.map((text) => text.slice(0, 8)),
    ['This sen', 'This one'],
    'what is wholly in a pause is not even synthesized',
  );
  t.deepEqual(stretches(tape.counterparty), []);
  const [before, after, ...noMore] = stretches(tape.agent);
  t.deepEqual(noMore, []);
  t.is(Math.round(before?.[1] ?? 0), pausedAt);
  t.is(Math.round(after?.[0] ?? 0), resumedAt);
  t.true(Math.abs(tape.agent.length / 16 - (clock.now() - 20 - answeredAt)) < 10);
});

test.serial('records silence to the end of a call that ends in a recording pause', async (t) => {
  const { clock, reach, until, tapes } = await recordingNetwork();
  const line = reach({ ...recorded, to: '01000000006' });
  until(() => line.saw('line.answered'));
  line.tell({ type: 'resumeRecording' });
  line.tell({ type: 'pauseRecording' });
  line.say('Nobody is to hear this.');
  clock.advance(3_000);
  line.close();
  const tape = await done(tapes.get(recorded.callId));
  t.deepEqual(stretches(tape.agent), []);
  t.is(tape.agent.length, 3_000 * 16);
});

// Render recording

test.serial('renders a recording only as fast as it is encoded', async (t) => {
  let written = 0;
  let isFinished = false;
  let drain = (): void => {};
  const rendering = renderRecording(
    { durationMs: 60_000, counterparty: [], agent: [], pauses: [] },
    { synthesizer: hum(), resample: await loadResampler() },
    {
      write: (samples) => (written += samples.length / recordingSampleRate),
      drained: () => new Promise((resolve) => (drain = resolve)),
      leave: () => {},
      finish: () => (isFinished = true),
      fail: (error) => t.fail(error.message),
    },
    new AbortController().signal,
  );
  for (let turns = 0; turns < 100; turns += 1) await setImmediate();
  t.true(written < 1, `${written} s were written`);
  while (!isFinished) {
    drain();
    await setImmediate();
  }
  await rendering;
  t.is(Math.round(written), 60);
});

// Rehearsed script
// Steps that wait for the agent's words, and watched scripts.

const rehearsal = {
  settings: { stepTimeoutSec: 30 },
  stepTimeoutMs: 30_000,
  readPattern,
  people: new Map(),
};
const long = 'Of course, I will look that up for you right away, one moment please.';

const reach = (script: Script, replies: readonly string[], people = rehearsal.people) => {
  const network = createNetwork();
  network.lines.defineCallee(scriptedNumber, script, undefined, { ...rehearsal, people });
  const callId = randomUUID();
  const line = network.reach({ callId }, agentWith(network.clock, replies));
  const progress = () => network.lines.scriptProgress(callId);
  return { ...network, callId, line, progress };
};

test.serial('hear: continues as soon as the words were said, even within a sentence', (t) => {
  const { line, until } = reach([{ hear: '/look .{0,9}up/' }, { interrupt: 'Wait!' }], [long]);
  until(() => line.saw('line.heard'));
  t.regex(line.all('line.played')[0]?.text ?? '', /look that up/);
  t.false(line.all('line.played')[0]?.whole);
});

test.serial('a watched script is watched in the process that resumes its call', async (t) => {
  const script = [{ say: 'Good day.' }, { hear: 'Hello' }];
  const { line, until, lines, callId } = reach(script, [long]);
  until(() => line.saw('line.heard'));
  const { farEnd } = lines.checkpoint(callId);
  t.deepEqual(farEnd, { is: 'script', script, stepsDone: 1, rehearsal: rehearsal.settings });
  assert(farEnd !== null);
  const next = createNetwork({ openRehearsal: async (settings) => ({ ...rehearsal, settings }) });
  const resumed = next.resume(farEnd, { callId });
  await setImmediate();
  next.until(() => resumed.saw('line.adopted'));
  t.deepEqual(next.lines.scriptProgress(callId), {
    steps: 2,
    stepsDone: 1,
    outcome: 'playing',
    persona: null,
  });
  resumed.say('Hello again.');
  next.until(() => next.lines.scriptProgress(callId)?.outcome === 'done');
  t.true(line.saw('line.answered'));
});

test.serial('hear: ignores words from before the simulated person last spoke', (t) => {
  const { line, until, progress } = reach(
    [{ hear: 'Hello' }, { say: 'Good day.' }, { hear: 'Hello' }],
    ['Hello.', 'Good day to you.'],
  );
  until(() => line.isOver());
  t.deepEqual(progress(), { steps: 3, stepsDone: 2, outcome: 'timed_out', persona: null });
});

test.serial('hear: searches for the next match after the previous one', (t) => {
  const { until, progress } = reach([{ hear: 'course' }, { hear: 'away' }, { hang_up: true }], [long]);
  until(() => progress()?.outcome === 'done');
  t.is(progress()?.stepsDone, 3);
});

test.serial('hear: searches an utterance after an interrupted one from its first word', (t) => {
  const { until, progress } = reach(
    [
      { interrupt: { text: 'Sorry, who is this? I have hardly understood a word of it.', after_ms: 300 } },
      { hear: '/^Thank/' },
    ],
    [long, 'Thank you. Goodbye!'],
  );
  until(() => progress()?.outcome !== 'playing');
  t.is(progress()?.outcome, 'done');
});

test.serial('interrupt: speaks the given time after the agent has begun', (t) => {
  const { line, until } = reach([{ interrupt: { text: 'Wait!', after_ms: 2_000 } }], [long]);
  until(() => line.saw('line.heard'));
  const [played] = line.all('line.played');
  t.is(line.all('line.heard')[0]?.startedAt, (played?.startedAt ?? 0) + 2_000);
});

test.serial('a step that times out ends the script, and the simulated person hangs up', (t) => {
  const { line, until, progress } = reach([{ hear: 'never' }, { say: 'Hello?' }], [long]);
  until(() => line.isOver());
  const [answer] = line.all('line.answered');
  const [end] = line.all('line.ended');
  t.is((end?.at ?? 0) - (answer?.at ?? 0), 30_020, 'the limit, and what a line takes to end');
  t.deepEqual(progress(), { steps: 2, stepsDone: 0, outcome: 'timed_out', persona: null });
});

test.serial(
  "does not limit a person's own speaking time, and hangs up some time after the end of the script",
  (t) => {
    const { line, until, progress } = reach([{ wait_sec: 50 }], []);
    until(() => line.isOver(), 120_000);
    t.is((line.all('line.ended')[0]?.at ?? 0) - (line.all('line.answered')[0]?.at ?? 0), 80_020);
    t.deepEqual(progress(), { steps: 1, stepsDone: 1, outcome: 'done', persona: null });
  },
);

test.serial('applies no step time-outs to scripts outside rehearsals', (t) => {
  const { lines, reach, until } = createNetwork();
  lines.defineCallee(scriptedNumber, [{ hang_up: true }]);
  const callId = randomUUID();
  const line = reach({ callId });
  until(() => line.isOver());
  t.is(lines.scriptProgress(callId), undefined);
});

test.serial('a person called by a transfer plays the rehearsal script', (t) => {
  const people = new Map([['0212345678', 'declining' as const]]);
  const { line, until } = reach([{ wait_sec: 20 }], [], people);
  until(() => line.saw('line.answered'));
  line.tell({ type: 'transfer', to: '0212345678', mode: 'cold' });
  until(() => line.saw('line.transfer_failed'));
  t.is(line.all('line.transfer_failed')[0]?.cause, 'declined');
});

test.serial('accepts only regular expressions in scripts that run in linear time', (t) => {
  const errorsOf = (hear: unknown) => parseScript([{ hear }], 'caller', readPattern).errors;
  t.is(errorsOf('/a+b/i'), undefined);
  t.is(errorsOf('words'), undefined);
  t.regex(errorsOf('/(?=a)b/')?.[0]?.message ?? '', /neither ahead nor behind/);
  t.regex(errorsOf('/(a)\\1/')?.[0]?.message ?? '', /refer back/);
  t.regex(errorsOf('/a/x')?.[0]?.message ?? '', /no other flags/);
  t.regex(errorsOf(5)?.[0]?.message ?? '', /text/);
});
