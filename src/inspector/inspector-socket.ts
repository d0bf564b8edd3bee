/**
 * Websocket at `/inspect` with Stately's inspection protocol. Each message is one JSON object, as
 * `createWebSocketReceiver` of @statelyai/inspect and the page at `/inspect` read it.
 *
 * The parameter `?call=` selects one call in progress at any gateway. Without the parameter, all current and future
 * calls of the workspace at all gateways are shown. `?definitions=0` omits the definitions of the charts;
 * `?definitions=once` sends each once, with a `definitionNumber` that later actors of the chart have alone.
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
  type FollowOthers,
  type InspectedCalls,
  type ShownCharts,
  type ViewerLimits,
} from './viewer.ts';

export type InspectorLimits = ViewerLimits & {
  /** Maximum number of concurrent viewers, in total and per workspace. */
  viewers: number;
  viewersOfWorkspace: number;
};

export type InspectorSocket = {
  /** Accepts a websocket. Rejects when the owner of the call cannot be looked up. */
  accept(upgrade: AuthorizedUpgrade<IncomingMessage, Duplex>): Promise<void>;
  /** Closes all connections. */
  close(): void;
};

/** Counts viewers per workspace. */
const createViewerCounts = () => {
  const counts = new Map<string, number>();
  const of = (workspaceId: string): number => counts.get(workspaceId) ?? 0;
  return {
    of,
    /** Counts a viewer until its connection is closed. */
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
  followOthers: FollowOthers;
  /** Resolves to the workspace of a call in progress; undefined for an ended or unknown call. */
  ownerOf: (callId: string) => Promise<string | undefined>;
  limits: InspectorLimits;
  logger: Logger;
};

/** Values of the parameter `definitions`. */
const namedDefinitions: ReadonlyMap<string | null, ShownCharts['definitions']> = new Map([
  ['0', 'none'],
  ['once', 'once'],
]);

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
        const definitions = namedDefinitions.get(query.get('definitions')) ?? 'all';
        showCalls(viewer, { workspaceId, callId, definitions }, options);
      });
      return undefined;
    },
    close() {
      for (const viewer of server.clients) viewer.close(closeCodes.goingAway, 'the gateway ends');
      server.close();
    },
  };
};
