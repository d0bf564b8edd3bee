import * as z from 'zod';
import { createSchema } from 'zod-openapi';

type ToolSchema = { type: 'object'; [keyword: string]: unknown };

/** JSON Schema also has `true` and `false`, which never represent an object. */
const objectIn = (schema: object | boolean): object => (typeof schema === 'object' ? schema : {});

/** As in the OpenAPI document, with referenced schemas included. */
export const toolSchema = ({ shape }: z.ZodObject, io: 'input' | 'output'): ToolSchema => {
  // Created again: a registered schema would become a reference, and a tool requires an object.
  const { schema, components } = createSchema(z.object(shape), {
    io,
    schemaRefPath: '#/$defs/',
    opts: {
      override: ({ jsonSchema }) => {
        // Responses may gain fields; a tool ignores unknown ones, as the API does.
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        if (jsonSchema.format === 'uuid') delete jsonSchema.pattern;
      },
    },
  });
  return {
    ...objectIn(schema),
    type: 'object',
    ...(Object.keys(components).length === 0 ? {} : { $defs: components }),
  };
};
