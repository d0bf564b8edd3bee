/**
 * Masks secrets in a SIP message before the message is stored or passed on: proofs of passwords (RFC 3261 section 22),
 * SRTP keys (RFC 4568), DTMF digits, which may belong to a card number, and the caller's identity if it is withheld.
 * Masking does not change the number of characters in a body, so that the stated length remains correct.
 */

const mask = '***';

const inPlace = (secret: string): string => 'x'.repeat(secret.length);

/** Parameters of a challenge and its response that are not secret. */
const plainParameters: ReadonlySet<string> = new Set(
  'username,realm,nonce,uri,algorithm,qop,nc,opaque,cnonce,userhash,domain,stale'.split(','),
);

/**
 * Masks the credentials. Of Digest, only parameters known not to be secret remain; other schemes are masked completely.
 */
const withoutProof = (value: string): string => {
  const [scheme = ''] = /^\S*/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'digest') return `${scheme} ${mask}`;
  const parameters = value.matchAll(/(?<![\w-])([\w-]+)[ \t]*=[ \t]*("[^"]*"?|[^\s,"]+)/g);
  const shown = [...parameters].map(
    ([, name = '', given = '']) => `${name}=${plainParameters.has(name.toLowerCase()) ? given : mask}`,
  );
  return `${scheme} ${shown.join(', ')}`;
};

const secretWord = /auth|token|secret|passw|api-?key|cookie/i;

/** Non-standard headers in which some trunks send credentials. A challenge contains no secret. */
const isSecret = (name: string): boolean =>
  secretWord.test(name) && !/^(?:proxy|www)-authenticate$/i.test(name);

const maskHeader = (header: string): string => {
  const colon = header.indexOf(':');
  const name = header.slice(0, colon).trim();
  if (colon === -1 || !isSecret(name)) return header;
  const value = header.slice(colon + 1).trim();
  return `${name}: ${/authorization$/i.test(name) ? withoutProof(value) : mask}`;
};

const identities: ReadonlySet<string> = new Set([
  'p-asserted-identity',
  'p-preferred-identity',
  'remote-party-id',
]);

/**
 * Removes the network's identity of the caller, which must not be shown to parties from whom the caller hides it (RFC
 * 3325 section 9.3).
 */
const withoutIdentity = (header: string): string => {
  const name = header.slice(0, Math.max(0, header.indexOf(':'))).trim();
  return identities.has(name.toLowerCase()) ? `${name}: ${mask}` : header;
};

const isPrivate = (header: string): boolean => /^Privacy[ \t]*:.*\b(?:id|user|header)\b/i.test(header);

/** Unfolds headers, which may continue in the next line (RFC 3261 section 7.3.1), and masks them. */
const maskHead = (head: string): string => {
  const headers = head.split(/\r?\n(?![ \t])/);
  const isUnknown = headers.some(isPrivate);
  // Headers are masked one by one only if the head may contain a secret: few messages do.
  const masked =
    isUnknown || secretWord.test(head)
      ? headers.map((header) => maskHeader(isUnknown ? withoutIdentity(header) : header))
      : headers;
  return masked.join('\r\n').replace(/(sips?:[^\s:@;<>]{0,64}:)[^\s@<>]{1,128}@/gi, `$1${mask}@`);
};

const maskBodyLine = (line: string, isKeys: boolean): string => {
  if (/^a=crypto:/i.test(line))
    return line.replace(/inline:([^\s|;]+)/gi, (_, key: string) => `inline:${inPlace(key)}`);
  const secret = /^(?:k=|a=(?:key-mgmt|ice-pwd):)(.*)/i.exec(line)?.[1];
  if (secret !== undefined) return `${line.slice(0, line.length - secret.length)}${inPlace(secret)}`;
  const key = line.slice(line.indexOf('=') + 1).trim();
  const isKey = isKeys && /^[\d*#a-d]+$/i.test(key) && /^(?:signal\b|[^=]*$)/i.test(line.trim());
  return isKey ? `${line.slice(0, line.lastIndexOf(key))}${inPlace(key)}` : line;
};

/**
 * Whether the body contains DTMF: `application/dtmf-relay`, `audio/telephone-event` and similar media types, also in a
 * part of a multipart body.
 */
const carriesKeys = (text: string): boolean =>
  [...text.matchAll(/^(?:content-type|c)[ \t]*:([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)/gim)].some(
    ([, contentType = '']) => /dtmf|telephone-event/i.test(contentType),
  );

/** Beginning of a line that contains a media key or a password. */
const secretLine = /^(?:a=crypto:|k=|a=(?:key-mgmt|ice-pwd):)/im;

const maskBody = (body: string, isKeys: boolean): string =>
  isKeys || secretLine.test(body)
    ? body
        .split(/(\r\n|\n|\r)/)
        .map((line) => maskBodyLine(line, isKeys))
        .join('')
    : body;

export const maskedMessage = (text: string): string => {
  const end = /\r?\n\r?\n/.exec(text);
  if (end === null) return maskHead(text);
  const head = text.slice(0, end.index);
  const body = text.slice(end.index + end[0].length);
  return `${maskHead(head)}\r\n\r\n${maskBody(body, carriesKeys(text))}`;
};
