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
import { createAudioFork, type AudioFork, type AudioForkEvents } from './audio-fork.ts';

const protocol = 'audio.drachtio.org';
const arriveMs = 3_000;
/** FreeSWITCH sends 20 ms at a time; what is longer than a second is none of its frames. */
const maxPayload = 32_000;

export type ExpectedAudioFork = {
  /** For FreeSWITCH, valid for one connection. */
  url: string;
  arrived: Promise<AudioFork>;
  /** Nobody waits for it any more. */
  cancel(): void;
};

type Waiting = { accept: (socket: WebSocket) => void };

export const createAudioForks = (options: {
  host: string;
  /** 0 takes a free one. */
  port: number;
  clock: Clock;
  logger: Logger;
}) => {
  const { clock, logger } = options;
  const waiting = new Map<string, Waiting>();
  let server: WebSocketServer | null = null;

  const tokenOf = ({ url = '' }: IncomingMessage): string => url.slice(url.lastIndexOf('/') + 1);

  const isExpected = (request: IncomingMessage): boolean => {
    const isKnown = waiting.has(tokenOf(request));
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
        host: options.host,
        port: options.port,
        maxPayload,
        perMessageDeflate: false,
        handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
        verifyClient: ({ req }: { req: IncomingMessage }) => isExpected(req),
      });
      server.on('connection', (socket, request) => {
        const expected = waiting.get(tokenOf(request));
        if (expected === undefined) socket.terminate();
        else expected.accept(socket);
      });
      await once(server, 'listening');
      server.on('error', (error) => logger.error({ err: error }, 'the media socket reports an error'));
    },
    expect(events: AudioForkEvents): ExpectedAudioFork {
      const address = server?.address();
      if (address === undefined || address === null || typeof address === 'string')
        throw new Error('The media socket is not open');
      const token = randomBytes(24).toString('base64url');
      let timer: unknown;
      const cancel = (): void => {
        waiting.delete(token);
        clock.clearTimeout(timer);
      };
      const arrived = new Promise<AudioFork>((resolve, reject) => {
        timer = clock.setTimeout(() => {
          waiting.delete(token);
          reject(new Error('FreeSWITCH did not connect the sound of the call'));
        }, arriveMs);
        waiting.set(token, {
          accept(socket) {
            cancel();
            resolve(createAudioFork(socket, events, options));
          },
        });
      });
      // Also a fork that is cancelled before anybody waits for it must not end the process.
      arrived.catch(() => {});
      return { url: `ws://${options.host}:${address.port}/audio/${token}`, arrived, cancel };
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
