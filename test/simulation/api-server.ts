/** HTTP server of a simulated gateway: real parsing and real handlers, on streams instead of sockets. */
import { createServer, type Server } from 'node:http';
import { Duplex } from 'node:stream';
import type { Environment } from '#src/parts/runtime.ts';
import { arriveIn, runIn, type SimulatedProcess } from './simulated-time.ts';

export type ApiAnswer = { status: number; body: unknown };

export type RawAnswer = { status: number; headers: Record<string, string>; body: Buffer };

export type ApiRequest = {
  method: string;
  path: string;
  key: string;
  body?: unknown;
  headers?: Record<string, string>;
};

/** Both ends in one stream: the server writes the response and reads the pushed request. */
class Exchange extends Duplex {
  readonly #written: Buffer[] = [];

  override _read(): void {
    // The request is pushed as a whole.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#written.push(chunk);
    done();
  }

  answer(): RawAnswer {
    const bytes = Buffer.concat(this.#written);
    const end = bytes.indexOf('\r\n\r\n');
    const [status = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    );
    return { status: Number(status.split(' ')[1]), headers, body: bytes.subarray(end + 4) };
  }
}

export type RawRequest = {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
};

export type ApiServer = {
  listen: Environment['listen'];
  /** Calls back with the response; never, if the process dies before that. */
  ask(request: ApiRequest, onAnswer: (answer: ApiAnswer) => void): void;
  /** The same for a request of another gateway. */
  askRaw(request: RawRequest, onAnswer: (answer: RawAnswer) => void): void;
  /** Drops unanswered requests, which would keep the gateway in memory. */
  forget(): void;
};

export const createApiServer = (process: SimulatedProcess): ApiServer => {
  let server: Server | null = null;
  const open = new Set<Exchange>();
  const askRaw: ApiServer['askRaw'] = ({ method, path, headers, body = '' }, onAnswer) => {
    if (server === null || !process.isAlive) return;
    const opened = server;
    const lines = [
      `${method} ${path} HTTP/1.1`,
      `host: ${process.name}.test`,
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    const exchange = new Exchange();
    exchange.on('finish', () => {
      if (process.isAlive) runIn(null, () => onAnswer(exchange.answer()));
      exchange.destroy();
    });
    open.add(exchange);
    exchange.on('close', () => open.delete(exchange));
    arriveIn(process, () => {
      opened.emit('connection', exchange);
      exchange.push(`${lines.join('\r\n')}\r\n\r\n${body}`);
    });
  };
  return {
    async listen(handle, { prepare }) {
      const opened = createServer({ requireHostHeader: false }, handle);
      prepare(opened);
      server = opened;
      return {
        url: `http://${process.name}.test`,
        server: opened,
        async close() {
          server = null;
        },
      };
    },
    ask({ method, path, key, body, headers = {} }, onAnswer) {
      askRaw(
        {
          method,
          path,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        ({ status, body: answered }) =>
          onAnswer({ status, body: answered.length === 0 ? null : JSON.parse(answered.toString('utf8')) }),
      );
    },
    askRaw,
    forget() {
      for (const exchange of open) exchange.destroy();
    },
  };
};
