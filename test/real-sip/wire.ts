/** A TCP connection of a gateway with one of its servers, which can lose all packets: none arrives, and none ends. */
import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

export const startWire = async (t: Pick<ExecutionContext, 'teardown'>, server: NetConnectOpts) => {
  const sockets = new Set<Socket>();
  const spared = new WeakSet<Socket>();
  let isBroken = false;
  const isLost = (socket: Socket): boolean => isBroken && !spared.has(socket);
  const join = (from: Socket, to: Socket): void => {
    sockets.add(from);
    // As TCP retransmits lost packets, a broken wire delivers them when it is mended.
    if (isLost(from)) from.pause();
    from.on('data', (data) => {
      if (!to.write(data)) from.pause();
    });
    to.on('drain', () => {
      if (!isLost(from)) from.resume();
    });
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const listener = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...server, allowHalfOpen: true });
    join(near, far);
    join(far, near);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.teardown(() => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = listener.address();
  if (typeof address !== 'object' || address === null) throw new Error('No port');
  return {
    port: address.port,
    /** Connections that exist now lose no packets: those of a gateway that is not cut off. */
    spare(): void {
      for (const socket of sockets) spared.add(socket);
    },
    lose(): void {
      isBroken = true;
      for (const socket of sockets) if (isLost(socket)) socket.pause();
    },
    mend(): void {
      isBroken = false;
      for (const socket of sockets) socket.resume();
    },
  };
};
