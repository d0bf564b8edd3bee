import test from 'ava';
import { loadResampler, resamplingReach } from '#sip/resampler.ts';

const resample = await loadResampler();

const tone = (hertz: number, rate: number): Int16Array =>
  Int16Array.from({ length: rate / 2 }, (_, index) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * hertz * index) / rate)),
  );

/** Root mean square, away from the ends. */
const level = (samples: Int16Array): number => {
  const middle = samples.subarray(200, -200);
  return Math.sqrt(middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length);
};

/** How much louder a tone has become, in dB. */
const gain = (hertz: number, from: number, to: number): number =>
  20 * Math.log10(level(resample(tone(hertz, from), from, to)) / level(tone(hertz, from)));

for (const rate of [8_000, 22_050, 24_000, 48_000])
  test(`a tone of 1000 Hz stays the same tone from ${rate} to 16000 Hz`, (t) => {
    const result = resample(tone(1_000, rate), rate, 16_000);
    const expected = tone(1_000, 16_000);
    t.is(result.length, expected.length);
    const difference = level(result.map((sample, index) => sample - (expected[index] ?? 0)));
    t.true(difference < level(expected) / 50, `${difference}`);
  });

for (const rate of [16_000, 22_050, 24_000, 44_100, 48_000])
  test(`what a telephone carries is as loud as it was at ${rate} Hz, and nothing else is folded into it`, (t) => {
    for (const hertz of [300, 1_000, 3_000, 3_400])
      t.true(Math.abs(gain(hertz, rate, 8_000)) < 0.1, `${hertz} Hz: ${gain(hertz, rate, 8_000)} dB`);
    for (const hertz of [4_400, 5_000, 7_000])
      t.true(gain(hertz, rate, 8_000) < -80, `${hertz} Hz: ${gain(hertz, rate, 8_000)} dB`);
  });

test('sound of any length has its place, at the borders of what is taken at once, too', (t) => {
  const block = 8_192;
  for (const length of [0, 1, 7, block - 1, block, block + 1, 3 * block, 30_000])
    for (const [from, to] of [
      [24_000, 8_000],
      [22_050, 8_000],
      [8_000, 24_000],
      [19_846, 16_000],
    ] as const)
      t.is(resample(new Int16Array(length), from, to).length, Math.floor((length * to) / from));
});

test('a sample is made of no more than what is in reach', (t) => {
  for (const rate of [16_000, 22_050, 24_000, 48_000]) {
    const sound = tone(700, rate);
    const reach = resamplingReach(rate, 8_000);
    const changed = sound.map((sample, index) => (index > 4_000 + reach ? 32_767 : sample));
    const until = Math.floor((4_000 * 8_000) / rate);
    t.deepEqual(
      resample(changed, rate, 8_000).subarray(0, until),
      resample(sound, rate, 8_000).subarray(0, until),
    );
  }
});

test('a sound does not linger in the next one of the same rates, however many others there were', (t) => {
  const sound = tone(700, 24_000);
  const alone = resample(sound, 24_000, 8_000);
  for (let others = 0; others < 40; others += 1) resample(tone(440, 24_000), 24_000 + others, 8_000);
  t.deepEqual(resample(sound, 24_000, 8_000), alone);
  t.deepEqual(resample(sound, 24_000, 8_000), alone);
});

test('a loud sample stays loud and does not wrap around', (t) => {
  const square = Int16Array.from({ length: 2_000 }, (_, index) => (index % 100 < 50 ? 32_767 : -32_768));
  const result = resample(square, 7_000, 10_000);
  t.true(result.subarray(10, 60).every((sample) => sample > 0));
});

test('the same rate leaves the samples as they are', (t) => {
  const samples = tone(440, 16_000);
  t.is(resample(samples, 16_000, 16_000), samples);
});
