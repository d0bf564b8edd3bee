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
import { closeCodes, showCalls, type InspectedCalls, type OnlookerLimits } from './onlooker.ts';

export type InspectorLimits = OnlookerLimits & {
  /** Onlookers at once, in all and of one workspace. */
  viewers: number;
  viewersOfWorkspace: number;
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

/** The number of onlookers of each workspace. */
const createViewerCounts = () => {
  const counts = new Map<string, number>();
  const of = (workspaceId: string): number => counts.get(workspaceId) ?? 0;
  return {
    of,
    /** Until it is gone. */
    count(viewer: WebSocket, workspaceId: string): void {
      counts.set(workspaceId, of(workspaceId) + 1);
      viewer.on('close', () => {
        if (of(workspaceId) > 1) counts.set(workspaceId, of(workspaceId) - 1);
        else counts.delete(workspaceId);
      });
    },
  };
};

export const createInspectorSocket = (options: {
  calls: InspectedCalls;
  limits: InspectorLimits;
  logger: Logger;
}): InspectorSocket => {
  const { calls, limits, logger } = options;
  const viewers = createViewerCounts();
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 1_024 });
  server.on('error', (error) => logger.error({ err: error }, 'the inspector reports an error'));

  const isSeenBy = (workspaceId: string, callId: string): boolean => {
    for (const call of calls.all()) if (call.callId === callId) return call.workspaceId === workspaceId;
    return false;
  };

  return {
    accept({ request, socket, head, query, workspaceId, refuse }) {
      const callId = query.get('call');
      if (callId !== null && !isSeenBy(workspaceId, callId)) return refuse(404);
      if (server.clients.size >= limits.viewers) return refuse(503);
      if (viewers.of(workspaceId) >= limits.viewersOfWorkspace) return refuse(429);
      server.handleUpgrade(request, socket, head, (viewer) => {
        viewers.count(viewer, workspaceId);
        showCalls(viewer, { workspaceId, callId }, options);
      });
    },
    close() {
      for (const viewer of server.clients) viewer.close(closeCodes.goingAway, 'the gateway ends');
      server.close();
    },
  };
};
