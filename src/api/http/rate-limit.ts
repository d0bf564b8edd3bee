/**
 * Request limits. A single gateway counts in memory, and several gateways count together. The headers follow the IETF
 * draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers-10).
 */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { CountedRequests } from '#src/domain/counted-requests.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import type { ApiContext } from './context.ts';
import type { OperationServices, RequestLimit } from '../api-services.ts';

/**
 * State of a limit after one more request: remaining requests, and seconds until the whole limit is available again.
 */
export type Count = { isBeyond: boolean; left: number; seconds: number };

/**
 * Counter of requests. `count` counts one request for `key` and resolves to null without a limit. `policy` names the
 * limit. Several limits may share one counter.
 */
export type Counter = { policy: string; limit: RequestLimit; count(key: string): Promise<Count | null> };

export const createCounter = (
  policy: string,
  limit: RequestLimit,
  {
    operation: { countWithOthers, limits, clock, logger },
  }: {
    operation: Pick<OperationServices, 'countWithOthers' | 'clock' | 'logger'> & {
      limits: { countingMs: number };
    };
  },
): Counter => {
  const { points, perSeconds } = limit;
  if (points === 0) return { policy, limit, count: () => Promise.resolve(null) };
  const limiter = new RateLimiterMemory({ points, duration: perSeconds });
  const withOthers = countWithOthers(perSeconds);

  const inMemory = async (key: string): Promise<CountedRequests> => {
    const { consumedPoints, msBeforeNext } = await limiter.penalty(key);
    return { requests: consumedPoints, seconds: msBeforeNext / 1_000 };
  };

  const inAll = async (key: string): Promise<CountedRequests> => {
    // The memory counts as well, for times when the other gateways or the database are unavailable.
    const here = await inMemory(key);
    try {
      return (await withTimeout(clock, limits.countingMs, () => withOthers(`${policy} ${key}`))) ?? here;
    } catch (error) {
      logger.debug({ err: error }, 'a request could not be counted with those of other gateways');
      return here;
    }
  };

  return {
    policy,
    limit,
    async count(key) {
      const { requests, seconds } = await inAll(key);
      return {
        isBeyond: requests > points,
        left: Math.max(0, points - requests),
        seconds: Math.max(1, Math.ceil(seconds)),
      };
    },
  };
};

/** Counts one request for `key`. Throws a Refusal with 429 beyond the limit. */
export type Limit = (ctx: ApiContext, key: string) => Promise<void>;

export const createLimit = ({ policy, limit, count }: Counter): Limit => {
  const { points, perSeconds } = limit;
  return async (ctx, key) => {
    const counted = await count(key);
    if (counted === null) return;
    const { isBeyond, left, seconds } = counted;
    ctx.set('RateLimit-Policy', `"${policy}";q=${points};w=${perSeconds}`);
    ctx.set('RateLimit', `"${policy}";r=${left};t=${seconds}`);
    if (!isBeyond) return;
    throw new Refusal('rate_limited', `Too many requests. Try again in ${seconds} seconds.`, {
      headers: { 'Retry-After': String(seconds) },
    });
  };
};
