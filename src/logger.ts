import type { Writable } from 'node:stream';
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import { terminalEscapes } from '#src/domain/terminal-text.ts';

export type { Logger };

/** Fields that must never reach a log, should they ever be part of a logged object. */
const redacted = ['authorization', 'token', 'key', 'secret', 'text', 'instruction'].flatMap((name) => [
  name,
  `*.${name}`,
]);

type LoggedError = { type: string; message: string; stack?: string; code?: string; cause?: LoggedError };

/**
 * The parts of an error that a log has. Its other properties stay out: PostgreSQL, for one, tells in `detail` the whole
 * row that it refused, spoken words and numbers included. A message may hold what a server of somebody else said: it reaches
 * a terminal without controls.
 */
const describeError = (error: unknown): LoggedError => {
  if (!(error instanceof Error)) return { type: typeof error, message: terminalEscapes(String(error)) };
  return {
    type: error.name,
    message: terminalEscapes(error.message),
    ...(error.stack === undefined ? {} : { stack: terminalEscapes(error.stack) }),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
};

/** One line a fact, on standard output unless said otherwise: for a terminal (`pretty`) or JSON for machines. */
export const createLogger = (
  options: { level: string; format: 'pretty' | 'json' },
  destination?: Writable,
): Logger => {
  const settings = {
    level: options.level,
    base: null,
    redact: { paths: redacted, censor: '[hidden]' },
    serializers: { err: describeError },
  };
  return options.format === 'json'
    ? pino(
        { ...settings, timestamp: pino.stdTimeFunctions.isoTime },
        destination ?? pino.destination({ dest: 1, sync: false }),
      )
    : pino(
        settings,
        pretty({
          colorize: process.stdout.isTTY,
          translateTime: 'HH:MM:ss.l',
          sync: true,
          singleLine: true,
          ...(destination === undefined ? {} : { destination }),
        }),
      );
};
