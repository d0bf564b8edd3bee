/**
 * Limits on requests, kept in memory: each node counts for itself. The headers are those of the IETF draft
 * "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers-10).
 */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Refusal } from '#src/domain/refusal.ts';
import type { ApiContext } from './context.ts';
import type { RequestLimit } from './interior.ts';

/** Counts one request for `key`; refuses with 429 beyond the limit. */
export type Limit = (ctx: ApiContext, key: string) => Promise<void>;

const unlimited: Limit = () => Promise.resolve();

/** `policy` names the limit in the headers. */
export const createLimit = (policy: string, { points, perSeconds }: RequestLimit): Limit => {
  if (points === 0) return unlimited;
  const limiter = new RateLimiterMemory({ points, duration: perSeconds });
  return async (ctx, key) => {
    const { consumedPoints, msBeforeNext } = await limiter.penalty(key);
    const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
    ctx.set('RateLimit-Policy', `"${policy}";q=${points};w=${perSeconds}`);
    ctx.set('RateLimit', `"${policy}";r=${Math.max(0, points - consumedPoints)};t=${seconds}`);
    if (consumedPoints <= points) return;
    throw new Refusal('rate_limited', `Too many requests. Try again in ${seconds} seconds.`, {
      headers: { 'Retry-After': String(seconds) },
    });
  };
};
