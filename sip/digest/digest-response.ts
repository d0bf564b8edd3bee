/**
 * Computes the response of digest authentication (RFC 7616, RFC 8760 for SIP), as the client sends it and the server
 * expects it.
 */
import { createHash, getHashes } from 'node:crypto';

export type Credentials = { username: string; password: string };

const hashes = { md5: 'md5', 'sha-256': 'sha256', 'sha-512-256': 'sha512-256' } as const;
const available = new Set(getHashes().map((name) => name.toLowerCase()));

/** A hash algorithm. `isSession`: a `-sess` variant, whose key depends on both nonces. */
export type Algorithm = { hash: keyof typeof hashes; isSession: boolean };

const isHash = (text: string): text is Algorithm['hash'] => Object.hasOwn(hashes, text);

/** Returns the algorithm of this name; undefined if it is not supported. A missing name means MD5. */
export const algorithmOf = (name: string | undefined): Algorithm | undefined => {
  const text = (name ?? 'md5').toLowerCase();
  const isSession = text.endsWith('-sess');
  const hash = isSession ? text.slice(0, -'-sess'.length) : text;
  return isHash(hash) && available.has(hashes[hash]) ? { hash, isSession } : undefined;
};

/** Input of the digest. `qop` is null for servers that do not support it (RFC 2069); `nc` is unused then. */
export type DigestInput = {
  algorithm: Algorithm;
  realm: string;
  nonce: string;
  method: string;
  uri: string;
  qop: 'auth' | null;
  nc: string;
  cnonce: string;
};

/** Returns the parameter `response` in hexadecimal. */
export const digestResponse = (
  { algorithm, realm, nonce, method, uri, qop, nc, cnonce }: DigestInput,
  { username, password }: Credentials,
): string => {
  const hex = (...parts: string[]): string =>
    createHash(hashes[algorithm.hash]).update(parts.join(':')).digest('hex');
  const secret = hex(username, realm, password);
  const a1 = algorithm.isSession ? hex(secret, nonce, cnonce) : secret;
  const a2 = hex(method, uri);
  return qop === null ? hex(a1, nonce, a2) : hex(a1, nonce, nc, cnonce, qop, a2);
};
