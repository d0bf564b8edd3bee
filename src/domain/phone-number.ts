/**
 * Telephone numbers in domestic format (specification 2.4, 4.1; decisions 2): digits alone, leading 0 kept.
 * Korea's own forms are checked here. For another country the numbering plan of libphonenumber decides; it is data,
 * and the one package that this folder uses.
 */
import { isSupportedCountry, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js';

export type Country = CountryCode;

export const isCountry = (text: string): text is Country => isSupportedCountry(text);

/** Area, mobile and 070/080 numbers; 050 numbers with up to twelve digits; service numbers such as 1588-1234. */
const koreanForms = [/^0[1-9]\d{7,9}$/, /^050\d{8,9}$/, /^1[568]\d{6}$/];

const isDomestic = (digits: string, country: Country): boolean => {
  if (country === 'KR') return koreanForms.some((form) => form.test(digits));
  const parsed = parsePhoneNumberFromString(digits, country);
  return parsed !== undefined && parsed.country === country && parsed.isPossible();
};

/**
 * Removes hyphens and spaces. Returns undefined for anything that is no domestic number of the country:
 * an international form (`+82…`, `00…`), letters, too few or too many digits.
 */
export const normalizePhoneNumber = (input: string, country: Country): string | undefined => {
  if (input.length > 40) return undefined;
  const digits = input.replaceAll(/[- ]/g, '');
  if (!/^\d+$/.test(digits)) return undefined;
  return isDomestic(digits, country) ? digits : undefined;
};

/** `01012345678` → `+821012345678` (E.164); undefined for a number that is dialled only within its country. */
export const internationalNumber = (number: string, country: Country): string | undefined => {
  if (country === 'KR' && !number.startsWith('0')) return undefined;
  const parsed = parsePhoneNumberFromString(number, country);
  return parsed?.isPossible() === true ? parsed.number : undefined;
};

/** `+821012345678` → `01012345678`; undefined for a number of another country. */
export const domesticNumber = (number: string, country: Country): string | undefined => {
  const parsed = parsePhoneNumberFromString(number);
  if (parsed === undefined || parsed.country !== country) return undefined;
  return normalizePhoneNumber(parsed.formatNational().replaceAll(/\D/g, ''), country);
};

/** For logs and traces, which never carry a whole number: `010•••••001`. */
export const maskPhoneNumber = (number: string): string =>
  number.length <= 6
    ? '•'.repeat(number.length)
    : `${number.slice(0, 3)}${'•'.repeat(number.length - 6)}${number.slice(-3)}`;
