/** Cost of resampling a synthesizer's voice to the telephone rate, compared to linear interpolation. */
import { loadResampler } from '#sip/audio/resampler.ts';
import type { Bench } from './bench.ts';
import { median } from './percentile.ts';

const lineRate = 8_000;
const engineRates = [16_000, 22_050, 24_000, 48_000];
const rounds = 100;

const secondOfSound = (rate: number): Int16Array =>
  Int16Array.from({ length: rate }, (_, index) => 9_000 * Math.sin((2 * Math.PI * 700 * index) / rate));

const interpolate = (samples: Int16Array, from: number, to: number): Int16Array =>
  Int16Array.from({ length: Math.floor((samples.length * to) / from) }, (_, index) => {
    const place = (index * from) / to;
    const left = Math.floor(place);
    const [before = 0, after = 0] = samples.subarray(left, left + 2);
    return before + (after - before) * (place - left);
  });

const milliseconds = (work: () => void): number => {
  const begun = performance.now();
  work();
  return performance.now() - begun;
};

export const benchResampling: Bench = async ({ print }) => {
  const resample = await loadResampler();
  for (const rate of engineRates) {
    const samples = secondOfSound(rate);
    const own: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      own.push(milliseconds(() => resample(samples, rate, lineRate)));
      bare.push(milliseconds(() => interpolate(samples, rate, lineRate)));
    }
    const [ms, bareMs] = [median(own), median(bare)];
    print(
      `resampling, ${rate} Hz`,
      `${ms.toFixed(2)} ms a second, ${(ms / bareMs).toFixed(1)} × interpolation (${bareMs.toFixed(2)} ms)`,
    );
  }
};
