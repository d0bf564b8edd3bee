/**
 * The control connection to drachtio-server. One `Srf` serves all successive connections, because dialogs, handlers and
 * the media server belong to the `Srf`.
 */
import Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { Fence } from '#src/domain/fence.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import { within } from '../../background-tasks.ts';
import { startHeartbeat } from '../../heartbeat.ts';
import { keepConnected, type ServerAddress } from '../../reconnect.ts';
import { controlAgentOf, guardControlConnection, type ControlConnection } from './guard.ts';
import { NotConnected, type SendCommand } from '../resume/end-leg.ts';

/** Timeout of an attempt to connect and to authenticate. */
const connectMs = 5_000;

/** Timeout of a command to drachtio-server, which normally responds immediately. */
const commandMs = 3_000;

/** Interval and timeout of the check whether drachtio-server still reads its input. */
export type ControlProbe = {
  everyMs: number;
  answerMs: number;
  /** Time in milliseconds that established calls wait for a new connection after a loss. */
  comeBackMs: number;
};

/**
 * Methods that this process requests in addition. drachtio-server refuses requests without a handler with 503, as if
 * they were temporarily unavailable. REGISTER is left to drachtio-server, because it is the most frequent unwanted
 * request. drachtio-server itself drops REFER and answers UPDATE with 481 outside of calls.
 */
const others = ['info', 'message', 'notify', 'publish', 'subscribe'] as const;

type OnRequest = (request: Srf.SrfRequest, response: Srf.SrfResponse) => void;

/** Handlers of incoming requests. */
export type SignallingHandlers = {
  onInvite: OnRequest;
  onOptions: OnRequest;
  /** Handler of requests outside of calls, except those above. */
  onOther: OnRequest;
  /** Whether a request outside of a call must stay without any response. This check is made first. */
  isIgnored: (request: Srf.SrfRequest) => boolean;
  onConnected: () => void;
  onLost: () => void;
  /** Called when another gateway has claimed a dialog of this one. */
  onDialogLost: (dialogId: string) => void;
};

/** Routes received requests to their handlers. `ignore` drops a request that must stay without a response. */
const routeRequests = (
  srf: Srf,
  handlers: SignallingHandlers,
  { ignore, logger }: { ignore: (request: Srf.SrfRequest) => void; logger: Logger },
): void => {
  srf.use((request, _response, next) => {
    if (handlers.isIgnored(request)) return ignore(request);
    // drachtio-srf sets no `body` if the header section never ends.
    request.body ??= '';
    return next();
  });
  const taking =
    (take: OnRequest): OnRequest =>
    (request, response) => {
      try {
        take(request, response);
      } catch (error) {
        logger.error({ err: error }, `${request.method} could not be processed`);
        if (!response.finalResponseSent) response.send(500);
      }
    };
  srf.invite(taking(handlers.onInvite));
  srf.use('options', taking(handlers.onOptions));
  for (const method of others) srf.use(method, taking(handlers.onOther));
};

/** Reason of a rejected authentication in drachtio-server's wording. The relay has other reasons as well. */
const wrongSecret = 'incorrect secret';

/** Combines the events of `srf` into one promise for each connection attempt. */
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
      // The socket throws if it is already closed.
      logger.debug({ err: error }, 'the connection to drachtio-server was closed already');
    }
  };

  // `addListener` is used, because the types of `on` lack these events.
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
    /** Connects. `begun` is called when the attempt has begun and before any message is sent. */
    connect: (server: ServerAddress, lost: () => void, begun: () => void): Promise<true> =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        onLost = lost;
        // One attempt only: drachtio-srf's own reconnecting cannot be stopped once it has begun.
        const settings = { ...server, reconnect: { maxAttempts: 1 } };
        void srf.connect(settings);
        begun();
      }),
    disconnect,
  };
};

/** Makes requests outside of dialogs use the current connection. A dialog keeps the connection on which it began. */
const useNewConnection = (srf: Srf): void => {
  const dialogs: unknown = Reflect.get(srf, '_dialogs');
  if (!(dialogs instanceof Map)) throw new Error('drachtio-srf is not as it is known here');
  for (const { req } of dialogs.values()) Reflect.set(req, 'socket', undefined);
};

/** The gateways that share the relay. */
export type RelayedNodes = {
  /** Name of this gateway. */
  node: string;
  /** Called when the relay has lost its connection with another gateway. */
  onNodeLost: (node: string) => void;
};

export const createSignallingConnection = (options: {
  server: ServerAddress;
  probe: Pick<ControlProbe, 'everyMs' | 'answerMs'>;
  /** Called with every message of drachtio-server before drachtio-srf receives it. */
  overhear: (said: string) => void;
  /**
   * Fence for frozen processes. While the fence is closed, messages wait; if the calls are lost, the messages are
   * dropped.
   */
  fence: Fence;
  /** Present if the server is the relay, which receives the name of this gateway and reports lost gateways. */
  relay?: RelayedNodes | undefined;
  clock: Clock;
  logger: Logger;
}) => {
  const { server, probe, overhear, fence, relay, clock, logger } = options;
  const srf = new Srf();
  const connector = createConnector(srf, () => control?.refusal() ?? null, logger);
  let control: ControlConnection | null = null;
  let handlers: Pick<SignallingHandlers, 'onConnected' | 'onLost' | 'onDialogLost'> | null = null;
  let stopHeartbeat: () => void = () => {};
  /** Dialogs that this process has left, until their audio has moved. */
  const left = new Map<string, () => void>();

  const endLeft = (): void => {
    for (const end of left.values()) end();
  };

  const command = async (message: string): Promise<void> => {
    if (control === null) throw new NotConnected('it is not connected.');
    await control.command(message);
  };

  const kept = keepConnected<true>({
    to: `drachtio-server at ${server.host}:${server.port}`,
    connect: (lost) =>
      withTimeout(
        clock,
        connectMs,
        () =>
          connector.connect(server, lost, () => {
            const relayed = {
              onNodeLost: (node: string): void => relay?.onNodeLost(node),
              onDialogLost: (dialogId: string): void => handlers?.onDialogLost(dialogId),
              onDialogMoved: (dialogId: string): void => left.get(dialogId)?.(),
            };
            control = guardControlConnection(srf, { overhear, relayed, fence, logger });
          }),
        {
          error() {
            connector.disconnect();
            return new Error('it did not answer in time.');
          },
        },
      ),
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
          logger.error('drachtio-server no longer reads from its connection; reconnecting');
          control?.cut();
        },
      });
      if (relay !== undefined)
        command(`node|${relay.node}`).catch((error: unknown) =>
          logger.debug({ err: error }, 'the relay does not report lost gateways'),
        );
      handlers?.onConnected();
    },
    onLost() {
      endLeft();
      handlers?.onLost();
    },
    clock,
    logger,
  });

  fence.onDecided((areHeld) => {
    if (areHeld) control?.resume();
    else control?.cut();
  });

  /** Sends a command of the relay, which drachtio-server does not know. A failure is logged as `failed`. */
  const askRelay = (message: string, failed: string): Promise<void> =>
    within(clock, commandMs, 'An answer of the relay', command(message)).catch((error: unknown) =>
      logger.warn({ err: error }, failed),
    );

  return {
    srf,
    /**
     * Connects. Must be called once. Resolves after the first attempt, whether it succeeded or not; further attempts
     * follow automatically.
     */
    open(taking: SignallingHandlers): Promise<void> {
      handlers = taking;
      routeRequests(srf, taking, { ignore: (request) => control?.ignore(request), logger });
      return kept.open();
    },
    problem: kept.problem,
    /**
     * Sends messages that drachtio-srf cannot send, because they concern transactions and dialogs of other clients of
     * drachtio-server.
     */
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
    /**
     * Makes the relay refuse the messages of a gateway that was declared dead, which may be frozen. Without effect if the
     * relay is not reached: the gateway cannot reach it either, or claims its calls again when it is back.
     */
    async disown(node: string): Promise<void> {
      if (relay === undefined || kept.problem() !== null) return;
      await askRelay(`node_dead|${node}`, `the relay still accepts messages of ${node}, which is dead`);
    },
    /**
     * Makes the relay deliver the requests of a dialog to this gateway, which has taken over its call, and refuse those
     * of any other gateway. Commands that are sent later come after the claim. Never rejects.
     */
    async claim(dialogId: string): Promise<void> {
      if (relay === undefined || kept.problem() !== null) return;
      await askRelay(
        `dialog_taken|${dialogId}`,
        'the relay refused to deliver requests of a call that was taken over',
      );
    },
    /**
     * Leaves a dialog to another gateway. Resolves when the audio of the far end has moved to that gateway, at once
     * without the relay, and when the relay is lost: nothing is known about the dialog then.
     */
    async dialogMoved(dialogId: string): Promise<void> {
      if (relay === undefined || kept.problem() !== null) return;
      const moved = new Promise<void>((resolve) => void left.set(dialogId, resolve));
      try {
        const leaving = command(`dialog_left|${dialogId}`);
        await Promise.race([moved, within(clock, commandMs, 'An answer of the relay', leaving)]);
        await moved;
      } catch (error) {
        logger.debug({ err: error }, 'the relay does not report the move of a call');
      } finally {
        left.delete(dialogId);
      }
    },
    /**
     * Stops new calls and admission queries to this process. Resolves when drachtio-server has received the request.
     */
    async takeNoMore(): Promise<void> {
      if (kept.problem() !== null) return;
      for (const method of ['invite', 'options']) controlAgentOf(srf).removeRoute(method);
      await within(clock, commandMs, 'An answer of drachtio-server', command('ping'));
    },
    close() {
      endLeft();
      kept.close();
    },
  };
};

export type SignallingConnection = ReturnType<typeof createSignallingConnection>;
