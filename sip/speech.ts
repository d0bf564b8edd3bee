/** Speech engines as a line needs them. The engines live in `src/speech`, one file each. */
import type { SpeechChoice } from '#machines/line.ts';

export type { SpeechChoice };

/** Mono 16-bit linear audio. */
export type Audio = { sampleRate: number; samples: Int16Array };

export interface Synthesizer {
  /** For the log: `espeak-ng`, `flite`, `tones` … */
  readonly name: string;
  /**
   * Speaks a sentence. `language` is BCP 47. Rejects with the signal's reason when aborted, and with an error that
   * names the engine (never the text) when the engine fails.
   */
  synthesize(text: string, language: string, signal?: AbortSignal): Promise<Audio>;
  /**
   * The same, piece by piece as the engine makes it, all at one rate; absent where an engine gives a sentence whole.
   * Leaving it early, or aborting, ends the work behind it.
   */
  stream?(text: string, language: string, signal?: AbortSignal): AsyncIterable<Audio>;
}

/** Events of a recognizer that hears the other party's voice. Text is what the engine wrote; never logged. */
export type RecognitionEvent =
  /** The words so far of a sentence that goes on; the next event replaces them. */
  | { type: 'partial'; text: string }
  /** These words are settled; what follows is said after them. */
  | { type: 'final'; text: string }
  /** The engine takes the turn for complete, by its meaning or its own measure of silence. What was said is settled. */
  | { type: 'turn-complete' }
  /** It cannot go on: nothing follows. The error names the engine and never holds text. */
  | { type: 'failed'; error: Error };

/** One call's voice on its way into words. */
export interface Recognition {
  /** The next stretch of sound, without holes, silence included. It may be kept as it is: nobody changes it any more. */
  write(samples: Int16Array): void;
  /** Somebody begins to speak: what was just written belongs to it. */
  speechBegan(): void;
  /** A pause long enough to end a sentence; engines that recognize sentence by sentence do it now. */
  speechEnded(): void;
  /** Whether the engine that listens now tells `turn-complete`; absent where none ever does. */
  tellsTurnEnds?(): boolean;
  /** Lets go of everything at once; no event follows. Idempotent. */
  close(): void;
}

export type ListenOptions = {
  /** BCP 47. */
  language: string;
  sampleRate: number;
  /** Its own ends of turns are what is wanted: an engine that tells them leaves them to its measure alone. */
  turnEnds: boolean;
};

export interface Recognizer {
  /** For the log: `deepgram`, `vosk` … */
  readonly name: string;
  /**
   * Begins to listen to a call. Never throws: what goes wrong comes as `failed`, in a later task. Writing may begin at
   * once; what is written before the engine is connected is kept for it, up to a bound.
   */
  open(options: ListenOptions, emit: (event: RecognitionEvent) => void): Recognition;
}

/** The engines of a call. What a number chose comes first, the other engines follow when it fails. */
export interface SpeechEngines {
  synthesizerFor(choice: SpeechChoice): Synthesizer;
  /** `null`: nothing of what the other party says in this language (BCP 47; absent: in any) is understood. */
  recognizerFor(choice: SpeechChoice, language?: string): Recognizer | null;
}
