/**
 * Telephone numbers in domestic format (guides/design/wire.md, "Telephone numbers"): digits with the leading 0, one
 * form per number. libphonenumber's numbering plan (data; the only package of this folder) defines lengths by prefix,
 * with corrections by country below.
 */
import {
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type CountryCode,
  type NumberType,
} from 'libphonenumber-js/max';
import { anonymous } from './caller-identity.ts';

export type Country = CountryCode;

export const isCountry = (text: string): text is Country => isSupportedCountry(text);

/** Numbers that match have this type, whatever libphonenumber's plan says. */
type Besides = { form: RegExp; type: NumberType };

/** Rules of single countries beyond libphonenumber's plan. */
const ownRules: Partial<
  Record<Country, { form?: RegExp; besides?: readonly Besides[]; alike?: readonly Country[] }>
> = {
  KR: {
    // 010 is always followed by eight digits. Special numbers (114, 02-120, 031-120) and digits after an international
    // prefix (00…) are not subscriber numbers.
    form: /^(?:010\d{8}|0(?!10|0)\d{8,11}|1[568]\d{6})$/,
    // Mobile and service numbers (15xx, 16xx, 18xx) of any block; 030 numbers have up to twelve digits.
    besides: [
      { form: /^010\d{8}$/, type: 'MOBILE' },
      { form: /^1[568]\d{6}$/, type: 'UAN' },
      { form: /^030\d{8,9}$/, type: 'PERSONAL_NUMBER' },
    ],
  },
  // Ranges reserved for examples by regulators (Ofcom, ARCEP), missing in the plans. Ofcom's plan includes the Channel
  // Islands and the Isle of Man.
  GB: {
    besides: [
      { form: /^07700900\d{3}$/, type: 'MOBILE' },
      { form: /^01632960\d{3}$/, type: 'FIXED_LINE' },
    ],
    alike: ['GG', 'IM', 'JE'],
  },
  FR: { besides: [{ form: /^063998\d{4}$/, type: 'MOBILE' }] },
};

const typeBesides = (digits: string, country: Country): NumberType =>
  ownRules[country]?.besides?.find(({ form }) => form.test(digits))?.type;

/** Digits as dialled within the country; undefined for numbers outside the plan. */
const dialledWithin = (digits: string, country: Country): string | undefined => {
  const parsed = parsePhoneNumberFromString(digits, country);
  if (parsed?.country === undefined || !parsed.isValid()) return undefined;
  const isWithin = parsed.country === country || ownRules[country]?.alike?.includes(parsed.country) === true;
  if (!isWithin) return undefined;
  return parsed.formatNational().replaceAll(/\D/g, '');
};

const domesticForm = (digits: string, country: Country): string | undefined => {
  if (ownRules[country]?.form?.test(digits) === false) return undefined;
  if (typeBesides(digits, country) !== undefined) return digits;
  const dialled = dialledWithin(digits, country);
  // The parser accepts a missing 0 and country codes; here the digits must be domestic.
  if (dialled === digits) return digits;
  // In North America the leading 1 is optional.
  return getCountryCallingCode(country) === '1' && digits === `1${dialled}` ? dialled : undefined;
};

/**
 * Removes hyphens and spaces. Returns undefined for anything but a domestic number: international forms (`+82…`, `00…`,
 * `82…`), letters, wrong lengths.
 */
export const normalizePhoneNumber = (input: string, country: Country): string | undefined => {
  if (input.length > 40) return undefined;
  const digits = input.replaceAll(/[- ]/g, '');
  return /^\d+$/.test(digits) ? domesticForm(digits, country) : undefined;
};

/** `01012345678` → `+821012345678` (E.164); undefined for numbers that can be dialled only within the country. */
export const internationalNumber = (number: string, country: Country): string | undefined => {
  if (country === 'KR' && !number.startsWith('0')) return undefined;
  if (normalizePhoneNumber(number, country) === undefined) return undefined;
  return parsePhoneNumberFromString(number, country)?.number;
};

/** Form for comparison with prefixes: E.164, also for numbers that can be dialled only within the country. */
export const prefixedNumber = (number: string, country: Country): string =>
  number.startsWith('+')
    ? number
    : (internationalNumber(number, country) ??
      `+${getCountryCallingCode(country)}${number.replace(/^0/, '')}`);

/** `+821012345678` → `01012345678`; undefined for numbers of other countries or without one. */
export const domesticNumber = (number: string, country: Country): string | undefined => {
  const parsed = parsePhoneNumberFromString(number);
  if (parsed === undefined || parsed.countryCallingCode !== getCountryCallingCode(country)) return undefined;
  return (
    normalizePhoneNumber(parsed.formatNational().replaceAll(/\D/g, ''), country) ??
    // Unknown numbers are formatted without their 0.
    normalizePhoneNumber(`0${parsed.nationalNumber}`, country)
  );
};

/**
 * Normalizes an entered number: domestic, or `+` and another country's number. Removes hyphens and spaces. Undefined
 * for anything else, including this country's numbers in international form.
 */
export const normalizeDestination = (input: string, country: Country): string | undefined => {
  if (!input.trimStart().startsWith('+')) return normalizePhoneNumber(input, country);
  if (input.length > 40) return undefined;
  const number = input.replaceAll(/[- ]/g, '');
  const parsed = /^\+\d+$/.test(number) ? parsePhoneNumberFromString(number) : undefined;
  if (parsed?.isValid() !== true || parsed.number !== number) return undefined;
  return domesticNumber(number, country) === undefined ? number : undefined;
};

/**
 * Plan entry of a number, domestic or `+…`: libphonenumber's type and the country (undefined for satellite numbers, for
 * example). Undefined for numbers outside all plans.
 */
export const planOf = (
  number: string,
  country: Country,
): { type: NonNullable<NumberType>; country: Country | undefined } | undefined => {
  const besides = typeBesides(number, country);
  if (besides !== undefined) return { type: besides, country };
  const isInternational = number.startsWith('+');
  if (!isInternational && normalizePhoneNumber(number, country) !== number) return undefined;
  const parsed = parsePhoneNumberFromString(number, country);
  const type = parsed?.getType();
  if (parsed === undefined || type === undefined) return undefined;
  const isOwn = !isInternational || domesticNumber(parsed.number, country) !== undefined;
  return { type, country: isOwn ? country : parsed.country };
};

/** Masked form for logs and traces: `010•••••001`. */
export const maskPhoneNumber = (number: string): string => {
  if (number === anonymous) return number;
  if (number.length <= 6) return '•'.repeat(number.length);
  return `${number.slice(0, 3)}${'•'.repeat(number.length - 6)}${number.slice(-3)}`;
};
