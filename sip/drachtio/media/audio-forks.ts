/**
 * The websocket server to which FreeSWITCH (mod_audio_fork) brings the sound of calls, and from which it takes the
 * agent's voice. Each connection is let in once, by a token that is made for its call.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Clock } from '#src/domain/clock.ts';
import type { SoundEvents, SoundPath } from '../../media/endpoint.ts';
import { createAudioFork } from './audio-fork.ts';

const protocol = 'audio.drachtio.org';
const arriveMs = 3_000;
/** FreeSWITCH sends 20 ms at a time; what is longer than a second is none of its frames. */
const maxPayload = 32_000;

export type ExpectedAudioFork = {
  /** For FreeSWITCH, valid for one connection. */
  url: string;
  arrived: Promise<SoundPath>;
  /** It is not wanted any more: `arrived` rejects, unless it has arrived. */
  cancel(): void;
};

/** Connections that are expected for a moment, each by its token. */
const createExpectations = (clock: Clock) => {
  const expected = new Map<string, (socket: WebSocket) => void>();
  return {
    has: (token: string): boolean => expected.has(token),
    accept(token: string, socket: WebSocket): void {
      const accept = expected.get(token);
      if (accept === undefined) socket.terminate();
      else accept(socket);
    },
    add(toFork: (socket: WebSocket) => SoundPath): Omit<ExpectedAudioFork, 'url'> & { token: string } {
      const token = randomBytes(24).toString('base64url');
      const { promise: arrived, resolve, reject } = Promise.withResolvers<SoundPath>();
      // Also a fork that is cancelled before anybody waits for it must not end the process.
      arrived.catch(() => {});
      const forget = (): void => {
        expected.delete(token);
        clock.clearTimeout(timer);
      };
      const giveUp = (why: string): void => {
        forget();
        reject(new Error(why));
      };
      const timer = clock.setTimeout(
        () => giveUp('FreeSWITCH did not connect the sound of the call'),
        arriveMs,
      );
      expected.set(token, (socket) => {
        forget();
        resolve(toFork(socket));
      });
      return { token, arrived, cancel: () => giveUp('The sound of the call is not wanted any more') };
    },
  };
};

const tokenIn = ({ url = '' }: IncomingMessage): string => url.slice(url.lastIndexOf('/') + 1);

export const createAudioForks = (options: {
  host: string;
  /** 0 takes a free one. */
  port: number;
  clock: Clock;
  logger: Logger;
}) => {
  const { host, clock, logger } = options;
  const expectations = createExpectations(clock);
  let server: WebSocketServer | null = null;

  const isExpected = (request: IncomingMessage): boolean => {
    const isKnown = expectations.has(tokenIn(request));
    if (!isKnown)
      logger.warn(
        { address: request.socket.remoteAddress },
        'a media connection without a valid token was refused',
      );
    return isKnown;
  };

  return {
    async open(): Promise<void> {
      server = new WebSocketServer({
        host,
        port: options.port,
        maxPayload,
        perMessageDeflate: false,
        handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
        verifyClient: ({ req }: { req: IncomingMessage }) => isExpected(req),
      });
      server.on('connection', (socket, request) => expectations.accept(tokenIn(request), socket));
      await once(server, 'listening');
      server.on('error', (error) => logger.error({ err: error }, 'the media socket reports an error'));
    },
    expect(events: SoundEvents): ExpectedAudioFork {
      const address = server?.address();
      if (address === undefined || address === null || typeof address === 'string')
        throw new Error('The media socket is not open');
      const { token, arrived, cancel } = expectations.add((socket) =>
        createAudioFork(socket, events, options),
      );
      return { url: `ws://${host}:${address.port}/audio/${token}`, arrived, cancel };
    },
    async close(): Promise<void> {
      if (server === null) return;
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, 'close');
      server = null;
    },
  };
};

export type AudioForks = ReturnType<typeof createAudioForks>;
