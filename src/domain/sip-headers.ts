/**
 * Headers of an INVITE beyond those that SIP itself reads: names that begin with `X-`, which a trunk lists in what it
 * is sent (`headersOut`) and in what is taken from it (`headersIn`). Names are compared without regard to case, as SIP
 * does.
 */

/** Never empty: where there is none of them there is no such object. */
export type SipHeaders = Readonly<Record<string, string>>;

/** Of one INVITE, which is to go through networks in one piece. */
export const mostSipHeaders = 10;
/** Of a trunk, in each direction. */
export const mostListedHeaders = 20;
/** Bytes in UTF-8. */
export const longestSipHeader = 255;

/** Whatever SIP, a trunk or a server on the way acts upon has another name, so that none of that can be set. */
export const sipHeaderName = /^[Xx]-[A-Za-z0-9][A-Za-z0-9_.-]{0,59}$/;

/** It stands in one line, so that it cannot begin another header, and arrives as it was sent. */
export const isSipHeaderValue = (value: string): boolean =>
  value !== '' &&
  value.trim() === value &&
  value.isWellFormed() &&
  !/[\p{Cc}\u2028\u2029]/u.test(value) &&
  new TextEncoder().encode(value).length <= longestSipHeader;

const inLowerCase = (names: readonly string[]): Set<string> =>
  new Set(names.map((name) => name.toLowerCase()));

/** No header stands there twice. */
export const areDifferentHeaders = (names: readonly string[]): boolean =>
  inLowerCase(names).size === names.length;

/** Those of the names that the list does not have. */
export const unlistedHeaders = (names: readonly string[], list: readonly string[]): string[] => {
  const listed = inLowerCase(list);
  return names.filter((name) => !listed.has(name.toLowerCase()));
};

/**
 * Those of the list that an INVITE has, by the names that the list has for them. One that is too long, or that holds
 * what cannot stand in a line, is left out: a part of it would say something else than the whole. Null where there is
 * none.
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
