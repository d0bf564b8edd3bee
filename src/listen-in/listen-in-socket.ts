/**
 * Websocket at `/api/v1/admin/listen?call=` by which admins listen to a call in progress at any gateway. The gateway
 * sends JSON (`ToWhoListens`) and, in the states `on` and `paused`, audio as binary messages. Slow listeners lose
 * audio. The websocket closes when the call ends.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer, type WebSocket } from 'ws';
import type { AuthorizedUpgrade } from '#src/domain/authorized-upgrade.ts';
import type { ListenInPolicy, ListenInState, ToWhoListens } from '#src/domain/listen-in.ts';

export type ListenInLimits = {
  /** Maximum number of concurrent listeners, in total and per workspace. */
  listeners: number;
  listenersOfWorkspace: number;
  /** Maximum number of bytes buffered for a slow listener; further audio is dropped. */
  waitingBytes: number;
  /** Interval between pings in milliseconds. A listener that does not answer a ping is disconnected. */
  pingMs: number;
};

/** Callbacks for the audio of a call and for the state of listening in. Neither callback may throw. */
export type Ear = { onState: (state: ListenInState) => void; onSound: (samples: Uint8Array) => void };

/** A request to listen: the admin and the call. */
export type Wish = { workspaceId: string; actor: string; callId: string };

export type ListenInSocketOptions = {
  /** Resolves to undefined for an ended call, or a call of another workspace. */
  policyOf: (wish: Wish) => Promise<ListenInPolicy | undefined>;
  /**
   * Records the beginning in the audit log. If the entry cannot be written, no audio is sent. The returned function
   * records the end.
   */
  begin: (wish: Wish, policy: ListenInPolicy) => Promise<() => Promise<void>>;
  /** Emits the audio of a call. Resolves when the call ends or the signal aborts. Does not reject. */
  follow: (callId: string, policy: ListenInPolicy, ear: Ear, stopped: AbortSignal) => Promise<void>;
  limits: ListenInLimits;
  logger: Logger;
};

export type ListenInSocket = {
  accept(upgrade: AuthorizedUpgrade<IncomingMessage, Duplex>): Promise<void>;
  /** Closes all connections. */
  close(): void;
};

/** Close codes of RFC 6455 section 7.4.1. */
const closeCodes = { done: 1000, goingAway: 1001, failed: 1011 } as const;

const isCallId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

const earOf = (socket: WebSocket, { waitingBytes }: ListenInLimits): Ear => ({
  onState(state) {
    const message: ToWhoListens = { type: 'state', state };
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
  },
  onSound(samples) {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount <= waitingBytes) socket.send(samples);
  },
});

const cutOffWhenSilent = (socket: WebSocket, pingMs: number): void => {
  let isThere = true;
  const timer = setInterval(() => {
    if (!isThere) return socket.terminate();
    isThere = false;
    socket.ping();
  }, pingMs);
  socket.on('pong', () => (isThere = true));
  socket.on('close', () => clearInterval(timer));
};

export const createListenInSocket = (options: ListenInSocketOptions): ListenInSocket => {
  const { limits, logger } = options;
  const workspaces = new Map<WebSocket, string>();
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 1_024 });
  server.on('error', (error) => logger.error({ err: error }, 'the WebSocket server for listening in failed'));

  const listenersOf = (workspaceId: string): number =>
    [...workspaces.values()].filter((one) => one === workspaceId).length;

  const hear = async (socket: WebSocket, wish: Wish, policy: ListenInPolicy, stopped: AbortSignal) => {
    const writeEnd = await options.begin(wish, policy);
    try {
      await options.follow(wish.callId, policy, earOf(socket, limits), stopped);
    } finally {
      await writeEnd();
    }
  };

  const serve = (socket: WebSocket, wish: Wish, policy: ListenInPolicy): void => {
    const leaving = new AbortController();
    workspaces.set(socket, wish.workspaceId);
    socket.on('error', (error) => logger.debug({ err: error }, 'the connection of a listener failed'));
    socket.on('close', () => {
      workspaces.delete(socket);
      leaving.abort();
    });
    cutOffWhenSilent(socket, limits.pingMs);
    hear(socket, wish, policy, leaving.signal).then(
      () => socket.close(closeCodes.done, 'the call is over'),
      (error: unknown) => {
        logger.error(
          { call_id: wish.callId, err: error },
          'listening in could not be recorded in the audit log',
        );
        socket.close(closeCodes.failed, 'listening in could not be recorded in the audit log');
      },
    );
  };

  return {
    async accept({ request, socket, head, query, workspaceId, actor, refuse }) {
      const callId = query.get('call') ?? '';
      if (!isCallId(callId)) return refuse(400);
      const wish = { workspaceId, actor, callId };
      const policy = await options.policyOf(wish);
      if (policy === undefined) return refuse(404);
      if (policy === 'off') return refuse(403);
      if (server.clients.size >= limits.listeners) return refuse(503);
      if (listenersOf(workspaceId) >= limits.listenersOfWorkspace) return refuse(429);
      server.handleUpgrade(request, socket, head, (opened) => serve(opened, wish, policy));
      return undefined;
    },
    close() {
      for (const socket of server.clients) socket.close(closeCodes.goingAway, 'the gateway ends');
      server.close();
    },
  };
};
