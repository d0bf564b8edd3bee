/** The API reference is there in Korean as well as in English, to the last field. */
import test from 'ava';
import { referenceOf } from '#src/console/reference/document.ts';
import { documentTexts } from '#src/console/language/ko/document-texts.ts';
import { testDocument } from '#test/helpers/api-client.ts';

const { operations, tags, schemas } = referenceOf(JSON.parse(JSON.stringify(testDocument())));

/** What is shown of a schema, in whatever it holds. */
const toldIn = (schema: unknown): string[] => {
  if (Array.isArray(schema)) return schema.flatMap(toldIn);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) =>
    name === 'description' && typeof value === 'string' ? [value] : toldIn(value),
  );
};

const bodies = operations.map(({ body, answers }) => [body?.schema, answers.map(({ schema }) => schema)]);
const named = Object.entries(schemas).filter(([name]) => !name.startsWith('Problem.'));

const shown = new Set([
  ...toldIn([named.map(([, schema]) => schema), bodies]),
  ...operations.flatMap(({ parameters }) =>
    parameters.flatMap(({ description, schema }) => description ?? toldIn(schema)),
  ),
  ...tags.flatMap(({ name, description }) => [name, description]),
  ...operations.flatMap(({ summary, description }) => [summary, description]),
  ...operations.flatMap(({ answers }) => answers.map(({ description }) => description)),
  ...operations.flatMap(({ refusals }) => refusals.map(({ title }) => title)),
]);

test('operations, fields, answers and errors have Korean words (src/console/language/ko/document)', (t) => {
  t.deepEqual(
    [...shown].filter((text) => documentTexts[text] === undefined),
    [],
  );
});

test('no Korean words are kept for a text that the document has no more', (t) => {
  const all = JSON.stringify({ operations, tags, schemas });
  const isThere = (text: string): boolean => all.includes(JSON.stringify(text).slice(1, -1));
  t.deepEqual(
    Object.keys(documentTexts).filter((text) => !isThere(text)),
    [],
  );
});

test('names of fields, codes and addresses stay as they are in Korean', (t) => {
  for (const [english, korean] of Object.entries(documentTexts)) {
    const marked = (text: string): string[] => (text.match(/`[^`]+`/g) ?? []).toSorted();
    const names = new Set(marked(english));
    t.deepEqual(
      marked(korean).filter((name) => !names.has(name)),
      [],
      english,
    );
    for (const name of names) t.true(korean.includes(name), `${english}: ${name}`);
  }
});
