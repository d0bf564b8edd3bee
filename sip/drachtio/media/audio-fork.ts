/**
 * The websocket server to which FreeSWITCH (mod_audio_fork) brings the sound of calls, and from which it takes the
 * agent's voice. Each connection is let in once, by a token that is made for its call.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { WebSocketServer, type WebSocket } from 'ws';
import { z } from 'zod';
import type { Clock } from '#src/domain/clock.ts';

const protocol = 'audio.drachtio.org';
const arriveMs = 3_000;
const samplesPerMs = 8;
/** Sound comes as time goes by, or later. What is so far ahead of time was taken at a higher rate. */
const aheadMs = 5_000;
/** FreeSWITCH sends 20 ms at a time; what is longer than a second is none of its frames. */
const maxPayload = 32_000;

const markSchema = z.object({ type: z.literal('mark'), data: z.object({ name: z.string() }) });

/** The sound of one call. Samples are mono 16-bit linear at 8000 Hz. */
export type AudioFork = {
  /** To be played after what was sent before. */
  send(samples: Int16Array): void;
  /** Comes back by `onMark` when everything that was sent has been played, or with `kill`. */
  mark(name: string): void;
  /** Forgets what was sent and not yet played. */
  kill(): void;
  close(): void;
};

export type AudioForkEvents = {
  /** What the other party's side sounds like, 20 ms at a time. A recognizer would listen here. */
  onAudio: (samples: Int16Array) => void;
  onMark: (name: string) => void;
  /** The connection has ended although `close` was not called. */
  onLost: () => void;
};

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

  const forkOf = (socket: WebSocket, { onAudio, onMark, onLost }: AudioForkEvents): AudioFork => {
    let isClosed = false;
    let isTooFast = false;
    let lastAt = clock.now();
    let ahead = 0;
    const hasRightRate = (samples: number): boolean => {
      const now = clock.now();
      ahead += samples / samplesPerMs - Math.max(0, now - lastAt);
      lastAt = now;
      if (!isTooFast && ahead > aheadMs) {
        isTooFast = true;
        logger.warn('audio of a wrong rate was dropped; what follows of it is, too');
      }
      return !isTooFast;
    };
    const tell = (message: object): void => socket.send(JSON.stringify(message), ignoreLoss);
    // A socket that is closing reports itself by `close`.
    const ignoreLoss = (): void => {};
    socket.on('message', (data, isBinary) => {
      if (!Buffer.isBuffer(data)) return;
      if (!isBinary) {
        const mark = markSchema.safeParse(parsed(data.toString()));
        if (mark.success) onMark(mark.data.data.name);
      } else if (data.length % 2 === 0) {
        if (hasRightRate(data.length / 2)) onAudio(samplesOf(data));
      } else logger.warn({ bytes: data.length }, 'audio of a wrong size was dropped');
    });
    socket.on('error', (error) => logger.debug({ err: error }, 'a media connection reports an error'));
    socket.on('close', () => {
      if (!isClosed) onLost();
    });
    return {
      send: (samples) => socket.send(bytesOf(samples), { binary: true }, ignoreLoss),
      mark: (name) => tell({ type: 'mark', data: { name } }),
      kill: () => tell({ type: 'killAudio' }),
      close() {
        isClosed = true;
        socket.terminate();
      },
    };
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
            resolve(forkOf(socket, events));
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

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A copy: the bytes of a websocket message may begin at an odd address. */
const samplesOf = (data: Buffer): Int16Array => new Int16Array(new Uint8Array(data).buffer);

/** mod_audio_fork takes a sample of -1 for a mark of its own. */
const bytesOf = (samples: Int16Array): Uint8Array =>
  new Uint8Array(samples.map((sample) => (sample === -1 ? 0 : sample)).buffer);
