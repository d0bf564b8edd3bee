/**
 * The websocket of web phones, with JSON messages and audio frames in both directions (`src/domain/web-phone.ts`). The
 * parameter `?phone=` is a name that identifies a phone when it reconnects.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer, type WebSocket } from 'ws';
import type { AuthorizedUpgrade } from '#src/domain/authorized-upgrade.ts';
import { webPhoneReplaced } from '#src/domain/web-phone.ts';
import { parseFromPhone } from './phone-messages.ts';
import type { ConnectingPage } from './phone-switch.ts';
import type { Dial, PhoneConnection, WebPhones } from './web-phones.ts';

export type PhoneSocketLimits = {
  /** Maximum number of connected phones, in total and per workspace. */
  phones: number;
  phonesOfWorkspace: number;
  /** Maximum number of connections from other gateways, one for each of their phones. */
  links: number;
  messageBytes: number;
  /** Maximum number of bytes buffered for a slow reader. Beyond it, the reader is disconnected. */
  waitingBytes: number;
  /** Interval between pings in milliseconds. A phone that does not answer a ping is disconnected. */
  pingMs: number;
};

export type PhoneSocket = {
  /** Accepts a page. */
  accept(upgrade: AuthorizedUpgrade<IncomingMessage, Duplex>): void;
  /** Accepts another gateway, which connects one of its phones. */
  acceptLink(upgrade: Omit<AuthorizedUpgrade<IncomingMessage, Duplex>, 'workspaceId' | 'actor'>): void;
  /** Disconnects every phone. */
  close(): void;
};

/** Close codes of RFC 6455 section 7.4.1, and a private code: another browser has connected under this phone's name. */
const closeCodes = { goingAway: 1001, tooSlow: 1013, replaced: webPhoneReplaced } as const;

/** Time for a phone to complete the closing handshake. */
const farewellMs = 500;

const isName = (name: string): boolean => /^[\w-]{8,64}$/.test(name);

type Connect = (page: ConnectingPage) => PhoneConnection;

export const createPhoneSocket = (options: {
  phones: Pick<WebPhones, 'connect' | 'close'>;
  /** Connects a page with this and all other gateways. */
  connectEverywhere: Connect;
  /** Places calls that are dialled at phones. */
  dial: Dial;
  limits: PhoneSocketLimits;
  logger: Logger;
}): PhoneSocket => {
  const { phones, dial, limits, logger } = options;
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.messageBytes,
  });
  const links = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.messageBytes,
  });
  for (const each of [server, links])
    each.on('error', (error) =>
      logger.error({ err: error }, 'the WebSocket server of the web phones failed'),
    );

  const workspaces = new Map<WebSocket, string>();
  const phonesOf = (workspaceId: string): number =>
    [...workspaces.values()].filter((one) => one === workspaceId).length;

  const serve = (
    socket: WebSocket,
    { workspaceId, name }: Pick<ConnectingPage, 'workspaceId' | 'name'>,
    connect: Connect,
  ): void => {
    let isThere = true;
    const ping = setInterval(() => {
      if (!isThere) return socket.terminate();
      isThere = false;
      socket.ping();
    }, limits.pingMs);
    const sendBytes = (message: string | Uint8Array): void => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > limits.waitingBytes) socket.close(closeCodes.tooSlow, 'too slow');
      else socket.send(message);
    };
    const send = (message: object): void => sendBytes(JSON.stringify(message));
    const connection = connect({
      workspaceId,
      name,
      tell: send,
      play: sendBytes,
      replaced: () => socket.close(closeCodes.replaced, 'replaced'),
      dial,
    });
    socket.on('pong', () => (isThere = true));
    socket.on('message', (data, isBinary) => {
      isThere = true;
      if (isBinary && data instanceof Buffer) return connection.hear(data);
      const message = data instanceof Buffer ? parseFromPhone(data.toString()) : undefined;
      if (message === undefined) send({ type: 'refused', code: 'invalid_message' });
      else connection.receive(message);
      return undefined;
    });
    socket.on('error', (error) => logger.debug({ err: error }, 'the WebSocket of a web phone failed'));
    socket.on('close', () => {
      clearInterval(ping);
      connection.lost();
    });
  };

  return {
    accept({ request, socket, head, query, workspaceId, refuse }) {
      const name = query.get('phone') ?? '';
      if (!isName(name)) return refuse(400);
      if (server.clients.size >= limits.phones) return refuse(503);
      if (phonesOf(workspaceId) >= limits.phonesOfWorkspace) return refuse(429);
      server.handleUpgrade(request, socket, head, (phone) => {
        workspaces.set(phone, workspaceId);
        phone.on('close', () => workspaces.delete(phone));
        serve(phone, { workspaceId, name }, options.connectEverywhere);
      });
    },
    acceptLink({ request, socket, head, query, refuse }) {
      const name = query.get('phone') ?? '';
      const workspaceId = query.get('workspace') ?? '';
      const since = Number(query.get('since'));
      if (!isName(name) || workspaceId === '' || !Number.isFinite(since)) return refuse(400);
      if (links.clients.size >= limits.links) return refuse(503);
      links.handleUpgrade(request, socket, head, (link) =>
        serve(link, { workspaceId, name }, (phone) => phones.connect({ ...phone, since })),
      );
    },
    close() {
      const clients = [...server.clients, ...links.clients];
      for (const client of clients) client.close(closeCodes.goingAway, 'the gateway ends');
      const cutOff = setTimeout(() => {
        for (const client of clients) client.terminate();
      }, farewellMs);
      links.close();
      server.close(() => clearTimeout(cutOff));
      phones.close();
    },
  };
};
