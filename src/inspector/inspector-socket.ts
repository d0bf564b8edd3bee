/**
 * Websocket at `/inspect` with Stately's inspection protocol, one JSON message each, as `createWebSocketReceiver` of
 * @statelyai/inspect and the page at `/inspect` read it.
 *
 * `?call=` names one call in progress at any gateway. Without it, all current and future calls of the workspace at this
 * gateway are shown.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer, type WebSocket } from 'ws';
import type { AuthorizedUpgrade } from '#src/domain/authorized-upgrade.ts';
import {
  closeCodes,
  showCalls,
  type FollowCharts,
  type InspectedCalls,
  type ViewerLimits,
} from './viewer.ts';

export type InspectorLimits = ViewerLimits & {
  /** Concurrent viewers, in total and per workspace. */
  viewers: number;
  viewersOfWorkspace: number;
};

export type InspectorSocket = {
  /** Rejects when the owner of the call cannot be looked up. */
  accept(upgrade: AuthorizedUpgrade<IncomingMessage, Duplex>): Promise<void>;
  /** Closes all connections. */
  close(): void;
};

/** Number of viewers per workspace. */
const createViewerCounts = () => {
  const counts = new Map<string, number>();
  const of = (workspaceId: string): number => counts.get(workspaceId) ?? 0;
  return {
    of,
    /** Resolves when the connection is closed. */
    count(viewer: WebSocket, workspaceId: string): void {
      counts.set(workspaceId, of(workspaceId) + 1);
      viewer.on('close', () => {
        if (of(workspaceId) > 1) counts.set(workspaceId, of(workspaceId) - 1);
        else counts.delete(workspaceId);
      });
    },
  };
};

export type InspectorSocketOptions = {
  calls: InspectedCalls;
  follow: FollowCharts;
  /** Workspace of a call in progress; undefined for an ended or unknown call. */
  ownerOf: (callId: string) => Promise<string | undefined>;
  limits: InspectorLimits;
  logger: Logger;
};

export const createInspectorSocket = (options: InspectorSocketOptions): InspectorSocket => {
  const { ownerOf, limits, logger } = options;
  const viewers = createViewerCounts();
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 1_024 });
  server.on('error', (error) => logger.error({ err: error }, 'the WebSocket server of the inspector failed'));

  return {
    async accept({ request, socket, head, query, workspaceId, refuse }) {
      const callId = query.get('call');
      if (callId !== null && (await ownerOf(callId)) !== workspaceId) return refuse(404);
      if (server.clients.size >= limits.viewers) return refuse(503);
      if (viewers.of(workspaceId) >= limits.viewersOfWorkspace) return refuse(429);
      server.handleUpgrade(request, socket, head, (viewer) => {
        viewers.count(viewer, workspaceId);
        showCalls(viewer, { workspaceId, callId }, options);
      });
      return undefined;
    },
    close() {
      for (const viewer of server.clients) viewer.close(closeCodes.goingAway, 'the gateway ends');
      server.close();
    },
  };
};
