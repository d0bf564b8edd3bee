/**
 * Digest authentication of callers (RFC 7616 with RFC 8760 for SIP; RFC 2617 where no `qop` is sent back).
 *
 * A nonce is a time and its seal, so that nothing is kept for a challenge that is never answered. What was answered is
 * kept as long as the nonce lives: each count of a nonce is good once, so that nothing overheard can be used again.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export type DigestAccount = { username: string; password: string };

export type DigestVerdict<Known extends DigestAccount> =
  | { verdict: 'known'; account: Known }
  /** No credentials, or for a nonce that is too old: challenge. */
  | { verdict: 'challenge'; isStale: boolean }
  | { verdict: 'wrong' };

const hashes = { md5: 'md5', 'sha-256': 'sha256' } as const;

type Algorithm = keyof typeof hashes;

const isAlgorithm = (text: string): text is Algorithm => Object.hasOwn(hashes, text);

const hex = (algorithm: Algorithm, ...parts: string[]): string =>
  createHash(hashes[algorithm]).update(parts.join(':')).digest('hex');

/** The parameters of `Digest a="b", c=d`; undefined for another scheme. */
export const parseDigest = (header: string): Map<string, string> | undefined => {
  const [, scheme = '', rest = ''] = /^\s*(\w+)\s+(.*)$/s.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'digest') return undefined;
  const parameters = rest.matchAll(/(?<!\w)(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g);
  return new Map(
    [...parameters].map(([, name = '', quoted, bare]) => [
      name.toLowerCase(),
      quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '',
    ]),
  );
};

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** `nonceMs` is how long a challenge can be answered. */
export const createDigestCheck = (nonceMs: number, now: () => number) => {
  const key = randomBytes(32);
  /** Of each nonce that was answered: the highest count so far, and when it dies. */
  const used = new Map<string, { count: number; until: number }>();

  const sealOf = (time: string): string => createHmac('sha256', key).update(time).digest('hex').slice(0, 32);

  const newNonce = (): string => {
    const time = `${now().toString(16)}-${randomBytes(6).toString('hex')}`;
    return `${time}-${sealOf(time)}`;
  };

  const ageOf = (nonce: string): number | undefined => {
    const time = nonce.slice(0, nonce.lastIndexOf('-'));
    if (!isSame(nonce, `${time}-${sealOf(time)}`)) return undefined;
    return now() - Number.parseInt(time, 16);
  };

  /** Whether this count of the nonce is new. */
  const use = (nonce: string, count: number): boolean => {
    for (const [old, { until }] of used) {
      if (until > now()) break;
      used.delete(old);
    }
    const before = used.get(nonce);
    if (before !== undefined && count <= before.count) return false;
    used.set(nonce, { count, until: before?.until ?? now() + nonceMs });
    return true;
  };

  return {
    /** For WWW-Authenticate. */
    challenge: (realm: string, algorithm: 'MD5' | 'SHA-256', isStale: boolean): string =>
      `Digest realm="${realm}", nonce="${newNonce()}", algorithm=${algorithm}, qop="auth"${isStale ? ', stale=true' : ''}`,

    /** `header` is that of Authorization, where there is one. */
    check<Known extends DigestAccount>(
      header: string | undefined,
      request: { method: string; realm: string },
      accounts: readonly Known[],
    ): DigestVerdict<Known> {
      const given = header === undefined ? undefined : parseDigest(header);
      const age = ageOf(given?.get('nonce') ?? '');
      if (given === undefined || given.get('realm') !== request.realm || age === undefined)
        return { verdict: 'challenge', isStale: false };
      if (age > nonceMs) return { verdict: 'challenge', isStale: true };

      const part = (name: string): string => given.get(name) ?? '';
      const algorithm = (given.get('algorithm') ?? 'md5').toLowerCase();
      const qop = given.get('qop');
      if (!isAlgorithm(algorithm) || (qop !== undefined && qop !== 'auth')) return { verdict: 'wrong' };
      const count = qop === undefined ? 1 : Number.parseInt(part('nc'), 16);
      const a2 = hex(algorithm, request.method, part('uri'));
      const expected = ({ username, password }: DigestAccount): string => {
        const a1 = hex(algorithm, username, request.realm, password);
        return qop === undefined
          ? hex(algorithm, a1, part('nonce'), a2)
          : hex(algorithm, a1, part('nonce'), part('nc'), part('cnonce'), qop, a2);
      };
      const account = accounts.find(
        (one) => one.username === part('username') && isSame(part('response').toLowerCase(), expected(one)),
      );
      if (account === undefined || !(count >= 1)) return { verdict: 'wrong' };
      return use(part('nonce'), count)
        ? { verdict: 'known', account }
        : { verdict: 'challenge', isStale: true };
    },
  };
};

export type DigestCheck = ReturnType<typeof createDigestCheck>;
