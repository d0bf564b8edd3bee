/** Digest authentication of callers (RFC 7616 with RFC 8760 for SIP; RFC 2617 where no `qop` is sent back). */
import { createHash } from 'node:crypto';
import { createNonces, isSame } from './nonces.ts';

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

type Request = { method: string; realm: string };

/** The proof that a caller has sent, and how it is reckoned. */
type Given = { parameters: ReadonlyMap<string, string>; algorithm: Algorithm; qop: 'auth' | undefined };

/** Undefined for what nobody here understands. */
const understood = (parameters: ReadonlyMap<string, string>): Given | undefined => {
  const algorithm = (parameters.get('algorithm') ?? 'md5').toLowerCase();
  const qop = parameters.get('qop');
  return isAlgorithm(algorithm) && (qop === undefined || qop === 'auth')
    ? { parameters, algorithm, qop }
    : undefined;
};

/** The proof that this account would send. */
const expectedOf = (
  { parameters, algorithm, qop }: Given,
  { method, realm }: Request,
  { username, password }: DigestAccount,
): string => {
  const part = (name: string): string => parameters.get(name) ?? '';
  const a1 = hex(algorithm, username, realm, password);
  const a2 = hex(algorithm, method, part('uri'));
  return qop === undefined
    ? hex(algorithm, a1, part('nonce'), a2)
    : hex(algorithm, a1, part('nonce'), part('nc'), part('cnonce'), qop, a2);
};

/** `nonceMs` is how long a challenge can be answered. */
export const createDigestCheck = (nonceMs: number, now: () => number) => {
  const nonces = createNonces(nonceMs, now);

  return {
    /** For WWW-Authenticate. */
    challenge: (realm: string, algorithm: 'MD5' | 'SHA-256', isStale: boolean): string =>
      `Digest realm="${realm}", nonce="${nonces.next()}", algorithm=${algorithm}, qop="auth"${isStale ? ', stale=true' : ''}`,

    /** `header` is that of Authorization, where there is one. */
    check<Known extends DigestAccount>(
      header: string | undefined,
      request: Request,
      accounts: readonly Known[],
    ): DigestVerdict<Known> {
      const parameters = header === undefined ? undefined : parseDigest(header);
      const nonce = parameters?.get('nonce') ?? '';
      const age = nonces.ageOf(nonce);
      if (parameters?.get('realm') !== request.realm || age === 'not ours')
        return { verdict: 'challenge', isStale: false };
      if (age === 'old') return { verdict: 'challenge', isStale: true };

      const given = understood(parameters);
      if (given === undefined) return { verdict: 'wrong' };
      const response = (parameters.get('response') ?? '').toLowerCase();
      const account = accounts.find(
        (one) =>
          one.username === parameters.get('username') && isSame(response, expectedOf(given, request, one)),
      );
      const count = given.qop === undefined ? 1 : Number.parseInt(parameters.get('nc') ?? '', 16);
      if (account === undefined || !(count >= 1)) return { verdict: 'wrong' };
      return nonces.use(nonce, count)
        ? { verdict: 'known', account }
        : { verdict: 'challenge', isStale: true };
    },
  };
};

export type DigestCheck = ReturnType<typeof createDigestCheck>;
