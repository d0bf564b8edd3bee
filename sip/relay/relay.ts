/**
 * Holds the single control connection to an unmodified drachtio-server and shares it among gateways, which connect to
 * the relay as if it were drachtio-server.
 *
 * drachtio-server keeps a dialog when the process that held the dialog dies, but answers the far end's requests in that
 * dialog with 481. The relay keeps the connection, and holds such requests for the gateway that next acts in the
 * dialog. The relay has no state of calls: its tables are derived from forwarded messages, so the relay can be
 * restarted.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import { within } from '../background-tasks.ts';
import { startHeartbeat } from '../heartbeat.ts';
import { keepConnected, type Kept, type ServerAddress } from '../reconnect.ts';
import { connectToDrachtio, type DrachtioConnection } from './drachtio-connection.ts';
import { acceptGateway, type GatewayLimits } from './gateway-connection.ts';
import { createTraffic, ownVerbs, type TrafficNumbers } from './traffic.ts';

export type RelayNumbers = TrafficNumbers & {
  gateways: GatewayLimits & { most: number };
  /** Interval and timeout of the check whether drachtio-server still reads. */
  probe: { everyMs: number; answerMs: number };
};

export type RelayOptions = {
  listen: { host: string; port: number };
  /** Address and secret of drachtio-server. Gateways use the same secret for the relay. */
  drachtio: ServerAddress;
  numbers: RelayNumbers;
  clock: Clock;
  logger: Logger;
};

const sweepMs = 60_000;

type Traffic = ReturnType<typeof createTraffic>;

const keepDrachtio = (
  { drachtio: address, numbers: { probe }, clock, logger }: RelayOptions,
  traffic: Traffic,
): Kept<DrachtioConnection> => {
  let stopHeartbeat: () => void = () => {};
  const kept = keepConnected<DrachtioConnection>({
    to: `drachtio-server at ${address.host}:${address.port}`,
    connect: (onLost) =>
      connectToDrachtio(
        address,
        ownVerbs,
        {
          onMessage: traffic.told,
          enqueue: traffic.enqueue,
          onAnswered: traffic.answered,
          onLess: traffic.goOn,
          onLost,
        },
        clock,
      ),
    disconnect(connection) {
      stopHeartbeat();
      connection.close();
    },
    onConnected() {
      const connection = kept.current();
      if (connection === null) return;
      stopHeartbeat = startHeartbeat({
        probe: async () => void (await within(clock, probe.answerMs, 'An answer', connection.ask('ping'))),
        everyMs: probe.everyMs,
        clock,
        onSilent() {
          logger.error('drachtio-server no longer reads from its connection; reconnecting');
          connection.close();
        },
      });
    },
    onLost: traffic.lost,
    clock,
    logger,
  });
  return kept;
};

/** Listening address for gateways. */
const serveGateways = (
  { drachtio: { secret }, numbers, clock, logger }: RelayOptions,
  traffic: Traffic,
  drachtio: Kept<DrachtioConnection>,
): { server: Server; close: () => Promise<void> } => {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    count += 1;
    acceptGateway(
      socket,
      {
        onAdmitted(gateway) {
          traffic.came(gateway);
          logger.info({ gateway: gateway.name, gateways: traffic.count() }, 'a gateway connected');
        },
        onCommand: traffic.asked,
        onGone(gateway) {
          traffic.gone(gateway);
          logger.warn({ gateway: gateway.name, gateways: traffic.count() }, 'a gateway disconnected');
        },
      },
      {
        name: String(count),
        secret,
        greeting: () => drachtio.current()?.greeting ?? null,
        limits: numbers.gateways,
        clock,
        logger,
      },
    );
  });
  server.maxConnections = numbers.gateways.most;
  return {
    server,
    async close() {
      const closing = [...sockets].map((socket) => once(socket, 'close'));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closing);
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
};

export const createRelay = (options: RelayOptions) => {
  const { listen, numbers, clock, logger } = options;
  const traffic: Traffic = createTraffic(
    {
      write: (message) => drachtio.current()?.write(message),
      isFull: () => drachtio.current()?.isFull() ?? true,
      ask: async (text) => {
        const connection = drachtio.current();
        if (connection === null) throw new Error('drachtio-server is away');
        return connection.ask(text);
      },
    },
    { numbers, clock, logger },
  );
  const drachtio = keepDrachtio(options, traffic);
  const { server, close } = serveGateways(options, traffic, drachtio);
  const sweeping = createRepeatedTask({ work: async () => traffic.sweep(), everyMs: sweepMs, clock });

  return {
    /** Listens for gateways and connects to drachtio-server. Rejects if the port is in use; resolves to the port. */
    async start(): Promise<number> {
      server.listen(listen.port, listen.host);
      await once(server, 'listening');
      sweeping.start(sweepMs);
      await drachtio.open();
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : listen.port;
    },
    /** Returns why drachtio-server is unreachable; `null` while it is reachable. */
    problem: drachtio.problem,
    /** Returns the sizes of the relay's tables, for monitoring. */
    sizes: traffic.sizes,
    async close(): Promise<void> {
      drachtio.close();
      await sweeping.stop();
      await close();
      // Traffic is closed last, because requests of disconnected gateways would otherwise be held for half a minute.
      traffic.close();
    },
  };
};

export type Relay = ReturnType<typeof createRelay>;
