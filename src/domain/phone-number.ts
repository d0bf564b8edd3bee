/**
 * Telephone numbers in domestic format (guides/design/wire.md, "Telephone numbers"): digits with the leading 0, one
 * form per number. Lengths by prefix come from libphonenumber's numbering plan (the only package of this folder, used
 * for its data), with corrections by country below.
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

/** Form of numbers that have this type, whatever libphonenumber's plan says. */
type Besides = { form: RegExp; type: NumberType };

/** Rules of single countries beyond libphonenumber's plan. */
const ownRules: Partial<
  Record<Country, { form?: RegExp; besides?: readonly Besides[]; alike?: readonly Country[] }>
> = {
  KR: {
    // 010 is always followed by eight digits. Special numbers (114, 02-120, 031-120) and digits after an international
    // prefix (00…) do not belong to subscribers.
    form: /^(?:010\d{8}|0(?!10|0)\d{8,11}|1[568]\d{6})$/,
    // Mobile numbers and service numbers (15xx, 16xx, 18xx) of any block. Numbers with 030 have up to twelve digits.
    besides: [
      { form: /^010\d{8}$/, type: 'MOBILE' },
      { form: /^1[568]\d{6}$/, type: 'UAN' },
      { form: /^030\d{8,9}$/, type: 'PERSONAL_NUMBER' },
    ],
  },
  // Number ranges that regulators (Ofcom, ARCEP) reserve for examples, and that are missing in the plans. Ofcom's plan
  // includes the Channel Islands and the Isle of Man.
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

/** Returns the digits as dialled within the country; undefined for numbers outside the plan. */
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
  // The parser accepts numbers with a missing 0 or with a country code, but `digits` must be domestic.
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

/**
 * Converts a domestic number to E.164: `01012345678` becomes `+821012345678`. Returns undefined for numbers that can be
 * dialled only within the country.
 */
export const internationalNumber = (number: string, country: Country): string | undefined => {
  if (country === 'KR' && !number.startsWith('0')) return undefined;
  if (normalizePhoneNumber(number, country) === undefined) return undefined;
  return parsePhoneNumberFromString(number, country)?.number;
};

/**
 * Returns the form that is compared with prefixes: E.164, even for numbers that can be dialled only within the country.
 */
export const prefixedNumber = (number: string, country: Country): string =>
  number.startsWith('+')
    ? number
    : (internationalNumber(number, country) ??
      `+${getCountryCallingCode(country)}${number.replace(/^0/, '')}`);

/**
 * Converts E.164 to a domestic number: `+821012345678` becomes `01012345678`. Returns undefined for numbers of other
 * countries, and for numbers without a domestic form.
 */
export const domesticNumber = (number: string, country: Country): string | undefined => {
  const parsed = parsePhoneNumberFromString(number);
  if (parsed === undefined || parsed.countryCallingCode !== getCountryCallingCode(country)) return undefined;
  return (
    normalizePhoneNumber(parsed.formatNational().replaceAll(/\D/g, ''), country) ??
    // Numbers outside the plan are formatted without their 0.
    normalizePhoneNumber(`0${parsed.nationalNumber}`, country)
  );
};

/**
 * Normalizes an entered number: a domestic number, or `+` and another country's number. Removes hyphens and spaces.
 * Returns undefined for other input, including this country's numbers in international form.
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
 * Returns the plan entry of a domestic or international (`+…`) number: libphonenumber's type and the country. The
 * country is undefined for satellite numbers, for example. Returns undefined for numbers outside all plans.
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

/** Masks a number for logs and traces: `010•••••001`. */
export const maskPhoneNumber = (number: string): string => {
  if (number === anonymous) return number;
  if (number.length <= 6) return '•'.repeat(number.length);
  return `${number.slice(0, 3)}${'•'.repeat(number.length - 6)}${number.slice(-3)}`;
};
