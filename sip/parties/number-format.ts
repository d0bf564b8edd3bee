/**
 * Telephone numbers as SIP carries them (RFC 3261 section 19.1.6, RFC 3966), and the domestic format that everything
 * above the line speaks (guides/design/wire.md, "Telephone numbers").
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

/** Its parameters (`;npdi`, `;rn=…`, `;phone-context=…`) belong to the user where they stand before the host. */
const userPart = /^\s*<?(?:sips?:([^@;:>?]*)(?:[;:>?][^@]*)?@|tel:([^@;:>?]*))/i;
const phoneContext = /;phone-context=(\+\d{1,7})(?![\d.-])/i;

/** The user part of a SIP or tel URI, without its parameters, password and separators; empty when there is none. */
export const userOf = (uri: string): string => {
  const [, ofSip, ofTel] = userPart.exec(uri) ?? [];
  return safelyDecoded(ofSip ?? ofTel ?? '').replaceAll(/[-.() ]/g, '');
};

/** Digits, perhaps with a `+`: a user of a SIP URI may be anything else as well. */
const looksLikeNumber = (user: string): boolean => /^\+?\d{1,20}$/.test(user);

/** A local number means what it means in its context (RFC 3966 section 5.1.5). */
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

/** The number that was called, in domestic format; undefined when it is none of this country. */
export const calledNumber = (uri: string, country: Country): string | undefined => {
  const number = readUser(uri, country, 'national');
  return number?.startsWith('+') === true ? undefined : number;
};

/** Whether a number of this country is written with its country code and without a `+`. */
export const bareDigitsIn = (uri: string, country: Country): BareDigits => {
  const user = userOf(uri);
  const isDomestic = user === calledNumber(uri, country);
  return !isDomestic && calledNumber(`tel:+${user}`, country) !== undefined ? 'international' : 'national';
};

/**
 * The caller's number: domestic, or `+…` for another country's number. Digits that are in no plan, such as an extension
 * of a PBX, stay as they came. Undefined where the URI shows no number.
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

/** A domestic number as the trunk wants it. One without an international form (1588-1234) stays as it is. */
export const dialledNumber = (number: string, country: Country, format: NumberFormat): string => {
  if (format === 'domestic') return number;
  const international = internationalNumber(number, country) ?? number;
  return format === 'e164' ? international : international.replace(/^\+/, '');
};
