/** A relay between a gateway and its servers (doubles or real ones) that records the kinds of all messages. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { ServerAddress } from '#sip/reconnect.ts';
import { createControlReader } from './control-messages.ts';
import { createCommandReader, createMessageReader } from './event-socket-messages.ts';
import { readCommand, readEvent, type Notebook } from './protocol-notes.ts';

type Place = { host: string; port: number };

/** Handles each pair of sockets. */
type Hand = (client: Socket, server: Socket) => void;

const endTogether = (one: Socket, other: Socket): void => {
  one.on('error', () => {});
  one.on('end', () => other.end());
  one.on('close', () => other.destroySoon());
};

const startRelay = async (target: Place, hand: Hand): Promise<Place & { close(): void }> => {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(target.port, target.host);
    for (const socket of [client, behind]) {
      socket.setNoDelay(true);
      sockets.add(socket);
    }
    endTogether(client, behind);
    endTogether(behind, client);
    hand(client, behind);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return {
    host: '127.0.0.1',
    port: address.port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

export const createNotingRelays = (notebook: Notebook) => {
  const closing: (() => void)[] = [];
  const start = async (target: Place, hand: Hand): Promise<Place> => {
    const started = await startRelay(target, hand);
    closing.push(started.close);
    return started;
  };

  const betweenEventSockets: Hand = (gateway, freeSwitch) => {
    const note = notebook.openEventSocket();
    gateway.on(
      'data',
      createCommandReader((command) => note('gateway', readCommand(command))),
    );
    freeSwitch.on(
      'data',
      createMessageReader((message) => note('server', readEvent(message))),
    );
    gateway.pipe(freeSwitch);
    freeSwitch.pipe(gateway);
  };

  return {
    async control(target: ServerAddress): Promise<ServerAddress> {
      const relay = await start(target, (gateway, server) => {
        gateway.on(
          'data',
          createControlReader((message) => notebook.noteControl('gateway', message)),
        );
        server.on(
          'data',
          createControlReader((message) => notebook.noteControl('server', message)),
        );
        gateway.pipe(server);
        server.pipe(gateway);
      });
      return { ...target, ...relay };
    },
    async eventSocket(target: ServerAddress): Promise<ServerAddress> {
      return { ...target, ...(await start(target, betweenEventSockets)) };
    },
    close(): void {
      for (const close of closing) close();
    },
  };
};
