/**
 * A recognizer as it is built here: one connection that ends for good when it fails. Opening another one, of this or of
 * another engine, is `fail-over-recognizer.ts`, which for this wants to know which sound is dealt with.
 */
import type { Recognition, RecognitionEvent } from '#sip/speech.ts';

export type EngineEvent =
  | RecognitionEvent
  /** So many samples since it was opened are dealt with: what they say has been reported. */
  | { type: 'settled'; samples: number };

export type ListenOptions = {
  /** BCP 47. */
  language: string;
  sampleRate: number;
};

export type RecognitionEngine = {
  readonly name: string;
  /** Like `Recognizer.open` of sip/speech.ts. */
  open(options: ListenOptions, emit: (event: EngineEvent) => void): Recognition;
};
