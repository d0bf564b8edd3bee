import { normalizePhoneNumber } from '#src/domain/phone-number.ts';
import type { Interior } from './interior.ts';
import { invalidField } from './validated.ts';

/** The digits of a number in a field of the admin API; refuses what is no domestic number. */
export const domesticNumber = ({ country }: Interior, path: string, value: string): string => {
  const digits = normalizePhoneNumber(value, country);
  if (digits !== undefined) return digits;
  throw invalidField({
    path,
    message: 'This is no telephone number in domestic format, such as 010-0000-0001.',
  });
};
