/** A model of speech in its thread: with a double of the runtime, and with the runtime itself where it is installed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { SimulatedClock } from 'xstate';
import { startTurnModel } from '#src/speech/turn-model/turn-model.ts';
import { listeningLogger } from '../doubles/engine-world.ts';
import { onnxModel } from './onnx-model.ts';

const limits = { answerMs: 1_000, questions: 2, againMs: 30_000 };
const doubledRuntime = new URL('./doubled-runtime.ts', import.meta.url).href;

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

/** What is loud throughout has a high average, and silence a low one. */
const loud = Int16Array.from({ length: 64_000 }, (_, index) => ((index * 7_919) % 20_011) - 10_005);
const silent = new Int16Array(16_000);

test('it says of a sound whether it is over', async (t) => {
  const { model } = await start(t, {});
  t.is(model.longestMs, 8_000);
  t.true(await model.isOver(loud, 8_000));
  t.false(await model.isOver(silent, 16_000));
});

test('who is late, or asked too much, says nothing', async (t) => {
  const { model, clock } = await start(t, { behaviour: 'hangs' });
  const answers = [model.isOver(loud, 8_000), model.isOver(loud, 8_000)];
  t.is(await model.isOver(loud, 8_000), null, 'a third waits for nothing');
  clock.increment(limits.answerMs);
  t.deepEqual(await Promise.all(answers), [null, null]);
});

test('a thread that ends answers nothing, says so, and is followed by another one after a while', async (t) => {
  const { model, clock, lines } = await start(t, { behaviour: 'dies' });
  t.is(await model.isOver(loud, 8_000), null);
  t.is(lines.filter((line) => line.includes('pauses decide')).length, 1);
  t.is(await model.isOver(loud, 8_000), null);
  clock.increment(limits.againMs);
  t.is(await model.isOver(loud, 8_000), null, 'it begins');
  t.is(await model.isOver(loud, 8_000), null, 'and ends again');
  t.is(lines.filter((line) => line.includes('pauses decide')).length, 2);
});

test('after its end it says nothing', async (t) => {
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

test(
  'a runtime that is not installed',
  unfit,
  {},
  /npm install --no-save --ignore-scripts/,
  'onnxruntime-absent',
);
test('a module that is no runtime', unfit, {}, /is not what it is taken for/, 'node:path');
test('a file that is no model', unfit, Buffer.from('garbage'), /model\.onnx cannot be read as a model/);
test(
  'a model of something else',
  unfit,
  { input: 'pixels' },
  /does not take input_features alone, but pixels/,
);
test('a model of many answers', unfit, { behaviour: 'wide' }, /does not answer with one probability/);
test(
  'a model whose answer is no probability',
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
const onRuntime = isInstalled ? test : test.skip;
const real = 'onnxruntime-node';

onRuntime('ONNX Runtime: it says of a sound whether it is over', async (t) => {
  const { model } = await start(t, onnxModel(), real);
  t.true(await model.isOver(loud, 8_000));
  t.false(await model.isOver(silent, 16_000));
});

onRuntime('ONNX Runtime: garbage', unfit, Buffer.from('garbage'), /cannot be read as a model/, real);
onRuntime(
  'ONNX Runtime: another input',
  unfit,
  onnxModel({ input: 'x' }),
  /input_features alone, but x/,
  real,
);
onRuntime(
  'ONNX Runtime: another shape',
  unfit,
  onnxModel({ shape: [1, 80, 3_000] }),
  /does not take 1 × 80 × 800/,
  real,
);
onRuntime('ONNX Runtime: no probability', unfit, onnxModel({ hasSigmoid: false }), /one probability/, real);
onRuntime('ONNX Runtime: many values', unfit, onnxModel({ hasMean: false }), /one probability/, real);
