/** The sound of one call, as mod_audio_fork of FreeSWITCH carries it over a websocket. */
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Clock } from '#src/domain/clock.ts';
import type { SoundEvents, SoundPath } from '../../media/endpoint.ts';
import { samplesPerMs } from '../../samples.ts';

/** Sound comes as time goes by, or later. What is so far ahead of time was taken at a higher rate. */
const aheadMs = 5_000;

const markSchema = z.object({ type: z.literal('mark'), data: z.object({ name: z.string() }) });

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

/** Sound comes as time goes by, or later; what comes faster was taken at a higher rate, and is dropped from then on. */
const createRateGuard = ({ clock, logger }: { clock: Clock; logger: Logger }) => {
  let isTooFast = false;
  let lastAt = clock.now();
  let ahead = 0;
  return (samples: number): boolean => {
    const now = clock.now();
    ahead += samples / samplesPerMs - Math.max(0, now - lastAt);
    lastAt = now;
    if (!isTooFast && ahead > aheadMs) {
      isTooFast = true;
      logger.warn('audio of a wrong rate was dropped; what follows of it is, too');
    }
    return !isTooFast;
  };
};

// A socket that is closing reports itself by `close`.
const ignoreLoss = (): void => {};

export const createAudioFork = (
  socket: WebSocket,
  { onAudio, onMark, onLost }: SoundEvents,
  options: { clock: Clock; logger: Logger },
): SoundPath => {
  const { logger } = options;
  const hasRightRate = createRateGuard(options);
  let isClosed = false;
  const tell = (message: object): void => socket.send(JSON.stringify(message), ignoreLoss);
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
