import type * as z from 'zod';
import { invalidField, Refusal, type FieldError, type RefusalCode } from '#src/domain/refusal.ts';

/** `undefined` where there is no schema. */
export type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/**
 * Checks one part of a request. What does not fit is `invalid_request`, unless every misfit is in a field that has a
 * code of its own.
 */
export const validated = <Schema extends z.ZodType | undefined>(
  schema: Schema | undefined,
  value: unknown,
  fieldCodes: Readonly<Partial<Record<string, RefusalCode>>> = {},
): OutputOf<Schema> => {
  // The conditional type cannot follow the check.
  if (schema === undefined) return undefined as OutputOf<Schema>;
  const result = schema.safeParse(value, { error: inPlainWords });
  if (result.success) return result.data as OutputOf<Schema>;
  const errors = result.error.issues.flatMap(fieldErrorsOf);
  // A caller may name a field after what every object has: "toString".
  const codes = errors.map(({ path }) => (Object.hasOwn(fieldCodes, path) ? fieldCodes[path] : undefined));
  const [first] = errors;
  const [code] = codes;
  if (first !== undefined && code !== undefined && !codes.includes(undefined))
    throw new Refusal(code, first.message);
  throw invalidField(...errors);
};

const inPlainWords = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'This is required.';
  // The name of a record's field does not fit: its own schema says why.
  return issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
};

const fieldErrorsOf = (issue: z.core.$ZodIssue): FieldError[] => {
  const path = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((key) => ({
    path: path === '' ? key : `${path}.${key}`,
    message: 'This field does not exist.',
  }));
};
