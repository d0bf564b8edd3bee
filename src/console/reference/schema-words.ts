/** Describes the type and the bounds of a schema in a few words. */
import { resolved, type Reference, type Schema } from './document.ts';

type Schemas = Reference['schemas'];

/** Returns the alternatives of a value other than `null`. */
export const optionsOf = ({ anyOf, oneOf }: Schema, schemas: Schemas): Schema[] =>
  (anyOf ?? oneOf ?? []).map((one) => resolved(one, schemas)).filter(({ type }) => type !== 'null');

const literal = (value: unknown): string => JSON.stringify(value);

/** Returns the type in JSON's terms: `string`, `array of UUID`, `"in" | "out"`. */
export const typeWords = (given: Schema, schemas: Schemas): string => {
  const schema = resolved(given, schemas);
  const { anyOf, oneOf, type, format, items } = schema;
  const kinds = anyOf ?? oneOf;
  if (kinds !== undefined) return [...new Set(kinds.map((kind) => typeWords(kind, schemas)))].join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  const types = [type ?? 'any'].flat();
  return types
    .map((one) =>
      one === 'array' && items !== undefined ? `array<${typeWords(items, schemas)}>` : (format ?? one),
    )
    .map((one, index) => (types[index] === 'null' ? 'null' : one))
    .join(' | ');
};

/** Returns the part of a value that has fields: the value itself, the items of an array, or the only alternative. */
export const withFields = (given: Schema, schemas: Schemas): Schema | null => {
  const schema = resolved(given, schemas);
  if (schema.properties !== undefined || typeof schema.additionalProperties === 'object') return schema;
  if (schema.items !== undefined) return withFields(schema.items, schemas);
  const kinds = optionsOf(schema, schemas).filter((kind) => withFields(kind, schemas) !== null);
  const [only] = kinds;
  if (kinds.length > 1) return schema;
  return only === undefined ? null : withFields(only, schemas);
};

type BoundName = 'least' | 'most' | 'shortest' | 'longest' | 'fewest' | 'mostItems';

/** Whether a bound is shown. Bounds at JavaScript's safe integer limit are not shown. */
const isTold = (bound: [BoundName, number | undefined]): bound is [BoundName, number] =>
  bound[1] !== undefined && Math.abs(bound[1]) < Number.MAX_SAFE_INTEGER;

export const boundsOf = (schema: Schema): [BoundName, number][] => {
  const all: [BoundName, number | undefined][] = [
    ['least', schema.minimum],
    ['most', schema.maximum],
    ['shortest', schema.minLength],
    ['longest', schema.maxLength],
    ['fewest', schema.minItems],
    ['mostItems', schema.maxItems],
  ];
  return all.filter(isTold);
};
