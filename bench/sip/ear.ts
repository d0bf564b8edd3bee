/** A thread that hears a call by RTP, whatever the others are busy with: when each packet came, and how loud it is. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { fromMuLaw } from '#test/real-sip/mu-law.ts';

/** By a clock that all threads of this process share, in milliseconds. */
export type HeardPacket = { at: number; isVoice: boolean };

export const sharedNow = (): number => performance.timeOrigin + performance.now();

export type Ear = {
  port: number;
  /** What came since it was asked last. */
  heard(): Promise<readonly HeardPacket[]>;
  close(): Promise<void>;
};

const headerLength = 12;
const audible = 200;

const isVoice = (samples: Int16Array): boolean => samples.some((sample) => Math.abs(sample) > audible);

const listen = async (main: NonNullable<typeof parentPort>): Promise<void> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  let heard: HeardPacket[] = [];
  socket.on('message', (packet) => {
    // What begins otherwise is the word of sipp that a call is on.
    if (packet.length <= headerLength || packet[0] !== 0x80) return;
    heard.push({ at: sharedNow(), isVoice: isVoice(fromMuLaw(packet.subarray(headerLength))) });
  });
  main.on('message', () => {
    main.postMessage(heard);
    heard = [];
  });
  main.postMessage(socket.address().port);
};

if (!isMainThread && parentPort !== null) await listen(parentPort);

export const startEar = async (): Promise<Ear> => {
  const worker = new Worker(new URL(import.meta.url));
  const [port]: unknown[] = await once(worker, 'message');
  if (typeof port !== 'number') throw new Error('There is no port');
  return {
    port,
    async heard() {
      worker.postMessage('heard');
      // It comes from `listen` above.
      const [heard] = (await once(worker, 'message')) as [readonly HeardPacket[]];
      return heard;
    },
    async close() {
      await worker.terminate();
    },
  };
};
