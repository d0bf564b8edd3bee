/**
 * A customer's server as a test needs it: real HTTP on loopback. It checks every request with the public
 * `standardwebhooks` package, refuses (401) what no trusted secret has signed, and can fail in scripted ways.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { Webhook, WebhookVerificationError } from 'standardwebhooks';

export type Answer =
  /** Any status, at once. */
  | { status: number; headers?: Record<string, string>; body?: string }
  /** 204, but not before the promise is settled: a slow endpoint that the test releases. */
  | { after: Promise<unknown> }
  /** The request is read and never answered. */
  | 'hang'
  /** 200 and a body that never ends. */
  | 'endless'
  /** 200 and a body of which a byte comes now and then. */
  | 'dripping'
  /** The connection is torn down. */
  | 'reset'
  /** Something that is not HTTP. */
  | 'garbage';

export type ReceivedEvent = {
  id: string | undefined;
  /** Unix seconds of the attempt, as the header says. */
  timestamp: number;
  /** The trusted secrets that this request is signed with. */
  signedWith: string[];
  path: string;
  headers: IncomingMessage['headers'];
  rawBody: string;
};

export type WebhookReceiver = {
  /** `http://127.0.0.1:<port>/events` */
  url: string;
  received: readonly ReceivedEvent[];
  /** Accepts signatures of this secret from now on. */
  trust: (secret: string) => void;
  /** What the next requests get, in order; after the last one every request gets 204. */
  answer: (...answers: Answer[]) => void;
  /** All requests, as soon as there are this many. */
  until: (count: number) => Promise<readonly ReceivedEvent[]>;
  close: () => Promise<void>;
};

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
    response.writeHead(204).end();
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
    url: `http://127.0.0.1:${address.port}/events`,
    received,
    trust: (secret) => void secrets.add(secret),
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
