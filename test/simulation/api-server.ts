/** HTTP server of a simulated gateway: real parsing and real handlers, on streams instead of sockets. */
import { createServer, type Server } from 'node:http';
import { Duplex } from 'node:stream';
import type { Environment } from '#src/parts/runtime.ts';
import { arriveIn, runIn, type SimulatedProcess } from './simulated-time.ts';

export type ApiAnswer = { status: number; body: unknown };

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

  answer(): ApiAnswer {
    const text = Buffer.concat(this.#written).toString('utf8');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const status = Number(head.split(' ')[1]);
    return { status, body: body === '' ? null : JSON.parse(body) };
  }
}

export type ApiServer = {
  listen: Environment['listen'];
  /** Calls back with the response; never, if the process dies before that. */
  ask(request: ApiRequest, onAnswer: (answer: ApiAnswer) => void): void;
  /** Drops unanswered requests, which would keep the gateway in memory. */
  forget(): void;
};

export const createApiServer = (process: SimulatedProcess): ApiServer => {
  let server: Server | null = null;
  const open = new Set<Exchange>();
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
      if (server === null || !process.isAlive) return;
      const opened = server;
      const content = body === undefined ? '' : JSON.stringify(body);
      const lines = [
        `${method} ${path} HTTP/1.1`,
        `host: ${process.name}.test`,
        `authorization: Bearer ${key}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(content)}`,
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
        exchange.push(`${lines.join('\r\n')}\r\n\r\n${content}`);
      });
    },
    forget() {
      for (const exchange of open) exchange.destroy();
    },
  };
};
