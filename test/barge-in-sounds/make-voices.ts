/**
 * Makes `voices.ulaw` and `voices.json` anew: backchannels and interruptions, spoken by espeak-ng and flite, without the
 * silence around them, as a telephone carries them. `node test/barge-in-sounds/make-voices.ts`, where both and sox are
 * installed; the same versions make the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toMuLaw } from '../real-sip/mu-law.ts';
import { spokenTexts, type SpokenKind, type VoiceIndex } from './spoken-texts.ts';

const sampleRate = 8_000;
/** What is quieter than this is silence around the words. */
const audible = 200;
const peak = 16_000;

const folder = mkdtempSync(join(tmpdir(), 'voices-'));

type Speaker = (text: string) => Buffer;

const espeak =
  (voice: string, wordsAMinute: number): Speaker =>
  (text) =>
    execFileSync('espeak-ng', ['-v', voice, '-s', String(wordsAMinute), '--stdout', text]);

const flite =
  (voice: string): Speaker =>
  (text) => {
    const file = join(folder, 'spoken.wav');
    execFileSync('flite', ['-voice', voice, '-t', text, '-o', file]);
    return readFileSync(file);
  };

const speakers: Readonly<Record<'ko' | 'en', readonly Speaker[]>> = {
  ko: [espeak('ko', 210), espeak('ko+f2', 235)],
  en: [flite('slt'), flite('rms')],
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

const parts: Uint8Array[] = [];
const index: VoiceIndex[] = [];
let from = 0;
for (const language of ['ko', 'en'] as const)
  for (const kind of ['backchannel', 'interruption'] satisfies SpokenKind[])
    for (const text of spokenTexts[language][kind])
      for (const [speaker, speak] of speakers[language].entries()) {
        const sound = toMuLaw(levelled(trimmed(atTelephoneRate(speak(text)))));
        index.push({ kind, language, text, speaker, from, to: from + sound.length });
        parts.push(sound);
        from += sound.length;
      }

rmSync(folder, { recursive: true });
writeFileSync(new URL('voices.ulaw', import.meta.url), Buffer.concat(parts));
writeFileSync(
  new URL('voices.json', import.meta.url),
  `[\n${index.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`,
);
