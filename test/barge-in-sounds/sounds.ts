/**
 * Two hundred noises, coughs and backchannels that do not interrupt, and sixty interruptions, each at its own loudness
 * on a line with background noise.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { fromMuLaw, toMuLaw } from '../real-sip/mu-law.ts';
import { makeNoises } from './noises.ts';
import { chanceOf } from './sound-making.ts';

export type BargeInSound = {
  /** `cough`, `backchannel`, `interruption` … */
  kind: string;
  language: 'ko' | 'en';
  /** `null` if there are no words. */
  text: string | null;
  isInterruption: boolean;
  /** Samples at 8000 Hz, from the first audible one to the last. */
  samples: Int16Array;
  /** Offset of its beginning in a frame of 20 ms, in samples. */
  offset: number;
};

const voiceIndex = z.array(
  z.object({
    kind: z.enum(['backchannel', 'interruption']),
    language: z.enum(['ko', 'en']),
    text: z.string(),
    from: z.number(),
    to: z.number(),
  }),
);

/** The peak of loud sounds, and the attenuation of others, in dB. */
const peak = 20_000;
const quietestDb = 14;

const readVoices = () => {
  const bytes = readFileSync(new URL('voices.ulaw', import.meta.url));
  const index = voiceIndex.parse(JSON.parse(readFileSync(new URL('voices.json', import.meta.url), 'utf8')));
  return index.map(({ from, to, ...one }) => ({
    ...one,
    sound: Float64Array.from(fromMuLaw(bytes.subarray(from, to)), (sample) => sample / 16_000),
  }));
};

export const bargeInSounds = (): BargeInSound[] => {
  const noises = makeNoises().map((one, index) => ({
    ...one,
    language: index % 2 === 0 ? ('ko' as const) : ('en' as const),
    text: null,
  }));
  const chance = chanceOf(77);
  return [...noises, ...readVoices()].map(({ kind, language, text, sound }) => {
    const loudness = peak * 10 ** (-chance.between(0, quietestDb) / 20);
    const samples = fromMuLaw(toMuLaw(Int16Array.from(sound, (sample) => Math.round(sample * loudness))));
    return {
      kind,
      language,
      text,
      isInterruption: kind === 'interruption',
      samples,
      offset: Math.floor(chance.between(0, 160)),
    };
  });
};

/** Background noise of the line. */
export const lineNoise = (length: number): Int16Array => {
  const chance = chanceOf(99);
  return Int16Array.from({ length }, () => Math.round(chance.between(-12, 12)));
};
