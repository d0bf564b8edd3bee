/**
 * Replaces DTMF tones by silence. A tone is detected only after it has sounded for a while, so the gate holds back two
 * frames. These frames contain the beginning of a tone and its end, each shorter than a block of the detector.
 */
import { createToneWatch } from '../listening/dtmf-tones.ts';
import type { SampleRate } from '../samples.ts';

const heldFrames = 2;

type Frame = { audio: Int16Array; hasTone: boolean };

export type ToneGate = {
  /**
   * Takes the next frame: `audio` is to be written, `heard` is what the tones are detected in. Returns the earlier
   * frames that can be written now.
   */
  take(audio: Int16Array, heard: Int16Array): Int16Array[];
  /** Returns the frames that were held back; no further frames are accepted. */
  end(): Int16Array[];
};

export const createToneGate = (sampleRate: SampleRate): ToneGate => {
  const hasTone = createToneWatch(sampleRate);
  const held: Frame[] = [];
  let before = false;

  /** Returns the oldest frame, or silence if a tone is in that frame or next to it. */
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
