/**
 * Sends the SIP messages of calls to a collector such as Homer's heplify-server, one datagram each. Sending is best
 * effort: the gateway neither waits for it nor repeats or reports lost datagrams.
 */
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import type { Logger } from 'pino';
import { withNumericAddresses, type SipMessage } from '#src/domain/sip-message.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import type { Clock } from '#src/domain/clock.ts';
import { hepPacket, type HepIdentity } from './hep-packet.ts';

export type CollectorNumbers = {
  /** Buffering time. A trunk's address is known only after the trunk has responded. */
  gatherMs: number;
  /** Maximum number of buffered messages; further messages are dropped. */
  limit: number;
  /** Time to live of a resolved name. */
  lookUpMs: number;
  /** Maximum time for which `close` waits for buffered messages. */
  closeMs: number;
};

export type HepCollector = {
  /** Buffers a message for sending. Never throws. */
  send(message: SipMessage): void;
  /** Returns the number of dropped messages since the start. */
  lost(): number;
  /** Closes the sockets after buffered messages were sent. */
  close(): Promise<void>;
};

type Address = { host: string; family: 4 | 6 };

/** Resolves the address of the collector periodically. While resolution fails, the last address is used. */
const createAddressLookUp = (host: string, lookUpMs: number, clock: Clock, logger: Logger) => {
  let known: Address | null = null;
  let lookedUpAt = -Infinity;

  return async (): Promise<Address | null> => {
    if (clock.now() - lookedUpAt < lookUpMs) return known;
    lookedUpAt = clock.now();
    try {
      const { address, family } = await lookup(host);
      known = { host: address, family: family === 6 ? 6 : 4 };
    } catch (error) {
      logger.warn({ err: error }, 'the SIP message collector (GW_HEP) cannot be resolved');
    }
    return known;
  };
};

/** Creates one socket per address family on demand. */
const createSockets = (logger: Logger) => {
  const sockets = new Map<4 | 6, Socket>();
  return {
    of({ family }: Address): Socket {
      const open = sockets.get(family);
      if (open !== undefined) return open;
      const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
      socket.on('error', (error) =>
        logger.debug({ err: error }, 'a SIP message could not be sent to the collector'),
      );
      socket.unref();
      sockets.set(family, socket);
      return socket;
    },
    close(): void {
      for (const socket of sockets.values()) socket.close();
      sockets.clear();
    },
  };
};

export const createHepCollector = (
  { host, port, ...identity }: { host: string; port: number } & HepIdentity,
  options: CollectorNumbers & { clock: Clock; logger: Logger },
): HepCollector => {
  const { gatherMs, limit, lookUpMs, closeMs, clock, logger } = options;
  const currentAddress = createAddressLookUp(host, lookUpMs, clock, logger);
  const sockets = createSockets(logger);
  let gathered: SipMessage[] = [];
  let timer: unknown = null;
  let sending: Promise<void> = Promise.resolve();
  let isClosed = false;
  let lost = 0;

  const sendOne = (message: SipMessage, address: Address): Promise<void> =>
    new Promise((resolve) => {
      sockets.of(address).send(hepPacket(message, identity), port, address.host, (error) => {
        if (error !== null) lost += 1;
        resolve();
      });
    });

  const sendGathered = async (messages: readonly SipMessage[]): Promise<void> => {
    const address = await currentAddress();
    if (address === null || isClosed) lost += messages.length;
    else for (const message of withNumericAddresses(messages)) await sendOne(message, address);
  };

  const sendAll = (): void => {
    clock.clearTimeout(timer);
    timer = null;
    const messages = gathered;
    gathered = [];
    sending = sending.then(() => sendGathered(messages));
  };

  return {
    send(message) {
      if (gathered.length >= limit) {
        lost += 1;
        return;
      }
      gathered.push(message);
      timer ??= clock.setTimeout(sendAll, gatherMs);
    },
    lost: () => lost,
    async close() {
      if (gathered.length > 0) sendAll();
      await doneWithin(clock, closeMs, sending);
      isClosed = true;
      sockets.close();
    },
  };
};
