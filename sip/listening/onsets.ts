/**
 * Where a voice over the agent's has its onset, and where it has become speech by its sound alone: `barge-in-watch.ts` with
 * ears.
 */
import type { BargeIn } from '#machines/line.ts';
import type { LineTime } from '../line-time.ts';
import { createBargeInWatch, type BargeInNumbers } from './barge-in-watch.ts';
import { createSpeechMeter, type SpeechNumbers } from './speech-meter.ts';
import { frameMs } from './voice-detector.ts';

export type OnsetNumbers = BargeInNumbers & SpeechNumbers;

export type Onsets = {
  voiceBegan(): void;
  /** The next frame that sounds like a voice. */
  sounds(frame: Int16Array): void;
  voiceEnded(): void;
  /** A backchannel was heard whole. */
  backchannel(): void;
  /** It is speech. */
  speech(): void;
  stop(): void;
};

export const createOnsets = (options: {
  numbers: OnsetNumbers;
  bargeIn: BargeIn;
  /** A voice has lasted for so long when it is told that it began. */
  begunMs: number;
  time: Pick<LineTime, 'after'>;
  isAgentAudible: () => boolean;
  /** Whether words are known while they are spoken. */
  givesWordsEarly: () => boolean;
  on: {
    onset: () => void;
    noSpeech: () => void;
    /** It has lasted, and sounds like speech. */
    speechLasts: () => void;
  };
}): Onsets => {
  const { numbers, bargeIn, begunMs, isAgentAudible, givesWordsEarly, on } = options;
  const watch = createBargeInWatch(options);
  const meter = createSpeechMeter(numbers);
  const isPausing = bargeIn.mode === 'pause';
  /** Where the voice that is on has come to; `null` where it does not matter. */
  let stage: 'begun' | 'onset' | null = null;

  const take = (frame: Int16Array): void => {
    meter.add(frame);
    // The frame with which it began is one of those that it had lasted for.
    const lastedMs = begunMs - frameMs + meter.voicedMs();
    if (stage === 'begun' && lastedMs >= bargeIn.onsetMs) {
      stage = 'onset';
      watch.onset();
    }
    if (stage === 'onset' && lastedMs >= bargeIn.speechMs && meter.soundsLikeSpeech()) {
      stage = null;
      on.speechLasts();
    }
  };

  return {
    voiceBegan() {
      watch.voiceBegan();
      meter.reset();
      if (isPausing && isAgentAudible()) stage = 'begun';
    },
    sounds(frame) {
      if (stage !== null) take(frame);
    },
    voiceEnded() {
      stage = null;
      watch.voiceEnded(!givesWordsEarly() && meter.soundsLikeSpeech());
    },
    backchannel: watch.backchannel,
    speech() {
      stage = null;
      watch.speech();
    },
    stop: watch.stop,
  };
};
