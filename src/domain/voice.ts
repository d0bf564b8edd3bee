/** Voices of synthesizers, and what they sound like, for who chooses one. */

/** A voice of a synthesizer, as the engine itself tells of it. */
export type Voice = {
  /** By which it is chosen. */
  name: string;
  /** BCP 47. */
  language: string;
  /** For people. */
  title: string;
};

export type SampleRequest = {
  /** Null for the one that speaks first. */
  synthesizer: string | null;
  /** Null for its usual one. */
  voice: string | null;
  /** BCP 47. */
  language: string;
  text: string;
};

export type VoiceSamples = {
  /** The voices of a synthesizer; null where it does not tell. */
  voicesOf(synthesizer: string): Promise<readonly Voice[] | null>;
  /** A WAV file. Refuses where the engine fails, has no such voice or language, or too many are spoken at once. */
  speak(request: SampleRequest): Promise<Buffer>;
};
