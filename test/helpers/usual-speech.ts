import type { SpeechChoice } from '#machines/line.ts';

/** For a number without a selection. */
export const usualSpeech: SpeechChoice = { recognizer: null, synthesizer: null, voice: null };
