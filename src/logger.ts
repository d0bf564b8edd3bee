import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

/** What must never reach a log, should it ever be part of a logged object. */
const redacted = ['authorization', 'token', 'key', 'secret', 'text', 'instruction'].flatMap((name) => [
  name,
  `*.${name}`,
]);

/** One line a fact, on standard output: readable in a terminal (`pretty`) or JSON for machines. */
export const createLogger = (options: { level: string; format: 'pretty' | 'json' }): Logger => {
  const settings = {
    level: options.level,
    base: null,
    redact: { paths: redacted, censor: '[hidden]' },
  };
  return options.format === 'json'
    ? pino(
        { ...settings, timestamp: pino.stdTimeFunctions.isoTime },
        pino.destination({ dest: 1, sync: false }),
      )
    : pino(
        settings,
        pretty({ colorize: process.stdout.isTTY, translateTime: 'HH:MM:ss.l', sync: true, singleLine: true }),
      );
};
