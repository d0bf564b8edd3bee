import type { SpeechChoice } from '#machines/line.ts';

/** Of a number that chose nothing. */
export const usualSpeech: SpeechChoice = { recognizer: null, synthesizer: null, voice: null };
