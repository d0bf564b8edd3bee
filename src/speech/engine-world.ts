import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { EngineClient } from './engine-client.ts';

export type EngineLimits = Readonly<{
  /** Time limit of a connection, from the name look-up to the end of its handshakes. */
  connectMs: number;
  /** Time limits of a sentence: until its first audio, and until its last. */
  firstAudioMs: number;
  wholeSpeechMs: number;
  /** Audio of one sentence beyond which the synthesizer is considered broken. */
  longestSpeechMs: number;
  /** A recognizer that receives audio and returns nothing for this long is considered dead. */
  answerMs: number;
  /** Audio before the detected voice that belongs to its sentence. */
  preRollMs: number;
  /** Longer sentences are recognized in parts, by engines that recognize whole sentences. */
  longestSentenceMs: number;
  /** Audio that may wait for a recognizer. */
  longestWaitingMs: number;
}>;

/** Dependencies of engines that are servers. */
export type EngineWorld = Readonly<{
  client: EngineClient;
  clock: Clock;
  limits: EngineLimits;
  logger: Logger;
}>;
