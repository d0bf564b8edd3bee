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
   * contains the name of the engine but never the text.
   */
  synthesize(text: string, language: string, signal?: AbortSignal): Promise<Audio>;
  /**
   * Synthesizes the sentence as a stream at one sample rate. The method is absent if the engine returns whole
   * sentences. A reader that stops early, or an abort, cancels the work.
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
  /** The engine has failed, and no further events follow. The error contains the name of the engine but no text. */
  | { type: 'failed'; error: Error };

/** Recognition of one call. */
export interface Recognition {
  /**
   * Processes the next audio without gaps, including silence. The engine may store the buffer, so callers must not
   * change it.
   */
  write(samples: Int16Array): void;
  /** Called when a voice has begun; the audio just written contains its beginning. */
  speechBegan(): void;
  /** Called when a pause may end a sentence. Engines for whole sentences start recognizing now. */
  speechEnded(): void;
  /** Whether the current engine reports `turn-complete`. The method is absent if no engine does. */
  reportsTurnEnds?(): boolean;
  /** Releases everything at once. No event follows. Idempotent. */
  close(): void;
}

export type ListenOptions = {
  /** Language of the call (BCP 47). */
  language: string;
  sampleRate: number;
  /** Whether the engine decides when turns end. */
  turnEnds: boolean;
};

export interface Recognizer {
  /** Name of the engine for the log: `deepgram`, `vosk` … */
  readonly name: string;
  /**
   * Starts recognition for a call. Never throws: errors arrive as `failed` in a later task. The caller may write at
   * once; audio is buffered until the engine is connected, up to a limit.
   */
  open(options: ListenOptions, emit: (event: RecognitionEvent) => void): Recognition;
}

/** Engines of a call. The number's choice comes first; the other engines are fallbacks. */
export interface SpeechEngines {
  synthesizerFor(choice: SpeechChoice): Synthesizer;
  /**
   * Returns the recognizer of the call; `null` if no engine supports this language (BCP 47). Without `language`, any
   * language is accepted.
   */
  recognizerFor(choice: SpeechChoice, language?: string): Recognizer | null;
}
