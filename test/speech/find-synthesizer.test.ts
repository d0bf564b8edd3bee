import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import pino from 'pino';
import { findSynthesizer } from '#src/speech/find-synthesizer.ts';

const listeningLogger = () => {
  const lines: string[] = [];
  return { lines, logger: pino({ base: null }, { write: (line: string) => void lines.push(line) }) };
};

test('a machine without a synthesizer gets the tone synthesizer, and one plain line says so', async (t) => {
  const { lines, logger } = listeningLogger();
  const synthesizer = await findSynthesizer({ logger, path: '' });
  t.is(synthesizer.name, 'tones');
  t.is(lines.length, 1);
  t.regex(lines[0] ?? '', /no synthesizer is installed/);
  t.true((await synthesizer.synthesize('안녕하세요', 'ko')).samples.length > 1_000);
});

test('espeak-ng is preferred, and where it fails the tone synthesizer speaks, which is said once', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-voices-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const program of ['espeak-ng', 'flite']) {
    await writeFile(join(folder, program), '#!/bin/sh\nexit 1\n');
    await chmod(join(folder, program), 0o755);
  }
  const { lines, logger } = listeningLogger();
  const path = process.env['PATH'];
  process.env['PATH'] = folder;
  t.teardown(() => (process.env['PATH'] = path));
  const synthesizer = await findSynthesizer({ logger, path: folder });
  t.is(synthesizer.name, 'espeak-ng');
  t.true((await synthesizer.synthesize('a secret', 'en')).samples.length > 1_000);
  t.true((await synthesizer.synthesize('a secret', 'en')).samples.length > 1_000);
  t.is(lines.length, 1);
  t.regex(lines[0] ?? '', /a synthesizer failed/);
  t.false(lines.join('').includes('secret'));
});
