/**
 * Follows the news of a call at any gateway: this one, or another one that serves them (`call-news-handler.ts`). After
 * a hand-over or the death of the call's owner, the next owner is queried. An unreachable gateway is retried as long as
 * the call has watchers.
 */
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import type { Clock } from '#src/domain/clock.ts';
import { findHolder } from '#src/persistence/calls/call-holders.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { newsPathOf, readCallNews, type CallNews, type HeldNews, type NewsKind } from './call-news.ts';
import { proofOf, type NodeKeys } from './node-proof.ts';

export type FollowNumbers = {
  connectMs: number;
  /** Time without a byte after which a connection is lost. */
  stallMs: number;
  /** Delay between the end of a connection and the next look-up of the owner. */
  lookMs: number;
};

export type FollowedCall = {
  callId: string;
  kind: NewsKind;
  /** Called with each news item; must not throw. */
  onNews: (news: CallNews) => void;
  stopped: AbortSignal;
};

export type CallFollowing = {
  /** Resolves when the call is over or the signal is aborted. Does not reject. */
  follow(call: FollowedCall): Promise<void>;
  /** Ends all subscriptions. */
  close(): Promise<void>;
};

/**
 * Resolves when this gateway no longer owns the call; returns `undefined` if this gateway does not own the call now.
 */
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

const wait = (clock: Clock, milliseconds: number, stopped: AbortSignal): Promise<void> =>
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
  /** News of the calls that this gateway owns, because a followed call may move to this gateway. */
  held: HeldNews;
  keys: NodeKeys;
  numbers: FollowNumbers;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  clock: Clock;
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

  /** Follows the call at its current owner until the connection ends. Resolves to `false` if the call is over. */
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
          logger.debug({ err: error }, 'news of a call on another gateway cannot be read right now');
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
