/**
 * Additional headers of an INVITE with the prefix `X-`. A trunk lists the allowed names for outbound (`headersOut`) and
 * inbound (`headersIn`) calls. Names are compared case-insensitively, as in SIP.
 */

/** Never an empty object: without headers there is no object. */
export type SipHeaders = Readonly<Record<string, string>>;

/** Maximum number of headers in one INVITE, small enough for all networks. */
export const mostSipHeaders = 10;
/** Maximum number of listed names per trunk and direction. */
export const mostListedHeaders = 20;
/** Maximum length of a value in bytes of UTF-8. */
export const longestSipHeader = 255;

/** Matches a name. The prefix `X-` excludes headers that affect SIP, trunks or proxies. */
export const sipHeaderName = /^[Xx]-[A-Za-z0-9][A-Za-z0-9_.-]{0,59}$/;

/**
 * Whether a value is valid. CR, LF and control characters are rejected, because a newline would inject a second header.
 */
export const isSipHeaderValue = (value: string): boolean =>
  value !== '' &&
  value.trim() === value &&
  value.isWellFormed() &&
  !/[\p{Cc}\u2028\u2029]/u.test(value) &&
  new TextEncoder().encode(value).length <= longestSipHeader;

const inLowerCase = (names: readonly string[]): Set<string> =>
  new Set(names.map((name) => name.toLowerCase()));

/** Whether the names differ in more than case. */
export const areDifferentHeaders = (names: readonly string[]): boolean =>
  inLowerCase(names).size === names.length;

/** Returns the names that the list does not contain. */
export const unlistedHeaders = (names: readonly string[], list: readonly string[]): string[] => {
  const listed = inLowerCase(list);
  return names.filter((name) => !listed.has(name.toLowerCase()));
};

/**
 * Returns the listed headers of an INVITE under their listed names; null if there are none. Values that are too long,
 * or that contain control characters, are omitted as a whole, because a part of a value would change its meaning.
 */
export const takenHeaders = (
  valueOf: (name: string) => string | undefined,
  list: readonly string[],
): SipHeaders | null => {
  const names = new Map(list.map((name) => [name.toLowerCase(), name])).values();
  const taken = [...names].flatMap((name) => {
    const value = valueOf(name)?.trim() ?? '';
    return isSipHeaderValue(value) ? [[name, value] as const] : [];
  });
  return taken.length === 0 ? null : Object.fromEntries(taken);
};
