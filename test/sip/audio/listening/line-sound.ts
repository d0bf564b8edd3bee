/** Audio at 8000 Hz for tests of listening, as a telephone line carries it. */
import { fromMuLaw, toMuLaw } from '#test/real-sip/mu-law.ts';

export const silence = (milliseconds: number): Int16Array => new Int16Array(8 * milliseconds);

/** A mix of tones with these pitches and this total loudness. */
export const tone = (
  milliseconds: number,
  hertz: readonly number[],
  { loudness = 6_000, noise = 0 } = {},
): Int16Array => {
  let seed = 1;
  return Int16Array.from({ length: 8 * milliseconds }, (_, index) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const pure = hertz.reduce((sum, pitch) => sum + Math.sin((2 * Math.PI * pitch * index) / 8_000), 0);
    return (loudness * pure) / hertz.length + (seed / 2 ** 30 - 1) * noise;
  });
};

export const onLine = (...parts: readonly Int16Array[]): Int16Array =>
  fromMuLaw(toMuLaw(Int16Array.from(parts.flatMap((part) => [...part]))));
