/** The sound of a recording as a picture. */

const bars = 180;

/** The loudest sample of each stretch, 0 to 1. Throws where the browser cannot decode the sound. */
export const peaksOf = async (bytes: ArrayBuffer): Promise<number[]> => {
  // Decoding takes the bytes away from whoever holds them.
  const sound = await new OfflineAudioContext(1, 1, 8_000).decodeAudioData(bytes.slice(0));
  const samples = sound.getChannelData(0);
  const step = Math.max(1, Math.floor(samples.length / bars));
  const peaks = Array.from({ length: Math.min(bars, samples.length) }, (_, bar) => {
    let peak = 0;
    for (let index = bar * step; index < (bar + 1) * step; index++)
      peak = Math.max(peak, Math.abs(samples[index] ?? 0));
    return peak;
  });
  const loudest = Math.max(...peaks, 0.01);
  return peaks.map((peak) => peak / loudest);
};

/** In a box of 1000 by 100. */
export const pathOf = (peaks: readonly number[]): string => {
  const width = 1000 / Math.max(1, peaks.length);
  return peaks
    .map((peak, bar) => {
      const x = ((bar + 0.5) * width).toFixed(1);
      const half = Math.max(1.5, peak * 46);
      return `M${x} ${(50 - half).toFixed(1)}V${(50 + half).toFixed(1)}`;
    })
    .join('');
};
