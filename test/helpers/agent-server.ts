/** A customer's server on loopback: records every request and sends the answers that the test defines. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { loopbackCertificate } from './loopback-certificate.ts';

export type ReceivedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Number of the connection, from 1. */
  connection: number;
};

export type Answer = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

export const sendBody =
  (body: string | Buffer, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };

export const sendJson = (body: unknown, status = 200): Answer => sendBody(JSON.stringify(body), status);

/** The reply of a webhook agent. */
export const sendReply = (text: string): Answer => sendJson({ reply: text });

export const redirectTo = (location: string, status = 302): Answer => sendBody('', status, { location });

export const after =
  (milliseconds: number, answer: Answer): Answer =>
  async (response, request) => {
    await delay(milliseconds);
    await answer(response, request);
  };

/** Receives the request and never responds. */
export const stayQuiet: Answer = () => undefined;

export const hangUpConnection: Answer = (response) => {
  response.destroy();
};

/** Begins a response and closes the connection in the middle of it. */
export const breakInTheMiddle: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"reply": "Hel', () => {
    response.destroy();
  });
};

/** Path at which webhook receivers get events; no agent server has it. */
export const eventsPath = '/events';

/**
 * Sends the answers in order; the last one is repeated. Rejects events: a gateway may still deliver to a receiver that
 * has ended, and the system may have given its port to this server.
 */
export const startAgentServer = async (
  answers: Answer | readonly Answer[],
  options: { tls?: boolean } = {},
) => {
  const script = typeof answers === 'function' ? [answers] : answers;
  const requests: ReceivedRequest[] = [];
  const counts = { connections: 0, aborted: 0 };
  const connectionNumbers = new WeakMap<object, number>();
  const server = options.tls === true ? createTlsServer(loopbackCertificate) : createServer();

  server.on(options.tls === true ? 'secureConnection' : 'connection', (socket: object) => {
    counts.connections += 1;
    connectionNumbers.set(socket, counts.connections);
  });
  server.on('request', (incoming, response) => {
    if (incoming.url === eventsPath) {
      response.writeHead(404).end();
      return;
    }
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        connection: connectionNumbers.get(incoming.socket) ?? 0,
      };
      requests.push(request);
      server.emit('request-received');
      response.on('close', () => {
        if (!response.writableFinished) counts.aborted += 1;
        server.emit('response-closed');
      });
      const answer = script[Math.min(requests.length, script.length) - 1];
      void answer?.(response, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');

  return {
    url: `${options.tls === true ? 'https' : 'http'}://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    counts,
    /** Resolves when this many requests have arrived completely. */
    async received(count: number): Promise<void> {
      while (requests.length < count) await once(server, 'request-received');
    },
    /** Resolves when the next response is over, complete or aborted by the client. */
    responseClosed: (): Promise<unknown> => once(server, 'response-closed'),
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

export type AgentServer = Awaited<ReturnType<typeof startAgentServer>>;
