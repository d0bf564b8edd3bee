/**
 * Blocks of loopback ports, below those that the system gives to sockets without a port of their own: no other socket
 * gets such a port between its choice and its use, or while its server is restarted.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { threadId } from 'node:worker_threads';

export type PortBlocks = { from: number; length: number; count: number };

const listenOn = async (port: number): Promise<Server | null> => {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  } catch {
    return null;
  }
};

const isFreeForUdp = async (port: number): Promise<boolean> => {
  const socket = createSocket('udp4');
  try {
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
};

/** Whether the port is free for TCP and UDP. */
export const isFree = async (port: number): Promise<boolean> => {
  const server = await listenOn(port);
  if (server === null) return false;
  server.close();
  await once(server, 'close');
  return isFreeForUdp(port);
};

/**
 * Claims a block for this thread by listening on its first port, which ends with the thread. Returns that port; the
 * others are the thread's own. The search begins at another block in each thread: processes of a thread that has just
 * ended may still use its ports.
 */
export const claimBlock = async ({ from, length, count }: PortBlocks): Promise<number> => {
  for (let tried = 0; tried < count; tried += 1) {
    const first = from + ((process.pid + threadId + tried) % count) * length;
    const claim = await listenOn(first);
    if (claim === null) continue;
    claim.unref();
    return first;
  }
  throw new Error(`All ${count} blocks of ports from ${from} on are taken by other test files`);
};
