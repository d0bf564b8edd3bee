import * as z from 'zod';
import { createSchema } from 'zod-openapi';

type ToolSchema = { type: 'object'; [keyword: string]: unknown };

/** JSON Schema knows `true` and `false` as well, which no object becomes. */
const objectIn = (schema: object | boolean): object => (typeof schema === 'object' ? schema : {});

/** As in the OpenAPI document, with the schemas that it refers to in itself. */
export const toolSchema = ({ shape }: z.ZodObject, io: 'input' | 'output'): ToolSchema => {
  // Made anew: what has a name of its own would be a reference, and a tool wants an object.
  const { schema, components } = createSchema(z.object(shape), {
    io,
    schemaRefPath: '#/$defs/',
    opts: {
      override: ({ jsonSchema }) => {
        // Answers may gain fields; a tool leaves alone what it does not know, as the API does.
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
