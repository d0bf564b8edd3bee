/** Interfaces of speech engines for lines. The engines are in `src/speech`, one file each. */
import type { SpeechChoice } from '#machines/line.ts';

export type { SpeechChoice };

/** Mono 16-bit linear audio. */
export type Audio = { sampleRate: number; samples: Int16Array };

export interface Synthesizer {
  /** Name of the engine for the log: `espeak-ng`, `flite`, `tones` … */
  readonly name: string;
  /**
   * Synthesizes a sentence. `language` is BCP 47. Rejects with the signal's reason when aborted, or with an error that
   * names the engine (never the text).
   */
  synthesize(text: string, language: string, signal?: AbortSignal): Promise<Audio>;
  /**
   * Synthesizes the sentence as a stream at one sample rate; absent if the engine returns whole sentences. Stopping
   * early, or aborting, cancels the work.
   */
  stream?(text: string, language: string, signal?: AbortSignal): AsyncIterable<Audio>;
}

/** Events of a recognizer. Text is never logged. */
export type RecognitionEvent =
  /** Preliminary words of a sentence; the next event replaces them. */
  | { type: 'partial'; text: string }
  /** Final words. */
  | { type: 'final'; text: string }
  /** The engine considers the turn complete, by meaning or silence. All words are final. */
  | { type: 'turn-complete' }
  /** The engine has failed; no further events follow. The error names the engine and contains no text. */
  | { type: 'failed'; error: Error };

/** Recognition of one call. */
export interface Recognition {
  /** The next audio without gaps, including silence. The buffer may be kept; callers do not change it. */
  write(samples: Int16Array): void;
  /** A voice has begun; the audio just written contains its beginning. */
  speechBegan(): void;
  /** A pause may end a sentence; engines for whole sentences start recognizing now. */
  speechEnded(): void;
  /** Whether the current engine reports `turn-complete`; absent if it never does. */
  reportsTurnEnds?(): boolean;
  /** Releases everything at once; no event follows. Idempotent. */
  close(): void;
}

export type ListenOptions = {
  /** BCP 47. */
  language: string;
  sampleRate: number;
  /** Whether the engine decides when turns end. */
  turnEnds: boolean;
};

export interface Recognizer {
  /** Name of the engine for the log: `deepgram`, `vosk` … */
  readonly name: string;
  /**
   * Starts recognition for a call. Never throws: errors arrive as `failed` in a later task. Writing may start at once;
   * audio is buffered until the engine is connected, up to a limit.
   */
  open(options: ListenOptions, emit: (event: RecognitionEvent) => void): Recognition;
}

/** Engines of a call. The number's choice comes first; the others are fallbacks. */
export interface SpeechEngines {
  synthesizerFor(choice: SpeechChoice): Synthesizer;
  /** Recognizer of the call; `null` if no engine supports this language (BCP 47; any language if absent). */
  recognizerFor(choice: SpeechChoice, language?: string): Recognizer | null;
}
