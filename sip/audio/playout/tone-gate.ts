/**
 * Makes silence of DTMF tones. A tone is known when it has sounded for a while, so two frames are held back: enough for
 * the beginning of a tone, and for its end, which fill less than a block of the detector.
 */
import { createToneWatch } from '../listening/dtmf-tones.ts';
import type { SampleRate } from '../samples.ts';

const heldFrames = 2;

type Frame = { audio: Int16Array; hasTone: boolean };

export type ToneGate = {
  /**
   * Takes the next frame, `audio` to be handed on and `heard` what there was to hear. Returns what can be handed on, of
   * the frames before it.
   */
  take(audio: Int16Array, heard: Int16Array): Int16Array[];
  /** The frames that were held back; no more are taken. */
  end(): Int16Array[];
};

export const createToneGate = (sampleRate: SampleRate): ToneGate => {
  const hasTone = createToneWatch(sampleRate);
  const held: Frame[] = [];
  let before = false;

  /** The oldest frame: silence where a tone is in it or next to it. */
  const next = (): Int16Array[] => {
    const isSilent = before || held.some((frame) => frame.hasTone);
    const first = held.shift();
    if (first === undefined) return [];
    before = first.hasTone;
    return [isSilent ? new Int16Array(first.audio.length) : first.audio];
  };

  return {
    take(audio, heard) {
      held.push({ audio, hasTone: hasTone(heard) });
      return held.length > heldFrames ? next() : [];
    },
    end: () => held.slice().flatMap(next),
  };
};
