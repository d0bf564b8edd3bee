/** The spoken sentences of the announcements, as `make-voices.ts` writes them. */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { z } from 'zod';
import { fromMuLaw } from '../real-sip/mu-law.ts';

const sentenceVoice = z.object({
  text: z.string(),
  /** Positions of the first sample in `voices.ulaw.br`, and of the one after the last. */
  from: z.number(),
  to: z.number(),
});

export type SentenceVoice = z.infer<typeof sentenceVoice>;

/** Returns the audio of a sentence at 8000 Hz. */
export const readVoices = (): ((text: string) => Int16Array) => {
  const bytes = brotliDecompressSync(readFileSync(new URL('voices.ulaw.br', import.meta.url)));
  const index = z
    .array(sentenceVoice)
    .parse(JSON.parse(readFileSync(new URL('voices.json', import.meta.url), 'utf8')));
  const places = new Map(index.map((one) => [one.text, one]));
  return (text) => {
    const place = places.get(text);
    if (place === undefined) throw new Error(`No voice says “${text}”: run make-voices.ts`);
    return fromMuLaw(bytes.subarray(place.from, place.to));
  };
};
