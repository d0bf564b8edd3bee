import test from 'ava';
import { resample } from '#sip/resample.ts';

const tone = (hertz: number, rate: number): Int16Array =>
  Int16Array.from({ length: rate / 2 }, (_, index) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * hertz * index) / rate)),
  );

/** Root mean square, away from the ends. */
const level = (samples: Int16Array): number => {
  const middle = samples.subarray(200, -200);
  return Math.sqrt(middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length);
};

for (const rate of [8_000, 22_050, 24_000, 48_000])
  test(`a tone of 1000 Hz stays the same tone from ${rate} to 16000 Hz`, (t) => {
    const result = resample(tone(1_000, rate), rate / 16_000);
    const expected = tone(1_000, 16_000);
    t.is(result.length, expected.length);
    const difference = level(result.map((sample, index) => sample - (expected[index] ?? 0)));
    t.true(difference < level(expected) / 50, `${difference}`);
  });

test('what the new rate cannot carry is removed and not folded back', (t) => {
  t.true(level(resample(tone(10_500, 22_050), 22_050 / 16_000)) < 10_000 / Math.SQRT2 / 10);
});

test('a loud sample stays loud and does not wrap around', (t) => {
  const square = Int16Array.from({ length: 2_000 }, (_, index) => (index % 100 < 50 ? 32_767 : -32_768));
  const result = resample(square, 0.7);
  t.true(result.subarray(10, 60).every((sample) => sample > 0));
});

test('the same rate leaves the samples as they are', (t) => {
  const samples = tone(440, 16_000);
  t.is(resample(samples, 1), samples);
});
