import test from 'ava';
import { logMel, melBands } from '#src/speech/turn-model/log-mel.ts';
import { modelSound } from '#src/speech/turn-model/model-sound.ts';
import { createPowers } from '#src/speech/turn-model/spectrum.ts';

test('the powers of two windows are those of the transform as it is defined', (t) => {
  const window = (seed: number) =>
    Float64Array.from({ length: 400 }, (_, n) => Math.sin(n * n * seed) + seed);
  const powerOf = (samples: Float64Array, frequency: number): number => {
    const part = (wave: (angle: number) => number): number =>
      samples.reduce((sum, sample, n) => sum + sample * wave((2 * Math.PI * frequency * n) / 400), 0);
    return part(Math.cos) ** 2 + part(Math.sin) ** 2;
  };
  const [one, other] = [window(0.013), window(0.4)];
  const [powers, otherPowers] = createPowers()(one, other);
  for (const frequency of [0, 1, 7, 20, 21, 99, 199, 200]) {
    t.true(Math.abs((powers[frequency] ?? 0) - powerOf(one, frequency)) < 1e-6, `${frequency}`);
    t.true(Math.abs((otherPowers[frequency] ?? 0) - powerOf(other, frequency)) < 1e-6, `${frequency}`);
  }
});

/** The first weights of the filters that come with Whisper (github.com/openai/whisper, assets/mel_filters.npz). */
test('the bands are those of Whisper', (t) => {
  const near = (value: number | undefined, expected: number): boolean =>
    Math.abs((value ?? NaN) - expected) < 1e-8;
  t.is(melBands.length, 80);
  t.true(near(melBands[0]?.weights[0], 0.02486259));
  t.true(near(melBands[1]?.weights[0], 0.00199082));
  t.true(near(melBands[1]?.weights[1], 0.02287177));
  t.deepEqual([melBands[0]?.from, melBands[1]?.from], [1, 1]);
});

/** Computed by NumPy, from the definition: four seconds of silence, then four of a tone and noise. */
test('features are those of the definition', (t) => {
  let seed = 1;
  const sound = Float64Array.from({ length: 128_000 }, (_, index) => {
    seed = (seed * 16_807) % 2_147_483_647;
    if (index < 64_000) return 0;
    return 0.25 * Math.sin((2 * Math.PI * 440 * index) / 16_000) + 0.1 * (seed / 2 ** 30 - 1);
  });
  const features = logMel(sound);
  t.is(features.length, 80 * 800);
  for (const [band, frame, expected] of [
    [0, 0, -0.258998],
    [0, 799, 0.955696],
    [10, 400, 1.558528],
    [11, 500, 1.731641],
    [11, 799, 1.726793],
    [40, 398, -0.258998],
    [40, 401, 1.029358],
    [79, 600, 0.975157],
    [79, 799, 0.993967],
  ] as const) {
    const value = features[band * 800 + frame] ?? NaN;
    t.true(Math.abs(value - expected) < 1e-4, `${band}, ${frame}: ${value}`);
  }
});

test('sound of a telephone is heard at the rate of the model, at the end of eight seconds', (t) => {
  const tone = (rate: number, milliseconds: number) =>
    Int16Array.from({ length: (rate * milliseconds) / 1_000 }, (_, index) =>
      Math.round(12_000 * Math.sin((2 * Math.PI * 1_000 * index) / rate)),
    );
  const wide = modelSound(tone(16_000, 1_000), 16_000);
  const narrow = modelSound(tone(8_000, 1_000), 8_000);
  t.is(narrow.length, 128_000);
  t.is(narrow[111_999], 0);
  // But for its ends, where nothing lies beside it.
  for (let index = 112_100; index < 127_900; index += 1)
    t.true(Math.abs((narrow[index] ?? 0) - (wide[index] ?? 0)) < 0.002, `${index}`);
  const long = Int16Array.from({ length: 8_001 * 8 }, (_, index) => index % 30_000);
  t.is(modelSound(long, 8_000)[0], (long[8] ?? 0) / 32_768, 'the last of it is kept');
});
