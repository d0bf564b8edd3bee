/**
 * The control connection to drachtio-server. One `Srf` serves all connections, one after the other: dialogs, handlers
 * and the media server are bound to it.
 */
import Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { within } from '../background-tasks.ts';
import { startHeartbeat } from '../heartbeat.ts';
import { keepConnected, type ServerAddress } from '../reconnect.ts';
import { controlAgentOf, guardControlConnection, type ControlConnection } from './connection-guard.ts';
import { NotConnected, type SendCommand } from './end-leg.ts';

/** drachtio-server answers at once. */
const commandMs = 3_000;

/** Times of asking it whether it still takes in what it is sent, and of its answer. */
export type ControlProbe = {
  everyMs: number;
  answerMs: number;
  /** When it is lost, calls that stand wait so long for it. */
  comeBackMs: number;
};

/**
 * What nobody asks for drachtio-server refuses with 503, as if it were for later. REGISTER is left to it: it is the most
 * frequent of all unwanted requests. Out of a call it drops REFER, and answers UPDATE with 481, by itself.
 */
const others = ['info', 'message', 'notify', 'publish', 'subscribe'] as const;

type OnRequest = (request: Srf.SrfRequest, response: Srf.SrfResponse) => void;

/** The handlers of what comes by the connection. */
export type SignallingHandlers = {
  onInvite: OnRequest;
  onOptions: OnRequest;
  /** For everything else that comes outside of a call. */
  onOther: OnRequest;
  /** Whether a request outside of a call gets no answer at all; asked before anything else. */
  isIgnored: (request: Srf.SrfRequest) => boolean;
  onConnected: () => void;
  onLost: () => void;
};

/** `ignore` forgets a request that gets no answer. */
const routeRequests = (
  srf: Srf,
  handlers: SignallingHandlers,
  { ignore, logger }: { ignore: (request: Srf.SrfRequest) => void; logger: Logger },
): void => {
  srf.use((request, _response, next) => {
    if (handlers.isIgnored(request)) return ignore(request);
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
  srf.invite(taking(handlers.onInvite));
  srf.use('options', taking(handlers.onOptions));
  for (const method of others) srf.use(method, taking(handlers.onOther));
};

/** As drachtio-server says it; the relay has other reasons as well. */
const wrongSecret = 'incorrect secret';

/** What `srf` reports by events, as one attempt to connect after the other. */
const createConnector = (srf: Srf, whyRefused: () => string | null, logger: Logger) => {
  type Waiting = { resolve: (isConnected: true) => void; reject: (error: Error) => void };
  let waiting: Waiting | null = null;
  let onLost: () => void = () => {};

  const fail = (error: Error): void => {
    waiting?.reject(error);
    waiting = null;
  };

  const disconnect = (): void => {
    try {
      srf.disconnect();
    } catch (error) {
      // It throws when the socket is gone already.
      logger.debug({ err: error }, 'the connection to drachtio-server was closed already');
    }
  };

  // `addListener` because the types of `on` leave these events out.
  srf.addListener('connect', (error: unknown) => {
    if (error === null || error === undefined) waiting?.resolve(true);
    else {
      const why = whyRefused() ?? wrongSecret;
      fail(new Error(why === wrongSecret ? 'it refused the secret (GW_DRACHTIO_SECRET).' : `${why}.`));
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

  return {
    /** `begun`: the attempt is under way, and nothing has been sent by it. */
    connect: (server: ServerAddress, lost: () => void, begun: () => void): Promise<true> =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        onLost = lost;
        // Its own reconnecting cannot be ended once it has begun.
        const settings = { ...server, reconnect: { maxAttempts: 1 } };
        void srf.connect(settings);
        begun();
      }),
    disconnect,
  };
};

/** Dialogs hold on to the connection by which they began; without one they go by the one that stands. */
const useNewConnection = (srf: Srf): void => {
  const dialogs: unknown = Reflect.get(srf, '_dialogs');
  if (!(dialogs instanceof Map)) throw new Error('drachtio-srf is not as it is known here');
  for (const { req } of dialogs.values()) Reflect.set(req, 'socket', undefined);
};

export const createSignallingConnection = (options: {
  server: ServerAddress;
  probe: Pick<ControlProbe, 'everyMs' | 'answerMs'>;
  /** Is told first whatever drachtio-server says. */
  overhear: (said: string) => void;
  clock: Clock;
  logger: Logger;
}) => {
  const { server, probe, overhear, clock, logger } = options;
  const srf = new Srf();
  const connector = createConnector(srf, () => control?.refusal() ?? null, logger);
  let control: ControlConnection | null = null;
  let handlers: Pick<SignallingHandlers, 'onConnected' | 'onLost'> | null = null;
  let stopHeartbeat: () => void = () => {};

  const command = async (message: string): Promise<void> => {
    if (control === null) throw new NotConnected('it is not connected.');
    await control.command(message);
  };

  const kept = keepConnected<true>({
    to: `drachtio-server at ${server.host}:${server.port}`,
    connect: (lost) =>
      connector.connect(server, lost, () => {
        control = guardControlConnection(srf, overhear, logger);
      }),
    disconnect() {
      stopHeartbeat();
      connector.disconnect();
    },
    onConnected() {
      useNewConnection(srf);
      stopHeartbeat = startHeartbeat({
        probe: () => within(clock, probe.answerMs, 'An answer', command('ping')),
        everyMs: probe.everyMs,
        clock,
        onSilent() {
          logger.error('drachtio-server takes in nothing any more: it is connected with anew');
          control?.cut();
        },
      });
      handlers?.onConnected();
    },
    onLost: () => handlers?.onLost(),
    clock,
    logger,
  });

  return {
    srf,
    /** Once. Resolves after the first attempt to connect, whatever came of it; further ones follow by themselves. */
    open(taking: SignallingHandlers): Promise<void> {
      handlers = taking;
      routeRequests(srf, taking, { ignore: (request) => control?.ignore(request), logger });
      return kept.open();
    },
    problem: kept.problem,
    /** For what drachtio-srf does not do: messages about what another client of drachtio-server has begun. */
    send: async ({
      transactionId = '',
      dialogId = '',
      nextHop = '',
      sip,
    }: Parameters<SendCommand>[0]): Promise<void> => {
      if (kept.problem() !== null) throw new NotConnected('it is not connected.');
      const message = `sip|${transactionId}|${dialogId}|${nextHop}\r\n${sip}`;
      await within(clock, commandMs, 'An answer of drachtio-server', command(message));
    },
    /** New calls come here no more, nor is it asked whether they may. Resolves when drachtio-server has heard of it. */
    async takeNoMore(): Promise<void> {
      if (kept.problem() !== null) return;
      for (const method of ['invite', 'options']) controlAgentOf(srf).removeRoute(method);
      await within(clock, commandMs, 'An answer of drachtio-server', command('ping'));
    },
    close: kept.close,
  };
};

export type SignallingConnection = ReturnType<typeof createSignallingConnection>;
