/**
 * Frames that FreeSWITCH makes up. It reads a packet every 20 ms, and where none is there, it fills in a frame of its own
 * (`switch_ivr_park`: bytes of 255). In a pause of the far end that is its silence. But while packets longer than 20 ms come,
 * the sound of such a frame is in the packet before it, and the frame would only stretch the call.
 */

/** What is ahead of its time by more has come in bursts. */
const mostAheadMs = 500;

const isFilled = (samples: Int16Array): boolean => samples.every((sample) => sample === -1);

/** Returns whether a frame is to be left out. */
export const createFillerFilter = (samplesPerMs: number): ((samples: Int16Array) => boolean) => {
  /** FreeSWITCH reads so often; a frame of its own is as long. */
  let everyMs = 20;
  /** So much sound has come before its time. */
  let aheadMs = 0;
  return (samples) => {
    const lastsMs = samples.length / samplesPerMs;
    if (!isFilled(samples)) {
      aheadMs = Math.min(mostAheadMs, aheadMs + Math.max(0, lastsMs - everyMs));
      return false;
    }
    everyMs = lastsMs;
    if (aheadMs <= 0) return false;
    aheadMs -= lastsMs;
    return true;
  };
};
