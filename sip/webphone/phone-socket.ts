/**
 * The websocket of web phones: JSON messages and audio frames in both directions, as in `src/domain/web-phone.ts`.
 * `?phone=` is the name that identifies a phone when it reconnects.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer, type WebSocket } from 'ws';
import type { AuthorizedUpgrade } from '#src/domain/authorized-upgrade.ts';
import { parseFromPhone } from './phone-messages.ts';
import type { Dial, WebPhones } from './web-phones.ts';

export type PhoneSocketLimits = {
  /** Maximum of connected phones: of all workspaces, and of one. */
  phones: number;
  phonesOfWorkspace: number;
  messageBytes: number;
  /** Maximum of bytes that wait for a slow reader, which is then disconnected. */
  waitingBytes: number;
  /** A phone without a pong within this time is disconnected. */
  pingMs: number;
};

export type PhoneSocket = {
  accept(upgrade: AuthorizedUpgrade<IncomingMessage, Duplex>): void;
  /** Disconnects every phone. */
  close(): void;
};

/** RFC 6455 section 7.4.1, and a private code: the phone has been opened elsewhere under this name. */
const closeCodes = { goingAway: 1001, tooSlow: 1013, replaced: 4001 } as const;

/** Time for a phone to complete the closing handshake. */
const farewellMs = 500;

const isName = (name: string): boolean => /^[\w-]{8,64}$/.test(name);

export const createPhoneSocket = (options: {
  phones: Pick<WebPhones, 'connect' | 'close'>;
  /** Places calls for phones. */
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
  server.on('error', (error) =>
    logger.error({ err: error }, 'the WebSocket server of the web phones failed'),
  );

  const workspaces = new Map<WebSocket, string>();
  const phonesOf = (workspaceId: string): number =>
    [...workspaces.values()].filter((one) => one === workspaceId).length;

  const serve = (socket: WebSocket, workspaceId: string, name: string): void => {
    workspaces.set(socket, workspaceId);
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
    const connection = phones.connect({
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
      workspaces.delete(socket);
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
      server.handleUpgrade(request, socket, head, (phone) => serve(phone, workspaceId, name));
    },
    close() {
      for (const phone of server.clients) phone.close(closeCodes.goingAway, 'the gateway ends');
      const cutOff = setTimeout(() => {
        for (const phone of server.clients) phone.terminate();
      }, farewellMs);
      server.close(() => clearTimeout(cutOff));
      phones.close();
    },
  };
};
