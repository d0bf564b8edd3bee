/**
 * Connects `barge-in-watch.ts` with the voice detector: detects onsets of a voice over the agent's, and speech by its
 * sound alone.
 */
import type { BargeIn } from '#machines/line.ts';
import type { LineTime } from '../line-time.ts';
import { createBargeInWatch, type BargeInNumbers } from './barge-in-watch.ts';
import { createSpeechMeter, type SpeechNumbers } from './speech-meter.ts';
import { frameMs } from './voice-detector.ts';

export type OnsetNumbers = BargeInNumbers & SpeechNumbers;

export type Onsets = {
  voiceBegan(): void;
  /** Processes the next frame that sounds like a voice. */
  sounds(frame: Int16Array): void;
  voiceEnded(): void;
  /** Called when a backchannel has ended. */
  backchannel(): void;
  /** Called when the voice is speech. */
  speech(): void;
  stop(): void;
};

export const createOnsets = (options: {
  numbers: OnsetNumbers;
  bargeIn: BargeIn;
  /** Duration that a voice has when the detector reports its beginning. */
  begunMs: number;
  time: Pick<LineTime, 'after'>;
  isAgentAudible: () => boolean;
  /** Whether words arrive while they are spoken. */
  givesWordsEarly: () => boolean;
  on: {
    onset: () => void;
    noSpeech: () => void;
    /** Called when the voice has lasted and sounds like speech. */
    speechLasts: () => void;
  };
}): Onsets => {
  const { numbers, bargeIn, begunMs, isAgentAudible, givesWordsEarly, on } = options;
  const watch = createBargeInWatch(options);
  const meter = createSpeechMeter(numbers);
  const isPausing = bargeIn.mode === 'pause';
  /** State of the current voice; `null` when it is irrelevant. */
  let stage: 'begun' | 'onset' | null = null;

  const take = (frame: Int16Array): void => {
    meter.add(frame);
    // The first frame is part of the duration that the voice had when it was reported.
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
