import test from 'ava';
import { setImmediate } from 'node:timers/promises';
import { recordingSampleRate } from '#sip/recording-sink.ts';
import { loadResampler } from '#sip/resampler.ts';
import { sayingTime } from '#sip/speaking-time.ts';
import type { Synthesizer } from '#sip/speech.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { createNetwork } from './network.ts';
import { done, hum, loudness, recorded, recordingNetwork, stretches } from './recording-network.ts';

test('both parties are on the recording where and as long as they sounded', async (t) => {
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
  test(`a synthesizer's ${sampleRate} Hz become those of the recording`, async (t) => {
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
    // A hum that begins and ends from one sample to the next rings there, as in every filter.
    const middle = tape.agent.slice((from + 10) * 16, (to - 10) * 16);
    t.true(middle.every((sample) => Math.abs(sample - loudness) < 100));
  });

test('a hurried call is recorded at its natural pace', async (t) => {
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

test('a call that is closed leaves the recording of what it had', async (t) => {
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

test('a call is recorded only when it is answered and is to be', async (t) => {
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

test('a synthesizer that fails makes the recording fail, and nothing else', async (t) => {
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

test('a recording that cannot be opened costs the recording and not the call', async (t) => {
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

test('few recordings are made at a time', async (t) => {
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

test('closing waits for recordings, but not for ever', async (t) => {
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
  // What there is of them is kept by whoever keeps recordings, which is closed later.
  t.is(tapes.get('stuck')?.outcome, 'open');
  t.is(tapes.get('queued')?.outcome, 'open');
  t.is(clock.pending(), 0);
});

test('nothing that is said in a pause is on the recording, which goes on in time', async (t) => {
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

test('a call that ends in a pause ends in silence', async (t) => {
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
