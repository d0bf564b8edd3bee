/** Digest authentication of callers (RFC 7616 and RFC 8760 for SIP; RFC 2617 if `qop` is missing). */
import {
  algorithmOf,
  digestResponse,
  type Credentials,
  type DigestInput,
} from '../digest/digest-response.ts';
import { challengesIn } from '../headers/challenges.ts';
import type { Parameters } from '../headers/header-values.ts';
import { createNonces, isSame } from './nonces.ts';

export type DigestVerdict<Known extends Credentials> =
  | { verdict: 'known'; account: Known }
  /** The caller sent no credentials, or an expired nonce, and must be challenged. */
  | { verdict: 'challenge'; isStale: boolean }
  | { verdict: 'wrong' };

type Request = { method: string; realm: string };

/** Returns the credentials for our realm. A caller may send credentials for several realms. */
const credentialsFor = (header: string, realm: string): Parameters | undefined =>
  challengesIn(header).find(
    ({ scheme, parameters }) => scheme === 'digest' && parameters.get('realm') === realm,
  )?.parameters;

/** Returns the input of a caller's digest; undefined for an unsupported algorithm or `qop`. */
const coveredBy = (parameters: Parameters, { method, realm }: Request): DigestInput | undefined => {
  const algorithm = algorithmOf(parameters.get('algorithm'));
  const qop = parameters.get('qop') ?? null;
  if (algorithm === undefined || (qop !== null && qop !== 'auth')) return undefined;
  const part = (name: string): string => parameters.get(name) ?? '';
  return {
    algorithm,
    realm,
    method,
    qop,
    nonce: part('nonce'),
    uri: part('uri'),
    nc: part('nc'),
    cnonce: part('cnonce'),
  };
};

/** Creates the check of credentials. `nonceMs` is the lifetime of a challenge. */
export const createDigestCheck = (nonceMs: number, now: () => number) => {
  const nonces = createNonces(nonceMs, now);

  return {
    /** Returns a value for WWW-Authenticate. */
    challenge: (realm: string, algorithm: 'MD5' | 'SHA-256', isStale: boolean): string =>
      `Digest realm="${realm}", nonce="${nonces.next()}", algorithm=${algorithm}, qop="auth"${isStale ? ', stale=true' : ''}`,

    /** Checks credentials. `header` is the value of Authorization, if there is one. */
    check<Known extends Credentials>(
      header: string | undefined,
      request: Request,
      accounts: readonly Known[],
    ): DigestVerdict<Known> {
      const parameters = header === undefined ? undefined : credentialsFor(header, request.realm);
      const nonce = parameters?.get('nonce') ?? '';
      const age = nonces.ageOf(nonce);
      if (parameters === undefined || age === 'not ours') return { verdict: 'challenge', isStale: false };
      if (age === 'old') return { verdict: 'challenge', isStale: true };

      const covered = coveredBy(parameters, request);
      if (covered === undefined) return { verdict: 'wrong' };
      const response = (parameters.get('response') ?? '').toLowerCase();
      const account = accounts.find(
        (one) =>
          one.username === parameters.get('username') && isSame(response, digestResponse(covered, one)),
      );
      const count = covered.qop === null ? 1 : Number.parseInt(parameters.get('nc') ?? '', 16);
      if (account === undefined || !(count >= 1)) return { verdict: 'wrong' };
      return nonces.use(nonce, count)
        ? { verdict: 'known', account }
        : { verdict: 'challenge', isStale: true };
    },
  };
};

export type DigestCheck = ReturnType<typeof createDigestCheck>;
