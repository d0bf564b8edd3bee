/**
 * The way of onlookers to the charts: a websocket at `/inspect` that speaks the inspection protocol of Stately, one
 * JSON message each, as `createWebSocketReceiver` of @statelyai/inspect and the page at `/inspect` read it.
 *
 * `?call=` names one call, without it all calls of the workspace are seen, those that are still to come too.
 */
import type { IncomingMessage } from 'node:http';
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
  /** Onlookers at once, in all and of one workspace. */
  viewers: number;
  viewersOfWorkspace: number;
  /** What may wait for one that reads slowly; it is sent away then. */
  waitingBytes: number;
  /** One that has not answered for this long reads nothing, and gives its permit back. */
  pingMs: number;
};

/** A WebSocket upgrade (RFC 6455) whose admin token was checked. */
export type InspectorUpgrade = {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  query: URLSearchParams;
  workspaceId: string;
  /** Refuses it with this HTTP status. */
  refuse(status: number): void;
};

export type InspectorSocket = {
  accept(upgrade: InspectorUpgrade): void;
  /** Sends every onlooker away. */
  close(): void;
};

/** What the library still has to say of the end of a call comes a moment after it. */
const lastWordsMs = 50;

/** RFC 6455 section 7.4.1 and the registry of close codes. */
const closeCodes = { done: 1000, goingAway: 1001, tooSlow: 1013 } as const;

export const createInspectorSocket = (options: {
  calls: InspectedCalls;
  limits: InspectorLimits;
  logger: Logger;
}): InspectorSocket => {
  const { calls, limits, logger } = options;
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 1_024 });
  server.on('error', (error) => logger.error({ err: error }, 'the inspector reports an error'));

  const viewersOf = new Map<string, number>();
  const countOf = (workspaceId: string): number => viewersOf.get(workspaceId) ?? 0;

  const isSeenBy = (workspaceId: string, callId: string): boolean => {
    for (const call of calls.all()) if (call.callId === callId) return call.workspaceId === workspaceId;
    return false;
  };

  /** `callId: null`: every call of the workspace. */
  const show = (viewer: WebSocket, workspaceId: string, callId: string | null): void => {
    const watched = new Map<string, () => void>();
    let isOver = false;
    let hasAnswered = true;
    const ping = setInterval(() => {
      if (!hasAnswered) return viewer.terminate();
      hasAnswered = false;
      viewer.ping();
    }, limits.pingMs);

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
      clearInterval(ping);
      viewersOf.set(workspaceId, countOf(workspaceId) - 1);
      if (countOf(workspaceId) === 0) viewersOf.delete(workspaceId);
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
    viewersOf.set(workspaceId, countOf(workspaceId) + 1);
    viewer.on('pong', () => {
      hasAnswered = true;
    });
    viewer.on('close', stop);
    viewer.on('error', (error) => logger.debug({ err: error }, 'an onlooker of the inspector was lost'));
    look();
  };

  return {
    accept({ request, socket, head, query, workspaceId, refuse }) {
      const callId = query.get('call');
      if (callId !== null && !isSeenBy(workspaceId, callId)) return refuse(404);
      if (server.clients.size >= limits.viewers) return refuse(503);
      if (countOf(workspaceId) >= limits.viewersOfWorkspace) return refuse(429);
      server.handleUpgrade(request, socket, head, (viewer) => show(viewer, workspaceId, callId));
    },
    close() {
      for (const viewer of server.clients) viewer.close(closeCodes.goingAway, 'the gateway ends');
      server.close();
    },
  };
};
