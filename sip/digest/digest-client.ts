/**
 * Answers challenges of a trunk with its credentials (RFC 3261 section 22, RFC 7616, RFC 8760). Among several
 * challenges, the client answers the one with the strongest supported algorithm; among equally strong ones, the first.
 * The client ignores `auth-int`, which would cover the body, and schemes other than Digest.
 */
import { randomBytes } from 'node:crypto';
import { challengesIn } from '../headers/challenges.ts';
import { headerOf, valuesIn, type Headers, type Parameters } from '../headers/header-values.ts';
import { algorithmOf, digestResponse, type Algorithm, type Credentials } from './digest-response.ts';

/** Names of the two headers for each status: the challenge and its answer. */
const headerNames: Readonly<Record<number, { challenge: string; answer: string }>> = {
  401: { challenge: 'WWW-Authenticate', answer: 'Authorization' },
  407: { challenge: 'Proxy-Authenticate', answer: 'Proxy-Authorization' },
};

const strength: Readonly<Record<Algorithm['hash'], number>> = { md5: 0, 'sha-256': 1, 'sha-512-256': 2 };

type Challenge = {
  realm: string;
  nonce: string;
  opaque: string | undefined;
  algorithm: Algorithm;
  algorithmName: string | undefined;
  qop: 'auth' | null;
  isStale: boolean;
};

/** Whether the text can be sent back in a quoted string, which must not contain control characters. */
const isSendable = (text: string): boolean => !/\p{Cc}/u.test(text);

/** Parses a challenge. Returns undefined if it cannot be answered. */
const readChallenge = (parameters: Parameters): Challenge | undefined => {
  const algorithmName = parameters.get('algorithm');
  const algorithm = algorithmOf(algorithmName);
  const [realm, nonce, opaque] = [parameters.get('realm'), parameters.get('nonce'), parameters.get('opaque')];
  const offered = valuesIn(parameters.get('qop')?.toLowerCase() ?? '');
  const isSupported = offered.length === 0 || offered.includes('auth');
  if (algorithm === undefined || realm === undefined || nonce === undefined || !isSupported) return undefined;
  if (![realm, nonce, opaque ?? ''].every(isSendable)) return undefined;
  return {
    realm,
    nonce,
    opaque,
    algorithm,
    algorithmName,
    qop: offered.length === 0 ? null : 'auth',
    isStale: parameters.get('stale')?.toLowerCase() === 'true',
  };
};

/** A response with status 401 or 407. */
type Response = Headers & { status: number };

/** Returns the supported challenges of a response, the strongest first. */
const supportedIn = (response: Response): Challenge[] =>
  challengesIn(headerOf(response, headerNames[response.status]?.challenge ?? ''))
    .filter(({ scheme }) => scheme === 'digest')
    .flatMap(({ parameters }) => readChallenge(parameters) ?? [])
    .toSorted((one, other) => strength[other.algorithm.hash] - strength[one.algorithm.hash]);

/** Whether the response contains challenges, none of which is supported. */
export const isUnsupportedChallenge = (response: Response): boolean =>
  headerNames[response.status] !== undefined && supportedIn(response).length === 0;

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

type Request = { method: string; uri: string };

/**
 * Credentials for one request and its repetitions. Each repetition contains the credentials for all challenges so far.
 */
export type Authorizing = {
  /**
   * Returns headers for the repeated request; `null` if the challenge cannot be answered, or if the server rejected the
   * same credentials before.
   */
  answer(response: Response, request: Request): Record<string, string> | null;
};

/**
 * Maximum number of answers for one request: proxies and the registrar may challenge in turn, and a nonce may become
 * stale.
 */
const mostAnswers = 4;

export type DigestClient = {
  /** Begins the authentication of one request and its repetitions. */
  begin(): Authorizing;
};

/** Creates a client for requests to one server. The client counts how often it used each nonce. */
const createDigestClient = (credentials: Credentials): DigestClient => {
  /**
   * Use count and client nonce for each nonce of the server. The client nonce stays the same, as the `-sess` variants
   * require.
   */
  const uses = new Map<string, { count: number; cnonce: string }>();

  const use = (nonce: string): { nc: string; cnonce: string } => {
    const known = uses.get(nonce) ?? { count: 0, cnonce: randomBytes(16).toString('hex') };
    known.count += 1;
    uses.set(nonce, known);
    return { nc: known.count.toString(16).padStart(8, '0'), cnonce: known.cnonce };
  };

  const credentialsFor = (challenge: Challenge, { method, uri }: Request): string => {
    const { realm, nonce, opaque, algorithm, algorithmName, qop } = challenge;
    const { nc, cnonce } = use(nonce);
    const response = digestResponse({ algorithm, realm, nonce, method, uri, qop, nc, cnonce }, credentials);
    const parameters = [
      `username=${quoted(credentials.username)}`,
      `realm=${quoted(realm)}`,
      `nonce=${quoted(nonce)}`,
      `uri=${quoted(uri)}`,
      `response="${response}"`,
      `algorithm=${algorithmName ?? 'MD5'}`,
      ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
      ...(qop === null ? [] : [`qop=${qop}`, `nc=${nc}`]),
      ...(qop === null && !algorithm.isSession ? [] : [`cnonce="${cnonce}"`]),
    ];
    return `Digest ${parameters.join(', ')}`;
  };

  return {
    begin() {
      const answered = new Map<string, string>();
      let count = 0;
      let headers: Record<string, string> = {};

      /** Whether to answer a challenge: its realm was not answered before, or only the nonce was stale. */
      const isOpen = (name: string, { realm, nonce, isStale }: Challenge): boolean => {
        const before = answered.get(JSON.stringify([name, realm]));
        return before === undefined || (isStale && before !== nonce);
      };

      return {
        answer(response, request) {
          const name = headerNames[response.status]?.answer;
          if (name === undefined || count >= mostAnswers) return null;
          const strongest = supportedIn(response).find((challenge) => isOpen(name, challenge));
          if (strongest === undefined) return null;
          count += 1;
          answered.set(JSON.stringify([name, strongest.realm]), strongest.nonce);
          headers = { ...headers, [name]: credentialsFor(strongest, request) };
          return headers;
        },
      };
    },
  };
};

/** Creates a digest client. Without credentials the client answers no challenge. */
export const digestClientFor = (credentials: Credentials | undefined): DigestClient =>
  credentials === undefined ? { begin: () => ({ answer: () => null }) } : createDigestClient(credentials);
