import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Whether the port is also free for UDP. */
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

/** Resolves to a loopback port that is free for UDP and TCP. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('No port');
    const isFree = await isFreeForUdp(address.port);
    server.close();
    if (isFree) return address.port;
  }
};
