import type { Writable } from 'node:stream';
import pino, { type DestinationStream, type Logger } from 'pino';
import { terminalEscapes } from '#src/domain/terminal-text.ts';

export type { Logger };

/** Names of fields whose values are masked in logged objects and in their members. */
const masked: ReadonlySet<string> = new Set([
  'authorization',
  'token',
  'key',
  'secret',
  'text',
  'instruction',
]);

type Fields = Record<string, unknown>;

const hidden = (): string => '[hidden]';

/** Masks fields of a line and of a child logger. */
const maskingSerializers: Readonly<Record<string, () => string>> = Object.fromEntries(
  [...masked].map((name) => [name, hidden]),
);

const replaced = (fields: Fields, replace: (name: string, value: unknown) => unknown): Fields => {
  let copy: Fields | undefined;
  for (const [name, value] of Object.entries(fields)) {
    const shown = replace(name, value);
    if (shown !== value) (copy ??= { ...fields })[name] = shown;
  }
  return copy ?? fields;
};

const maskField = (name: string, value: unknown): unknown =>
  masked.has(name) && value !== undefined ? hidden() : value;

/**
 * Masks the fields of the members of a logged object. Of an error, `describeError` selects the logged properties. Pino's
 * `redact` takes as long as the rest of the line.
 */
const maskMembers = (logged: Fields): Fields =>
  replaced(logged, (_name, value) => {
    if (typeof value !== 'object' || value === null || value instanceof Error) return value;
    const fields: Fields = { ...value };
    const shown = replaced(fields, maskField);
    return shown === fields ? value : shown;
  });

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

/** Lines are gathered for this many milliseconds or bytes: writing each one alone costs more than formatting it. */
const gatherMs = 100;
const gatherBytes = 4_096;

/**
 * Standard output. The end of the process writes the gathered lines. Pino's own `periodicFlush` would wake an idle process
 * ten times a second.
 */
const gatheredOutput = (): DestinationStream => {
  const output = pino.destination({ dest: 1, sync: false, minLength: gatherBytes });
  let waitingBytes = 0;
  let isDue = false;
  const writeLater = (): void => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      output.flush();
    }, gatherMs).unref();
  };
  output.on('write', (bytes: number) => (waitingBytes -= bytes));
  // A write in progress leaves what was gathered meanwhile.
  output.on('drain', () => {
    if (waitingBytes > 0) writeLater();
  });
  return {
    write(line) {
      waitingBytes += Buffer.byteLength(line);
      output.write(line);
      writeLater();
    },
  };
};

/**
 * Creates the logger, which writes one line per event to standard output by default: `pretty` for a terminal, or JSON.
 */
export const createLogger = async (
  options: { level: string; format: 'pretty' | 'json' },
  destination?: Writable,
): Promise<Logger> => {
  const settings = {
    level: options.level,
    base: null,
    formatters: { log: maskMembers },
    serializers: { ...maskingSerializers, err: describeError },
  };
  if (options.format === 'json')
    return pino({ ...settings, timestamp: pino.stdTimeFunctions.isoTime }, destination ?? gatheredOutput());
  // Imported only for a terminal: calls of a killed gateway wait for the modules that the next one loads.
  const { default: pretty } = await import('pino-pretty');
  return pino(
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
