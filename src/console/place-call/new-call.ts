/** The request that places a call, from the values of the form; also shown as a shell command. */
import { languages, type Language } from '#src/domain/language.ts';
import type { placeCall } from '../api.ts';
import type { PhoneNumber } from '../api/records.ts';
import { Problem } from '../api/request.ts';
import { wholeNumber, wrongField } from '../parts/form.ts';
import { namedIn } from '../parts/lines-field.tsx';

export type NewCall = Parameters<typeof placeCall>[1];

export const newCallValues = (initial: { number_id: string; to: string; instruction: string }) => ({
  ...initial,
  language: '',
  max_duration_sec: '',
  metadata: '',
  sip_headers: '',
});

export type NewCallValues = ReturnType<typeof newCallValues>;

const chosenLanguage = ({ language }: Pick<NewCallValues, 'language'>): Language | undefined =>
  languages.find((one) => one === language);

/** Returns the language of the call: the chosen one, or that of the number. */
export const spokenLanguage = (
  values: Pick<NewCallValues, 'language'>,
  number: Pick<PhoneNumber, 'language'>,
): Language => chosenLanguage(values) ?? number.language;

/** Parses a field; null for an empty one. */
type Read = <Value>(parse: () => Value | null) => Value | null;

const callIn = (values: NewCallValues, read: Read): NewCall => {
  const language = chosenLanguage(values);
  const duration = read(() => wholeNumber('max_duration_sec', values.max_duration_sec));
  const metadata = read(() => namedIn('metadata', values.metadata, '='));
  const headers = read(() => namedIn('sip_headers', values.sip_headers, ':'));
  const instruction = values.instruction.trim();
  return {
    to: values.to.trim(),
    ...(instruction === '' ? {} : { instruction }),
    ...(language === undefined ? {} : { language }),
    ...(duration === null ? {} : { max_duration_sec: duration }),
    ...(metadata === null ? {} : { metadata }),
    ...(headers === null ? {} : { sip_headers: headers }),
  };
};

/** Returns the request. Throws errors for the form's fields. */
export const newCall = (values: NewCallValues): NewCall => {
  if (values.to.trim() === '') throw wrongField('to', 'This is required.');
  return callIn(values, (parse) => parse());
};

/** Quotes a text for the shell. Single quotes work in every POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the same call as a shell command, without the fields that are not valid yet. */
export const commandOf = (values: NewCallValues, origin: string): string => {
  const call = callIn(values, (parse) => {
    try {
      return parse();
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  });
  return [
    `curl ${quoted(`${origin}/api/v1/calls`)}`,
    '-H "Authorization: Bearer $NUMBER_KEY"',
    `-H ${quoted('Content-Type: application/json')}`,
    `-d ${quoted(JSON.stringify(call, null, 2))}`,
  ].join(' \\\n  ');
};
