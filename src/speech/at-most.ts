import type { Synthesizer } from '#sip/audio/speech.ts';
import { createPlaces } from '#src/domain/places.ts';

/** Limits how many sentences are synthesized at once over all wrapped synthesizers. */
export const atMost = (count: number): ((synthesizer: Synthesizer) => Synthesizer) => {
  const inPlace = createPlaces(count);
  return (synthesizer) => ({
    name: synthesizer.name,
    synthesize: (text, language, signal) =>
      inPlace(() => synthesizer.synthesize(text, language, signal), signal),
  });
};
