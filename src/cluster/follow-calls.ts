/**
 * News of a call, wherever it is held: here, or at another gateway, which tells them (`call-news-handler.ts`).
 * Where the call goes, by a hand-over or because its gateway died, the next one is asked. A gateway that cannot be
 * reached tells nothing; it is tried again and again as long as somebody watches.
 */
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import type { Clock } from '#src/domain/clock.ts';
import { findHolder } from '#src/persistence/call-holders.ts';
import type { Database } from '#src/persistence/database.ts';
import { newsPathOf, readCallNews, type CallNews, type HeldNews, type NewsKind } from './call-news.ts';
import { proofOf, type NodeKeys } from './node-proof.ts';

export type FollowNumbers = {
  connectMs: number;
  /** Without a byte for so long, a connection is lost. */
  stallMs: number;
  /** Between the end of a connection and the next look for who holds the call. */
  lookMs: number;
};

export type FollowedCall = {
  callId: string;
  kind: NewsKind;
  /** Must not throw. */
  onNews: (news: CallNews) => void;
  stopped: AbortSignal;
};

export type CallFollowing = {
  /** Resolves when the call is over, and with the signal. Does not reject. */
  follow(call: FollowedCall): Promise<void>;
  /** Ends all that is followed. */
  close(): Promise<void>;
};

/** Resolves when the call is held here no longer. `undefined` where it never was. */
const followHere = (
  held: HeldNews,
  { callId, kind, onNews, stopped }: FollowedCall,
): Promise<void> | undefined => {
  const over = Promise.withResolvers<void>();
  const stopTelling = held[kind](callId, onNews, () => end());
  if (stopTelling === undefined) return undefined;
  const end = (): void => {
    stopTelling();
    stopped.removeEventListener('abort', end);
    over.resolve();
  };
  stopped.addEventListener('abort', end);
  if (stopped.aborted) end();
  return over.promise;
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

export const createCallFollowing = (options: {
  database: Database;
  /** What this gateway holds itself: a call may come to it. */
  held: HeldNews;
  keys: Pick<NodeKeys, 'nodeCode'>;
  numbers: FollowNumbers;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  logger: Logger;
}): CallFollowing => {
  const { database, held, keys, numbers, clock, logger } = options;
  const { connectMs, stallMs, lookMs } = numbers;
  const agent = new Agent({
    connect: { timeout: connectMs },
    headersTimeout: stallMs,
    bodyTimeout: stallMs,
  });
  const closing = new AbortController();

  const followThere = async (address: string, { callId, kind, onNews, stopped }: FollowedCall) => {
    const url = new URL(newsPathOf(callId, kind), address);
    const asked = { method: 'GET', path: url.pathname, range: undefined };
    const { statusCode, body } = await request(url, {
      headers: { authorization: proofOf(asked, keys, options.now()) },
      dispatcher: agent,
      signal: stopped,
    });
    if (statusCode !== 200) return body.dump();
    for await (const news of readCallNews(body)) onNews(news);
    return undefined;
  };

  /** Until the call is where it was no longer, or nobody tells of it. `false`: it is over. */
  const followOnce = async (call: FollowedCall): Promise<boolean> => {
    const isHere = followHere(held, call);
    if (isHere !== undefined) {
      await isHere;
      return true;
    }
    const holder = await findHolder(database, call.callId);
    if (holder === undefined) return false;
    if (holder.address !== null) await followThere(holder.address, call);
    return true;
  };

  return {
    async follow(call) {
      const stopped = AbortSignal.any([call.stopped, closing.signal]);
      while (!stopped.aborted) {
        try {
          if (!(await followOnce({ ...call, stopped }))) return;
        } catch (error) {
          if (stopped.aborted) return;
          logger.debug({ err: error }, 'a call of another gateway is not told of right now');
        }
        await wait(clock, lookMs, stopped);
      }
    },
    async close() {
      closing.abort();
      await agent.destroy();
    },
  };
};
