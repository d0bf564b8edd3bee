/** Voice samples for choosing a number's voice. */
import { invalidField, Refusal } from '#src/domain/refusal.ts';
import type { VoiceSamples } from '#src/domain/voice.ts';
import { EngineFailure, UnspokenLanguage, VoiceRefused } from './engine-failure.ts';
import type { VoiceEngine } from './speech-engines.ts';
import { writeWav } from './write-wav.ts';

/** Maximum number of concurrent samples, because calls have priority. */
const mostAtOnce = 2;

const refusalOf = (error: unknown): unknown => {
  if (error instanceof VoiceRefused) return invalidField({ path: 'voice', message: `${error.message}.` });
  if (error instanceof UnspokenLanguage)
    return invalidField({ path: 'language', message: `${error.message}.` });
  return error instanceof EngineFailure
    ? new Refusal('service_unavailable', `${error.message}.`, { cause: error })
    : error;
};

/** Creates the samples. `synthesizers` contains at least one, in the operator's order. */
export const createVoiceSamples = (synthesizers: readonly VoiceEngine[]): VoiceSamples => {
  let spoken = 0;
  return {
    voicesOf: async (name) => (await synthesizers.find((one) => one.name === name)?.voices?.()) ?? null,
    async speak({ synthesizer, voice, language, text }) {
      const engine = synthesizers.find(({ name }) => synthesizer === null || name === synthesizer);
      if (engine === undefined) throw invalidField({ path: 'synthesizer', message: 'There is none.' });
      if (spoken >= mostAtOnce)
        throw new Refusal('over_capacity', 'Other samples are being spoken. Try again in a moment.');
      spoken += 1;
      try {
        return writeWav(await engine.speakingWith(voice).synthesize(text, language));
      } catch (error) {
        throw refusalOf(error);
      } finally {
        spoken -= 1;
      }
    },
  };
};
