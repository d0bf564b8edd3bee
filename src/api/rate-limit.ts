/**
 * Limits on requests, kept in memory: each node counts for itself. The headers are those of the IETF draft
 * "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers-10).
 */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Refusal } from '#src/domain/refusal.ts';
import type { ApiContext } from './context.ts';
import type { RequestLimit } from './api-services.ts';

/** The count after one more request: what is left, and in how many seconds all of it is back. */
export type Count = { isBeyond: boolean; left: number; seconds: number };

/** Counts one more for `key`; null where there is no limit. Several limits may share one. */
export type Counter = { limit: RequestLimit; count(key: string): Promise<Count | null> };

export const createCounter = (limit: RequestLimit): Counter => {
  const { points, perSeconds } = limit;
  if (points === 0) return { limit, count: () => Promise.resolve(null) };
  const limiter = new RateLimiterMemory({ points, duration: perSeconds });
  return {
    limit,
    async count(key) {
      const { consumedPoints, msBeforeNext } = await limiter.penalty(key);
      return {
        isBeyond: consumedPoints > points,
        left: Math.max(0, points - consumedPoints),
        seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
      };
    },
  };
};

/** Counts one request for `key`; refuses with 429 beyond the limit. */
export type Limit = (ctx: ApiContext, key: string) => Promise<void>;

/** `policy` names the limit in the headers. */
export const createLimit = (policy: string, { limit, count }: Counter): Limit => {
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
