/**
 * Writes `voices.ulaw` and `voices.json`: backchannels and interruptions, without the silence around them.
 * `node test/barge-in-sounds/make-voices.ts`; the same versions of the synthesizers write the same bytes.
 */
import { writeFileSync } from 'node:fs';
import { espeak, flite, spokenForTelephone, type Speaker } from '../helpers/synthetic-voices.ts';
import { spokenTexts, type SpokenKind, type VoiceIndex } from './spoken-texts.ts';

const speakers: Readonly<Record<'ko' | 'en', readonly Speaker[]>> = {
  ko: [espeak('ko', 210), espeak('ko+f2', 235)],
  en: [flite('slt'), flite('rms')],
};

const parts: Uint8Array[] = [];
const index: VoiceIndex[] = [];
let from = 0;
for (const language of ['ko', 'en'] as const)
  for (const kind of ['backchannel', 'interruption'] satisfies SpokenKind[])
    for (const text of spokenTexts[language][kind])
      for (const [speaker, speak] of speakers[language].entries()) {
        const sound = spokenForTelephone(speak, text);
        index.push({ kind, language, text, speaker, from, to: from + sound.length });
        parts.push(sound);
        from += sound.length;
      }

writeFileSync(new URL('voices.ulaw', import.meta.url), Buffer.concat(parts));
writeFileSync(
  new URL('voices.json', import.meta.url),
  `[\n${index.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`,
);
