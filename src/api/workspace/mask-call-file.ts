/**
 * Masks a call as a file: structure, times, states and measurements remain; words, names, digits and addresses are
 * replaced by their length, and telephone numbers shortened. Texts are shown only for listed fields, so a new field is
 * masked by default.
 */
import { maskPhoneNumber } from '#src/domain/phone-number.ts';
import type { CallFile } from './call-file.ts';

/** Fields of the call and of its events with texts that tell nothing of a person. */
const shown: ReadonlySet<string> = new Set([
  'id',
  'call_id',
  'number_id',
  'direction',
  'language',
  'status',
  'end_reason',
  'reason',
  'cause',
  'by',
  'how',
  'mode',
  'role',
  'failure',
  'missing',
  'answered_by',
  'codec',
  'one_way',
  'content_type',
  'protocol',
]);

const telephoneNumbers: ReadonlySet<string> = new Set(['counterparty', 'from', 'to', 'number']);

/** An object whose names of fields come from outside. Its texts are masked by `maskText` under no listed name. */
const foreign: ReadonlySet<string> = new Set(['metadata', 'headers']);

const lengthOf = (text: string): string => `(${text.length} characters)`;

const isTime = (field: string): boolean => field === 'at' || field.endsWith('_at');

const maskText = (field: string, text: string): string => {
  if (shown.has(field) || isTime(field)) return text;
  return telephoneNumbers.has(field) ? maskPhoneNumber(text) : lengthOf(text);
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const maskValue = (field: string, value: unknown): unknown => {
  if (typeof value === 'string') return maskText(field, value);
  if (Array.isArray(value)) return value.map((one: unknown) => maskValue(field, one));
  if (!isObject(value)) return value;
  // The names of these fields are of a customer's choice, and none of them is listed.
  if (foreign.has(field))
    return Object.fromEntries(
      Object.entries(value).map(([name, text], index) => [
        `${index + 1}`,
        lengthOf(`${name}${String(text)}`),
      ]),
    );
  // The Call-ID of SIP has the name of the call's own id, and often an address.
  if (field === 'sip' && typeof value['call_id'] === 'string')
    return { ...masked(value), call_id: lengthOf(value['call_id']) };
  return masked(value);
};

const masked = <Fields extends object>(fields: Fields): Fields =>
  // The types remain: a text is replaced by a text, and an object by one with the same fields.
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, maskValue(name, value)])) as Fields;

/** The method of a request, or the status of a response. */
const maskStartLine = (line: string): string =>
  line.startsWith('SIP/2.0 ') ? line : `${line.split(' ')[0] ?? ''} (masked) SIP/2.0`;

const maskSip = (sip: CallFile['sip']): CallFile['sip'] => {
  const attempts = [...new Set(sip.messages.map(({ sip_call_id: id }) => id))];
  return {
    ...sip,
    messages: sip.messages.map((message) => ({
      ...message,
      local: lengthOf(message.local),
      remote: lengthOf(message.remote),
      sip_call_id: String(attempts.indexOf(message.sip_call_id) + 1),
      start_line: maskStartLine(message.start_line),
      text: lengthOf(message.text),
    })),
  };
};

export const maskCallFile = (file: CallFile): CallFile => ({
  ...file,
  call: masked(file.call),
  facts: file.facts.map((fact) => ({ ...fact, data: masked(fact.data) })),
  turns: file.turns.map((turn) => ({ ...turn, text: lengthOf(turn.text) })),
  sip: maskSip(file.sip),
});
