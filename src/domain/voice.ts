/** Voices of synthesizers, and samples for choosing one. */

/** A voice as its engine describes it. */
export type Voice = {
  /** Identifier of the voice. */
  name: string;
  /** Language of the voice (BCP 47). */
  language: string;
  /** Display name. */
  title: string;
};

export type SampleRequest = {
  /** Name of the synthesizer; null for the first one. */
  synthesizer: string | null;
  /** Name of the voice; null for the synthesizer's default voice. */
  voice: string | null;
  /** Language of the sample (BCP 47). */
  language: string;
  text: string;
};

export type VoiceSamples = {
  /** Resolves to the voices of a synthesizer; null if the synthesizer does not list them. */
  voicesOf(synthesizer: string): Promise<readonly Voice[] | null>;
  /**
   * Resolves to a WAV file. Rejects with a Refusal if the engine fails, if it lacks the voice or language, or if too
   * many samples are in progress.
   */
  speak(request: SampleRequest): Promise<Buffer>;
};
