/**
 * One utterance on its way to the far end. The audio is sent while it is synthesized, followed by a short silence. When
 * the utterance is cut, the played samples determine which words were heard. An utterance can be paused and resumed.
 */
import { joinSamples } from '#src/domain/sample-bytes.ts';
import type { LineTime } from '../line-time.ts';
import { levelOf, quietDb, samplesPerMs, silence, type SampleRate } from '../samples.ts';
import { heardAfter, sayingTime } from '../speaking-time.ts';
import type { AudioPath } from '../audio-path.ts';
import { createLoudness } from './loudness.ts';
import type { Utterance } from './synthesis.ts';

/** Silence after each utterance: a breath between sentences, and the depth of a jitter buffer at the end. */
const breathMs = 120;
/** Delay from playing a sample to hearing it at the far end. */
const latencyMs = 40;

/**
 * A finished utterance. `startedAt` is the wall-clock time of its first audible sound: synthesized audio begins with up
 * to some hundred milliseconds of silence.
 */
export type Played = { utterance: number; text: string; startedAt: number; whole: boolean };

export type PlayingUtterance = {
  readonly made: Utterance;
  /** Sends newly synthesized audio, and the silence after the last piece. */
  sendOn(): void;
  /** Stops playback and holds new audio. Idempotent. */
  pause(): void;
  /** Resumes playback at the word, or the sample, at which it was paused. */
  resume(): void;
  /** Ends the utterance early and returns the words that were heard. */
  cut(): Played;
  /** Returns the highest recent level, in dB below full scale. */
  level(): number;
};

export type PlayingOptions = {
  path: Pick<AudioPath, 'send' | 'whenPlayed' | 'waiting' | 'takeBack'>;
  /** Sample rate of the path and of the audio. */
  sampleRate: SampleRate;
  time: LineTime;
  on: {
    sent: (samples: Int16Array) => void;
    /** Called when the current audio ends now: stopped, or paused. */
    silenced: () => void;
    played: (played: Played) => void;
  };
};

/**
 * Length of the fade at both edges of the audio in milliseconds. Without it, a voice that starts or stops within one
 * sample clicks.
 */
const fadeMs = 10;
const fadeSamples = (rate: SampleRate): number => fadeMs * samplesPerMs(rate);

/** Returns a copy that fades in. */
const fadedIn = (samples: Int16Array, rate: SampleRate): Int16Array => {
  const length = fadeSamples(rate);
  return samples.map((sample, index) => (index < length ? Math.round((sample * index) / length) : sample));
};

/** Returns the beginning of these samples, faded out. */
const fadedOut = (samples: Int16Array, rate: SampleRate): Int16Array => {
  const length = fadeSamples(rate);
  return samples.subarray(0, length).map((sample, index) => Math.round((sample * (length - index)) / length));
};

/** Longest search for the beginning of a word. */
const furthestMs = 600;
const windowMs = 20;
const hopMs = 10;
/** Level difference in dB that marks a gap between syllables. */
const gapDb = 15;

/**
 * Returns where the agent resumes after a pause within a word. Half a word is hard to understand, so playback restarts
 * at the interrupted word or syllable: after the last moment that was quiet compared with its surroundings. Without
 * such a moment, playback continues at the sample. `samples` is the whole utterance, of which `played` samples were
 * played.
 */
export const placeToResume = (samples: Int16Array, played: number, rate: SampleRate): number => {
  const perMs = samplesPerMs(rate);
  const furthest = Math.max(0, played - furthestMs * perMs);
  const windows: { end: number; db: number }[] = [];
  for (let end = played; end - windowMs * perMs >= furthest; end -= hopMs * perMs)
    windows.push({ end, db: levelOf(samples.subarray(end - windowMs * perMs, end)) });
  const loudest = Math.max(...windows.map(({ db }) => db));
  return windows.find(({ db }) => db <= loudest - gapDb)?.end ?? played;
};

/** Length of the pieces in which the first audible sound is searched. */
const audibleMs = 10;

/** Returns the position of the first audible sound; `null` if the samples are silent. */
const audibleFrom = (samples: Int16Array, rate: SampleRate): number | null => {
  const step = audibleMs * samplesPerMs(rate);
  for (let from = 0; from < samples.length; from += step)
    if (levelOf(samples.subarray(from, from + step)) > quietDb) return from;
  return null;
};

/**
 * The audio of an utterance in transit. The audio is stored until the utterance ends, because audio taken back by a
 * pause is sent again. Positions are samples of the words.
 */
const createWords = ({ path, sampleRate, time, on }: PlayingOptions) => {
  const loudness = createLoudness(sampleRate);
  let pieces: readonly Int16Array[] = [];
  let length = 0;
  /**
   * Position up to which audio was played before the last pause, position from which audio was sent since then, and
   * number of samples sent.
   */
  let heardTo = 0;
  let from = 0;
  let sent = 0;
  /** Time at which the first audible sample is played; null if none was sent. */
  let audibleAt: number | null = null;

  const send = (samples: Int16Array): void => {
    const at = time.now() + path.waiting() / samplesPerMs(sampleRate);
    loudness.add(samples, at);
    const audible = audibleAt === null ? audibleFrom(samples, sampleRate) : null;
    if (audible !== null) audibleAt = Math.round(at + audible / samplesPerMs(sampleRate));
    path.send(samples);
    sent += samples.length;
    on.sent(samples);
  };

  return {
    length: () => length,
    /** Appends audio, which is sent or held. */
    add(samples: Int16Array, isSent: boolean): void {
      pieces = [...pieces, samples];
      length += samples.length;
      if (isSent) send(samples);
    },
    /** Sends silence after the words. */
    breathe(): void {
      const breath = silence(breathMs, sampleRate);
      path.send(breath);
      sent += breath.length;
    },
    /**
     * Takes back audio that was not played. Returns the position up to which the audio was played, including the final
     * silence.
     */
    takeBack: (): number => Math.max(heardTo, from + sent - path.takeBack()),
    /** Takes back audio that was not played, except for the fade-out. */
    silence(): void {
      const played = Math.min(length, from + sent - path.takeBack());
      if (audibleAt !== null && audibleAt > time.now()) audibleAt = null;
      on.silenced();
      loudness.cut(time.now());
      const fading = fadedOut(joinSamples(pieces).subarray(played), sampleRate);
      path.send(fading);
      on.sent(fading);
      from = played + fading.length;
      sent = 0;
      heardTo = Math.max(heardTo, from);
    },
    /** Sends the unheard audio again, starting at the interrupted word. */
    goOn(): void {
      const all = joinSamples(pieces);
      // An utterance that was heard to its end is not repeated.
      if (from >= all.length) return;
      from = placeToResume(all, from, sampleRate);
      send(fadedIn(all.subarray(from), sampleRate));
    },
    levelAt: loudness.levelAt,
    /** Returns the time of the first audible sound; undefined if none was played. */
    audibleSince: (): number | undefined =>
      audibleAt === null || audibleAt > time.now() ? undefined : audibleAt,
  };
};

export const playUtterance = (made: Utterance, options: PlayingOptions): PlayingUtterance => {
  const { path, time, on } = options;
  const { utterance, text } = made;
  const perMs = samplesPerMs(options.sampleRate);
  const beganAt = time.now();
  const words = createWords(options);
  let isPaused = false;

  /** An utterance without an audible sound starts when its audio is sent. */
  const startedAt = (): number => words.audibleSince() ?? beganAt;

  const finish = (): void => {
    const heard = made.state === 'broken off' ? heardAfter(text, words.length() / perMs) : text;
    on.played({ utterance, text: heard, startedAt: startedAt(), whole: true });
  };

  const endWithBreath = (): void => {
    if (made.state === 'coming' || isPaused) return;
    words.breathe();
    path.whenPlayed(finish);
  };

  return {
    made,
    sendOn() {
      const samples = joinSamples(made.pieces.splice(0));
      if (samples.length > 0) words.add(samples, !isPaused);
      endWithBreath();
    },
    pause() {
      if (isPaused) return;
      isPaused = true;
      words.silence();
    },
    resume() {
      if (!isPaused) return;
      isPaused = false;
      words.goOn();
      endWithBreath();
    },
    cut() {
      made.abort();
      const playedMs = words.takeBack() / perMs;
      // The heard text is estimated from the heard share of the audio. While synthesis is incomplete, the length of the
      // audio is estimated from the text.
      const wordsMs = words.length() / perMs;
      const expected = made.state === 'whole' ? wordsMs : Math.max(wordsMs, sayingTime(text));
      // Audio in transit has not been heard yet. During a pause no audio is in transit.
      const underWayMs = isPaused ? 0 : latencyMs;
      const share = Math.min(wordsMs, Math.max(0, playedMs - underWayMs)) / expected;
      const heard = share >= 1 ? text : heardAfter(text, sayingTime(text) * share);
      return { utterance, text: heard, startedAt: startedAt(), whole: heard === text };
    },
    level: () => words.levelAt(time.now()),
  };
};
