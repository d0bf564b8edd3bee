/**
 * What happens in a call that another gateway holds, told by that one (`call-news-handler.ts`). Where the call goes, by
 * a hand-over or because its gateway died, the next one is asked. A gateway that cannot be reached tells nothing; it is
 * tried again and again as long as somebody watches, who reads the facts from the database meanwhile.
 */
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import type { Clock } from '#src/domain/clock.ts';
import { findHolder } from '#src/persistence/call-holders.ts';
import type { Database } from '#src/persistence/database.ts';
import { readCallNews, watchedCallsPath, type ToldState } from './call-news.ts';
import type { HeldCalls } from './call-news-handler.ts';
import { proofOf, type NodeKeys } from './node-proof.ts';

export type CallWatchNumbers = {
  connectMs: number;
  /** Without a byte for so long, a connection is lost. */
  stallMs: number;
  /** Between the end of a connection and the next look for who holds the call. */
  lookMs: number;
};

/** What a watcher is told; neither throws. */
export type OnCallNews = {
  /** Where the charts are, whenever that has changed. */
  onState: (state: ToldState) => void;
  /** Something is new in the journal. */
  onFact: () => void;
};

export type CallWatches = {
  /** Until the call is over, wherever it goes. The returned function ends it. */
  watch(callId: string, onNews: OnCallNews): () => void;
  /** Ends every watch. */
  close(): Promise<void>;
};

type Watch = OnCallNews & { callId: string; stopped: AbortSignal };

/** The same state of one call is told once, whichever gateways say it. */
const withoutRepetition = (onState: OnCallNews['onState']): OnCallNews['onState'] => {
  let last = '';
  return (state) => {
    const now = `${state.call} ${state.conversation} ${state.voicemail}`;
    if (now === last) return;
    last = now;
    onState(state);
  };
};

/** Resolves when the call is held here no longer. `undefined` where it never was. */
const watchHere = (
  here: HeldCalls,
  { callId, onState, onFact, stopped }: Watch,
): Promise<void> | undefined => {
  const stopChart = here.watchChart(callId, onState);
  if (stopChart === undefined) return undefined;
  return new Promise((resolve) => {
    const over = (): void => {
      stopChart();
      stopFacts();
      stopCalls();
      stopped.removeEventListener('abort', over);
      resolve();
    };
    const stopFacts = here.watchFacts(callId, onFact);
    const stopCalls = here.subscribe(() => {
      if (!here.isHeld(callId)) over();
    });
    stopped.addEventListener('abort', over);
  });
};

const wait = (
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>,
  milliseconds: number,
  stopped: AbortSignal,
): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      clock.clearTimeout(timer);
      stopped.removeEventListener('abort', over);
      resolve();
    };
    const timer = clock.setTimeout(over, milliseconds);
    stopped.addEventListener('abort', over);
    if (stopped.aborted) over();
  });

export const createCallWatches = (options: {
  database: Database;
  /** What this gateway holds itself: a call may come to it. */
  here: HeldCalls;
  keys: Pick<NodeKeys, 'nodeCode'>;
  numbers: CallWatchNumbers;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  logger: Logger;
}): CallWatches => {
  const { database, here, keys, numbers, clock, logger } = options;
  const { connectMs, stallMs, lookMs } = numbers;
  const agent = new Agent({
    connect: { timeout: connectMs },
    headersTimeout: stallMs,
    bodyTimeout: stallMs,
  });
  const closing = new AbortController();

  const watchThere = async (address: string, { callId, onState, onFact, stopped }: Watch): Promise<void> => {
    const url = new URL(`${watchedCallsPath}${callId}`, address);
    const authorization = proofOf(
      { method: 'GET', path: url.pathname, range: undefined },
      keys,
      options.now(),
    );
    const { statusCode, body } = await request(url, {
      headers: { authorization },
      dispatcher: agent,
      signal: stopped,
    });
    if (statusCode !== 200) return body.dump();
    for await (const told of readCallNews(body)) {
      if (told.news === 'state') onState(told.state);
      else if (told.news === 'fact') onFact();
    }
  };

  /** Until the call is where it was no longer, or nobody tells of it. `false`: it is over. */
  const watchOnce = async (watch: Watch): Promise<boolean> => {
    const isHere = watchHere(here, watch);
    if (isHere !== undefined) {
      await isHere;
      return true;
    }
    const holder = await findHolder(database, watch.callId);
    if (holder === undefined) return false;
    if (holder.address !== null) await watchThere(holder.address, watch);
    return true;
  };

  const follow = async (watch: Watch): Promise<void> => {
    while (!watch.stopped.aborted) {
      try {
        if (!(await watchOnce(watch))) return;
      } catch (error) {
        if (watch.stopped.aborted) return;
        logger.debug({ err: error }, 'a call of another gateway is not told of right now');
      }
      await wait(clock, lookMs, watch.stopped);
    }
  };

  return {
    watch(callId, { onState, onFact }) {
      const stopping = new AbortController();
      const stopped = AbortSignal.any([stopping.signal, closing.signal]);
      void follow({ callId, onState: withoutRepetition(onState), onFact, stopped });
      return () => stopping.abort();
    },
    async close() {
      closing.abort();
      await agent.destroy();
    },
  };
};
