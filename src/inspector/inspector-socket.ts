/**
 * The way of onlookers to the charts: a websocket at `/inspect` that speaks the inspection protocol of Stately, one
 * JSON message each, as `createWebSocketReceiver` of @statelyai/inspect and the page at `/inspect` read it.
 *
 * `?token=` (or an Authorization header) is a workspace admin's token, for browsers cannot send headers here; `?call=`
 * names one call, without it all calls of the workspace are seen, those that are still to come too.
 */
import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer, type WebSocket } from 'ws';
import type { AnyActorRef } from 'xstate';
import { inspectCall } from './inspect-call.ts';

export type InspectedCalls = {
  find(callId: string): AnyActorRef | undefined;
  /** The calls in progress of everybody. */
  all(): Iterable<{ callId: string; workspaceId: string }>;
  /** Calls back when calls come, go or move; the returned function ends it. */
  subscribe(onChange: () => void): () => void;
};

export type InspectorLimits = {
  /** Onlookers at once. */
  viewers: number;
  /** What may wait for one that reads slowly; it is sent away then. */
  waitingBytes: number;
};

export type InspectorSocket = {
  attach(server: Server): void;
  /** Sends every onlooker away. */
  close(): void;
};

const path = '/inspect';
/** What the library still has to say of the end of a call comes a moment after it. */
const lastWordsMs = 50;

/** RFC 6455 section 7.4.1 and the registry of close codes. */
const closeCodes = { done: 1000, goingAway: 1001, tooSlow: 1013 } as const;

const refuse = (socket: Duplex, status: number): void => {
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
};

const tokenOf = ({ headers }: IncomingMessage, query: URLSearchParams): string =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? query.get('token') ?? '';

export const createInspectorSocket = (options: {
  calls: InspectedCalls;
  /** Undefined for a token of nobody. */
  authenticate: (token: string) => Promise<{ workspaceId: string } | undefined>;
  limits: InspectorLimits;
  logger: Logger;
}): InspectorSocket => {
  const { calls, limits, logger } = options;
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 1_024 });
  server.on('error', (error) => logger.error({ err: error }, 'the inspector reports an error'));

  const isSeenBy = (workspaceId: string, callId: string): boolean => {
    for (const call of calls.all()) if (call.callId === callId) return call.workspaceId === workspaceId;
    return false;
  };

  /** `callId: null`: every call of the workspace. */
  const show = (viewer: WebSocket, workspaceId: string, callId: string | null): void => {
    const watched = new Map<string, () => void>();
    let isOver = false;

    const send = (message: object): void => {
      if (isOver || viewer.readyState !== viewer.OPEN) return;
      if (viewer.bufferedAmount > limits.waitingBytes) {
        logger.info('an onlooker of the inspector was too slow and was sent away');
        viewer.close(closeCodes.tooSlow, 'too slow');
        return;
      }
      viewer.send(JSON.stringify(message));
    };

    const stop = (): void => {
      isOver = true;
      unsubscribe();
      for (const end of watched.values()) end();
      watched.clear();
    };

    const watch = (id: string, call: AnyActorRef): void => {
      const endInspection = inspectCall(call, send);
      const forget = (): void => {
        setTimeout(() => {
          watched.get(id)?.();
          watched.delete(id);
          if (callId !== null) viewer.close(closeCodes.done, 'the call is over');
        }, lastWordsMs).unref();
      };
      const end = call.subscribe({ complete: forget, error: forget });
      watched.set(id, () => {
        endInspection();
        end.unsubscribe();
      });
    };

    const look = (): void => {
      for (const call of calls.all()) {
        if (call.workspaceId !== workspaceId || watched.has(call.callId)) continue;
        if (callId !== null && call.callId !== callId) continue;
        const actor = calls.find(call.callId);
        if (actor !== undefined) watch(call.callId, actor);
      }
    };

    const unsubscribe = calls.subscribe(look);
    viewer.on('close', stop);
    viewer.on('error', (error) => logger.debug({ err: error }, 'an onlooker of the inspector was lost'));
    look();
  };

  const letIn = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://gateway');
    if (pathname !== path) return refuse(socket, 404);
    const admin = await options.authenticate(tokenOf(request, searchParams));
    if (admin === undefined) return refuse(socket, 401);
    const callId = searchParams.get('call');
    if (callId !== null && !isSeenBy(admin.workspaceId, callId)) return refuse(socket, 404);
    if (server.clients.size >= limits.viewers) return refuse(socket, 503);
    server.handleUpgrade(request, socket, head, (viewer) => show(viewer, admin.workspaceId, callId));
    return undefined;
  };

  return {
    attach(httpServer) {
      httpServer.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        const ignoreLoss = (error: Error): void =>
          logger.debug({ err: error }, 'an onlooker left before it was let in');
        socket.on('error', ignoreLoss);
        letIn(request, socket, head).catch((error: unknown) => {
          logger.error({ err: error }, 'an onlooker could not be let in');
          refuse(socket, 500);
        });
      });
    },
    close() {
      for (const viewer of server.clients) viewer.close(closeCodes.goingAway, 'the gateway ends');
      server.close();
    },
  };
};
