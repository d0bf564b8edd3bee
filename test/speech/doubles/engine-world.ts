import type { ExecutionContext } from 'ava';
import pino from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { systemClock } from '#src/clocks.ts';
import { createEngineClient } from '#src/speech/engine-client.ts';
import type { EngineLimits, EngineWorld } from '#src/speech/engine-world.ts';

export const limits: EngineLimits = {
  connectMs: 3_000,
  firstAudioMs: 3_000,
  wholeSpeechMs: 5_000,
  longestSpeechMs: 60_000,
  answerMs: 3_000,
  preRollMs: 300,
  longestSentenceMs: 20_000,
  longestWaitingMs: 30_000,
};

/** A real-time limit would be too long for a test, or too short for a busy machine. */
const patient = { connectMs: 60_000, firstAudioMs: 60_000, wholeSpeechMs: 60_000, answerMs: 60_000 };

export const listeningLogger = () => {
  const lines: string[] = [];
  return {
    lines,
    logger: pino({ base: null, level: 'debug' }, { write: (line: string) => void lines.push(line) }),
  };
};

/**
 * The environment of engines for servers on loopback; it is closed with the test. Its limits run on a simulated clock.
 */
export const engineWorld = (
  t: ExecutionContext,
  changes: Partial<EngineLimits> = {},
  clock: Clock = systemClock,
): EngineWorld & { lines: string[] } => {
  const client = createEngineClient({ connectMs: 60_000 });
  t.teardown(() => client.close());
  const usual = clock === systemClock ? { ...limits, ...patient } : limits;
  return { client, clock, limits: { ...usual, ...changes }, ...listeningLogger() };
};
