/**
 * Nonces of challenges. A nonce is a time and its seal, so that nothing is kept for a challenge that is never answered.
 * What was answered is kept as long as the nonce lives: each count of a nonce is good once, so that nothing overheard can
 * be used again.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export type Nonces = {
  next(): string;
  ageOf(nonce: string): 'young' | 'old' | 'not ours';
  /** Whether this count of the nonce is new. */
  use(nonce: string, count: number): boolean;
};

/** Takes as long whatever differs. */
export const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** `lifeMs` is how long a nonce is good. */
export const createNonces = (lifeMs: number, now: () => number): Nonces => {
  const key = randomBytes(32);
  /** Of each nonce that was answered: the highest count so far, and when it dies. */
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
