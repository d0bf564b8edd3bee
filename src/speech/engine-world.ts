import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { EngineClient } from './engine-client.ts';

export type EngineLimits = Readonly<{
  /** A connection, from the lookup of the name to the end of its handshakes. */
  connectMs: number;
  /** From asking for a sentence to its first sound, and to its last. */
  firstSoundMs: number;
  wholeSpeechMs: number;
  /** Sound of one sentence beyond which its synthesizer is taken for broken. */
  longestSpeechMs: number;
  /** A recognizer that is given sound, and says nothing for so long, is taken for dead. */
  answerMs: number;
  /** Sound before a voice was noticed that belongs to its sentence. */
  preRollMs: number;
  /** What is longer is recognized in parts, by engines that recognize sentence by sentence. */
  longestSentenceMs: number;
  /** Sound that may wait for a recognizer. */
  longestWaitingMs: number;
}>;

/** Everything that engines need that are servers. */
export type EngineWorld = Readonly<{
  client: EngineClient;
  clock: Clock;
  limits: EngineLimits;
  logger: Logger;
}>;
