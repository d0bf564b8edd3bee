/**
 * What happens in calls that this gateway holds, for the others that share its database: `GET /internal/calls/<call>`,
 * with a proof (`node-proof.ts`). Whoever has none learns nothing. The answer lasts until the call is here no longer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#src/domain/clock.ts';
import { lineOf, watchedCallsPath, type CallNews, type ToldState } from './call-news.ts';
import { judgeProof, type NodeKeys } from './node-proof.ts';

export type CallNewsLimits = {
  /** Answers at once. */
  readers: number;
  /** Bytes that may wait for a reader; one with more is sent away, and comes again. */
  waitingBytes: number;
  /** Between two signs that the connection lives. */
  beatMs: number;
};

/** The calls that this gateway holds; each function returns what ends it. */
export type HeldCalls = {
  isHeld(callId: string): boolean;
  /** Calls back at once and with each further state; `undefined` for a call that is not held here. */
  watchChart(callId: string, onState: (state: ToldState) => void): (() => void) | undefined;
  watchFacts(callId: string, onFact: () => void): () => void;
  /** Calls back when calls come, go or move. */
  subscribe(onChange: () => void): () => void;
};

export type CallNewsHandler = {
  isFor(request: IncomingMessage): boolean;
  answer(request: IncomingMessage, response: ServerResponse): void;
  /** Ends every answer. */
  close(): void;
};

const callId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const end = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'Content-Length': '0' }).end();
};

export const createCallNewsHandler = (options: {
  calls: HeldCalls;
  keys: Pick<NodeKeys, 'nodeCodes'>;
  limits: CallNewsLimits;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
}): CallNewsHandler => {
  const { calls, keys, limits, clock } = options;
  const readers = new Set<ServerResponse>();

  const tell = (call: string, response: ServerResponse): void => {
    const send = (news: CallNews): void => {
      if (response.writableEnded || response.destroyed) return;
      if (response.writableLength > limits.waitingBytes) response.destroy();
      else response.write(lineOf(news));
    };
    const stopChart = calls.watchChart(call, (state) => send({ news: 'state', state }));
    if (stopChart === undefined) return end(response, 404);
    readers.add(response);
    const stopFacts = calls.watchFacts(call, () => send({ news: 'fact' }));
    const stopCalls = calls.subscribe(() => {
      if (!calls.isHeld(call)) response.end();
    });
    let timer: unknown;
    const beat = (): void => {
      send({ news: 'beat' });
      timer = clock.setTimeout(beat, limits.beatMs);
    };
    beat();
    response.once('close', () => {
      readers.delete(response);
      clock.clearTimeout(timer);
      stopChart();
      stopFacts();
      stopCalls();
    });
  };

  return {
    isFor: ({ url = '' }) => url.startsWith(watchedCallsPath),
    answer({ method = '', url = '', headers }, response) {
      const asked = { method, path: url, range: undefined };
      const verdict = judgeProof(asked, headers.authorization, keys, options.now());
      if (verdict === 'expired') return end(response, 403);
      const call = url.slice(watchedCallsPath.length);
      if (verdict === 'invalid' || method !== 'GET' || !callId.test(call)) return end(response, 404);
      if (readers.size >= limits.readers) return end(response, 503);
      return tell(call, response);
    },
    close() {
      for (const response of readers) response.end();
    },
  };
};
