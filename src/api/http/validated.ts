import type * as z from 'zod';
import { invalidField, Refusal, type FieldError, type RefusalCode } from '#src/domain/refusal.ts';

/** Type of the validated part of a request; `undefined` without a schema. */
export type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/**
 * Validates one part of a request. The error code is `invalid_request`, unless every invalid field has a code of its
 * own.
 */
export const validated = <Schema extends z.ZodType | undefined>(
  schema: Schema | undefined,
  value: unknown,
  fieldCodes: Readonly<Partial<Record<string, RefusalCode>>> = {},
): OutputOf<Schema> => {
  // A cast is necessary, because the conditional type cannot follow the check.
  if (schema === undefined) return undefined as OutputOf<Schema>;
  const result = schema.safeParse(value, { error: inPlainWords });
  const left = leftOutIn(value);
  if (result.success && left.length === 0) return result.data as OutputOf<Schema>;
  const found = result.success ? [] : result.error.issues.flatMap(fieldErrorsOf);
  const errors = [...found, ...left.filter(({ path }) => !found.some((error) => error.path === path))];
  // Only own properties count, because a client may use the name of an inherited property, such as "toString".
  const codes = errors.map(({ path }) => (Object.hasOwn(fieldCodes, path) ? fieldCodes[path] : undefined));
  const [first] = errors;
  const [code] = codes;
  if (first !== undefined && code !== undefined && !codes.includes(undefined))
    throw new Refusal(code, first.message);
  throw invalidField(...errors);
};

/** Zod silently omits the name `__proto__` from its result. */
const leftOut = '__proto__';

/** Returns the names of fields that Zod would omit. */
const leftOutIn = (whole: unknown): FieldError[] => {
  const found: FieldError[] = [];
  const waiting = [{ value: whole, path: '' }];
  for (const { value, path } of waiting) {
    if (typeof value !== 'object' || value === null) continue;
    const of = (name: string): string => (path === '' ? name : `${path}.${name}`);
    if (Object.hasOwn(value, leftOut))
      found.push({ path: of(leftOut), message: 'This name cannot be used.' });
    for (const [name, member] of Object.entries(value)) waiting.push({ value: member, path: of(name) });
  }
  return found;
};

const inPlainWords = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'This is required.';
  // If the name of a record's member is invalid, the schema of the names gives the reason.
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
