import type { Writable } from 'node:stream';
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import { terminalEscapes } from '#src/domain/terminal-text.ts';

export type { Logger };

/** Field names that are removed from logged objects. */
const redacted = ['authorization', 'token', 'key', 'secret', 'text', 'instruction'].flatMap((name) => [
  name,
  `*.${name}`,
]);

type LoggedError = { type: string; message: string; stack?: string; code?: string; cause?: LoggedError };

/**
 * Returns the logged properties of an error. Other properties are omitted: PostgreSQL's `detail`, for example, contains
 * the rejected row with words and numbers. Control characters are removed from the message, which may quote another
 * server.
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

/**
 * Lines are gathered for a moment, because writing each one alone costs more than formatting it. The end of the process
 * writes the rest.
 */
const gathering = { minLength: 4_096, periodicFlush: 100 };

/**
 * Creates the logger, which writes one line per event to standard output by default: `pretty` for a terminal, or JSON.
 */
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
        destination ?? pino.destination({ dest: 1, sync: false, ...gathering }),
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
