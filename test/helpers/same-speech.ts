import type { Recognizer, SpeechEngines, Synthesizer } from '#sip/audio/speech.ts';

/** The same engines for every call, whatever its number has selected. */
export const sameSpeech = (
  synthesizer: Synthesizer,
  recognizer: Recognizer | null = null,
): SpeechEngines => ({
  synthesizerFor: () => synthesizer,
  recognizerFor: () => recognizer,
});
