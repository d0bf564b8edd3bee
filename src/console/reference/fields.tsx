/** Fields of a request or response body; nested fields are folded. */
import { referenceTexts } from '../language/reference.ts';
import { resolved, type Reference, type Schema } from './document.ts';
import { Words } from './prose.tsx';
import { boundsOf, optionsOf, typeWords, withFields } from './schema-words.ts';

type Schemas = Reference['schemas'];

/** Maximum nesting depth, because schemas may be recursive. */
const deepest = 6;

const Bounds = ({ schema }: { schema: Schema }) => {
  const t = referenceTexts.value;
  const { default: byDefault, pattern, format } = schema;
  const bounds = boundsOf(schema).map(([name, value]) => t.bounds[name](value));
  return (
    <>
      {bounds.length > 0 && <small>{bounds.join(', ')}</small>}
      {byDefault !== undefined && (
        <small>
          {t.byDefault} <code>{JSON.stringify(byDefault)}</code>
        </small>
      )}
      {pattern !== undefined && format === undefined && (
        <small>
          {t.pattern} <code>{pattern}</code>
        </small>
      )}
    </>
  );
};

/** A parameter or field, with its name, type and nested fields. */
export const FieldItem = ({
  name,
  place,
  isRequired,
  description,
  schema: given,
  schemas,
  isAnswer = false,
  depth = 0,
}: {
  name: string;
  /** Location of a parameter. */
  place?: string;
  isRequired: boolean;
  description?: string | undefined;
  schema: Schema;
  schemas: Schemas;
  /** Whether the field is part of a response. */
  isAnswer?: boolean;
  depth?: number;
}) => {
  const t = referenceTexts.value;
  const schema = resolved(given, schemas);
  const words = description ?? schema.description;
  const inside = depth < deepest ? withFields(given, schemas) : null;
  return (
    <li>
      <p class="field-head">
        <code class="name">{name}</code> <code class="type">{typeWords(given, schemas)}</code>
        {place !== undefined && <small>{place}</small>}
        {isRequired && !isAnswer && <small class="required">{t.required}</small>}
        {!isRequired && isAnswer && <small>{t.mayBeAbsent}</small>}
        <Bounds schema={schema} />
      </p>
      {words !== undefined && (
        <p>
          <Words text={words} />
        </p>
      )}
      {inside !== null && (
        <details>
          <summary>{t.fieldsOf(name)}</summary>
          <Fields schema={inside} schemas={schemas} isAnswer={isAnswer} depth={depth + 1} />
        </details>
      )}
    </li>
  );
};

/** Fields of an object. For alternatives, the fields of each alternative. */
export const Fields = ({
  schema: given,
  schemas,
  isAnswer = false,
  depth = 0,
}: {
  schema: Schema;
  schemas: Schemas;
  isAnswer?: boolean;
  depth?: number;
}) => {
  const t = referenceTexts.value;
  const schema = withFields(given, schemas);
  if (schema === null) return null;
  const { properties, required = [], additionalProperties } = schema;
  if (properties === undefined && typeof additionalProperties !== 'object')
    return (
      <ul class="fields-of">
        {optionsOf(schema, schemas).map((option, index) => (
          <li key={index}>
            <b>{t.either(index + 1)}</b>
            <Fields schema={option} schemas={schemas} isAnswer={isAnswer} depth={depth + 1} />
          </li>
        ))}
      </ul>
    );
  return (
    <ul class="fields-of">
      {Object.entries(properties ?? {}).map(([name, property]) => (
        <FieldItem
          key={name}
          name={name}
          isRequired={required.includes(name)}
          schema={property}
          schemas={schemas}
          isAnswer={isAnswer}
          depth={depth}
        />
      ))}
      {typeof additionalProperties === 'object' && (
        <FieldItem
          name={`<${t.anyName}>`}
          isRequired={false}
          schema={additionalProperties}
          schemas={schemas}
          isAnswer={isAnswer}
          depth={depth}
        />
      )}
    </ul>
  );
};
