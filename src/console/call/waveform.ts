/** Waveform of a recording: one lane for each party shows when each of them spoke. */

export type Speaker = 'assistant' | 'user';

/** Peak levels of one party's audio, from 0 to 1, one for each section. */
export type Lane = { speaker: Speaker; peaks: readonly number[] };

export type Waveform = { lanes: readonly Lane[]; seconds: number };

const bars = 240;

/** Level below which audio is drawn as silence. Without it, normalization would make line noise look like speech. */
const faintest = 0.01;

/** Normalizes each party separately, because an agent's voice is often much louder than a caller's. */
const peaksOf = (samples: Float32Array): number[] => {
  const step = Math.max(1, Math.floor(samples.length / bars));
  const peaks = Array.from({ length: Math.min(bars, samples.length) }, (_, bar) => {
    let peak = 0;
    for (let index = bar * step; index < (bar + 1) * step; index++)
      peak = Math.max(peak, Math.abs(samples[index] ?? 0));
    return peak;
  });
  const loudest = Math.max(...peaks, faintest);
  return peaks.map((peak) => peak / loudest);
};

/**
 * Computes the waveform. The left channel is the other party, the right one the agent. Throws if the browser cannot
 * decode the audio.
 */
export const waveformOf = async (bytes: ArrayBuffer): Promise<Waveform> => {
  // The bytes are copied, because decoding detaches their buffer.
  const sound = await new OfflineAudioContext(2, 1, 8_000).decodeAudioData(bytes.slice(0));
  const parties: readonly Speaker[] = sound.numberOfChannels > 1 ? ['user', 'assistant'] : ['user'];
  const lanes = parties.map((speaker, channel) => ({
    speaker,
    peaks: peaksOf(sound.getChannelData(channel)),
  }));
  return { lanes: lanes.toReversed(), seconds: sound.duration };
};

/** Rectangle of a lane. */
export type Strip = { left: number; width: number; middle: number; height: number };

/** Minimum height that keeps a bar visible. */
const shortest = 1;

export const pathOf = (peaks: readonly number[], { left, width, middle, height }: Strip): string => {
  const each = width / Math.max(1, peaks.length);
  return peaks
    .map((peak, bar) => {
      const x = (left + (bar + 0.5) * each).toFixed(1);
      const half = Math.max(shortest, (peak * height) / 2);
      return `M${x} ${(middle - half).toFixed(1)}V${(middle + half).toFixed(1)}`;
    })
    .join('');
};
