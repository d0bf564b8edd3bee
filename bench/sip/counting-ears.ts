/**
 * The telephones of standing calls, in a thread of their own: each listens to the counting tone at its port, and
 * answers each packet with one of silence.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { goBeforeOthers } from '#sip/media-thread/thread-priority.ts';
import { createCountingListener, nothingCounted, type CountingListener } from './counting-tone.ts';

/**
 * Frames that an ear has heard in all of its calls. `begun`: parts that have begun in the present one; `lostPackets`: packets
 * that are missing by the sequence numbers of RTP.
 */
const earReport = z.object({
  counted: z.object({
    whole: z.number(),
    missing: z.number(),
    altered: z.number(),
    doubled: z.number(),
    late: z.number(),
    silent: z.number(),
    stray: z.number(),
  }),
  begun: z.number(),
  lostPackets: z.number(),
});

export type EarReport = z.infer<typeof earReport>;

type ToThread = { type: 'report' } | { type: 'begin' | 'end'; ear: number };

export type CountingEars = {
  ports: readonly number[];
  report(): Promise<readonly EarReport[]>;
  /** A new call: it is counted from the first part on. */
  begin(ear: number): void;
  /** The call is about to end: what it still says is not counted. */
  end(ear: number): void;
};

const headerLength = 12;
const silence = Buffer.alloc(headerLength + 160, 0xff);
silence.fill(0, 0, headerLength);
silence[0] = 0x80;

const createEar = (socket: Socket) => {
  const counted = nothingCounted();
  let listener: CountingListener | null = null;
  let begun = 0;
  let lostPackets = 0;
  /** Stream of the present call, and those of calls before it, whose last packets may still arrive. */
  let stream: number | null = null;
  const past = new Set<number>();
  let sequence = 0;
  let sent = 0;

  socket.on('message', (packet, from) => {
    // RTP version 2 without extensions, PCMU: neither RTCP nor telephone events.
    if (packet.length <= headerLength || packet[0] !== 0x80 || (packet[1] ?? 0) % 128 !== 0) return;
    const source = packet.readUInt32BE(8);
    if (past.has(source)) return;
    sent += 1;
    silence.writeUInt16BE(sent & 0xffff, 2);
    silence.writeUInt32BE((sent * 160) >>> 0, 4);
    silence.writeUInt32BE(socket.address().port, 8);
    socket.send(silence, from.port, from.address);
    if (listener === null) return;
    const number = packet.readUInt16BE(2);
    const ahead = (number - sequence) & 0xffff;
    if (stream === source && ahead < 0x8000) lostPackets += ahead;
    stream = source;
    sequence = (number + 1) & 0xffff;
    listener.take(packet.subarray(headerLength));
    begun = listener.begun();
  });

  return {
    begin(): void {
      if (stream !== null) past.add(stream);
      stream = null;
      begun = 0;
      listener = createCountingListener(counted);
    },
    end(): void {
      listener = null;
    },
    report: (): EarReport => ({ counted, begun, lostPackets }),
  };
};

const listen = async (main: NonNullable<typeof parentPort>, count: number): Promise<void> => {
  // A telephone has a processor of its own.
  goBeforeOthers();
  const ears: ReturnType<typeof createEar>[] = [];
  const ports: number[] = [];
  while (ears.length < count) {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    ears.push(createEar(socket));
    ports.push(socket.address().port);
  }
  main.on('message', (message: ToThread) => {
    if (message.type === 'report') main.postMessage(ears.map((ear) => ear.report()));
    else ears[message.ear]?.[message.type]();
  });
  main.postMessage(ports);
};

if (!isMainThread && parentPort !== null) await listen(parentPort, z.number().parse(workerData));

export const startCountingEars = async (
  started: AsyncDisposableStack,
  count: number,
): Promise<CountingEars> => {
  const worker = new Worker(new URL(import.meta.url), { workerData: count });
  started.defer(async () => void (await worker.terminate()));
  const tell = (message: ToThread): void => worker.postMessage(message);
  const [ports]: unknown[] = await once(worker, 'message');
  return {
    ports: z.array(z.number()).parse(ports),
    async report() {
      const answer = once(worker, 'message');
      tell({ type: 'report' });
      return z.array(earReport).parse((await answer)[0]);
    },
    begin: (ear) => tell({ type: 'begin', ear }),
    end: (ear) => tell({ type: 'end', ear }),
  };
};
