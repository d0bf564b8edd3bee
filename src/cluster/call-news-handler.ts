/**
 * Serves news of the calls that this gateway owns to the other gateways of the database: `GET /internal/calls/<call>`,
 * with `/charts` for the inspector and `/sound` for listening in; for all calls of a workspace
 * `GET /internal/workspaces/<workspace>/charts`, and `/fleet` for their numbers by state. Requests are authenticated by a proof (`node-proof.ts`); requests without a proof are
 * rejected without details. The response about one call ends when this gateway no longer owns the call.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#src/domain/clock.ts';
import type { FleetCounts } from '#src/domain/fleet-counts.ts';
import { createReaderBacklog } from '#src/domain/reader-backlog.ts';
import {
  askedChartsOf,
  askedFleetOf,
  askedNewsOf,
  fleetLineOf,
  isNewsPath,
  lineOf,
  newsKinds,
  type CallNews,
  type HeldNews,
  type InspectionMessage,
  type NewsKind,
  type WantedCharts,
} from './call-news.ts';
import type { JudgeProof } from './node-proof.ts';

export type CallNewsLimits = {
  /** Maximum number of concurrent readers; further requests are rejected. */
  readers: number;
  /**
   * Maximum backlog of a reader in bytes. Beyond it, a reader of audio loses audio; another reader is disconnected and
   * reconnects.
   */
  waitingBytes: number;
};

/** Kinds of responses. */
type StreamKind = NewsKind | 'all-charts' | 'fleet';

/**
 * Shows the charts of all calls of a workspace that this gateway holds, now and later; `undefined` without an inspector.
 * `hasRoom` resolves when the reader has read most of what was shown. The returned function stops it.
 */
export type ShowHeldCharts = (
  wanted: WantedCharts,
  reader: { show(message: InspectionMessage): void; hasRoom(): Promise<void> },
) => (() => void) | undefined;

/**
 * Emits the numbers of a workspace's calls on this gateway by state, at once and when they have changed; `json` is the
 * counts as JSON. The returned function stops it.
 */
export type CountHeld = (
  workspaceId: string,
  tell: (counts: FleetCounts, json: string) => void,
) => () => void;

export type CallNewsHandler = {
  isFor(request: IncomingMessage): boolean;
  answer(request: IncomingMessage, response: ServerResponse): void;
  /** Ends all responses. */
  close(): void;
};

/** Sends news to a reader. `line` is their line, if it exists already. */
type SendNews = (news: CallNews, line?: string) => void;

/** Fraction of the backlog limit above which the reader of all charts has no room for a further call. */
const roomShare = 4;

const end = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'Content-Length': '0' }).end();
};

export const createCallNewsHandler = (options: {
  held: HeldNews;
  showHeldCharts: ShowHeldCharts;
  countHeld: CountHeld;
  judge: JudgeProof;
  limits: Readonly<Record<StreamKind, CallNewsLimits>>;
  /** Interval of the keep-alive messages. */
  beatMs: number;
  clock: Clock;
}): CallNewsHandler => {
  const { held, showHeldCharts, countHeld, judge, limits, beatMs, clock } = options;
  const readers: Readonly<Record<StreamKind, Set<ServerResponse>>> = {
    progress: new Set(),
    charts: new Set(),
    sound: new Set(),
    'announced-sound': new Set(),
    'all-charts': new Set(),
    fleet: new Set(),
  };

  /** `begin` starts the news and returns the function that stops them; `undefined` if there are none. */
  const stream = (
    kind: StreamKind,
    response: ServerResponse,
    begin: (send: SendNews, hasRoom: () => Promise<void>) => (() => void) | undefined,
  ): void => {
    const { waitingBytes } = limits[kind];
    const backlog = createReaderBacklog(() => response.writableLength);
    /** Resolves when the last message is sent, or the reader is gone. */
    let sending = Promise.resolve();
    const send: SendNews = (news, lineOfNews) => {
      if (response.writableEnded || response.destroyed) return;
      if (backlog.waiting() <= waitingBytes) {
        const line = lineOfNews ?? lineOf(news);
        sending = new Promise((resolve) => {
          response.write(line, () => resolve());
        });
        backlog.wrote(Buffer.byteLength(line));
      } else if (kind === 'all-charts') response.end(lineOf({ news: 'too-slow' }));
      else if (news.news !== 'sound') response.destroy();
    };
    const hasRoom = async (): Promise<void> => {
      if (response.writableLength > waitingBytes / roomShare) await sending;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    };
    const stop = begin(send, hasRoom);
    if (stop === undefined) return end(response, 404);
    readers[kind].add(response);
    let timer: unknown;
    const beat = (): void => {
      send({ news: 'beat' });
      timer = clock.setTimeout(beat, beatMs);
    };
    beat();
    response.once('close', () => {
      readers[kind].delete(response);
      clock.clearTimeout(timer);
      stop();
    });
  };

  const serve = (url: string, response: ServerResponse): void => {
    const charts = askedChartsOf(url);
    const fleetOf = askedFleetOf(url);
    const news = askedNewsOf(url);
    const ofWorkspace = fleetOf === undefined ? undefined : 'fleet';
    const kind = charts === undefined ? (ofWorkspace ?? news?.kind) : 'all-charts';
    if (kind === undefined) return end(response, 404);
    if (readers[kind].size >= limits[kind].readers) return end(response, 503);
    return stream(kind, response, (send, hasRoom) => {
      if (charts !== undefined)
        return showHeldCharts(charts, {
          show: (message) => send({ news: 'inspection', message }),
          hasRoom,
        });
      if (fleetOf !== undefined)
        return countHeld(fleetOf, (counts, json) => send({ news: 'fleet', counts }, fleetLineOf(json)));
      return news && held[news.kind](news.callId, send, () => response.end());
    });
  };

  return {
    isFor: ({ url = '' }) => isNewsPath(url),
    answer({ method = '', url = '', headers }, response) {
      const verdict = judge({ method, path: url, range: undefined }, headers.authorization);
      if (verdict === 'expired') return end(response, 403);
      if (verdict === 'invalid' || method !== 'GET') return end(response, 404);
      return serve(url, response);
    },
    close() {
      for (const kind of [...newsKinds, 'all-charts', 'fleet'] as const)
        for (const response of readers[kind]) response.end();
    },
  };
};
