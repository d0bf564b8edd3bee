/**
 * drachtio-modesl takes what FreeSWITCH sends apart within the event of a socket, where nobody can catch what is thrown:
 * by a header with a stray `%`, by a body that is no JSON, by whoever listens to the event. One such event would end the
 * process, and with it every call.
 */
import { createRequire } from 'node:module';
import type { Logger } from 'pino';

type Parser = { buffer: Buffer };
type Methods = {
  _onData: (this: Parser, data: Buffer) => void;
  _parseHeaderText: (text: string) => Record<string, string | number>;
};

const isMethods = (value: unknown): value is Methods =>
  typeof value === 'object' && value !== null && '_onData' in value && '_parseHeaderText' in value;

/** Of the very copy that drachtio-fsmrf uses. */
const parserMethods = (): Methods => {
  const fsmrf = createRequire(createRequire(import.meta.url).resolve('drachtio-fsmrf'));
  const parser: unknown = fsmrf('drachtio-modesl/lib/esl/Parser');
  const methods: unknown = typeof parser === 'function' ? parser.prototype : undefined;
  if (!isMethods(methods)) throw new Error('drachtio-modesl is not as it is known here');
  return methods;
};

const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};

/** As the original, but what cannot be decoded stays as it is, and no body has a length below zero. */
const readHeaders = (text: string): Record<string, string | number> => {
  const headers = new Map<string, string | number>();
  for (const line of text.split('\n')) {
    const end = line.indexOf(': ');
    const name = end === -1 ? line : line.slice(0, end);
    const value = end === -1 ? '' : decoded(line.slice(end + 2));
    headers.set(name, name === 'Content-Length' ? Math.max(0, parseInt(value, 10) || 0) : value);
  }
  return Object.fromEntries(headers);
};

let logger: Logger | null = null;

const guard = (methods: Methods): void => {
  const { _onData: read } = methods;
  methods._parseHeaderText = readHeaders;
  methods._onData = function readSafely(data) {
    let left = Infinity;
    for (let next = data; ; next = Buffer.alloc(0)) {
      try {
        return read.call(this, next);
      } catch (error) {
        logger?.error({ err: error }, 'an event of FreeSWITCH could not be taken');
      }
      // It is out of the buffer; what came behind it is still to be read.
      if (this.buffer.length === 0 || this.buffer.length >= left) return undefined;
      left = this.buffer.length;
    }
  };
};

/** For the whole process, as the parser is one for all connections; the log is the one that was given last. */
export const guardEventSockets = (log: Logger): void => {
  if (logger === null) guard(parserMethods());
  logger = log;
};
