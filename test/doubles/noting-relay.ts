/** Stands between a gateway and its servers, doubles or real ones, hands everything on and notes what it was. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { ServerAddress } from '#sip/drachtio/reconnect.ts';
import { createControlReader, type ControlMessage } from './control-messages.ts';
import { createCommandReader, createMessageReader } from './event-socket-messages.ts';
import { readCommand, readEvent, type Notebook } from './protocol-notes.ts';

type Place = { host: string; port: number };

/** What is done with each pair of sockets. */
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

const framed = ({ id, type, fields, payload }: ControlMessage): string => {
  const text = [[id, type, ...fields].join('|'), ...(payload === '' ? [] : [payload])].join('\r\n');
  return `${Buffer.byteLength(text)}#${text}`;
};

/** The header by which FreeSWITCH is told where the event socket of a channel goes. */
const outbound = /^X-esl-outbound: ([\d.]+):(\d+)\r$/im;

export const createNotingRelays = (notebook: Notebook) => {
  const closing: (() => void)[] = [];
  const start = async (target: Place, hand: Hand): Promise<Place> => {
    const started = await startRelay(target, hand);
    closing.push(started.close);
    return started;
  };

  const betweenEventSockets =
    (gatewayIs: 'client' | 'server'): Hand =>
    (client, server) => {
      const note = notebook.openEventSocket();
      const [gateway, freeSwitch] = gatewayIs === 'client' ? [client, server] : [server, client];
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

  /** Where a gateway takes the event sockets of channels, by where it says that it does. */
  const channelRelays = new Map<string, Promise<Place>>();

  const throughRelay = async (message: ControlMessage): Promise<ControlMessage> => {
    const [header, host, port] = outbound.exec(message.payload) ?? [];
    if (header === undefined || host === undefined) return message;
    const known =
      channelRelays.get(`${host}:${port}`) ??
      start({ host, port: Number(port) }, betweenEventSockets('server'));
    channelRelays.set(`${host}:${port}`, known);
    const relay = await known;
    return {
      ...message,
      payload: message.payload.replace(header, `X-esl-outbound: 127.0.0.1:${relay.port}\r`),
    };
  };

  return {
    async control(target: ServerAddress): Promise<ServerAddress> {
      const relay = await start(target, (gateway, server) => {
        let before = Promise.resolve();
        const handOn = async (message: ControlMessage): Promise<void> => {
          notebook.noteControl('gateway', message);
          const changed = await throughRelay(message);
          server.write(framed(changed));
        };
        gateway.on(
          'data',
          createControlReader((message) => {
            before = before.then(() => handOn(message));
          }),
        );
        server.on(
          'data',
          createControlReader((message) => notebook.noteControl('server', message)),
        );
        server.pipe(gateway);
      });
      return { ...target, ...relay };
    },
    async eventSocket(target: ServerAddress): Promise<ServerAddress> {
      return { ...target, ...(await start(target, betweenEventSockets('client'))) };
    },
    close(): void {
      for (const close of closing) close();
    },
  };
};
