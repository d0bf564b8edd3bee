/**
 * Telephone numbers in domestic format (guides/design/wire.md, "Telephone numbers"): digits alone, leading 0 kept, each
 * number in one form. The numbering plan of libphonenumber says which lengths go with which prefix; it is data, and the
 * one package that this folder uses. Where a country's own rules say more or less, they stand here.
 */
import {
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/max';
import { anonymous } from './anonymous.ts';

export type Country = CountryCode;

export const isCountry = (text: string): text is Country => isSupportedCountry(text);

/** What a country's own rules say beside the plan of libphonenumber. */
const ownRules: Partial<Record<Country, { form?: RegExp; besides?: RegExp; alike?: readonly Country[] }>> = {
  KR: {
    // 010 has eight digits behind it, always. Special numbers (114, 02-120, 031-120) and what stands behind an
    // international prefix (00…) are no numbers of subscribers.
    form: /^(?:010\d{8}|0(?!10|0)\d{8,11}|1[568]\d{6})$/,
    // Mobile numbers and service numbers (15xx, 16xx, 18xx) of whichever block; 030 numbers have up to twelve digits.
    besides: /^(?:010\d{8}|1[568]\d{6}|030\d{8,9})$/,
  },
  // Ranges that the regulators (Ofcom, ARCEP) keep free for examples, and that no plan lists for that reason.
  // Ofcom's plan is that of the Channel Islands and the Isle of Man as well.
  GB: { besides: /^0(?:7700900|1632960)\d{3}$/, alike: ['GG', 'IM', 'JE'] },
  FR: { besides: /^063998\d{4}$/ },
};

/** Digits as they are dialled within the country; undefined for what the plan does not know. */
const dialledWithin = (digits: string, country: Country): string | undefined => {
  const parsed = parsePhoneNumberFromString(digits, country);
  if (parsed?.country === undefined || !parsed.isValid()) return undefined;
  const isWithin = parsed.country === country || ownRules[country]?.alike?.includes(parsed.country) === true;
  if (!isWithin) return undefined;
  return parsed.formatNational().replaceAll(/\D/g, '');
};

const domesticForm = (digits: string, country: Country): string | undefined => {
  const { form, besides } = ownRules[country] ?? {};
  if (form?.test(digits) === false) return undefined;
  if (besides?.test(digits) === true) return digits;
  const dialled = dialledWithin(digits, country);
  // The parser forgives a missing 0 and reads country codes; here the digits are to be domestic as they stand.
  if (dialled === digits) return digits;
  // In North America the 1 before a number may be dialled or not.
  return getCountryCallingCode(country) === '1' && digits === `1${dialled}` ? dialled : undefined;
};

/**
 * Removes hyphens and spaces. Returns undefined for anything that is no domestic number of the country:
 * an international form (`+82…`, `00…`, `82…`), letters, a length that does not go with the prefix.
 */
export const normalizePhoneNumber = (input: string, country: Country): string | undefined => {
  if (input.length > 40) return undefined;
  const digits = input.replaceAll(/[- ]/g, '');
  return /^\d+$/.test(digits) ? domesticForm(digits, country) : undefined;
};

/** `01012345678` → `+821012345678` (E.164); undefined for a number that is dialled only within its country. */
export const internationalNumber = (number: string, country: Country): string | undefined => {
  if (country === 'KR' && !number.startsWith('0')) return undefined;
  if (normalizePhoneNumber(number, country) === undefined) return undefined;
  return parsePhoneNumberFromString(number, country)?.number;
};

/** `+821012345678` → `01012345678`; undefined for a number of another country, or of none. */
export const domesticNumber = (number: string, country: Country): string | undefined => {
  const parsed = parsePhoneNumberFromString(number);
  if (parsed === undefined || parsed.countryCallingCode !== getCountryCallingCode(country)) return undefined;
  return (
    normalizePhoneNumber(parsed.formatNational().replaceAll(/\D/g, ''), country) ??
    // What the plan does not know is formatted without its 0.
    normalizePhoneNumber(`0${parsed.nationalNumber}`, country)
  );
};

/** For logs and traces, which never carry a whole number: `010•••••001`. */
export const maskPhoneNumber = (number: string): string => {
  if (number === anonymous) return number;
  if (number.length <= 6) return '•'.repeat(number.length);
  return `${number.slice(0, 3)}${'•'.repeat(number.length - 6)}${number.slice(-3)}`;
};
