/** Allowed destinations of calls in the admin API (guides/design/limits.md, "Destinations"). */
import * as z from 'zod';
import { destinationKinds, isPrefix } from '#src/domain/destinations.ts';

const prefixes = z
  .array(z.string().refine(isPrefix, { error: 'This is no beginning of a number, such as 0505 or +1242.' }))
  .max(200);

const noneTwice = (values: readonly string[]): boolean => new Set(values).size === values.length;

export const destinations = z.strictObject({
  kinds: z
    .array(z.enum(destinationKinds))
    .refine(noneTwice, { error: 'A kind stands here twice.' })
    .meta({
      description:
        'Kinds of numbers that may be called. `international` is every foreign number, which must also be of an allowed kind.',
      example: ['mobile', 'fixed_line', 'toll_free'],
    }),
  allowed_prefixes: prefixes.meta({
    description:
      'Numbers with these prefixes may be called, whatever their kind. Domestic format, or `+` and the country code; the longest match wins.',
    example: ['+4420'],
  }),
  denied_prefixes: prefixes.meta({
    description: 'Numbers with these prefixes may not be called, whatever their kind.',
    example: ['0505'],
  }),
});
