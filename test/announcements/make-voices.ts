/**
 * Writes `voices.ulaw.br` (μ-law at 8000 Hz, compressed with brotli) and `voices.json`: all sentences of the
 * announcements, synthesized. `node test/announcements/make-voices.ts`; the same versions of the synthesizers write the
 * same bytes.
 */
import { writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { espeak, flite, spokenForTelephone, type Speaker } from '../helpers/synthetic-voices.ts';
import { announcements, type AnnouncementLanguage } from './announcements.ts';
import type { SentenceVoice } from './voices.ts';

const speakers: Readonly<Record<AnnouncementLanguage, readonly [Speaker, Speaker]>> = {
  ko: [espeak('ko', 190), espeak('ko+f2', 205)],
  en: [flite('slt'), flite('rms')],
  ja: [espeak('ja', 180), espeak('ja+f2', 195)],
};

const sounds: Uint8Array[] = [];
const index: SentenceVoice[] = [];
let from = 0;
for (const [which, { language, parts }] of announcements.entries())
  for (const part of parts) {
    if (typeof part !== 'object') continue;
    const sound = spokenForTelephone(speakers[language][which % 2 === 0 ? 0 : 1], part.kana ?? part.say);
    index.push({ text: part.say, from, to: from + sound.length });
    sounds.push(sound);
    from += sound.length;
  }

writeFileSync(new URL('voices.ulaw.br', import.meta.url), brotliCompressSync(Buffer.concat(sounds)));
writeFileSync(
  new URL('voices.json', import.meta.url),
  `[\n${index.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`,
);
