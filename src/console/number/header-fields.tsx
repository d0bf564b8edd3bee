/**
 * Fields for the customer's own headers of an agent endpoint. Headers are added one at a time, and stored values are
 * never shown.
 */
import type { AgentBinding } from '../api/records.ts';
import type { AgentRequest } from '../api.ts';
import { texts } from '../language/language.ts';
import { CheckField, TextField } from '../parts/field.tsx';
import { wrongField, type FieldsOf, type FormValues } from '../parts/form.ts';

type StoredHeaders = AgentBinding['headers'];

const removal = (name: string): string => `remove_header.${name}`;

/** Empty fields of a new header. The field of the value is named `headers`, because API errors use that name. */
export const newHeader = { header_name: '', headers: '' };

export const headerValues = (stored: StoredHeaders): typeof newHeader & FormValues => ({
  ...newHeader,
  ...Object.fromEntries(Object.keys(stored).map((name) => [removal(name), false])),
});

/** Returns the new header; null without input. Throws if only the name or only the value is given. */
export const newHeaderIn = ({
  header_name: name,
  headers: value,
}: typeof newHeader): Record<string, string> | null => {
  const entered = name.trim();
  if (entered === '' && value === '') return null;
  if (entered === '') throw wrongField('header_name', 'This is required.');
  if (value === '') throw wrongField('headers', 'This is required.');
  return { [entered]: value };
};

/** Returns the headers of the request. A header that is absent from the request keeps its stored value. */
export const headersIn = (
  values: typeof newHeader & FormValues,
  stored: StoredHeaders,
): NonNullable<AgentRequest['headers']> => ({
  ...Object.fromEntries(
    Object.keys(stored)
      .filter((name) => values[removal(name)] === true)
      .map((name) => [name, null]),
  ),
  ...newHeaderIn(values),
});

type FieldsProps = { form: FieldsOf<FormValues>; hint: string };

export const NewHeaderFields = ({ form, hint }: FieldsProps) => {
  const t = texts.value.numbers.agent;
  return (
    <>
      <TextField form={form} name="header_name" label={t.headerName} isOptional />
      <TextField
        form={form}
        name="headers"
        type="password"
        autoComplete="new-password"
        label={t.headerValue}
        hint={hint}
        isOptional
      />
    </>
  );
};

export const HeaderFields = ({ form, hint, stored }: FieldsProps & { stored: StoredHeaders }) => {
  const t = texts.value.numbers.agent;
  return (
    <>
      <div class="columns">
        <NewHeaderFields form={form} hint={hint} />
      </div>
      {Object.keys(stored).map((name) => (
        <CheckField key={name} form={form} name={removal(name)} label={t.headerRemove(name)} />
      ))}
    </>
  );
};
