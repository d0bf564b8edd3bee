/**
 * The control connection to drachtio-server. One `Srf` serves all connections, one after the other: dialogs, handlers
 * and the media server are bound to it.
 */
import Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { guardControlConnection, type ControlConnection } from './connection-guard.ts';
import { NotConnected, type SendCommand } from './end-leg.ts';
import { keepConnected } from '../reconnect.ts';
import { within } from '../background-tasks.ts';
import { startHeartbeat } from '../heartbeat.ts';

export type ServerAddress = { host: string; port: number; secret: string };

/** drachtio-server answers at once. */
const commandMs = 3_000;

export type ControlProbe = { everyMs: number; answerMs: number };

/**
 * What nobody asks for drachtio-server refuses with 503, as if it were for later. REGISTER is left to it: it is the most
 * frequent of all unwanted requests. Out of a call it drops REFER, and answers UPDATE with 481, by itself.
 */
const others = ['info', 'message', 'notify', 'publish', 'subscribe'] as const;

type OnRequest = (request: Srf.SrfRequest, response: Srf.SrfResponse) => void;

export const createSignalling = (options: {
  server: ServerAddress;
  onInvite: OnRequest;
  onOptions: OnRequest;
  /** For everything else that comes outside of a call. */
  onOther: OnRequest;
  /** Whether a request outside of a call gets no answer at all; asked before anything else. */
  isIgnored: (request: Srf.SrfRequest) => boolean;
  /** How often it is asked whether it still takes in what it is sent, and how long it may take to answer. */
  probe: ControlProbe;
  onConnected: () => void;
  onLost: () => void;
  clock: Clock;
  logger: Logger;
}) => {
  const { server, clock, logger } = options;
  const srf = new Srf();
  let control: ControlConnection | null = null;
  let stopHeartbeat: () => void = () => {};
  srf.use((request, _response, next) => {
    if (options.isIgnored(request)) return control?.ignore(request);
    // It is missing where the head of a message never ends.
    request.body ??= '';
    return next();
  });
  const taking =
    (take: OnRequest): OnRequest =>
    (request, response) => {
      try {
        take(request, response);
      } catch (error) {
        logger.error({ err: error }, `${request.method} could not be taken`);
        if (!response.finalResponseSent) response.send(500);
      }
    };
  srf.invite(taking(options.onInvite));
  srf.use('options', taking(options.onOptions));
  for (const method of others) srf.use(method, taking(options.onOther));

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

  const command = async (message: string): Promise<void> => {
    if (control === null) throw new NotConnected('it is not connected.');
    await control.command(message);
  };

  const watch = (): (() => void) =>
    startHeartbeat({
      probe: async () => {
        await within(clock, options.probe.answerMs, 'An answer', command('ping'));
      },
      everyMs: options.probe.everyMs,
      clock,
      onSilent() {
        logger.error('drachtio-server takes in nothing any more: it is connected with anew');
        control?.cut();
      },
    });

  const disconnect = (): void => {
    stopHeartbeat();
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
        control = guardControlConnection(srf, logger);
      }),
    disconnect,
    onConnected() {
      stopHeartbeat = watch();
      options.onConnected();
    },
    onLost: options.onLost,
    clock,
    logger,
  });

  return {
    srf,
    open: kept.open,
    problem: kept.problem,
    /** For what drachtio-srf does not do: messages about what another client of drachtio-server has begun. */
    send: async ({
      transactionId = '',
      dialogId = '',
      nextHop = '',
      sip,
    }: Parameters<SendCommand>[0]): Promise<void> => {
      if (kept.problem() !== null) throw new NotConnected('it is not connected.');
      await within(
        clock,
        commandMs,
        'An answer of drachtio-server',
        command(`sip|${transactionId}|${dialogId}|${nextHop}\r\n${sip}`),
      );
    },
    close: kept.close,
  };
};

export type Signalling = ReturnType<typeof createSignalling>;
