/**
 * Converts telephone numbers between SIP (RFC 3261 section 19.1.6, RFC 3966) and the gateway's domestic format
 * (guides/design/wire.md, "Telephone numbers").
 */
import { internationalNumber, normalizePhoneNumber, type Country } from '#src/domain/phone-number.ts';
import { readPhoneNumber, type BareDigits } from '#src/domain/read-number.ts';
import type { NumberFormat } from '#src/domain/trunk.ts';

const safelyDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Matches the user part of a URI, including parameters (`;npdi`, `;rn=…`, `;phone-context=…`) before the host. */
const userPart = /^\s*<?(?:sips?:([^@;:>?]*)(?:[;:>?][^@]*)?@|tel:([^@;:>?]*))/i;
const phoneContext = /;phone-context=(\+\d{1,7})(?![\d.-])/i;

/** Returns the user part of a SIP or tel URI, without parameters, password and visual separators; empty if missing. */
export const userOf = (uri: string): string => {
  const [, ofSip, ofTel] = userPart.exec(uri) ?? [];
  return safelyDecoded(ofSip ?? ofTel ?? '').replaceAll(/[-.() ]/g, '');
};

/** Whether the user part is a number: digits with an optional `+`. The user of a SIP URI may be other text. */
const looksLikeNumber = (user: string): boolean => /^\+?\d{1,20}$/.test(user);

/** Reads the number in a URI. A local number is relative to its context (RFC 3966 section 5.1.5). */
const readUser = (uri: string, country: Country, bare: BareDigits): string | undefined => {
  const user = userOf(uri);
  const [, context] = phoneContext.exec(uri) ?? [];
  if (context === undefined || user.startsWith('+')) return readPhoneNumber(user, country, bare);
  return (
    normalizePhoneNumber(user, country) ??
    readPhoneNumber(`${context}${user}`, country) ??
    readPhoneNumber(user, country, bare)
  );
};

/** Returns the called number in domestic format; undefined if it is not of this country. */
export const calledNumber = (uri: string, country: Country): string | undefined => {
  const number = readUser(uri, country, 'national');
  return number?.startsWith('+') === true ? undefined : number;
};

/** Whether a number is written with the country code but without `+`. */
export const bareDigitsIn = (uri: string, country: Country): BareDigits => {
  const user = userOf(uri);
  const isDomestic = user === calledNumber(uri, country);
  return !isDomestic && calledNumber(`tel:+${user}`, country) !== undefined ? 'international' : 'national';
};

/**
 * Returns the caller's number: domestic, or `+…` for other countries. Digits that are no known number, such as a PBX
 * extension, are returned unchanged. Undefined if the URI has no number.
 */
export const callingNumber = (
  uri: string,
  country: Country,
  bare: BareDigits = 'national',
): string | undefined => {
  const user = userOf(uri);
  if (!looksLikeNumber(user)) return undefined;
  return readUser(uri, country, bare) ?? user;
};

/** Returns a domestic number in the trunk's format. Numbers without an international form (1588-1234) are unchanged. */
export const dialledNumber = (number: string, country: Country, format: NumberFormat): string => {
  if (format === 'domestic') return number;
  const international = internationalNumber(number, country) ?? number;
  return format === 'e164' ? international : international.replace(/^\+/, '');
};
