/** PocketSphinx, where it is installed. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { flite } from '#src/speech/flite.ts';
import { pocketsphinx, pocketsphinxProgram } from '#src/speech/pocketsphinx.ts';
import { engineWorld } from './doubles/engine-world.ts';
import { listen } from './doubles/heard-events.ts';

const isInstalled = [pocketsphinxProgram, 'flite'].every(
  (program) => spawnSync('which', [program]).status === 0,
);
const whereInstalled = isInstalled ? test.serial : test.serial.skip;

whereInstalled('it understands a sentence, and leaves nothing of it behind', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  t.teardown(() => (before === undefined ? delete process.env['TMPDIR'] : (process.env['TMPDIR'] = before)));
  const { sampleRate, samples } = await flite().synthesize('Please call me back tomorrow.', 'en');
  const { recognition, words, count } = listen(pocketsphinx(engineWorld(t)), 'en-US', false, sampleRate);
  recognition.speechBegan();
  recognition.write(samples);
  recognition.speechEnded();
  await count(1);
  t.regex(words().join(' '), /call me back/);
  t.deepEqual(await readdir(folder), []);
});

test('of other languages it understands nothing, and says so', async (t) => {
  const { recognition, failure } = listen(pocketsphinx(engineWorld(t)), 'ko');
  recognition.speechBegan();
  recognition.write(new Int16Array(16_000).fill(1_000));
  recognition.speechEnded();
  t.is((await failure()).message, 'pocketsphinx understands English alone');
});
