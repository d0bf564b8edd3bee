/** The sound of a recording as a picture: a lane for each party, so that it is seen who spoke when. */

export type Speaker = 'assistant' | 'user';

/** The loudest sample of each stretch, 0 to 1, of one party. */
export type Lane = { speaker: Speaker; peaks: readonly number[] };

export type Waveform = { lanes: readonly Lane[]; seconds: number };

const bars = 240;

/** What is quieter is drawn as silence: made as loud as the rest, the noise of a line would look like speech. */
const faintest = 0.01;

/** Each party as loud as it is to itself: an agent's voice is often much louder than a caller's. */
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

/** The other party is on the left, the agent on the right. Throws where the browser cannot decode the sound. */
export const waveformOf = async (bytes: ArrayBuffer): Promise<Waveform> => {
  // Decoding takes the bytes away from whoever holds them.
  const sound = await new OfflineAudioContext(2, 1, 8_000).decodeAudioData(bytes.slice(0));
  const parties: readonly Speaker[] = sound.numberOfChannels > 1 ? ['user', 'assistant'] : ['user'];
  const lanes = parties.map((speaker, channel) => ({
    speaker,
    peaks: peaksOf(sound.getChannelData(channel)),
  }));
  return { lanes: lanes.toReversed(), seconds: sound.duration };
};

/** Where a lane is drawn. */
export type Strip = { left: number; width: number; middle: number; height: number };

/** A bar is never so short that it is not seen at all. */
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
