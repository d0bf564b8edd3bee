/**
 * One utterance on its way to the far end: sent as it is made, with a breath behind it. What was heard of one that is
 * cut is known by what had been played of it.
 */
import { joinSamples } from '#src/domain/samples.ts';
import type { LineTime } from '../../line-time.ts';
import { samplesPerMs, silence } from '../../samples.ts';
import { heardAfter, sayingTime } from '../../voice.ts';
import type { SoundPath } from '../../media/endpoint.ts';
import { createLoudness } from './loudness.ts';
import type { Utterance } from './utterance.ts';

/** Silence behind each utterance: a breath between sentences, and what a jitter buffer still holds at the end. */
const breathMs = 120;
/** From the moment at which a sample is played to its being heard at the far end. */
const latencyMs = 40;

/** An utterance that has left the line. `startedAt` is wall-clock. */
export type Played = { utterance: number; text: string; startedAt: number; whole: boolean };

export type PlayingUtterance = {
  readonly made: Utterance;
  /** Sends what was made meanwhile, and the breath behind the last of it. */
  sendOn(): void;
  /** Ends it before its time, and says what was heard of it. */
  cut(): Played;
  /** How loud it was at most lately, in dB below full scale. */
  level(): number;
};

export type PlayingOptions = {
  path: Pick<SoundPath, 'send' | 'whenPlayed' | 'waiting' | 'takeBack'>;
  time: LineTime;
  on: {
    sent: (samples: Int16Array) => void;
    played: (played: Played) => void;
  };
};

export const playUtterance = (made: Utterance, { path, time, on }: PlayingOptions): PlayingUtterance => {
  const { utterance, text } = made;
  const startedAt = time.now();
  const loudness = createLoudness();
  /** Samples of its words, and of these and the breath. */
  let words = 0;
  let sent = 0;

  const send = (samples: Int16Array): void => {
    path.send(samples);
    sent += samples.length;
  };

  const finish = (): void => {
    const heard = made.state === 'broken off' ? heardAfter(text, words / samplesPerMs) : text;
    on.played({ utterance, text: heard, startedAt, whole: true });
  };

  return {
    made,
    sendOn() {
      const samples = joinSamples(made.pieces.splice(0));
      if (samples.length > 0) {
        loudness.add(samples, time.now() + path.waiting() / samplesPerMs);
        send(samples);
        words += samples.length;
        on.sent(samples);
      }
      if (made.state === 'coming') return;
      send(silence(breathMs));
      path.whenPlayed(finish);
    },
    cut() {
      made.abort();
      const playedMs = (sent - path.takeBack()) / samplesPerMs;
      // The text has its rhythm, the voice its pace: the share of the sound is taken as the share of the text's time.
      // How long a voice gets that is still being made, the text must tell.
      const wordsMs = words / samplesPerMs;
      const expected = made.state === 'whole' ? wordsMs : Math.max(wordsMs, sayingTime(text));
      const share = Math.min(wordsMs, Math.max(0, playedMs - latencyMs)) / expected;
      const heard = share >= 1 ? text : heardAfter(text, sayingTime(text) * share);
      return { utterance, text: heard, startedAt, whole: heard === text };
    },
    level: () => loudness.levelAt(time.now()),
  };
};
