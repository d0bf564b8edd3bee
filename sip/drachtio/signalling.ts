/**
 * The control connection to drachtio-server. One `Srf` serves all connections, one after the other: dialogs, handlers
 * and the media server are bound to it.
 */
import Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { keepConnected } from './keep-connected.ts';

export type ServerAddress = { host: string; port: number; secret: string };

type OnRequest = (request: Srf.SrfRequest, response: Srf.SrfResponse) => void;

export const createSignalling = (options: {
  server: ServerAddress;
  onInvite: OnRequest;
  onOptions: OnRequest;
  onLost: () => void;
  clock: Clock;
  logger: Logger;
}) => {
  const { server, clock, logger } = options;
  const srf = new Srf();
  srf.invite(options.onInvite);
  srf.use('options', options.onOptions);

  type Waiting = { resolve: () => void; reject: (error: Error) => void };
  let waiting: Waiting | null = null;
  let onLost: () => void = () => {};

  const fail = (error: Error): void => {
    waiting?.reject(error);
    waiting = null;
  };

  // `addListener` because the types of `on` leave these events out.
  srf.addListener('connect', (error: unknown) => {
    if (error === null || error === undefined) waiting?.resolve();
    else {
      fail(new Error('it refused the secret (GW_DRACHTIO_SECRET).'));
      disconnect();
    }
    waiting = null;
  });
  srf.addListener('error', (error: Error) => {
    if (waiting === null) logger.debug({ err: error }, 'the connection to drachtio-server reports an error');
    fail(error);
  });
  srf.addListener('close', () => {
    fail(new Error('it closed the connection.'));
    onLost();
  });

  const disconnect = (): void => {
    try {
      srf.disconnect();
    } catch (error) {
      // It throws when the socket is gone already.
      logger.debug({ err: error }, 'the connection to drachtio-server was closed already');
    }
  };

  const kept = keepConnected<true>({
    to: `drachtio-server at ${server.host}:${server.port}`,
    connect: (lost) =>
      new Promise((resolve, reject) => {
        waiting = { resolve: () => resolve(true), reject };
        onLost = lost;
        // Its own reconnecting cannot be ended once it has begun.
        const settings = { ...server, reconnect: { maxAttempts: 1 } };
        void srf.connect(settings);
      }),
    disconnect,
    onLost: options.onLost,
    clock,
    logger,
  });

  return { srf, open: kept.open, problem: kept.problem, close: kept.close };
};

export type Signalling = ReturnType<typeof createSignalling>;
