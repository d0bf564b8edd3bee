/**
 * Additional headers of an INVITE: names with the prefix `X-` that a trunk allows outbound (`headersOut`) and inbound
 * (`headersIn`). Names are compared case-insensitively, as in SIP.
 */

/** Never empty: without headers there is no object. */
export type SipHeaders = Readonly<Record<string, string>>;

/** Total size in one INVITE, which must survive all networks. */
export const mostSipHeaders = 10;
/** Number of names per trunk and direction. */
export const mostListedHeaders = 20;
/** Bytes in UTF-8. */
export const longestSipHeader = 255;

/** The prefix excludes headers that SIP, trunks or proxies act upon. */
export const sipHeaderName = /^[Xx]-[A-Za-z0-9][A-Za-z0-9_.-]{0,59}$/;

/** Rejects CR, LF and control characters: a newline would inject a second header. */
export const isSipHeaderValue = (value: string): boolean =>
  value !== '' &&
  value.trim() === value &&
  value.isWellFormed() &&
  !/[\p{Cc}\u2028\u2029]/u.test(value) &&
  new TextEncoder().encode(value).length <= longestSipHeader;

const inLowerCase = (names: readonly string[]): Set<string> =>
  new Set(names.map((name) => name.toLowerCase()));

/** Rejects names that differ only in case. */
export const areDifferentHeaders = (names: readonly string[]): boolean =>
  inLowerCase(names).size === names.length;

/** Names that the list does not contain. */
export const unlistedHeaders = (names: readonly string[], list: readonly string[]): string[] => {
  const listed = inLowerCase(list);
  return names.filter((name) => !listed.has(name.toLowerCase()));
};

/**
 * Returns the listed headers of an INVITE under their listed names. Values that are too long, or that contain control
 * characters, are omitted, because a part would change their meaning. Null without headers.
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
