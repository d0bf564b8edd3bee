/**
 * Serves news of the calls that this gateway holds to the other gateways of the database: `GET /internal/calls/<call>`,
 * with `/charts` for the inspector and `/sound` for listening in, authenticated by a proof (`node-proof.ts`). Requests
 * without one are rejected without details. The response ends when this gateway no longer holds the call.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#src/domain/clock.ts';
import { createReaderBacklog } from '#src/domain/reader-backlog.ts';
import {
  askedNewsOf,
  isNewsPath,
  lineOf,
  newsKinds,
  type CallNews,
  type HeldNews,
  type NewsKind,
} from './call-news.ts';
import type { JudgeProof } from './node-proof.ts';

export type CallNewsLimits = {
  /** Responds immediately. */
  readers: number;
  /** Maximum backlog of a reader in bytes; above it the reader loses audio, or is disconnected and reconnects. */
  waitingBytes: number;
};

export type CallNewsHandler = {
  isFor(request: IncomingMessage): boolean;
  answer(request: IncomingMessage, response: ServerResponse): void;
  /** Ends all responses. */
  close(): void;
};

const end = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'Content-Length': '0' }).end();
};

export const createCallNewsHandler = (options: {
  held: HeldNews;
  judge: JudgeProof;
  limits: Readonly<Record<NewsKind, CallNewsLimits>>;
  /** Interval of the keep-alive messages. */
  beatMs: number;
  clock: Clock;
}): CallNewsHandler => {
  const { held, judge, limits, beatMs, clock } = options;
  const readers: Readonly<Record<NewsKind, Set<ServerResponse>>> = {
    progress: new Set(),
    charts: new Set(),
    sound: new Set(),
    'announced-sound': new Set(),
  };

  const tell = (callId: string, kind: NewsKind, response: ServerResponse): void => {
    const backlog = createReaderBacklog(() => response.writableLength);
    const send = (news: CallNews): void => {
      if (response.writableEnded || response.destroyed) return;
      if (backlog.waiting() <= limits[kind].waitingBytes) {
        const line = lineOf(news);
        response.write(line);
        backlog.wrote(Buffer.byteLength(line));
      } else if (news.news !== 'sound') response.destroy();
    };
    const stop = held[kind](callId, send, () => response.end());
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

  return {
    isFor: ({ url = '' }) => isNewsPath(url),
    answer({ method = '', url = '', headers }, response) {
      const verdict = judge({ method, path: url, range: undefined }, headers.authorization);
      if (verdict === 'expired') return end(response, 403);
      const asked = askedNewsOf(url);
      if (verdict === 'invalid' || method !== 'GET' || asked === undefined) return end(response, 404);
      if (readers[asked.kind].size >= limits[asked.kind].readers) return end(response, 503);
      return tell(asked.callId, asked.kind, response);
    },
    close() {
      for (const kind of newsKinds) for (const response of readers[kind]) response.end();
    },
  };
};
