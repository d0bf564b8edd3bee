/** The model that detects the end of a turn. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { SimulatedClock } from 'xstate';
import { logMel, melBands } from '#src/speech/turn-model/log-mel.ts';
import { modelAudio } from '#src/speech/turn-model/model-audio.ts';
import { createPowers } from '#src/speech/turn-model/spectrum.ts';
import { startTurnModel } from '#src/speech/turn-model/turn-model.ts';
import { skippedWithout } from '#test/helpers/where-installed.ts';
import { listeningLogger } from './doubles/engine-world.ts';
import { onnxModel } from './turn-model/onnx-model.ts';

// Log mel

test('computes the power spectra of two windows as the transform is defined', (t) => {
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
test('uses the mel bands of Whisper', (t) => {
  const near = (value: number | undefined, expected: number): boolean =>
    Math.abs((value ?? NaN) - expected) < 1e-8;
  t.is(melBands.length, 80);
  t.true(near(melBands[0]?.weights[0], 0.02486259));
  t.true(near(melBands[1]?.weights[0], 0.00199082));
  t.true(near(melBands[1]?.weights[1], 0.02287177));
  t.deepEqual([melBands[0]?.from, melBands[1]?.from], [1, 1]);
});

/** Computed with NumPy from the definition: four seconds of silence, then four of a tone and noise. */
test('computes features by their definition', (t) => {
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

test('resamples telephone audio and places it at the end of eight seconds', (t) => {
  const tone = (rate: number, milliseconds: number) =>
    Int16Array.from({ length: (rate * milliseconds) / 1_000 }, (_, index) =>
      Math.round(12_000 * Math.sin((2 * Math.PI * 1_000 * index) / rate)),
    );
  const wide = modelAudio(tone(16_000, 1_000), 16_000);
  const narrow = modelAudio(tone(8_000, 1_000), 8_000);
  t.is(narrow.length, 128_000);
  t.is(narrow[111_999], 0);
  // Without its edges, which have no neighbours.
  for (let index = 112_100; index < 127_900; index += 1)
    t.true(Math.abs((narrow[index] ?? 0) - (wide[index] ?? 0)) < 0.002, `${index}`);
  const long = Int16Array.from({ length: 8_001 * 8 }, (_, index) => index % 30_000);
  t.is(modelAudio(long, 8_000)[0], (long[8] ?? 0) / 32_768, 'the last of it is kept');
});

// Turn model
// An end-of-turn model in its thread: with a double of the runtime, and with the runtime itself where it is installed.

const limits = { answerMs: 1_000, questions: 2, againMs: 30_000 };
const doubledRuntime = new URL('turn-model/doubled-runtime.ts', import.meta.url).href;

const start = async (t: ExecutionContext, file: Buffer | object, runtime = doubledRuntime) => {
  const folder = mkdtempSync(join(tmpdir(), 'turn-model-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'model.onnx');
  writeFileSync(path, Buffer.isBuffer(file) ? file : JSON.stringify(file));
  const clock = new SimulatedClock();
  const { lines, logger } = listeningLogger();
  const model = await startTurnModel({ runtime, path }, { limits, clock, logger });
  t.teardown(() => model.close());
  return { model, clock, lines };
};

/** Loud audio has a high average, and silence a low one. */
const loud = Int16Array.from({ length: 64_000 }, (_, index) => ((index * 7_919) % 20_011) - 10_005);
const silent = new Int16Array(16_000);

test.serial('decides whether audio is a complete turn', async (t) => {
  const { model } = await start(t, {});
  t.is(model.longestMs, 8_000);
  t.true(await model.isOver(loud, 8_000));
  t.false(await model.isOver(silent, 16_000));
});

test.serial('returns null if the turn model is late or overloaded', async (t) => {
  const { model, clock } = await start(t, { behaviour: 'hangs' });
  const answers = [model.isOver(loud, 8_000), model.isOver(loud, 8_000)];
  t.is(await model.isOver(loud, 8_000), null, 'a third waits for nothing');
  clock.increment(limits.answerMs);
  t.deepEqual(await Promise.all(answers), [null, null]);
});

test.serial('reports a thread that ends and replaces it after a while', async (t) => {
  const { model, clock, lines } = await start(t, { behaviour: 'dies' });
  t.is(await model.isOver(loud, 8_000), null);
  t.is(lines.filter((line) => line.includes('pauses decide')).length, 1);
  t.is(await model.isOver(loud, 8_000), null);
  clock.increment(limits.againMs);
  t.is(await model.isOver(loud, 8_000), null, 'it begins');
  t.is(await model.isOver(loud, 8_000), null, 'and ends again');
  t.is(lines.filter((line) => line.includes('pauses decide')).length, 2);
});

test.serial('the turn model returns null after close', async (t) => {
  const { model, lines } = await start(t, { behaviour: 'hangs' });
  const answer = model.isOver(loud, 8_000);
  await model.close();
  await model.close();
  t.is(await answer, null);
  t.is(await model.isOver(loud, 8_000), null);
  t.deepEqual(lines, []);
});

const unfit = test.macro(
  async (t, file: Buffer | object, message: RegExp, runtime: string = doubledRuntime) => {
    const error = await t.throwsAsync<Error>(start(t, file, runtime));
    t.is(error?.name, 'StartError');
    t.regex(error?.message ?? '', message);
    t.regex(error?.message ?? '', /^GW_TURN_MODEL: /);
  },
);

test.serial(
  'rejects a runtime that is not installed',
  unfit,
  {},
  /npm install --no-save --ignore-scripts/,
  'onnxruntime-absent',
);
test.serial('rejects a module that is not a runtime', unfit, {}, /is not what it is taken for/, 'node:path');
test.serial(
  'rejects a file that is not a model',
  unfit,
  Buffer.from('garbage'),
  /model\.onnx cannot be read as a model/,
);
test.serial(
  'rejects a model with other inputs',
  unfit,
  { input: 'pixels' },
  /does not take input_features alone, but pixels/,
);
test.serial(
  'rejects a model with several outputs',
  unfit,
  { behaviour: 'wide' },
  /does not answer with one probability/,
);
test.serial(
  'rejects a model whose output is not a probability',
  unfit,
  { behaviour: 'unsure' },
  /does not answer with one probability/,
);

const isInstalled = (() => {
  try {
    return createRequire(import.meta.url).resolve('onnxruntime-node') !== '';
  } catch {
    return false;
  }
})();
const onRuntime = isInstalled ? test.serial : test.serial.skip;
const real = 'onnxruntime-node';
const withoutRuntime = isInstalled ? '' : skippedWithout(real);

onRuntime(`ONNX Runtime: decides whether audio is a complete turn${withoutRuntime}`, async (t) => {
  const { model } = await start(t, onnxModel(), real);
  t.true(await model.isOver(loud, 8_000));
  t.false(await model.isOver(silent, 16_000));
});

onRuntime(
  `ONNX Runtime: garbage${withoutRuntime}`,
  unfit,
  Buffer.from('garbage'),
  /cannot be read as a model/,
  real,
);
onRuntime(
  `ONNX Runtime: another input${withoutRuntime}`,
  unfit,
  onnxModel({ input: 'x' }),
  /input_features alone, but x/,
  real,
);
onRuntime(
  `ONNX Runtime: another shape${withoutRuntime}`,
  unfit,
  onnxModel({ shape: [1, 80, 3_000] }),
  /does not take 1 × 80 × 800/,
  real,
);
onRuntime(
  `ONNX Runtime: no probability${withoutRuntime}`,
  unfit,
  onnxModel({ hasSigmoid: false }),
  /one probability/,
  real,
);
onRuntime(
  `ONNX Runtime: many values${withoutRuntime}`,
  unfit,
  onnxModel({ hasMean: false }),
  /one probability/,
  real,
);
