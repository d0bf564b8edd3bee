/** Synthetic speech for test material: espeak-ng and flite in telephone quality. Requires both and sox. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toMuLaw } from '../real-sip/mu-law.ts';

const sampleRate = 8_000;
/** Quieter samples at the beginning and the end count as silence around the words. */
const audible = 200;
const peak = 16_000;

/** Returns a WAV file. */
export type Speaker = (text: string) => Buffer;

export const espeak =
  (voice: string, wordsAMinute: number): Speaker =>
  (text) =>
    execFileSync('espeak-ng', ['-v', voice, '-s', String(wordsAMinute), '--stdout', text]);

export const flite =
  (voice: string): Speaker =>
  (text) => {
    const folder = mkdtempSync(join(tmpdir(), 'voices-'));
    const file = join(folder, 'spoken.wav');
    execFileSync('flite', ['-voice', voice, '-t', text, '-o', file]);
    const wave = readFileSync(file);
    rmSync(folder, { recursive: true });
    return wave;
  };

const atTelephoneRate = (wave: Buffer): Int16Array => {
  const raw = execFileSync(
    'sox',
    [
      '-D',
      '-t',
      'wav',
      '--ignore-length',
      '-',
      '-r',
      String(sampleRate),
      '-c',
      '1',
      '-t',
      's16',
      '-',
      'highpass',
      '200',
    ],
    { input: wave, maxBuffer: 16 * 1024 * 1024, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  return new Int16Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length));
};

const trimmed = (samples: Int16Array): Int16Array => {
  const first = samples.findIndex((sample) => Math.abs(sample) > audible);
  const last = samples.findLastIndex((sample) => Math.abs(sample) > audible);
  return samples.subarray(first, last + 1);
};

const levelled = (samples: Int16Array): Int16Array => {
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1);
  return samples.map((sample) => Math.round((sample * peak) / loudest));
};

/** μ-law at 8000 Hz, without the silence around the words. */
export const spokenForTelephone = (speak: Speaker, text: string): Uint8Array =>
  toMuLaw(levelled(trimmed(atTelephoneRate(speak(text)))));
