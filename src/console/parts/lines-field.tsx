/** A field with one entry per line. Errors are shown for each entry. */
import { explain } from '../language/explain.ts';
import { texts } from '../language/language.ts';
import { AreaField, type FieldProps } from './field.tsx';
import { wrongField } from './form.ts';

export const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Parses lines such as `order=A-1042` into a record; null if there are no lines. */
export const namedIn = (path: string, text: string, mark: '=' | ':'): Record<string, string> | null => {
  const named = new Map<string, string>();
  for (const line of linesIn(text)) {
    const [name = '', ...rest] = line.split(mark);
    const key = name.trim();
    const value = rest.join(mark).trim();
    if (key === '' || value === '')
      throw wrongField(`${path}.${line}`, `Write a name, "${mark}" and what it says.`);
    if (named.has(key)) throw wrongField(`${path}.${key}`, 'This name is listed twice.');
    named.set(key, value);
  }
  return named.size === 0 ? null : Object.fromEntries(named);
};

export const LinesField = ({
  entries = linesIn,
  ...field
}: FieldProps & {
  rows?: number;
  placeholder?: string;
  /** Splits the text into entries. The member is present if the API identifies entries by index. */
  entries?: (text: string) => string[];
}) => {
  const { form, name } = field;
  const tried = form.tried[name];
  const sent = typeof tried === 'string' ? entries(tried) : [];
  const wrong = form.entryErrorsOf(name);
  return (
    <AreaField
      {...field}
      errors={
        wrong.length === 0
          ? undefined
          : wrong.map(({ entry, words }) => (
              <span key={entry} class="entry-error">
                <code>{sent[Number(entry)] ?? entry}</code> {explain(words, texts.value.sayings)}
              </span>
            ))
      }
    />
  );
};
