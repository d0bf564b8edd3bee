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
  type NumberType,
} from 'libphonenumber-js/max';
import { anonymous } from './anonymous.ts';

export type Country = CountryCode;

export const isCountry = (text: string): text is Country => isSupportedCountry(text);

/** Numbers of this form are numbers, and of this type, whatever the plan of libphonenumber says. */
type Besides = { form: RegExp; type: NumberType };

/** Rules of single countries, beside the plan of libphonenumber. */
const ownRules: Partial<
  Record<Country, { form?: RegExp; besides?: readonly Besides[]; alike?: readonly Country[] }>
> = {
  KR: {
    // 010 has eight digits behind it, always. Special numbers (114, 02-120, 031-120) and what stands behind an
    // international prefix (00…) are no numbers of subscribers.
    form: /^(?:010\d{8}|0(?!10|0)\d{8,11}|1[568]\d{6})$/,
    // Mobile numbers and service numbers (15xx, 16xx, 18xx) of whichever block; 030 numbers have up to twelve digits.
    besides: [
      { form: /^010\d{8}$/, type: 'MOBILE' },
      { form: /^1[568]\d{6}$/, type: 'UAN' },
      { form: /^030\d{8,9}$/, type: 'PERSONAL_NUMBER' },
    ],
  },
  // Ranges that the regulators (Ofcom, ARCEP) keep free for examples, and that no plan lists for that reason.
  // Ofcom's plan is that of the Channel Islands and the Isle of Man as well.
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

/** Digits as they are dialled within the country; undefined for what the plan does not know. */
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

/** As it is compared with prefixes: E.164, also of a number that is dialled only within its country. */
export const prefixedNumber = (number: string, country: Country): string =>
  number.startsWith('+')
    ? number
    : (internationalNumber(number, country) ??
      `+${getCountryCallingCode(country)}${number.replace(/^0/, '')}`);

/** `+821012345678` → `01012345678`; undefined for a number of another country, or of none. */
export const domesticNumber = (number: string, country: Country): string | undefined => {
  const parsed = parsePhoneNumberFromString(number);
  if (parsed === undefined || parsed.countryCallingCode !== getCountryCallingCode(country)) return undefined;
  return (
    normalizePhoneNumber(parsed.formatNational().replaceAll(/\D/g, ''), country) ??
    // A number that the plan does not know is formatted without its 0.
    normalizePhoneNumber(`0${parsed.nationalNumber}`, country)
  );
};

/**
 * A number to call, as somebody writes it: a domestic number, or `+` and a number of another country. Hyphens and
 * spaces are removed. Undefined for anything else, a number of this country in its international form too.
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
 * The plan's entry of a number, domestic or `+…`: its type as libphonenumber names it, and the country that it belongs
 * to; undefined where it belongs to none, as those of satellites do. Undefined altogether for what is in no plan.
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

/** For logs and traces, which never carry a whole number: `010•••••001`. */
export const maskPhoneNumber = (number: string): string => {
  if (number === anonymous) return number;
  if (number.length <= 6) return '•'.repeat(number.length);
  return `${number.slice(0, 3)}${'•'.repeat(number.length - 6)}${number.slice(-3)}`;
};
