/**
 * The way of admins to the sound of a call in progress, wherever it is held: a websocket at `/api/v1/admin/listen?call=`.
 * It sends JSON (`ToWhoListens`) and, while the state is `on` or `paused`, binary messages of sound. Who is too slow loses
 * sound. It ends with the call.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer, type WebSocket } from 'ws';
import type { AuthorizedUpgrade } from '#src/domain/authorized-upgrade.ts';
import type { ListenInPolicy, ListenInState, ToWhoListens } from '#src/domain/listen-in.ts';

export type ListenInLimits = {
  /** Listeners at once, in all and of one workspace. */
  listeners: number;
  listenersOfWorkspace: number;
  /** Bytes that may wait for a slow one; what comes then is lost to it. */
  waitingBytes: number;
  /** One that has not answered for this long is gone. */
  pingMs: number;
};

/** What is heard of a call. Neither may throw. */
export type Ear = { onState: (state: ListenInState) => void; onSound: (samples: Uint8Array) => void };

/** An admin, and the call that it wants to hear. */
export type Wish = { workspaceId: string; actor: string; callId: string };

export type ListenInSocketOptions = {
  /** Undefined for a call that is over, or is none of the workspace. */
  policyOf: (wish: Wish) => Promise<ListenInPolicy | undefined>;
  /** Writes down that it begins. Nothing is heard where that fails. The returned function writes down its end. */
  begin: (wish: Wish, policy: ListenInPolicy) => Promise<() => Promise<void>>;
  /** Resolves when the call is over, and with the signal. Does not reject. */
  follow: (callId: string, policy: ListenInPolicy, ear: Ear, stopped: AbortSignal) => Promise<void>;
  limits: ListenInLimits;
  logger: Logger;
};

export type ListenInSocket = {
  accept(upgrade: AuthorizedUpgrade<IncomingMessage, Duplex>): Promise<void>;
  /** Sends everybody away. */
  close(): void;
};

/** RFC 6455 section 7.4.1. */
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
  server.on('error', (error) => logger.error({ err: error }, 'listening in reports an error'));

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
    socket.on('error', (error) => logger.debug({ err: error }, 'somebody who listened in was lost'));
    socket.on('close', () => {
      workspaces.delete(socket);
      leaving.abort();
    });
    cutOffWhenSilent(socket, limits.pingMs);
    hear(socket, wish, policy, leaving.signal).then(
      () => socket.close(closeCodes.done, 'the call is over'),
      (error: unknown) => {
        logger.error({ call_id: wish.callId, err: error }, 'listening in could not be written down');
        socket.close(closeCodes.failed, 'listening in could not be written down');
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
