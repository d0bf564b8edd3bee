/**
 * A thread that receives a call's RTP, independent of load on other threads: arrival time and loudness of each packet.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { fromMuLaw } from '#test/real-sip/mu-law.ts';

/** `at` is in milliseconds by a clock shared by all threads of this process. */
export type HeardPacket = { at: number; isVoice: boolean };

export const sharedNow = (): number => performance.timeOrigin + performance.now();

export type Ear = {
  port: number;
  /** Packets received since the last call. */
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
    // Packets that begin differently are sipp's notice that a call has started.
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
      // The message that `listen` above sends.
      const [heard] = (await once(worker, 'message')) as [readonly HeardPacket[]];
      return heard;
    },
    async close() {
      await worker.terminate();
    },
  };
};
