/**
 * One utterance on its way to the far end: sent as it is made, with a breath behind it. What was heard of one that is
 * cut is known by what had been played of it. It can pause, and go on.
 */
import { joinSamples } from '#src/domain/sample-bytes.ts';
import type { Played } from '../line-reports.ts';
import type { LineTime } from '../line-time.ts';
import { samplesPerMs, silence, type SampleRate } from '../samples.ts';
import { heardAfter, sayingTime } from '../speaking-time.ts';
import type { SoundPath } from '../media/media-endpoint.ts';
import { fadedIn, fadedOut } from './fade.ts';
import { createLoudness } from './loudness.ts';
import { placeToResume } from './resume-place.ts';
import type { Utterance } from './utterance.ts';

/** Silence behind each utterance: a breath between sentences, and what a jitter buffer still holds at the end. */
const breathMs = 120;
/** From the moment at which a sample is played to its being heard at the far end. */
const latencyMs = 40;

export type PlayingUtterance = {
  readonly made: Utterance;
  /** Sends what was made meanwhile, and the breath behind the last of it. */
  sendOn(): void;
  /** Falls silent; what is made from now on waits. Idempotent. */
  pause(): void;
  /** Goes on from the word, or the sample, at which it was silenced. */
  resume(): void;
  /** Ends it before its time, and says what was heard of it. */
  cut(): Played;
  /** How loud it was at most lately, in dB below full scale. */
  level(): number;
};

export type PlayingOptions = {
  path: Pick<SoundPath, 'send' | 'whenPlayed' | 'waiting' | 'takeBack'>;
  /** Of the path, and so of what was made. */
  sampleRate: SampleRate;
  time: LineTime;
  on: {
    sent: (samples: Int16Array) => void;
    /** What sounds ends now. */
    silenced: () => void;
    played: (played: Played) => void;
  };
};

/**
 * The words of an utterance on their way. They are kept until it is over: what is taken back in a pause is sent again.
 * Places are counted in samples of the words.
 */
const createWords = ({ path, sampleRate, time, on }: PlayingOptions) => {
  const loudness = createLoudness(sampleRate);
  let pieces: readonly Int16Array[] = [];
  let length = 0;
  /** Up to where it was played before the last pause; and from where on it was sent since, and how much. */
  let heardTo = 0;
  let from = 0;
  let sent = 0;

  const send = (samples: Int16Array): void => {
    loudness.add(samples, time.now() + path.waiting() / samplesPerMs(sampleRate));
    path.send(samples);
    sent += samples.length;
    on.sent(samples);
  };

  return {
    length: () => length,
    /** These follow; they are sent, or wait. */
    add(samples: Int16Array, isSent: boolean): void {
      pieces = [...pieces, samples];
      length += samples.length;
      if (isSent) send(samples);
    },
    /** Silence behind the words, which counts as sent. */
    breathe(): void {
      const breath = silence(breathMs, sampleRate);
      path.send(breath);
      sent += breath.length;
    },
    /** Takes back what was not played, and says up to where it was, with the breath behind it. */
    takeBack: (): number => Math.max(heardTo, from + sent - path.takeBack()),
    /** Takes back what was not played, but for the fading of what sounds. */
    silence(): void {
      const played = Math.min(length, from + sent - path.takeBack());
      on.silenced();
      loudness.cut(time.now());
      const fading = fadedOut(joinSamples(pieces).subarray(played), sampleRate);
      path.send(fading);
      on.sent(fading);
      from = played + fading.length;
      sent = 0;
      heardTo = Math.max(heardTo, from);
    },
    /** Sends anew what was not heard, from the word on that was broken off. */
    goOn(): void {
      const all = joinSamples(pieces);
      // An utterance that was heard whole is not said again.
      if (from >= all.length) return;
      from = placeToResume(all, from, sampleRate);
      send(fadedIn(all.subarray(from), sampleRate));
    },
    levelAt: loudness.levelAt,
  };
};

export const playUtterance = (made: Utterance, options: PlayingOptions): PlayingUtterance => {
  const { path, time, on } = options;
  const { utterance, text } = made;
  const perMs = samplesPerMs(options.sampleRate);
  const startedAt = time.now();
  const words = createWords(options);
  let isPaused = false;

  const finish = (): void => {
    const heard = made.state === 'broken off' ? heardAfter(text, words.length() / perMs) : text;
    on.played({ utterance, text: heard, startedAt, whole: true });
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
      // The text has its rhythm, the voice its pace: the share of the sound is taken as the share of the text's time.
      // While the voice is still being made, its length is estimated from the text.
      const wordsMs = words.length() / perMs;
      const expected = made.state === 'whole' ? wordsMs : Math.max(wordsMs, sayingTime(text));
      // During a pause no sound is under way: all that was played has arrived.
      const underWayMs = isPaused ? 0 : latencyMs;
      const share = Math.min(wordsMs, Math.max(0, playedMs - underWayMs)) / expected;
      const heard = share >= 1 ? text : heardAfter(text, sayingTime(text) * share);
      return { utterance, text: heard, startedAt, whole: heard === text };
    },
    level: () => words.levelAt(time.now()),
  };
};
