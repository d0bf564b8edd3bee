/**
 * Detects filler frames of FreeSWITCH. FreeSWITCH reads a packet every 20 ms; if no packet has arrived, it inserts a
 * filler frame (`switch_ivr_park`: bytes of 255). In a pause of the far end the filler frame represents the silence.
 * While packets longer than 20 ms arrive, however, the audio of that time is in the previous packet, and the filler
 * would only stretch the call.
 */

/** Maximum duration of audio that counts as ahead of time, in milliseconds; more audio has arrived in bursts. */
const maxAheadMs = 500;

const isFilled = (samples: Int16Array): boolean => {
  for (const sample of samples) if (sample !== -1) return false;
  return true;
};

/** Returns whether a frame must be dropped. */
export const createFillerFilter = (samplesPerMs: number): ((samples: Int16Array) => boolean) => {
  /** Interval at which FreeSWITCH reads, which is also the duration of its filler frame, in milliseconds. */
  let everyMs = 20;
  /** Duration of audio that arrived ahead of time. */
  let aheadMs = 0;
  return (samples) => {
    const lastsMs = samples.length / samplesPerMs;
    if (!isFilled(samples)) {
      aheadMs = Math.min(maxAheadMs, aheadMs + Math.max(0, lastsMs - everyMs));
      return false;
    }
    everyMs = lastsMs;
    if (aheadMs <= 0) return false;
    aheadMs -= lastsMs;
    return true;
  };
};
