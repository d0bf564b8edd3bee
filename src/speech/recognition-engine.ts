/**
 * A single connection to a recognizer, which ends when it fails. `fail-over-recognizer.ts` opens the next connection,
 * and needs to know which audio was processed.
 */
import type { ListenOptions, Recognition, RecognitionEvent } from '#sip/audio/speech.ts';

export type { ListenOptions };

export type EngineEvent =
  | RecognitionEvent
  /** Number of samples since opening whose words were reported. */
  | { type: 'settled'; samples: number };

export type RecognitionEngine = {
  readonly name: string;
  /** Whether the engine reports turn ends (`turn-complete`). */
  readonly reportsTurnEnds: boolean;
  /** Whether the engine supports a language (BCP 47); absent if it supports all. */
  hears?(language: string): boolean;
  /** Opens a recognition, like `Recognizer.open` of sip/audio/speech.ts. */
  open(options: ListenOptions, emit: (event: EngineEvent) => void): Recognition;
};
