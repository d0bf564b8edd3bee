/**
 * Telephone numbers as SIP carries them (RFC 3261 section 19.1.6, RFC 3966), and the domestic format that everything
 * above the line speaks (specification 2.4).
 */
import {
  domesticNumber,
  internationalNumber,
  normalizePhoneNumber,
  type Country,
} from '#src/domain/phone-number.ts';
import type { NumberFormat } from '#src/domain/trunk.ts';

/** The user part of a SIP or tel URI, without its parameters and separators; empty when there is none. */
export const userOf = (uri: string): string => {
  const [, user = ''] = /^\s*<?(?:sips?:(?=[^@]*@)|tel:)([^@;>?]*)/i.exec(uri) ?? [];
  return safelyDecoded(user).replaceAll(/[-.() ]/g, '');
};

const safelyDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The number that was called, in domestic format; undefined when it is none of this country. */
export const calledNumber = (uri: string, country: Country): string | undefined => {
  const user = userOf(uri);
  return user.startsWith('+') ? domesticNumber(user, country) : normalizePhoneNumber(user, country);
};

/**
 * Who calls, in domestic format; empty when withheld. A number of another country has no domestic format and stays
 * international.
 */
export const callingNumber = (uri: string, country: Country): string => {
  const user = userOf(uri);
  if (!/^\+?\d+$/.test(user)) return '';
  return user.startsWith('+') ? (domesticNumber(user, country) ?? user) : user;
};

/** A domestic number as the trunk wants it. One without an international form (1588-1234) stays as it is. */
export const dialledNumber = (number: string, country: Country, format: NumberFormat): string =>
  format === 'e164' ? (internationalNumber(number, country) ?? number) : number;
