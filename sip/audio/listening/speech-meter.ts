/**
 * Measures how long a voice has sounded like speech, because a voice detector also accepts coughs, knocks and rustling
 * paper. Most of speech is periodic, while noise is not, and tones and music are periodic all the time. The pitch is
 * the lag with the highest normalized autocorrelation.
 */
import { pitchLikeness, pitchWindow } from '#src/domain/pitch.ts';
import { frameMs } from './voice-detector.ts';

export type SpeechNumbers = Readonly<{
  /** Minimum autocorrelation at the pitch, from 0 to 1, of a periodic frame. */
  likeness: number;
  /** Smallest and largest share of periodic frames in speech. */
  leastShare: number;
  mostShare: number;
}>;

export type SpeechMeter = {
  /** Processes the next frame that sounds like a voice. Other frames must not be passed in. */
  add(frame: Int16Array): void;
  /** Returns the duration of the voice in milliseconds. */
  voicedMs(): number;
  soundsLikeSpeech(): boolean;
  /** Starts measuring another voice. */
  reset(): void;
};

export const createSpeechMeter = (numbers: SpeechNumbers): SpeechMeter => {
  let last: Int16Array = new Int16Array();
  let frames = 0;
  let periodic = 0;
  return {
    add(frame) {
      const window = Int16Array.of(...last, ...frame).slice(-pitchWindow);
      last = window;
      frames += 1;
      if (window.length === pitchWindow && pitchLikeness(window) >= numbers.likeness) periodic += 1;
    },
    voicedMs: () => frames * frameMs,
    soundsLikeSpeech: () =>
      frames > 0 && periodic >= numbers.leastShare * frames && periodic <= numbers.mostShare * frames,
    reset() {
      frames = 0;
      periodic = 0;
      last = new Int16Array();
    },
  };
};
