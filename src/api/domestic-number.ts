import { anonymous } from '#src/domain/caller-identity.ts';
import { normalizePhoneNumber, type Country } from '#src/domain/phone-number.ts';
import { domesticFormAdvice, readPhoneNumber } from '#src/domain/read-number.ts';
import { invalidField } from '#src/domain/refusal.ts';

/** Returns the digits of a number in a field of the admin API. Throws a Refusal for a number that is not domestic. */
export const domesticNumber = (country: Country, path: string, value: string): string => {
  const digits = normalizePhoneNumber(value, country);
  if (digits !== undefined) return digits;
  const advice = domesticFormAdvice(value, country);
  throw invalidField({
    path,
    message: `This is no telephone number in domestic format${advice === undefined ? ', such as 010-0000-0001' : `: ${advice}`}.`,
  });
};

/** Parses the caller of a simulated call: domestic, `+…` from abroad, or `anonymous`. */
export const callingNumber = (country: Country, path: string, value: string): string => {
  if (value === '' || value === anonymous) return anonymous;
  if (!value.startsWith('+')) return domesticNumber(country, path, value);
  const number = readPhoneNumber(value.replaceAll(/[- ]/g, ''), country);
  if (number !== undefined) return number;
  throw invalidField({
    path,
    message: 'This is no telephone number of any country, such as +1 202 555 0123.',
  });
};
