/**
 * A customer's server for tests: real HTTP on loopback. The server checks every request with the public
 * `standardwebhooks` package, refuses (401) requests that are not signed with a trusted secret, and can fail as
 * scripted.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { z } from 'zod';
import { eventsPath } from './agent-server.ts';

export type Answer =
  /** Responds with any status immediately. */
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Responds when the promise settles, with 204 by default, as a slow endpoint controlled by the test. */
  | { after: Promise<unknown>; status?: number }
  /** Reads the request and never responds. */
  | 'hang'
  /** 200 with an endless body. */
  | 'endless'
  /** 200 with a body that arrives byte by byte, slowly. */
  | 'dripping'
  /** Resets the connection. */
  | 'reset'
  /** Responds with something other than HTTP. */
  | 'garbage';

export type ReceivedEvent = {
  id: string | undefined;
  /** Unix time of the attempt in seconds, from the header. */
  timestamp: number;
  /** The trusted secrets with which this request is signed. */
  signedWith: string[];
  path: string;
  headers: IncomingMessage['headers'];
  rawBody: string;
};

export type WebhookReceiver = {
  /** `http://127.0.0.1:<port>/events` */
  url: string;
  received: readonly ReceivedEvent[];
  /** Accepts signatures by this secret from now on. */
  trust: (secret: string) => void;
  /** Responses to the next requests, in order; afterwards every request gets 204. */
  answer: (...answers: Answer[]) => void;
  /** Requests about this call. A gateway of several tests also delivers late events of an earlier test's call. */
  eventsOf: (callId: string) => readonly ReceivedEvent[];
  /** Resolves to all requests when there are this many. */
  until: (count: number) => Promise<readonly ReceivedEvent[]>;
  close: () => Promise<void>;
};

const eventOfCall = z.object({ call: z.object({ id: z.string() }) });

const isAbout = (callId: string, rawBody: string): boolean =>
  eventOfCall.safeParse(JSON.parse(rawBody)).data?.call.id === callId;

const isSignedWith = (secret: string, rawBody: string, headers: Record<string, string>): boolean => {
  try {
    new Webhook(secret).verify(rawBody, headers);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
};

const give = async (answer: Answer, response: ServerResponse): Promise<void> => {
  if (answer === 'hang') return;
  if (answer === 'reset') {
    response.socket?.resetAndDestroy();
  } else if (answer === 'garbage') {
    response.socket?.end('220 mail.example ESMTP ready\r\n');
  } else if (answer === 'endless') {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const fill = (): void => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.on('drain', fill);
    fill();
  } else if (answer === 'dripping') {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const drops = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(drops));
  } else if ('after' in answer) {
    await answer.after;
    response.writeHead(answer.status ?? 204).end();
  } else {
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }
};

export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const secrets = new Set<string>();
  const script: Answer[] = [];
  const received: ReceivedEvent[] = [];
  const waiting = new Set<{ count: number; resolve: (all: readonly ReceivedEvent[]) => void }>();

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const rawBody = await text(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const signedWith = [...secrets].filter((secret) => isSignedWith(secret, rawBody, headers));
    received.push({
      id: headers['webhook-id'],
      timestamp: Number(headers['webhook-timestamp']),
      signedWith,
      path: request.url ?? '',
      headers: request.headers,
      rawBody,
    });
    for (const waiter of waiting) {
      if (received.length < waiter.count) continue;
      waiting.delete(waiter);
      waiter.resolve(received);
    }
    await give(signedWith.length === 0 ? { status: 401 } : (script.shift() ?? { status: 204 }), response);
  };

  const server = createServer((request, response) => {
    receive(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port');

  return {
    url: `http://127.0.0.1:${address.port}${eventsPath}`,
    received,
    trust: (secret) => void secrets.add(secret),
    eventsOf: (callId) => received.filter(({ rawBody }) => isAbout(callId, rawBody)),
    answer: (...answers) => void script.push(...answers),
    until: (count) =>
      received.length >= count
        ? Promise.resolve(received)
        : new Promise((resolve) => waiting.add({ count, resolve })),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
