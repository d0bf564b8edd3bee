import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { EngineClient } from './engine-client.ts';

export type EngineLimits = Readonly<{
  /** Time limit of a connection attempt, from the name look-up to the end of the handshakes. */
  connectMs: number;
  /** Time limits of a sentence: until the first audio, and until the last audio. */
  firstAudioMs: number;
  wholeSpeechMs: number;
  /** Duration of one sentence's audio beyond which the synthesizer is considered broken. */
  longestSpeechMs: number;
  /** Time after which a recognizer that receives audio and sends no message is considered dead. */
  answerMs: number;
  /** Duration of audio before the detected voice that belongs to its sentence. */
  preRollMs: number;
  /** Duration beyond which a sentence is recognized in parts, by engines that recognize whole sentences. */
  longestSentenceMs: number;
  /** Maximum duration of audio that waits for a recognizer. */
  longestWaitingMs: number;
}>;

/** Dependencies of engines that are servers. */
export type EngineWorld = Readonly<{
  client: EngineClient;
  clock: Clock;
  limits: EngineLimits;
  logger: Logger;
}>;
