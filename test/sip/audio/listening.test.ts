/** Listening: voice activity, onsets, barge-in and ends of turns. */
import test from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { listening } from '#config/policy.ts';
import type { TurnEnd } from '#machines/line.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import { createToneDetector } from '#sip/audio/listening/dtmf-tones.ts';
import { dtmfKeypad, dtmfTone } from './dtmf-tone.ts';
import { createListener } from '#sip/audio/listening/listener.ts';
import { createOnsets } from '#sip/audio/listening/onsets.ts';
import { createSpeechMeter } from '#sip/audio/listening/speech-meter.ts';
import { chooseJudge } from '#sip/audio/listening/turn-end/choose-judge.ts';
import type { Silence } from '#sip/audio/listening/turn-end/judge.ts';
import type { TurnModel } from '#sip/audio/listening/turn-end/model-ends.ts';
import { createVoiceActivity } from '#sip/audio/listening/voice-activity.ts';
import { loadVoiceDetector, type VoiceDetector } from '#sip/audio/listening/voice-detector.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import type { SampleRate } from '#sip/audio/samples.ts';
import type { RecognitionEvent } from '#sip/audio/speech.ts';
import type { Clock } from '#src/domain/clock.ts';
import { type BargeInSound, bargeInSounds } from '#test/barge-in-sounds/sounds.ts';
import { falseStops, judge, missedInterruptions, silences, talkedOver } from '#test/barge-in-sounds/tally.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { pausing, stopping } from '#test/helpers/usual-barge-in.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { fromMuLaw, toMuLaw } from '#test/real-sip/mu-law.ts';
import { sayInTones } from '#test/real-sip/tone-speech.ts';
import { tone } from './listening/line-sound.ts';
import { createWorld, numbers, streamed } from './listening/turn-taking/turn-taking-world.ts';

// Listener

const openDetector = await loadVoiceDetector();
const resample = await loadResampler();

type ListenerWorld = { isOutbound?: boolean; sampleRate?: SampleRate };

const listenOn = (clock: Clock, { isOutbound = true, sampleRate = 8_000 }: ListenerWorld = {}) => {
  const story: unknown[] = [];
  const logged: string[] = [];
  let written = 0;
  let emit: (event: RecognitionEvent) => void = () => {};
  const listener = createListener({
    recognizer: {
      name: 'recorder',
      open({ language, sampleRate }, to) {
        emit = to;
        story.push(`open ${language} ${sampleRate}`);
        return {
          write: ({ length }) => (written += length),
          speechBegan: () => story.push('began'),
          speechEnded: () => story.push('ended'),
          close: () => story.push('close'),
        };
      },
    },
    openDetector,
    numbers: listening,
    sampleRate,
    resample,
    language: 'en',
    time: createLineTime(clock, 1),
    agentDb: () => null,
    isOutbound,
    bargeIn: stopping,
    turnEnd: byPauses,
    turnModel: null,
    on: {
      onset: () => story.push('onset'),
      noSpeech: () => story.push('no speech'),
      speech: () => story.push('speech'),
      noWords: () => story.push('no words'),
      heard: ({ text }) => story.push(text),
      answeredBy: (by) => story.push(by),
      takesMessage: () => story.push('takes message'),
    },
    logger: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
  });
  return {
    story,
    logged,
    listener,
    emit: (event: RecognitionEvent) => emit(event),
    written: () => written,
    /** Writes a frame every 20 ms of the time that `pass` advances. */
    playWith(pass: (milliseconds: number) => void, samples: Int16Array): void {
      for (let from = 0; from < samples.length; from += 160) {
        pass(20);
        listener.write(samples.subarray(from, from + 160));
      }
    },
  };
};

const createListenerWorld = (options: ListenerWorld = {}) => {
  const clock = createOrderedClock();
  const world = listenOn(clock, options);
  return { clock, ...world, play: (samples: Int16Array) => world.playWith(clock.advance, samples) };
};

const listenerSilence = new Int16Array(8_000);
const listenerVoice = sayInTones('Hello');

test.serial('passes every sample to the recognizer and marks speech', (t) => {
  const { play, story, written, emit, listener, clock } = createListenerWorld();
  play(listenerSilence);
  t.deepEqual(story, ['open en 8000']);
  play(listenerVoice);
  t.deepEqual(story.slice(1), ['began']);
  emit({ type: 'final', text: 'Hello.' });
  play(listenerSilence);
  t.deepEqual(story.slice(2), ['speech', 'ended', 'Hello.']);
  t.is(written(), 16_000 + listenerVoice.length);
  listener.stop();
  listener.stop();
  t.deepEqual(story.slice(5), ['close']);
  play(listenerSilence);
  emit({ type: 'final', text: 'Too late.' });
  t.is(written(), 16_000 + listenerVoice.length);
  t.is(story.length, 6);
  t.is(clock.pending(), 0);
});

test.serial('switches the recognition language with the next sentence', (t) => {
  const { play, story, emit, listener } = createListenerWorld();
  listener.changeLanguage('en');
  listener.changeLanguage('ja');
  t.deepEqual(story, ['open en 8000', 'close', 'open ja 8000']);
  play(listenerSilence);
  play(listenerVoice);
  listener.changeLanguage('ko');
  emit({ type: 'final', text: 'はい。' });
  t.deepEqual(story.slice(3), ['began', 'speech']);
  play(listenerSilence);
  t.deepEqual(story.slice(5), ['ended', 'はい。', 'close', 'open ko 8000']);
  play(listenerVoice);
  listener.changeLanguage('en');
  listener.stop();
  t.deepEqual(story.slice(9), ['began', 'close'], 'nothing is opened any more');
});

test.serial('treats missing audio as silence', (t) => {
  const { play, story, emit, clock } = createListenerWorld();
  play(listenerSilence);
  play(listenerVoice);
  emit({ type: 'final', text: 'Hello.' });
  clock.advance(2_000);
  t.deepEqual(story.slice(1), ['began', 'speech', 'ended', 'Hello.']);
  clock.advance(2_000);
  t.deepEqual(story.slice(5), ['human']);
  t.is(clock.pending(), 0);
});

test.serial('processes audio queued during a stall of the process before it ends a voice', (t) => {
  // The timers of this clock all fire at the end of the advanced time.
  const clock = new SimulatedClock();
  const { listener, story, playWith } = listenOn(clock);
  const inTime = (samples: Int16Array): void =>
    playWith((milliseconds) => clock.increment(milliseconds), samples);
  const atOnce = (samples: Int16Array): void => playWith(() => undefined, samples);
  inTime(listenerSilence);
  inTime(listenerVoice.subarray(0, 1_600));
  t.deepEqual(story.slice(1), ['began']);
  clock.increment(400);
  atOnce(listenerVoice.subarray(1_600, 4_800));
  inTime(listenerVoice.subarray(4_800, 6_400));
  t.deepEqual(story.slice(1), ['began'], 'it goes on');
  clock.increment(400);
  clock.increment(20);
  clock.increment(listening.turns.pauseMs);
  t.deepEqual(story.slice(1), ['began', 'speech', 'ended'], 'nothing has come');
  listener.stop();
});

test.serial('keeps the results of a failed recognizer and sends it no more audio', (t) => {
  const { play, story, emit, logged, clock } = createListenerWorld();
  play(listenerSilence);
  play(listenerVoice);
  emit({ type: 'final', text: 'Hello.' });
  emit({ type: 'failed', error: new Error('The engine is gone') });
  emit({ type: 'final', text: 'Too late.' });
  play(listenerVoice);
  t.deepEqual(story.slice(1), ['began', 'speech', 'Hello.', 'close']);
  t.is(logged.length, 1);
  t.regex(logged[0] ?? '', /recorder/);
  t.notRegex(logged[0] ?? '', /Hello/);
  t.is(clock.pending(), 0);
});

test.serial('detects a machine by words and beep on outbound calls only', (t) => {
  const greeting = sayInTones('This is Kim, and I am out.');
  for (const isOutbound of [true, false]) {
    const { play, story, emit, listener, clock } = createListenerWorld({ isOutbound });
    play(listenerSilence);
    play(greeting);
    emit({ type: 'final', text: 'This is Kim, and I am out.' });
    play(listenerSilence.subarray(0, 2_400));
    play(tone(500, [1_000]));
    play(listenerSilence);
    t.deepEqual(
      story.filter((told) => told === 'machine' || told === 'takes message'),
      isOutbound ? ['machine', 'takes message'] : [],
    );
    listener.stop();
    t.is(clock.pending(), 0);
  }
});

// Onsets
// Where speech during the agent's speech has its onset, and the result of the onset.

const onsetsNumbers = listening.onsets;
const frameLength = 160;

/** Words that last 800 ms. */
const words = bargeInSounds()
  .find(({ text }) => text === 'Can you say that again?')
  ?.samples.subarray(0, 6_400);
const hush = new Int16Array(6_400).map((_, index) => (index * 7_919) % 997);

const framesOf = (samples: Int16Array): Int16Array[] =>
  Array.from({ length: samples.length / frameLength }, (_, index) =>
    samples.subarray(index * frameLength, (index + 1) * frameLength),
  );

const createOnsetsWorld = ({ bargeIn = pausing, isAudible = true, early = false } = {}) => {
  const clock = createOrderedClock();
  const begunAt = clock.now();
  const story: [string, number][] = [];
  const tell = (what: string) => () => void story.push([what, clock.now() - begunAt]);
  const onsets = createOnsets({
    numbers: onsetsNumbers,
    bargeIn,
    begunMs: 60,
    time: createLineTime(clock, 1),
    isAgentAudible: () => isAudible,
    givesWordsEarly: () => early,
    on: { onset: tell('onset'), noSpeech: tell('no speech'), speechLasts: tell('speech') },
  });
  return {
    clock,
    story,
    onsets,
    /** A voice of this many milliseconds, which is reported 60 ms after its beginning. */
    voice(sound: Int16Array, milliseconds: number): void {
      clock.advance(60);
      onsets.voiceBegan();
      for (const frame of framesOf(sound.subarray(320, milliseconds * 8))) {
        onsets.sounds(frame);
        clock.advance(20);
      }
    },
  };
};

test("reports a voice onset after the configured voice length, only during the agent's speech and with pauses enabled", (t) => {
  const { voice, story } = createOnsetsWorld();
  voice(hush, 400);
  t.deepEqual(story, [['onset', 80]]);
  const later = createOnsetsWorld({ bargeIn: { ...pausing, onsetMs: 200 } });
  later.voice(hush, 400);
  t.deepEqual(later.story, [['onset', 200]]);
  for (const world of [createOnsetsWorld({ isAudible: false }), createOnsetsWorld({ bargeIn: stopping })]) {
    world.voice(hush, 400);
    t.deepEqual(world.story, []);
  }
});

test('ignores a voice shorter than the onset length', (t) => {
  const { voice, onsets, story, clock } = createOnsetsWorld();
  voice(hush, 60);
  onsets.voiceEnded();
  clock.advance(10_000);
  t.deepEqual(story, []);
  t.is(clock.pending(), 0);
});

test('reports a false onset after the configured silence; a voice in between restarts it', (t) => {
  const { voice, onsets, story, clock } = createOnsetsWorld();
  voice(hush, 200);
  onsets.voiceEnded();
  clock.advance(pausing.resumeMs - 1);
  onsets.voiceBegan();
  clock.advance(200);
  onsets.voiceEnded();
  clock.advance(pausing.resumeMs - 1);
  t.is(story.length, 1);
  clock.advance(1);
  t.is(story[1]?.[0], 'no speech');
  t.is(clock.pending(), 0);
});

test('pauses the agent for at most the configured time for a sound that is not speech', (t) => {
  const { voice, story, clock } = createOnsetsWorld();
  voice(hush, 800);
  clock.advance(20_000);
  t.deepEqual(story, [
    ['onset', 80],
    ['no speech', 80 + onsetsNumbers.longestMs],
  ]);
});

test('ends the onset at once for a recognized backchannel, and does not report it after speech', (t) => {
  const murmured = createOnsetsWorld();
  murmured.voice(hush, 200);
  murmured.onsets.voiceEnded();
  murmured.onsets.backchannel();
  t.deepEqual(
    murmured.story.map(([what]) => what),
    ['onset', 'no speech'],
  );
  const spoken = createOnsetsWorld();
  spoken.voice(hush, 200);
  spoken.onsets.speech();
  spoken.onsets.voiceEnded();
  spoken.onsets.backchannel();
  spoken.clock.advance(20_000);
  t.deepEqual(
    spoken.story.map(([what]) => what),
    ['onset'],
  );
  const ended = createOnsetsWorld();
  ended.voice(hush, 200);
  ended.onsets.stop();
  ended.clock.advance(20_000);
  t.deepEqual(
    ended.story.map(([what]) => what),
    ['onset'],
  );
});

test('reports sustained speech-like sound, but not noise', (t) => {
  if (words === undefined) throw new Error('The words are gone');
  const { voice, story } = createOnsetsWorld();
  voice(words, 800);
  t.is(story[1]?.[0], 'speech');
  t.true((story[1]?.[1] ?? 0) >= pausing.speechMs && (story[1]?.[1] ?? 0) <= pausing.speechMs + 100);
  const noise = createOnsetsWorld();
  noise.voice(hush, 800);
  t.deepEqual(noise.story, [['onset', 80]]);
});

test('waits longer for late words after speech-like sound', (t) => {
  if (words === undefined) throw new Error('The words are gone');
  for (const [early, sound, waitMs] of [
    [false, words, onsetsNumbers.lateWordsMs],
    [true, words, pausing.resumeMs],
    [false, hush, pausing.resumeMs],
  ] as const) {
    const { voice, onsets, story, clock } = createOnsetsWorld({ early });
    voice(sound, 560);
    const endedMs = 580;
    onsets.voiceEnded();
    clock.advance(20_000);
    t.is(story[1]?.[0], 'no speech');
    t.true(Math.abs((story[1]?.[1] ?? 0) - endedMs - waitMs) <= 20, `${story[1]?.[1]} ms`);
  }
});

test('detects a pitch most of the time in speech, never in noise, and always in a tone', (t) => {
  const soundsLikeSpeech = (samples: Int16Array): boolean => {
    const meter = createSpeechMeter(onsetsNumbers);
    for (const frame of framesOf(samples)) meter.add(frame);
    return meter.soundsLikeSpeech();
  };
  if (words === undefined) throw new Error('The words are gone');
  t.true(soundsLikeSpeech(words));
  t.false(soundsLikeSpeech(hush));
  const tone = Int16Array.from(
    { length: 6_400 },
    (_, index) => 8_000 * Math.sin((2 * Math.PI * 440 * index) / 8_000),
  );
  t.false(soundsLikeSpeech(tone));
  const meter = createSpeechMeter(onsetsNumbers);
  for (const frame of framesOf(words)) meter.add(frame);
  meter.reset();
  t.is(meter.voicedMs(), 0);
});

// Voice activity

const voiceActivityNumbers = listening.voice;

const voiceActivitySilence = (milliseconds: number): Int16Array => new Int16Array(8 * milliseconds);

const noise = (milliseconds: number, loudness: number): Int16Array => {
  let seed = 1;
  return Int16Array.from({ length: 8 * milliseconds }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return (seed / 2 ** 30 - 1) * loudness;
  });
};

const hum = (milliseconds: number): Int16Array =>
  Int16Array.from(
    { length: 8 * milliseconds },
    (_, index) => 5_000 * Math.sin((2 * Math.PI * 440 * index) / 8_000),
  );

const quieter = (samples: Int16Array, factor: number): Int16Array =>
  samples.map((sample) => Math.round(sample * factor));

const sum = (samples: Int16Array, other: Int16Array): Int16Array =>
  samples.map((sample, index) => sample + (other[index] ?? 0));

const inOne = (parts: readonly Int16Array[]): Int16Array =>
  Int16Array.from(parts.flatMap((part) => [...part]));

/** Times at which a voice is detected in this audio, in milliseconds. */
const voicesIn = (
  parts: readonly Int16Array[],
  { piece = 160, agentDb = -Infinity, detector = openDetector(voiceActivityNumbers.mode) } = {},
) => {
  const sound = fromMuLaw(toMuLaw(inOne(parts)));
  const found: { from: number; to: number | null }[] = [];
  let atMs = 0;
  const activity = createVoiceActivity({
    detector,
    numbers: voiceActivityNumbers,
    on: {
      began: (agoMs) => found.push({ from: atMs - agoMs, to: null }),
      ended(agoMs) {
        const last = found.at(-1);
        if (last !== undefined) last.to = atMs - agoMs;
      },
    },
  });
  for (let from = 0; from < sound.length; from += piece) {
    atMs = (from + piece) / 8;
    activity.write(sound.subarray(from, from + piece), agentDb);
  }
  detector.close();
  return { found, activity };
};

const voiceActivityVoice = sayInTones('Hello, who is there?');
const voiceMs = voiceActivityVoice.length / 8;

test.serial('detects the beginning and end of a voice', (t) => {
  const [only, ...others] = voicesIn([
    voiceActivitySilence(1_000),
    voiceActivityVoice,
    voiceActivitySilence(1_000),
  ]).found;
  t.is(others.length, 0);
  t.true(Math.abs((only?.from ?? 0) - 1_000) <= 80, `${only?.from}`);
  t.true(Math.abs((only?.to ?? 0) - 1_000 - voiceMs) <= 120, `${only?.to}`);
});

test.serial('detects the same speech in chunks of any size', (t) => {
  const parts = [voiceActivitySilence(1_000), voiceActivityVoice, voiceActivitySilence(1_000)];
  const { found } = voicesIn(parts);
  t.is(found.length, 1);
  // For chunks longer than 20 ms, the times lie within the chunk at whose end they are reported.
  for (const piece of [80, 240, 1_600]) {
    const [only, ...others] = voicesIn(parts, { piece }).found;
    t.is(others.length, 0);
    t.true(Math.abs((only?.from ?? 0) - (found[0]?.from ?? 0)) <= piece / 8);
  }
});

test.serial('ignores sound that is too quiet or too short', (t) => {
  t.deepEqual(
    voicesIn([voiceActivitySilence(500), quieter(voiceActivityVoice, 0.01), voiceActivitySilence(500)]).found,
    [],
  );
  t.deepEqual(
    voicesIn([
      voiceActivitySilence(500),
      noise(20, 20_000),
      voiceActivitySilence(500),
      noise(20, 20_000),
      voiceActivitySilence(500),
    ]).found,
    [],
  );
});

test.serial('treats steady sound as a voice only for a moment', (t) => {
  for (const sound of [noise(5_000, 6_000), hum(5_000)]) {
    const { found } = voicesIn([voiceActivitySilence(500), sound, voiceActivitySilence(500)]);
    t.true(found.length <= 1);
    t.true((found[0]?.to ?? 0) - (found[0]?.from ?? 0) < 700, JSON.stringify(found));
  }
});

test.serial('detects a voice in noise and its end', (t) => {
  const length = 8 * (2_000 + 2_000) + voiceActivityVoice.length;
  const { found } = voicesIn([
    sum(
      inOne([voiceActivitySilence(2_000), voiceActivityVoice, voiceActivitySilence(2_000)]),
      noise(length / 8, 800),
    ),
  ]);
  const last = found.at(-1);
  t.true((found.find(({ from }) => from > 1_500)?.from ?? 0) < 2_200, JSON.stringify(found));
  t.true(Math.abs((last?.to ?? 0) - 2_000 - voiceMs) <= 300, JSON.stringify(found));
});

test.serial('detects no speech at the level of an echo', (t) => {
  const echo = quieter(voiceActivityVoice, 0.06);
  t.is(voicesIn([voiceActivitySilence(500), echo, voiceActivitySilence(500)]).found.length, 1);
  t.deepEqual(
    voicesIn([voiceActivitySilence(500), echo, voiceActivitySilence(500)], { agentDb: -15 }).found,
    [],
  );
  t.is(
    voicesIn([voiceActivitySilence(500), voiceActivityVoice, voiceActivitySilence(500)], { agentDb: -15 })
      .found.length,
    1,
  );
});

test.serial('ends a voice when the audio stops', (t) => {
  const { found, activity } = voicesIn([voiceActivitySilence(500), voiceActivityVoice.subarray(0, 8_000)]);
  t.is(found[0]?.to, null);
  t.true(activity.isVoiced());
  activity.silence(200);
  activity.silence(200);
  t.false(activity.isVoiced());
  t.is(found.length, 1);
  t.is(found[0]?.to, 500 + 1_000 - 200, 'by the clock of the last audio, which came 200 ms ago');
});

test.serial('gives each call its own detector and releases it on close', (t) => {
  const detectors = Array.from({ length: 2_000 }, () => openDetector(voiceActivityNumbers.mode));
  const [first, second] = detectors;
  const frames = sayInTones('Hello').subarray(0, 16 * 160);
  const heard = (detector: VoiceDetector | undefined): boolean[] =>
    Array.from({ length: 16 }, (_, index) =>
      detector === undefined ? false : detector.isVoice(frames.subarray(index * 160, (index + 1) * 160)),
    );
  const before = heard(first);
  t.true(before.includes(true));
  t.deepEqual(heard(second), before, 'one does not hear what the other hears');
  for (const detector of detectors) {
    detector.close();
    detector.close();
  }
  t.false(first?.isVoice(frames.subarray(0, 160)) ?? true);
});

// Barge-in sounds
// Sounds that interrupt the agent and sounds that do not: a part of `test/barge-in-sounds`, all of which `npm run bench
// -- pauses` evaluates.

const everyOther = (_sound: BargeInSound, index: number): boolean => index % 2 === 0;

const worstOf = (times: readonly number[], share: number): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * share)] ?? Infinity;

for (const gives of ['words', 'sentences'] as const)
  test.serial(
    `with a recognizer of ${gives}, pauses the agent at once and resumes it after a false onset`,
    async (t) => {
      const judged = await judge({ gives, bargeIn: pausing }, everyOther);
      const silentMs = worstOf(silences(judged), 0.95);
      t.true(silentMs <= 200, `silent after ${silentMs} ms`);
      t.is(silences(judged).length, judged.filter(({ sound }) => sound.isInterruption).length);
      t.deepEqual(missedInterruptions(judged), []);
      const stopped = falseStops(judged);
      const harmless = judged.filter(({ sound }) => !sound.isInterruption).length;
      t.true(stopped.length <= 0.05 * harmless, `${stopped.length} of ${harmless}`);
      const silenced = judged.filter(
        ({ sound, verdict }) => !sound.isInterruption && verdict.silentAfterMs !== null,
      );
      t.true(
        silenced.every(({ verdict }) => verdict.wentOn || verdict.wasStopped),
        'nothing stays silent',
      );
      t.log({ silentMs, falseStops: stopped.length, talkedOver: talkedOver(judged).length });
    },
  );

test.serial('in mode "speech", words stop the agent and noise does not pause it', async (t) => {
  const judged = await judge({ gives: 'words', bargeIn: stopping }, (_sound, index) => index % 9 === 0);
  t.deepEqual(missedInterruptions(judged), []);
  t.deepEqual(
    judged.filter(({ sound, verdict }) => !sound.isInterruption && verdict.silentAfterMs !== null),
    [],
  );
});

// End-of-turn detectors
// The detectors of a turn's end, and the fallback when the configured one is silent.

const judgesNumbers = listening.turns;

const createJudgesWorld = (turnEnd: TurnEnd, { hasModel = true } = {}) => {
  const clock = createOrderedClock();
  const lines: string[] = [];
  const asked: { samples: number[]; answer: (isOver: boolean | null) => void }[] = [];
  let reportsTurnEnds = true;
  let changes = 0;
  const model: TurnModel = {
    longestMs: 1_000,
    isOver: (samples) =>
      new Promise((resolve) => asked.push({ samples: [...samples], answer: (isOver) => resolve(isOver) })),
  };
  const judge = chooseJudge(
    { numbers: judgesNumbers, turnEnd, language: () => 'en' },
    {
      reportsTurnEnds: () => reportsTurnEnds,
      model: hasModel ? model : null,
      sampleRate: 1_000,
      time: createLineTime(clock, 1),
      logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
    },
  )(() => (changes += 1));
  const since = clock.now();
  return {
    clock,
    judge,
    asked,
    lines,
    since,
    changes: () => changes,
    without: () => (reportsTurnEnds = false),
    waits: (silence: Partial<Silence> = {}): number =>
      judge.overAt({ since, text: 'Tomorrow and', isSettled: true, isComplete: false, ...silence }) - since,
  };
};

test.serial('ends a turn at a pause between the minimum and the maximum silence', (t) => {
  const { waits } = createJudgesWorld(byPauses);
  t.is(waits(), judgesNumbers.openMs);
  t.is(waits({ text: 'Tomorrow.' }), judgesNumbers.wholeMs);
  t.is(waits({ text: 'Tomorrow.', isSettled: false }), judgesNumbers.settleMs);
  t.is(waits({ isComplete: true }), judgesNumbers.completeMs);
  const patient = createJudgesWorld({ ...byPauses, minSilenceMs: 900 });
  t.is(patient.waits({ text: 'Tomorrow.' }), 900);
  t.is(patient.waits({ isComplete: true }), 900);
  const hasty = createJudgesWorld({ ...byPauses, maxSilenceMs: 1_000 });
  t.is(hasty.waits(), 1_000);
  t.is(hasty.waits({ isSettled: false }), 1_000);
});

test.serial(
  'ends a turn by the recognizer or the maximum silence, or by pauses if another engine listens',
  (t) => {
    const { waits, without } = createJudgesWorld({ ...byPauses, mode: 'recognizer' });
    t.is(waits({ isComplete: true }), byPauses.minSilenceMs);
    t.is(waits({ text: 'Tomorrow.' }), byPauses.maxSilenceMs);
    without();
    t.is(waits({ text: 'Tomorrow.' }), judgesNumbers.wholeMs);
  },
);

const byModel: TurnEnd = { ...byPauses, mode: 'model' };

test.serial('asks the turn model after the minimum silence, and follows its first answer', async (t) => {
  const { judge, clock, asked, since, waits, changes } = createJudgesWorld(byModel);
  judge.voiceEnded(since, since - 400);
  clock.advance(byModel.minSilenceMs - 1);
  t.is(asked.length, 0);
  clock.advance(1);
  t.is(asked.length, 1);
  t.is(waits(), judgesNumbers.openMs, 'pauses decide while it is silent');
  asked[0]?.answer(true);
  await Promise.resolve();
  t.is(changes(), 1);
  t.is(waits(), byModel.minSilenceMs);
  t.is(waits({ isSettled: false }), judgesNumbers.settleMs, 'its words are on their way');
  judge.voiceBegan();
  t.is(waits(), judgesNumbers.openMs);
  judge.voiceEnded(clock.now(), since);
  clock.advance(byModel.minSilenceMs);
  asked[1]?.answer(false);
  await Promise.resolve();
  t.is(waits({ text: 'Tomorrow.' }), byModel.maxSilenceMs);
});

test.serial('ignores a late or missing result of the turn model', async (t) => {
  const { judge, clock, asked, since, waits, changes } = createJudgesWorld(byModel);
  judge.voiceEnded(since, since);
  clock.advance(byModel.minSilenceMs);
  judge.voiceBegan();
  asked[0]?.answer(true);
  judge.voiceEnded(clock.now(), since);
  clock.advance(byModel.minSilenceMs);
  asked[1]?.answer(null);
  await new Promise((resolve) => setImmediate(resolve));
  t.is(changes(), 0);
  t.is(waits(), judgesNumbers.openMs);
  judge.voiceEnded(clock.now(), since);
  judge.close();
  clock.advance(10_000);
  t.is(asked.length, 2);
});

test.serial(
  "passes the turn with a short lead-in to the turn model, up to the model's maximum length",
  (t) => {
    const { judge, clock, asked, since } = createJudgesWorld(byModel);
    const write = (milliseconds: number): void => {
      const from = clock.now() - since;
      clock.advance(milliseconds);
      judge.write(Int16Array.from({ length: milliseconds }, (_, index) => from + index));
    };
    write(2_000);
    judge.voiceEnded(clock.now() - 200, clock.now() - 300);
    clock.advance(0);
    t.deepEqual(
      [asked[0]?.samples.length, asked[0]?.samples[0], asked[0]?.samples.at(-1)],
      [600, 1_400, 1_999],
    );
    write(30);
    judge.voiceEnded(clock.now() - 200, since);
    clock.advance(0);
    t.deepEqual(
      [asked[1]?.samples.length, asked[1]?.samples[0], asked[1]?.samples.at(-1)],
      [1_000, 1_030, 2_029],
    );
  },
);

test.serial('ends turns by pauses without a turn model and logs it', (t) => {
  const { judge, waits, lines, since } = createJudgesWorld(byModel, { hasModel: false });
  judge.voiceEnded(since, since);
  t.is(waits({ text: 'Tomorrow.' }), judgesNumbers.wholeMs);
  t.is(lines.length, 1);
  t.regex(lines[0] ?? '', /pauses decide/);
});

// Ends
// The end of a turn.

const endings = test.macro<[string, string, number]>({
  exec(t, text, language, waitMs) {
    const { voice, final, partial, pass, story, now } = createWorld(language);
    voice(true);
    pass(400);
    partial(text);
    pass(400);
    final(text);
    voice(false);
    pass(waitMs - 1);
    t.deepEqual(story, ['speech', 'pause']);
    pass(1);
    t.deepEqual(story.slice(2), [['heard', text, 0]]);
    t.is(now(), 800 + waitMs);
  },
  title: (_, text, language, waitMs) =>
    `after "${text}" (${language}) a silence of ${waitMs} ms ends the turn`,
});

test(endings, 'Tomorrow at seven.', 'en', numbers.wholeMs);

test(endings, 'Tomorrow at seven', 'en', numbers.usualMs);

test(endings, 'Tomorrow at seven and', 'en', numbers.openMs);

test(endings, 'Well,', 'en', numbers.openMs);

test(endings, '내일 일곱 시요', 'ko', numbers.wholeMs);

test(endings, '일곱 시', 'ko', numbers.usualMs);

test(endings, '일곱 시에 가고 싶은데', 'ko', numbers.openMs);

test(endings, '예약했는데', 'ko', numbers.openMs);

test(endings, '七時です', 'ja-JP', numbers.wholeMs);

test(endings, '七時ですけど', 'ja-JP', numbers.openMs);

test('waits for a shorter silence if the engine considers the turn complete', (t) => {
  const { voice, final, complete, pass, story } = createWorld();
  voice(true);
  pass(500);
  voice(false);
  final('Tomorrow and');
  complete();
  pass(numbers.completeMs);
  t.deepEqual(story, ['speech', ['heard', 'Tomorrow and', 0]]);
});

test('merges speech that continues after a pause into one turn', (t) => {
  const { voice, final, pass, story } = createWorld();
  voice(true);
  pass(500);
  final('One moment,');
  voice(false);
  pass(numbers.openMs - 100);
  voice(true);
  pass(500);
  voice(false);
  final('it is Tuesday.');
  pass(numbers.wholeMs);
  t.deepEqual(story, ['speech', 'pause', 'pause', ['heard', 'One moment, it is Tuesday.', 0]]);
});

test('uses words that never become final and drops their late final result', (t) => {
  const { voice, partial, final, pass, story } = createWorld();
  voice(true);
  pass(500);
  partial('on Tuesday');
  voice(false);
  pass(numbers.settleMs);
  t.deepEqual(story, ['speech', 'pause', ['heard', 'on Tuesday', 0]]);
  final('On Tuesday.');
  pass(5_000);
  t.is(story.length, 3);
  voice(true);
  final('At seven.');
  voice(false);
  pass(numbers.wholeMs);
  t.deepEqual(story.slice(3), ['speech', 'pause', ['heard', 'At seven.', 7_000]]);
});

test('excludes words already used from words that become final during a new voice', (t) => {
  const { voice, partial, final, pass, story } = createWorld();
  voice(true);
  partial('on Tuesday');
  voice(false);
  pass(numbers.settleMs);
  voice(true);
  partial('on Tuesday at seven');
  pass(300);
  voice(false);
  final('on Tuesday at seven.');
  pass(numbers.wholeMs);
  t.deepEqual(
    story.filter((one) => Array.isArray(one)),
    [
      ['heard', 'on Tuesday', 0],
      ['heard', 'at seven.', numbers.settleMs],
    ],
  );
});

test('reports no words for a voice without words', (t) => {
  const { voice, pass, story, clock } = streamed();
  voice(true);
  pass(20_000);
  voice(false);
  pass(20_000);
  t.deepEqual(story, ['pause']);
  t.is(clock.pending(), 0);
});

test('does not delay the turn for an engine that repeats its result', (t) => {
  const { voice, partial, final, pass, story } = streamed();
  voice(true);
  partial('');
  pass(400);
  partial('seven');
  for (let times = 0; times < numbers.wordsMs; times += 100) {
    pass(100);
    partial('seven');
  }
  t.deepEqual(story, ['speech', ['heard', 'seven', 2_000]]);
  final('');
  voice(false);
  pass(5_000);
  t.is(story.length, 2);
  voice(true);
  partial('');
  voice(false);
  final('');
  pass(5_000);
  t.deepEqual(story.slice(2), ['pause']);
});

test('does not treat punctuation alone as words', (t) => {
  const { voice, partial, final, pass, story } = createWorld();
  voice(true);
  partial('…');
  final('...');
  voice(false);
  pass(20_000);
  t.deepEqual(story, ['pause']);
});

test('ignores short noises for recognizers without partial results', (t) => {
  const { voice, pass, story } = createWorld();
  for (let times = 0; times < 4; times += 1) {
    voice(true);
    pass(numbers.lastingVoiceMs - 50);
    voice(false);
    pass(numbers.pauseMs + 50);
  }
  t.deepEqual(story, ['pause', 'pause', 'pause', 'pause']);
  pass(numbers.sentenceWordsMs);
  t.is(story.length, 4);
});

test('treats a long voice without words as speech for recognizers without partial results', (t) => {
  const { voice, pass, story, final } = createWorld();
  voice(true);
  pass(numbers.lastingVoiceMs);
  t.deepEqual(story, ['speech']);
  voice(false);
  pass(2_000);
  final('I have a question.');
  pass(0);
  t.deepEqual(story.slice(1), ['pause', ['heard', 'I have a question.', 0]]);
});

test('reports a long voice that ends without words', (t) => {
  const { voice, pass, story } = createWorld();
  voice(true);
  pass(numbers.lastingVoiceMs);
  voice(false);
  pass(numbers.sentenceWordsMs);
  t.deepEqual(story, ['speech', 'pause', 'no words']);
});

test('reports no end of a voice without words when listening ends', (t) => {
  const { turns, voice, pass, story } = createWorld();
  voice(true);
  pass(numbers.lastingVoiceMs);
  turns.stop();
  t.deepEqual(story, ['speech']);
});

// Interruptions
// Speech during the agent's speech: words, backchannels, echoes.

test("words during the agent's speech interrupt once they are more than a backchannel", (t) => {
  const { agent, voice, partial, final, pass, story } = streamed();
  agent(true);
  voice(true);
  pass(300);
  partial('okay');
  t.deepEqual(story, []);
  pass(300);
  partial('okay but');
  t.deepEqual(story, ['speech']);
  agent(false);
  final('Okay, but wait.');
  voice(false);
  pass(numbers.wholeMs);
  t.deepEqual(story.slice(1), ['pause', ['heard', 'Okay, but wait.', 2_000]]);
});

const backchannel = (begins: boolean, ends: boolean, language = 'en', text = 'Uh-huh.') => {
  const { agent, voice, final, pass, story } = createWorld(language);
  agent(begins);
  voice(true);
  pass(400);
  agent(ends);
  voice(false);
  final(text);
  pass(1_000);
  return story.filter((one) => one !== 'pause');
};

test("records a backchannel during the agent's speech without interrupting", (t) => {
  t.deepEqual(backchannel(true, true), [['backchannel', 'Uh-huh.', 0]]);
  t.deepEqual(backchannel(true, true, 'ko', '네네'), [['backchannel', '네네', 0]]);
});

test("treats a backchannel in silence or during the agent's last audio as an answer", (t) => {
  for (const begins of [true, false])
    t.deepEqual(backchannel(begins, false), ['speech', ['heard', 'Uh-huh.', 0]]);
});

test("treats words during the agent's speech without a detected voice as its echo", (t) => {
  const { agent, partial, final, pass, story } = createWorld();
  agent(true);
  partial('Your table is');
  final('Your table is confirmed.');
  pass(10_000);
  t.deepEqual(story, []);
});

test('accepts words without a detected voice while the agent is silent', (t) => {
  const { partial, final, pass, story, now } = createWorld();
  pass(1_000);
  partial('hello');
  for (let times = 0; times < 10; times += 1) {
    pass(500);
    partial(`hello ${'la '.repeat(times + 1)}`);
  }
  t.deepEqual(story, ['speech']);
  final('Hello la la.');
  const saidAt = now();
  pass(numbers.wholeMs);
  t.deepEqual(story.slice(1), [['heard', 'Hello la la.', 1_000]]);
  t.is(now(), saidAt + numbers.wholeMs);
});

test('reports words without waiting for the end of sound that follows them', (t) => {
  const { voice, partial, final, pass, story } = streamed();
  voice(true);
  pass(400);
  partial('seven please');
  final('Seven, please.');
  pass(numbers.wordsMs);
  t.deepEqual(story, ['speech', ['heard', 'Seven, please.', 2_000]]);
  pass(5_000);
  partial('for two');
  pass(200);
  final('For two.');
  pass(numbers.wordsMs);
  t.deepEqual(story.slice(2), ['speech', ['heard', 'For two.', 2_000 + 400 + numbers.wordsMs + 5_000]]);
});

test('reports final words at the end of the line, but no partial ones', (t) => {
  const world = createWorld();
  world.voice(true);
  world.final('Goodbye.');
  world.partial('and th');
  world.turns.stop();
  world.turns.stop();
  t.deepEqual(world.story, ['speech', ['heard', 'Goodbye.', 0]]);
  world.final('and thanks');
  world.voice(false);
  world.pass(10_000);
  t.is(world.story.length, 2);

  const other = createWorld();
  other.voice(true);
  other.partial('bye');
  other.voice(false);
  other.turns.stop();
  t.deepEqual(other.story, ['speech', ['heard', 'bye', 0]]);
  t.is(other.clock.pending(), 0);
});

// DTMF tones

const pauseOf = (milliseconds: number, sampleRate: SampleRate = 8_000): Int16Array =>
  new Int16Array((milliseconds * sampleRate) / 1_000);

/** The digits in these chunks of audio, in order. */
const digitsIn = (pieces: readonly Int16Array[], sampleRate: SampleRate = 8_000): string => {
  let digits = '';
  const detect = createToneDetector(sampleRate, (digit) => (digits += digit));
  for (const piece of pieces) detect(piece);
  return digits;
};

test('detects each digit once from its two tones, however long they last', (t) => {
  for (const sampleRate of [8_000, 16_000] as const)
    for (const digit of dtmfKeypad.join('')) {
      const sound = dtmfTone(digit, { sampleRate });
      t.is(digitsIn([sound, pauseOf(100, sampleRate)], sampleRate), digit);
      t.is(
        digitsIn(
          [sound, sound.subarray(0, 0), dtmfTone(digit, { sampleRate, milliseconds: 2_000 })],
          sampleRate,
        ),
        digit,
      );
    }
});

test('detects digits of 50 ms with pauses of 50 ms at any offset', (t) => {
  for (let offset = 0; offset < 102; offset += 7) {
    const pieces = Array.from('0042#', (digit) => [
      dtmfTone(digit, { milliseconds: 50 }),
      pauseOf(50),
    ]).flat();
    t.is(digitsIn([new Int16Array(offset), ...pieces]), '0042#', `${offset} samples later`);
  }
});

test('detects digits up to 1.5 % frequency error and within the level tolerance, and none beyond', (t) => {
  t.is(digitsIn([dtmfTone('5', { row: 1.015, column: 0.985 })]), '5');
  t.is(digitsIn([dtmfTone('5', {}, [6_000, 2_700])]), '5');
  t.is(digitsIn([dtmfTone('5', {}, [4_500, 6_000])]), '5');
  t.is(digitsIn([dtmfTone('5', { row: 1.035 })]), '');
  t.is(digitsIn([dtmfTone('5', { column: 0.965 })]), '');
  t.is(digitsIn([dtmfTone('5', {}, [6_000, 1_500])]), '');
  t.is(digitsIn([dtmfTone('5', {}, [150, 150])]), '', 'as quiet as an echo');
});

test('rejects a single tone, two row tones, and a digit shorter than 25 ms', (t) => {
  t.is(digitsIn([dtmfTone('5', {}, [6_000, 0])]), '');
  t.is(digitsIn([dtmfTone('5', { column: 852 / 1_336 })]), '');
  t.is(digitsIn([dtmfTone('5', { milliseconds: 24 }), pauseOf(100)]), '');
});

test('detects a digit in noise, and none in speech or noise', (t) => {
  const sounds = bargeInSounds();
  for (const { kind, text, samples } of sounds) t.is(digitsIn([samples]), '', `${kind} ${text ?? ''}`);
  t.true(sounds.reduce((seconds, { samples }) => seconds + samples.length / 8_000, 0) > 180);
  const noisy = dtmfTone('7').map((sample, index) => sample + (((index * 7_919) % 1_200) - 600));
  t.is(digitsIn([noisy]), '7');
});
