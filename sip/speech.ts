/** What a line needs of speech engines. The engines live in `src/speech`, one file each. */

/** Mono 16-bit linear audio. */
export type Audio = { sampleRate: number; samples: Int16Array };

export interface Synthesizer {
  /** For the log: `espeak-ng`, `flite`, `stand-in` … */
  readonly name: string;
  /**
   * Speaks a sentence. `language` is BCP 47. Rejects with the signal's reason when aborted, and with an error that
   * names the engine (never the text) when the engine fails.
   */
  synthesize(text: string, language: string, signal?: AbortSignal): Promise<Audio>;
}
