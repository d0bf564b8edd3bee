/**
 * Masks an event or a chart's context for viewers: structure, numbers and states remain; words, secrets and whole
 * telephone numbers are replaced. Texts are shown only for listed fields, so a new field is masked by default.
 */
import { maskPhoneNumber } from '#src/domain/phone-number.ts';

/** Fields whose texts come from the charts. */
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

/** Returns a copy. */
export const masked = (value: object): Record<string, unknown> => maskFields(value, 0);
