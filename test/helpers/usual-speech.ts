import type { SpeechChoice } from '#machines/line.ts';

/** Speech engines of a number without a selection. */
export const usualSpeech: SpeechChoice = { recognizer: null, synthesizer: null, voice: null };
