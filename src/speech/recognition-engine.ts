/**
 * A recognizer as it is built here: one connection that ends for good when it fails. Opening another one, of this or of
 * another engine, is `fail-over-recognizer.ts`, which for this wants to know which sound is dealt with.
 */
import type { ListenOptions, Recognition, RecognitionEvent } from '#sip/speech.ts';

export type { ListenOptions };

export type EngineEvent =
  | RecognitionEvent
  /** So many samples since it was opened are dealt with: what they say has been reported. */
  | { type: 'settled'; samples: number };

export type RecognitionEngine = {
  readonly name: string;
  /** It tells where a turn ends (`turn-complete`). */
  readonly tellsTurnEnds: boolean;
  /** Whether it understands a language (BCP 47); absent where it takes any. */
  hears?(language: string): boolean;
  /** Like `Recognizer.open` of sip/speech.ts. */
  open(options: ListenOptions, emit: (event: EngineEvent) => void): Recognition;
};
