/**
 * Connections of the web phones of this gateway to the other gateways, whose calls ring at them: a websocket each, with
 * the messages and audio frames of `src/domain/web-phone.ts`, authenticated by a proof (`node-proof.ts`).
 */
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Clock } from '#src/domain/clock.ts';
import type {
  LinkedPhone,
  LinkPhone,
  PhoneLink,
  PhoneLinkEvents,
  ToldPhone,
} from '#src/domain/linked-phone.ts';
import { webPhoneReplaced } from '#src/domain/web-phone.ts';
import { proofOf, type NodeKeys } from './node-proof.ts';
import type { ConnectionEnd, ConnectToGateway, OtherGateways } from './other-gateways.ts';

/** Path of these websockets. */
export const phoneLinksPath = '/internal/phones';

const told = z.looseObject({
  type: z.string(),
  call_id: z.string().optional(),
  code: z.string().optional(),
}) satisfies z.ZodType<ToldPhone>;

export type PhoneLinkNumbers = {
  connectMs: number;
  /** A connection without a message or a ping for this long is lost. */
  stallMs: number;
  /** Maximum size of a message to the phone. */
  messageBytes: number;
  /** Maximum of bytes that wait for a slow gateway, which is then disconnected. */
  waitingBytes: number;
};

/** Status of a gateway without web phones, or of an older one that does not know the path. */
const notServed = 404;

/** `undefined` for a message that no gateway sends. */
const readTold = (data: Buffer): ToldPhone | undefined => {
  try {
    return told.safeParse(JSON.parse(data.toString())).data;
  } catch {
    return undefined;
  }
};

export const createLinkPhone = (options: {
  gateways: Pick<OtherGateways, 'connect'>;
  keys: NodeKeys;
  numbers: PhoneLinkNumbers;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  clock: Clock;
  logger: Logger;
}): LinkPhone => {
  const { gateways, keys, numbers, clock, logger } = options;
  const { connectMs, stallMs, messageBytes, waitingBytes } = numbers;

  const open = (address: string, { workspaceId, name, since }: LinkedPhone): WebSocket => {
    const url = new URL(phoneLinksPath, address);
    url.protocol = url.protocol.replace('http', 'ws');
    url.search = new URLSearchParams({
      workspace: workspaceId,
      phone: name,
      since: String(since),
    }).toString();
    const asked = { method: 'GET', path: url.pathname + url.search, range: undefined };
    return new WebSocket(url, {
      headers: { authorization: proofOf(asked, keys, options.now()) },
      handshakeTimeout: connectMs,
      perMessageDeflate: false,
      maxPayload: messageBytes,
    });
  };

  const linkTo = (socket: WebSocket): PhoneLink => {
    const send = (data: string | Uint8Array): void => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > waitingBytes) socket.terminate();
      else socket.send(data);
    };
    return { send: (message) => send(JSON.stringify(message)), sendFrame: send };
  };

  const connectTo =
    (phone: LinkedPhone, on: PhoneLinkEvents): ConnectToGateway =>
    ({ name: gateway, address }, stopped) => {
      const over = Promise.withResolvers<ConnectionEnd>();
      const socket = open(address, phone);
      let end: ConnectionEnd = 'ended';
      let isOpen = false;
      let timer: unknown;
      const expectMore = (): void => {
        clock.clearTimeout(timer);
        timer = clock.setTimeout(() => socket.terminate(), stallMs);
      };
      const stop = (): void => socket.terminate();
      stopped.addEventListener('abort', stop);
      socket.on('open', () => {
        isOpen = true;
        expectMore();
        on.opened(gateway, linkTo(socket));
      });
      socket.on('ping', expectMore);
      socket.on('message', (data, isBinary) => {
        expectMore();
        if (!(data instanceof Buffer)) return;
        if (isBinary) return on.played(gateway, data);
        const message = readTold(data);
        if (message === undefined) socket.terminate();
        else on.told(gateway, message);
        return undefined;
      });
      socket.on('unexpected-response', (_request, { statusCode }: IncomingMessage) => {
        if (statusCode === notServed) end = 'refused';
        socket.terminate();
      });
      socket.on('error', (error) =>
        logger.debug({ err: error, to_node: gateway }, 'a web phone is not connected to another gateway'),
      );
      socket.on('close', (code) => {
        clock.clearTimeout(timer);
        stopped.removeEventListener('abort', stop);
        if (isOpen) on.lost(gateway);
        if (code === webPhoneReplaced) on.replaced();
        over.resolve(end);
      });
      if (stopped.aborted) stop();
      return over.promise;
    };

  return (phone, on) => gateways.connect(connectTo(phone, on));
};
