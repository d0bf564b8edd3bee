/**
 * Measures how long a voice has sounded like speech. A voice detector takes a cough, a knock or rustling paper for a
 * voice; but most of speech comes from the throat and is periodic, with a pitch, and noise is not; nor has all of it a
 * pitch, as tones and music have. The pitch is looked for where the sound is most like itself a little earlier
 * (normalized autocorrelation).
 */
import { pitchLikeness, pitchWindow } from '#src/domain/pitch.ts';
import { frameMs } from './voice-detector.ts';

export type SpeechNumbers = Readonly<{
  /** A stretch of sound is periodic when it is so much like itself a pitch earlier, from 0 to 1. */
  likeness: number;
  /** Speech is periodic for at least, and at most, this share of its time. */
  leastShare: number;
  mostShare: number;
}>;

export type SpeechMeter = {
  /** The next frame that may be a voice; those before it that were none are left out. */
  add(frame: Int16Array): void;
  /** How long there was a voice, in milliseconds. */
  voicedMs(): number;
  soundsLikeSpeech(): boolean;
  /** Another voice begins. */
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
