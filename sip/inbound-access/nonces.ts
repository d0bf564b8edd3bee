/**
 * Nonces of challenges. A nonce is a sealed timestamp, so unanswered challenges need no memory. A used nonce is stored
 * while it is valid, and each nonce count is accepted once, which prevents replays.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export type Nonces = {
  next(): string;
  ageOf(nonce: string): 'young' | 'old' | 'not ours';
  /** Records a use of the nonce; returns whether its count is new. */
  use(nonce: string, count: number): boolean;
};

/** Compares two texts in constant time. */
export const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** Creates the nonces. `lifeMs` is the lifetime of a nonce. */
export const createNonces = (lifeMs: number, now: () => number): Nonces => {
  const key = randomBytes(32);
  /** Highest count and expiry of each used nonce. */
  const used = new Map<string, { count: number; until: number }>();

  const sealOf = (time: string): string => createHmac('sha256', key).update(time).digest('hex').slice(0, 32);

  const forgetDead = (): void => {
    for (const [nonce, { until }] of used) {
      if (until > now()) break;
      used.delete(nonce);
    }
  };

  return {
    next() {
      const time = `${now().toString(16)}-${randomBytes(6).toString('hex')}`;
      return `${time}-${sealOf(time)}`;
    },
    ageOf(nonce) {
      const time = nonce.slice(0, nonce.lastIndexOf('-'));
      if (!isSame(nonce, `${time}-${sealOf(time)}`)) return 'not ours';
      return now() - Number.parseInt(time, 16) > lifeMs ? 'old' : 'young';
    },
    use(nonce, count) {
      forgetDead();
      const before = used.get(nonce);
      if (before !== undefined && count <= before.count) return false;
      used.set(nonce, { count, until: before?.until ?? now() + lifeMs });
      return true;
    },
  };
};
