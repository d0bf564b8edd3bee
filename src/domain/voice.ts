/** Voices of synthesizers, and samples for choosing one. */

/** A voice as its engine describes it. */
export type Voice = {
  /** Identifier. */
  name: string;
  /** BCP 47. */
  language: string;
  /** Display name. */
  title: string;
};

export type SampleRequest = {
  /** Null for the first synthesizer. */
  synthesizer: string | null;
  /** Null for its default voice. */
  voice: string | null;
  /** BCP 47. */
  language: string;
  text: string;
};

export type VoiceSamples = {
  /** Voices of a synthesizer; null if it does not list them. */
  voicesOf(synthesizer: string): Promise<readonly Voice[] | null>;
  /**
   * Returns a WAV file. Refuses if the engine fails, lacks the voice or language, or too many samples are in progress.
   */
  speak(request: SampleRequest): Promise<Buffer>;
};
