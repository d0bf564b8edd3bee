/** The thread of `ears.ts`. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { goBeforeOthers } from '#sip/media-thread/thread-priority.ts';
import type { FromEars, Heard, ToEars } from './ears.ts';

/** Audio since the last reset; `lastAt` is 0 before the first packet. */
type Ear = { lastAt: number; longestMs: number; sources: Set<number> };

/** Whether a packet is RTCP, by its second byte (RFC 5761 section 4). */
const isRtcp = (packet: Buffer): boolean => (packet[1] ?? 0) >= 192 && (packet[1] ?? 0) <= 223;

// A telephone has a processor of its own: otherwise the load of the other programs would be measured as silence.
goBeforeOthers();

const count = z.number().parse(workerData);
const tell = (message: FromEars): void => parentPort?.postMessage(message);

const open = async (): Promise<{ port: number; ear: Ear; close: () => void }> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const ear: Ear = { lastAt: 0, longestMs: 0, sources: new Set() };
  socket.on('message', (packet, { port }) => {
    if (isRtcp(packet)) return;
    const now = performance.now();
    if (ear.lastAt > 0) ear.longestMs = Math.max(ear.longestMs, now - ear.lastAt);
    ear.lastAt = now;
    ear.sources.add(port);
  });
  return { port: socket.address().port, ear, close: () => void socket.close() };
};

const ears: Awaited<ReturnType<typeof open>>[] = [];
for (let opened = 0; opened < count; opened += 1) ears.push(await open());

const heardBy = ({ lastAt, longestMs, sources }: Ear): Heard[] =>
  lastAt === 0
    ? []
    : [{ silenceMs: Math.round(Math.max(longestMs, performance.now() - lastAt)), sources: sources.size }];

parentPort?.on('message', (message: ToEars) => {
  switch (message) {
    case 'measure':
      return tell({ heard: ears.flatMap(({ ear }) => heardBy(ear)) });
    case 'forget':
      for (const { ear } of ears) Object.assign(ear, { longestMs: 0, sources: new Set() });
      return undefined;
    case 'close':
      for (const { close } of ears) close();
      return parentPort?.close();
  }
});
tell({ ports: ears.map(({ port }) => port) });
