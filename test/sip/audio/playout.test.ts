/** Playout: synthesis, pauses, recording of a call and speaking time. */
import test from 'ava';
import * as fc from 'fast-check';
import pino from 'pino';
import type { Played } from '#sip/audio/playout/playing-utterance.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import { ringMemory, SampleRing } from '#sip/audio/sample-ring.ts';
import { createCallRecording } from '#sip/audio/playout/call-recording.ts';
import { createCallMedia } from '#sip/audio/call-media.ts';
import { createPlayout } from '#sip/audio/playout/playout.ts';
import { placeToResume } from '#sip/audio/playout/playing-utterance.ts';
import { createSpeak, type Speak } from '#sip/audio/playout/synthesis.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import { telephoneRate, type SampleRate } from '#sip/audio/samples.ts';
import { heardAfter, sayingTime } from '#sip/audio/speaking-time.ts';
import type { Synthesizer } from '#sip/audio/speech.ts';
import type { AudioEvents } from '#sip/audio/media-endpoint.ts';
import { pathInto } from '#test/helpers/path-into.ts';
import { soundEndpoint } from '#test/helpers/sound-endpoint.ts';
import { platformCallPolicy } from '#config/policy.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { dtmfTone } from './dtmf-tone.ts';

// The resampler is loaded before the first test, because AVA accepts only tests that are declared synchronously.
const resample = await loadResampler();

// Playout

/** One second of audio per word; the texts "fails" and "never" yield none. */
const speak: Speak = async function* (text, _rate, signal) {
  if (text === 'fails') throw new Error('The engine fails');
  if (text === 'never')
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  if (text.startsWith('breaks')) {
    yield new Int16Array(8_000).fill(1);
    throw new Error('The engine fails');
  }
  yield new Int16Array(8_000 * text.split(' ').length).fill(1);
};

/** An engine whose chunks the test controls. */
const handMade = () => {
  const pieces: Int16Array[] = [];
  let isComplete = false;
  let wake = (): void => {};
  const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));
  return {
    async *speak() {
      for (;;) {
        const piece = pieces.shift();
        if (piece !== undefined) yield piece;
        else if (isComplete) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    async give(milliseconds: number, level = 8_000) {
      pieces.push(new Int16Array(8 * milliseconds).fill(level));
      wake();
      await settled();
    },
    async end() {
      isComplete = true;
      wake();
      await settled();
    },
  };
};

const frameMs = 20;

const createPlayoutWorld = (engine: Speak = speak) => {
  const clock = createOrderedClock();
  const time = createLineTime(clock, 1);
  const ring = new SampleRing(ringMemory(65_536));
  const told: string[] = [];
  const played: Played[] = [];
  const playout = createPlayout({
    time,
    speak: engine,
    sampleRate: 8_000,
    on: {
      played: (one) => played.push(one),
      sent: (samples) => told.push(`${samples.length / 8} ms`),
      cut: () => told.push('cut'),
    },
    logger: pino({ level: 'silent' }),
  });
  return {
    clock,
    /** Events that the recording received. */
    told,
    playout,
    attach: () => playout.attach(pathInto(ring, 8_000, time)),
    /** Advances the clock while audio is sent. Returns how long words were audible. */
    pass(milliseconds: number): number {
      const frame = new Int16Array(frameMs * 8);
      let sounded = 0;
      for (let gone = 0; gone < milliseconds; gone += frameMs) {
        frame.fill(0, ring.read(frame));
        sounded += frame.filter((sample) => sample !== 0).length / 8;
        clock.advance(frameMs);
      }
      return sounded;
    },
    /** Lets pending promises settle. */
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    story: () => played.map(({ utterance, text, whole }) => [utterance, text, whole]),
    startedAt: () => played.map(({ startedAt }) => startedAt),
  };
};

test.serial('plays an utterance, a short pause and the next utterance', async (t) => {
  const { playout, attach, settle, pass, story } = createPlayoutWorld();
  attach();
  playout.say(1, 'one');
  playout.say(2, 'two words');
  await settle();
  t.is(pass(1_000), 1_000);
  t.is(pass(100), 0);
  t.deepEqual(story(), []);
  t.is(pass(40), 0);
  t.deepEqual(story(), [[1, 'one', true]]);
  t.is(pass(2_000), 2_000);
  pass(140);
  t.deepEqual(story(), [
    [1, 'one', true],
    [2, 'two words', true],
  ]);
});

test.serial('starts an utterance at its first audible sound', async (t) => {
  const engine = handMade();
  const { playout, attach, pass, clock, startedAt } = createPlayoutWorld(engine.speak);
  attach();
  pass(1_000);
  const before = clock.now();
  playout.say(1, 'alpha');
  await engine.give(120, 0);
  pass(60);
  await engine.give(100, 10);
  await engine.give(300);
  await engine.end();
  pass(1_000);
  t.deepEqual(startedAt(), [before + 220]);
});

test.serial('starts an utterance without an audible sound when its audio is sent', async (t) => {
  const engine = handMade();
  const { playout, attach, pass, clock, startedAt } = createPlayoutWorld(engine.speak);
  attach();
  const before = clock.now();
  playout.say(1, 'alpha');
  await engine.give(300, 0);
  await engine.give(300);
  await engine.end();
  pass(200);
  playout.stopTalking();
  t.deepEqual(startedAt(), [before], 'it was stopped before its first audible sound');
});

test.serial('queues utterances until the audio path is connected', async (t) => {
  const { playout, attach, settle, pass } = createPlayoutWorld();
  playout.say(1, 'one');
  await settle();
  t.is(pass(500), 0);
  attach();
  t.is(pass(1_000), 1_000);
});

test.serial(
  'stops playback at once and reports the heard part; a new utterance follows at once',
  async (t) => {
    const { playout, attach, settle, told, pass, story } = createPlayoutWorld();
    attach();
    playout.say(1, 'alpha bravo charlie delta');
    playout.say(2, 'never');
    await settle();
    pass(2_100);
    playout.stopTalking();
    t.deepEqual(story(), [
      [1, 'alpha bravo', false],
      [2, '', false],
    ]);
    t.deepEqual(told, ['4000 ms', 'cut']);
    t.is(pass(100), 0);
    playout.say(3, 'new');
    await settle();
    t.is(pass(1_000), 1_000);
    pass(140);
    t.deepEqual(story().at(-1), [3, 'new', true]);
  },
);

test.serial('reports audio that was not sent as unheard, however much time has passed', async (t) => {
  const { playout, attach, settle, pass, clock, story } = createPlayoutWorld();
  attach();
  playout.say(1, 'alpha bravo charlie delta');
  await settle();
  pass(1_060);
  clock.advance(2_000);
  playout.stopTalking();
  t.deepEqual(story(), [[1, 'alpha', false]]);
});

test.serial('reports an utterance stopped after its last sample as completely heard', async (t) => {
  const { playout, attach, settle, pass, story } = createPlayoutWorld();
  attach();
  playout.say(1, 'alpha bravo');
  await settle();
  pass(2_060);
  playout.stopTalking();
  t.deepEqual(story(), [[1, 'alpha bravo', true]]);
});

test.serial('reports empty and failed utterances in order', async (t) => {
  const { playout, attach, settle, pass, story } = createPlayoutWorld();
  attach();
  playout.say(1, 'one');
  playout.say(2, '');
  playout.say(3, 'fails');
  playout.say(4, 'four');
  await settle();
  t.is(pass(2_300), 2_000);
  t.deepEqual(story(), [
    [1, 'one', true],
    [2, '', true],
    [3, '', true],
    [4, 'four', true],
  ]);
});

test.serial('reports all utterances at the end of the line and sends no more audio', async (t) => {
  const { playout, attach, settle, pass, told, story, clock } = createPlayoutWorld();
  attach();
  playout.say(1, 'alpha bravo');
  playout.say(2, 'two');
  await settle();
  pass(1_500);
  playout.close();
  playout.say(3, 'three');
  await settle();
  t.deepEqual(story(), [
    [1, 'alpha', false],
    [2, '', false],
    [3, '', false],
  ]);
  t.deepEqual(told, ['2000 ms', 'cut']);
  t.is(pass(1_000), 0);
  t.is(clock.pending(), 0);
});

test.serial('plays audio from its first chunk on while the rest is synthesized', async (t) => {
  const engine = handMade();
  const { playout, attach, clock, pass, told, story } = createPlayoutWorld(engine.speak);
  attach();
  playout.say(1, 'alpha bravo');
  t.is(playout.level(), null);
  await engine.give(40);
  t.is(pass(100), 40);
  t.true((playout.level() ?? -96) > -20);
  await engine.give(300);
  t.is(pass(800), 300);
  t.is(playout.level(), -96, 'nothing sounds while no more is made');
  await engine.give(300);
  await engine.end();
  t.deepEqual(told, ['40 ms', '300 ms', '300 ms']);
  t.is(pass(400), 300);
  t.deepEqual(story(), []);
  pass(40);
  t.deepEqual(story(), [[1, 'alpha bravo', true]]);
  t.is(playout.level(), null);
  t.is(clock.pending(), 0);
});

test.serial(
  'estimates the heard part of an unfinished synthesis from the speaking time of its text',
  async (t) => {
    const engine = handMade();
    const { playout, attach, pass, story } = createPlayoutWorld(engine.speak);
    attach();
    const text = 'The first words are followed by many others that nobody hears.';
    playout.say(1, text);
    await engine.give(1_000);
    pass(900);
    playout.stopTalking();
    await engine.give(1_000);
    const [cut] = story();
    t.deepEqual(cut, [1, 'The first', false]);
    t.is(story().length, 1);
  },
);

test.serial('plays the audio made before an engine failed and reports the utterance as played', async (t) => {
  const { playout, attach, pass, settle, story } = createPlayoutWorld();
  attach();
  playout.say(1, 'breaks behind these words, and the others are never heard');
  await settle();
  t.is(pass(1_200), 1_000);
  t.deepEqual(story(), [[1, 'breaks behind', true]]);
});

// Pause
// The agent's voice pauses, and resumes with the interrupted word.

const loudness = 8_000;
const frameLength = 160;

/** Words of 900 ms, each followed by 100 ms of silence. */
const inWords: Speak = async function* (text) {
  for (const _ of text.split(' ')) yield new Int16Array(8_000).fill(loudness, 0, 7_200);
};

const createPauseWorld = (speak: Speak = inWords) => {
  const clock = createOrderedClock();
  const time = createLineTime(clock, 1);
  const ring = new SampleRing(ringMemory(65_536));
  const played: Played[] = [];
  const recorded: string[] = [];
  const playout = createPlayout({
    time,
    speak,
    sampleRate: 8_000,
    on: {
      played: (one) => played.push(one),
      sent: ({ length }) => recorded.push(`${length / 8} ms`),
      cut: () => recorded.push('cut'),
    },
    logger: pino({ level: 'silent' }),
  });
  playout.attach(pathInto(ring, 8_000, time));
  return {
    clock,
    playout,
    recorded,
    /** Advances the clock; returns what the far end hears meanwhile. */
    pass(milliseconds: number): Int16Array {
      const heard = new Int16Array(milliseconds * 8);
      for (let from = 0; from < heard.length; from += frameLength) {
        const frame = new Int16Array(frameLength);
        frame.fill(0, ring.read(frame));
        heard.set(frame, from);
        clock.advance(frameMs);
      }
      return heard;
    },
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    story: () => played.map(({ utterance, text, whole }) => [utterance, text, whole]),
  };
};

const soundingMs = (heard: Int16Array): number => heard.filter((sample) => sample !== 0).length / 8;

test.serial('pauses playback at once and repeats the interrupted word on resume', async (t) => {
  const { playout, pass, settle, story } = createPauseWorld();
  playout.say(1, 'alpha bravo charlie');
  await settle();
  t.is(soundingMs(pass(1_400)), 900 + 400);
  playout.pause();
  const fading = pass(400);
  t.true(soundingMs(fading) <= 10, 'but for a few milliseconds that fade');
  t.true((fading[79] ?? 0) < 200, 'to nothing');
  playout.resume();
  const again = pass(1_000);
  t.is(Math.round(soundingMs(again)), 900, 'all of "bravo"');
  t.true((again[1] ?? 0) < 200, 'which rises from nothing');
  t.deepEqual(story(), []);
  pass(1_200);
  t.deepEqual(story(), [[1, 'alpha bravo charlie', true]]);
});

test.serial('delays synthesis and utterances during a pause', async (t) => {
  const { playout, pass, settle, story } = createPauseWorld();
  playout.say(1, 'alpha');
  await settle();
  pass(300);
  playout.pause();
  playout.say(2, 'bravo');
  await settle();
  t.true(soundingMs(pass(10_000)) <= 10);
  playout.resume();
  pass(1_200);
  t.deepEqual(story(), [[1, 'alpha', true]]);
  pass(1_200);
  t.deepEqual(story().slice(1), [[2, 'bravo', true]]);
});

test.serial('counts only the part heard before the pause if playback is stopped in the pause', async (t) => {
  for (const isOn of [false, true]) {
    const { playout, pass, settle, story } = createPauseWorld();
    playout.say(1, 'alpha bravo charlie delta');
    playout.say(2, 'never');
    await settle();
    pass(2_100);
    playout.pause();
    pass(500);
    if (isOn) playout.resume();
    playout.stopTalking();
    t.deepEqual(story(), [
      [1, 'alpha bravo', false],
      [2, '', false],
    ]);
    playout.say(3, 'echo');
    await settle();
    pass(1_200);
    t.deepEqual(story().slice(2), [[3, 'echo', true]], 'the pause is over');
  }
});

test.serial('repeats no word if the pause came after the last word of an utterance', async (t) => {
  const { playout, pass, settle, story } = createPauseWorld(async function* () {
    yield new Int16Array(4_000).fill(loudness, 800);
  });
  playout.say(1, 'alpha');
  await settle();
  t.is(soundingMs(pass(520)), 400);
  playout.pause();
  t.is(soundingMs(pass(1_000)), 0);
  playout.resume();
  t.is(soundingMs(pass(300)), 0);
  t.deepEqual(story(), [[1, 'alpha', true]]);
});

test.serial('records the pause at its time', async (t) => {
  const { playout, pass, settle, recorded } = createPauseWorld();
  playout.say(1, 'alpha bravo');
  await settle();
  pass(1_400);
  playout.pause();
  pass(400);
  playout.resume();
  t.deepEqual(recorded, ['1000 ms', '1000 ms', 'cut', '10 ms', '1000 ms']);
});

test.serial('lowers the volume of the agent during a pause instead of silencing it', async (t) => {
  const { playout, pass, settle } = createPauseWorld();
  playout.say(1, 'alpha bravo');
  await settle();
  pass(400);
  t.true((playout.level() ?? -96) > -20);
  playout.pause();
  pass(600);
  t.is(playout.level(), -96);
  playout.resume();
  pass(200);
  t.true((playout.level() ?? -96) > -20);
});

test.serial('ignores a repeated pause or resume, with or without an utterance', async (t) => {
  const { playout, pass, settle, story } = createPauseWorld();
  playout.resume();
  playout.pause();
  playout.pause();
  playout.say(1, 'alpha');
  await settle();
  t.is(soundingMs(pass(2_000)), 0);
  playout.resume();
  playout.resume();
  t.is(soundingMs(pass(1_400)), 900);
  t.deepEqual(story(), [[1, 'alpha', true]]);
});

test.serial('resumes at the exact sample if no word boundary lies in the last 600 ms', (t) => {
  const even = new Int16Array(16_000).fill(loudness);
  t.is(placeToResume(even, 12_000, 8_000), 12_000);
  const word = Int16Array.from({ length: 16_000 }, (_, index) =>
    index < 6_400 || index > 7_200 ? loudness : 0,
  );
  t.is(placeToResume(word, 16_000, 8_000), 16_000, 'too far back');
  t.is(placeToResume(word, 11_200, 8_000), 7_200);
});

// Synthesis

const { signal } = new AbortController();

const tone = (sampleRate: number): Int16Array =>
  Int16Array.from(
    { length: sampleRate },
    (_, index) => 9_000 * Math.sin((2 * Math.PI * 700 * index) / sampleRate),
  );

/** Synthesizes this audio, in chunks of this many samples. */
const engine = (sampleRate: number, samples: Int16Array, piece?: number): Synthesizer => ({
  name: 'engine',
  synthesize: async () => ({ sampleRate, samples }),
  ...(piece !== undefined && {
    async *stream() {
      for (let from = 0; from < samples.length; from += piece)
        yield { sampleRate, samples: samples.subarray(from, from + piece) };
    },
  }),
});

const spoken = async (synthesizer: Synthesizer, rate: SampleRate): Promise<Int16Array[]> => {
  const pieces: Int16Array[] = [];
  const speak = createSpeak(resample, synthesizer, 'en');
  for await (const piece of speak('words', rate, signal)) pieces.push(piece);
  return pieces;
};

const inOne = (pieces: readonly Int16Array[]): number[] => pieces.flatMap((piece) => [...piece]);

const rates = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000].flatMap((sampleRate) => [
  { sampleRate, rate: 8_000 as const },
  { sampleRate, rate: 16_000 as const },
]);
for (const { sampleRate, rate } of rates)
  test.serial(
    `resamples chunks at ${sampleRate} Hz to the same audio at ${rate} Hz as the whole`,
    async (t) => {
      const samples = tone(sampleRate);
      const whole = inOne(await spoken(engine(sampleRate, samples), rate));
      t.deepEqual(whole, [...resample(samples, sampleRate, rate)]);
      for (const piece of [97, 480, 4_410]) {
        const pieces = await spoken(engine(sampleRate, samples, piece), rate);
        const sound = inOne(pieces);
        t.is(sound.length, whole.length);
        const worst = Math.max(...sound.map((sample, index) => Math.abs(sample - (whole[index] ?? 0))));
        t.true(worst <= 2, `it differs by at most ${worst}`);
        t.true(
          (pieces[0]?.length ?? 0) <= Math.ceil((piece * rate) / sampleRate) + rate / 50,
          'none waits for another',
        );
      }
    },
  );

test.serial('returns no audio from an engine without audio', async (t) => {
  t.deepEqual(inOne(await spoken(engine(22_050, new Int16Array(), 100), 8_000)), []);
});

// Call recording

const createRecordingWorld = (sampleRate: SampleRate = 8_000) => {
  const clock = createOrderedClock();
  const counterparty: number[] = [];
  const agent: number[] = [];
  const memory = new Set<ArrayBufferLike>();
  let finished = 0;
  let isWanted = true;
  let skipped = 0;
  const recording = createCallRecording(
    {
      write(one, other) {
        counterparty.push(...one);
        agent.push(...other);
        memory.add(one.buffer).add(other.buffer);
        if (one.length !== other.length) throw new Error('Both sides must be of the same length');
      },
      drained: () => Promise.resolve(),
      finish: () => (finished += 1),
      leave: () => {},
      fail: () => {},
      isWanted: () => isWanted,
      skip: (samples) => void (skipped += samples),
    },
    createLineTime(clock, 1),
    sampleRate,
  );
  const frames = (count: number, level: number): void => {
    for (let index = 0; index < count; index += 1) {
      clock.advance(20);
      recording.heard(new Int16Array(sampleRate / 50).fill(level));
    }
  };
  return {
    clock,
    recording,
    frames,
    counterparty,
    agent,
    memory,
    finished: () => finished,
    skipped: () => skipped,
    want: (wanted: boolean) => void (isWanted = wanted),
  };
};

/** The level in the middle of each 100 ms. */
const levels = (samples: readonly number[]): number[] =>
  Array.from({ length: Math.floor(samples.length / 1_600) }, (_, index) => samples[index * 1_600 + 800] ?? 0);

test.serial('records both sides in stereo at the time of their audio', (t) => {
  const { recording, frames, counterparty, agent } = createRecordingWorld();
  frames(10, 100);
  recording.said(new Int16Array(1_600).fill(7));
  frames(20, 200);
  recording.finish();
  t.deepEqual(levels(counterparty), [100, 100, 200, 200, 200, 200]);
  t.deepEqual(levels(agent), [0, 0, 7, 7, 0, 0]);
});

test.serial('writes the audio of all frames in the same memory', (t) => {
  const { recording, frames, memory } = createRecordingWorld();
  recording.said(new Int16Array(4_000).fill(7));
  frames(50, 100);
  t.is(memory.size, 2, 'one for each side');
});

test.serial('skips audio while it is not wanted, and both sides continue at their time', (t) => {
  const { recording, frames, counterparty, agent, skipped, want } = createRecordingWorld();
  want(false);
  recording.said(Int16Array.from({ length: 4_000 }, (_, index) => Math.floor(index / 800)));
  frames(15, 100);
  t.is(skipped(), 300 * 16);
  t.deepEqual(counterparty, []);
  want(true);
  frames(15, 200);
  recording.finish();
  t.deepEqual(levels(counterparty), [200, 200, 200]);
  t.deepEqual(levels(agent), [3, 4, 0]);
});

test.serial('stops recording where playback was stopped', (t) => {
  const { recording, frames, agent } = createRecordingWorld();
  recording.said(new Int16Array(8_000).fill(7));
  frames(15, 0);
  recording.cut();
  frames(15, 0);
  recording.finish();
  t.deepEqual(levels(agent), [7, 7, 7, 0, 0, 0]);
});

test.serial('fills gaps between frames with silence, so that the recording is as long as the call', (t) => {
  const { recording, frames, clock, counterparty, finished } = createRecordingWorld();
  frames(10, 100);
  clock.advance(600);
  frames(10, 100);
  clock.advance(400);
  recording.finish();
  recording.finish();
  t.is(counterparty.length, 16 * 1_400);
  t.deepEqual(levels(counterparty).slice(0, 8), [100, 100, 0, 0, 0, 0, 0, 0]);
  t.deepEqual(levels(counterparty).slice(8, 10), [100, 100]);
  t.is(finished(), 1);
});

test.serial('keeps both sides in sync after a burst of delayed frames', (t) => {
  const { recording, clock, counterparty } = createRecordingWorld();
  clock.advance(100);
  for (let index = 0; index < 5; index += 1) recording.heard(new Int16Array(160).fill(100));
  recording.finish();
  t.is(counterparty.length, 16 * 100);
});

test.serial(
  'records silence on both sides during a recording pause and keeps all other audio at its time',
  (t) => {
    const { recording, frames, counterparty, agent } = createRecordingWorld();
    frames(10, 100);
    // The agent's whole sentence is known before it is played.
    recording.said(new Int16Array(24_000).fill(7));
    frames(10, 100);
    recording.pause();
    recording.pause();
    frames(30, 100);
    recording.resume();
    recording.resume();
    frames(50, 100);
    recording.finish();
    const silent = Array.from({ length: 10 }, () => 0);
    const before = [100, 100, 100, 100];
    // The first samples were still in transit.
    const after = [0, 0, 100, 100, 100, 100, 100, 100, 100, 100];
    t.deepEqual(levels(counterparty), [...before, ...silent.slice(4), ...after]);
    t.deepEqual(levels(agent), [0, 0, 7, 7, ...silent.slice(4), 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]);
  },
);

test.serial('records silence for the part of a sentence that is played during a recording pause', (t) => {
  const { recording, frames, agent } = createRecordingWorld();
  recording.pause();
  recording.said(new Int16Array(8_000).fill(7));
  frames(20, 0);
  recording.resume();
  frames(40, 0);
  recording.finish();
  t.deepEqual(levels(agent), [0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 0, 0]);
});

test.serial('records silence to the end of a call that ends in a recording pause', (t) => {
  const { recording, frames, clock, counterparty } = createRecordingWorld();
  frames(10, 100);
  recording.pause();
  frames(10, 100);
  clock.advance(600);
  recording.finish();
  t.deepEqual(levels(counterparty), [100, 100, 0, 0, 0, 0, 0, 0, 0, 0]);
});

test.serial('records no sample of a recording pause, for any delay or burst of the audio', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.record({
          /** Intervals between two received frames without audio. */
          stalls: fc.array(
            fc.record({ at: fc.integer({ min: 50, max: 199 }), ms: fc.integer({ min: 20, max: 2_000 }) }),
            { maxLength: 6 },
          ),
          pausedAt: fc.integer({ min: 50, max: 150 }),
          frames: fc.integer({ min: 1, max: 50 }),
          latencyMs: fc.integer({ min: 0, max: 180 }),
        }),
        ({ stalls, pausedAt, frames: pausedFrames, latencyMs }) => {
          const { recording, clock, counterparty } = createRecordingWorld();
          const begin = clock.now();
          const pause = { from: pausedAt * 20, to: (pausedAt + pausedFrames) * 20 };
          let heldUntil = 0;
          const arrivals = Array.from({ length: 300 }, (_, index) => {
            const said = index * 20;
            for (const { at, ms } of stalls)
              if (at === index) heldUntil = Math.max(heldUntil, said + 20 + ms);
            // The speaker has the level 1 outside of the pause and 5 within it.
            const level = said + 20 > pause.from && said < pause.to ? 5 : 1;
            return { at: Math.max(said + 20 + latencyMs, heldUntil), level };
          });
          const steps = [
            ...arrivals.map(({ at, level }) => ({
              at,
              run: () => recording.heard(new Int16Array(160).fill(level)),
            })),
            { at: pause.from, run: () => recording.pause() },
            { at: pause.to, run: () => recording.resume() },
          ].sort((a, b) => a.at - b.at);
          for (const { at, run } of steps) {
            clock.advance(Math.max(0, begin + at - clock.now()));
            run();
          }
          recording.finish();
          // Resampling at the border of a frame may leave a small remainder of the last sample before the pause.
          return !counterparty.some((sample) => sample > 3);
        },
      ),
      { numRuns: 100 },
    ),
  );
});

/** The other party hums and presses digits of these lengths, each starting this many samples after the previous one. */
const recordedTones = (
  sampleRate: SampleRate,
  tones: readonly { at: number; milliseconds: number }[],
  act: (recording: ReturnType<typeof createCallRecording>, frame: number) => void,
): readonly number[] => {
  const { recording, clock, counterparty } = createRecordingWorld(sampleRate);
  const sound = new Int16Array(sampleRate * 2).fill(100);
  for (const { at, milliseconds } of tones) sound.set(dtmfTone('5', { milliseconds, sampleRate }), at);
  const size = sampleRate / 50;
  for (let frame = 0; frame < 100; frame += 1) {
    act(recording, frame);
    clock.advance(20);
    recording.heard(sound.subarray(frame * size, (frame + 1) * size));
  }
  recording.finish();
  return counterparty;
};

/** True for samples louder than the hum. */
const isLoud = (sample: number): boolean => Math.abs(sample) > 100;

for (const sampleRate of [8_000, 16_000] as const)
  test.serial(`masks digit tones from their first to their last sample, at ${sampleRate} Hz`, (t) => {
    for (let offset = 0; offset < 400; offset += 23) {
      const at = sampleRate / 2 + offset;
      const tones = [
        { at, milliseconds: 30 },
        { at: at + sampleRate / 2, milliseconds: 100 },
      ];
      const shown = recordedTones(sampleRate, tones, () => undefined);
      t.true(shown.some(isLoud));
      const hidden = recordedTones(sampleRate, tones, (recording) => recording.hideTones());
      t.is(hidden.length, shown.length);
      t.false(hidden.some(isLoud), `${offset} samples later`);
      const silent = hidden.filter((sample) => sample === 0).length / 16;
      t.true(silent >= 130 && silent <= 130 + 2 * 100, `${silent} ms are silent`);
    }
  });

test.serial('masks the rest of a digit tone after a recording pause, however long it is', (t) => {
  const tones = [{ at: 8_000, milliseconds: 800 }];
  const samples = recordedTones(8_000, tones, (recording, frame) => {
    if (frame === 10) recording.hideTones();
    if (frame === 10) recording.pause();
    if (frame === 52) recording.resume();
  });
  t.false(samples.some(isLoud));
  t.is(samples.at(-100), 100);
});

test.serial('records digit tones again when masking ends', (t) => {
  const tones = [
    { at: 4_000, milliseconds: 100 },
    { at: 12_000, milliseconds: 100 },
  ];
  const samples = recordedTones(8_000, tones, (recording, frame) => {
    if (frame === 10) recording.hideTones();
    if (frame === 60) recording.showTones();
  });
  t.false(samples.slice(0, 20_000).some(isLoud));
  t.true(samples.slice(20_000).some(isLoud));
  t.is(samples.length, 32_000);
});

// Speaking time

const takes = test.macro<[text: string, least: number, most: number]>({
  exec(t, text, least, most) {
    const time = sayingTime(text);
    t.true(time >= least && time <= most, `${time} ms`);
  },
  title: (_, text) => `estimates a natural duration for "${text}"`,
});

test(takes, '네.', 120, 250);
test(takes, '안녕하세요, 전화 주셔서 감사합니다. 무엇을 도와드릴까요?', 3_000, 6_000);
test(takes, 'Hello, thank you for calling. How can I help you?', 2_300, 4_500);
test(takes, 'お電話ありがとうございます。ご用件をお聞かせください。', 2_500, 5_500);
test(takes, '010-1234-5678', 2_000, 4_000);

for (const text of ['', ' ', '…', '?!', '🙂'])
  test(`estimates a duration of 0 for ${JSON.stringify(text)}`, (t) => {
    t.is(sayingTime(text), 0);
    t.is(heardAfter(text, 1_000), '');
  });

test('excludes a pause at the end from the estimate', (t) => {
  t.is(sayingTime('Hello. '), sayingTime('Hello'));
  t.true(sayingTime('Hello. You') > sayingTime('Hello You'));
});

const hears = test.macro<[text: string, prefixes: readonly string[]]>({
  exec(t, text, prefixes) {
    const heard = new Set<string>();
    for (let ms = 0; ms <= sayingTime(text); ms += 1) heard.add(heardAfter(text, ms));
    t.deepEqual([...heard], ['', ...prefixes]);
  },
  title: (_, text) => `cuts "${text}" between words or syllables`,
});

test(hears, 'Well, thank you.', ['Well', 'Well, thank', 'Well, thank you.']);
test(hears, '네, 알겠어요', ['네', '네, 알', '네, 알겠', '네, 알겠어', '네, 알겠어요']);
test(hears, 'きゃー、東京', ['きゃー', 'きゃー、東', 'きゃー、東京']);
test(hears, '오후 12시 OK네', ['오', '오후', '오후 12', '오후 12시', '오후 12시 OK', '오후 12시 OK네']);

const texts = fc.string({ unit: 'grapheme' });

test('the heard part grows from empty text to the whole text', (t) => {
  fc.assert(
    fc.property(texts, fc.nat(20_000), fc.nat(20_000), (text, a, b) => {
      const earlier = heardAfter(text, Math.min(a, b));
      const later = heardAfter(text, Math.max(a, b));
      return later.startsWith(earlier) && text.startsWith(later);
    }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const time = sayingTime(text);
      if (time === 0) return heardAfter(text, 1) === '';
      return heardAfter(text, time) === text && heardAfter(text, time - 1).length < text.length;
    }),
  );
  t.pass();
});

test('never cuts text within a character', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-composite' }), fc.nat(20_000), (text, ms) =>
      heardAfter(text, ms).isWellFormed(),
    ),
  );
  t.pass();
});

// Audio of a call that is handed over

/** The audio of a call, on a path into a ring. */
const setUpMedia = async () => {
  const time = createLineTime(createOrderedClock(), 1);
  const ring = new SampleRing(ringMemory(16_384));
  const path = pathInto(ring, telephoneRate, time);
  let events: AudioEvents | null = null;
  const media = createCallMedia({
    speak,
    hearing: null,
    openRecording: null,
    input: {
      callId: '',
      language: 'en',
      direction: 'inbound',
      bargeIn: platformCallPolicy.bargeIn,
      turnEnd: byPauses,
    },
    time,
    report: () => undefined,
    onLost: () => undefined,
    logger: pino({ level: 'silent' }),
  });
  await media.begin(
    soundEndpoint(async (to) => {
      events = to;
      return path;
    }),
  );
  return { media, path, ring, hear: (samples: Int16Array) => events?.onAudio(samples) };
};

test('silences the agent of a call that is left, and keeps the path open', async (t) => {
  const { media, path, ring } = await setUpMedia();
  path.send(new Int16Array(800).fill(7));
  media.leave();
  t.is(ring.waiting, 0);
  path.send(new Int16Array(160));
  t.is(ring.waiting, 160);
});

test('two connected persons hear each other in a call that is left', async (t) => {
  const [one, other] = [await setUpMedia(), await setUpMedia()];
  one.media.talkWith(other.media);
  other.media.talkWith(one.media);
  one.media.leave();
  other.media.leave();
  one.hear(new Int16Array(160).fill(7));
  t.true(other.ring.waiting >= 160);
});
