/**
 * An event or a chart's context as an onlooker may see it: its shape, its numbers and its states, but neither what was
 * said nor a secret nor a whole telephone number. Texts are shown by name of their field alone, so that a field that is
 * new stays hidden until somebody decides otherwise.
 */
import { maskPhoneNumber } from '#src/domain/phone-number.ts';

/** Fields whose texts are words of the charts, not of people. */
const shown: ReadonlySet<string> = new Set([
  'type',
  'role',
  'cause',
  'by',
  'reason',
  'endReason',
  'direction',
  'language',
  'failure',
  'callId',
  'recognizer',
  'synthesizer',
]);

const telephoneNumbers: ReadonlySet<string> = new Set(['from', 'to']);

const maxDepth = 6;

const maskText = (field: string, text: string): string => {
  if (shown.has(field)) return text;
  return telephoneNumbers.has(field) ? maskPhoneNumber(text) : `(${text.length} characters)`;
};

const maskValue = (field: string, value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return maskText(field, value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object' || depth === maxDepth) return undefined;
  if (value instanceof Error) return { name: value.name };
  if (Array.isArray(value)) return value.map((each) => maskValue(field, each, depth + 1));
  return maskFields(value, depth + 1);
};

const maskFields = (value: object, depth: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, maskValue(field, inner, depth)] as const),
  );

/** A copy. */
export const masked = (value: object): Record<string, unknown> => maskFields(value, 0);
