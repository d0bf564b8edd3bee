import { readFile } from 'node:fs/promises';
import test from 'ava';
import { clientSchema, generatedSchema, schemaFile } from '#src/client-generator/client-schema.ts';
import { typeText } from '#src/client-generator/type-text.ts';
import { operations } from '#src/client/schema.ts';
import { routes } from '#src/api/routes.ts';
import { testDocument } from '#test/helpers/api-client.ts';

test('the client is what is generated from the API: `npm run generate-client` after a change', async (t) => {
  const generated = await generatedSchema(testDocument());
  const committed = await readFile(schemaFile, 'utf8');
  t.true(generated === committed, 'src/client/schema.ts is older than the routes');
});

test('every operation is there, at its place', (t) => {
  t.deepEqual(
    Object.entries(operations)
      .map(([id, { method, path }]) => `${id} ${method} ${path}`)
      .toSorted(),
    routes
      .map(({ operationId, method, path }) => `${operationId} ${method.toUpperCase()} ${path}`)
      .toSorted(),
  );
});

const becomes = test.macro<[Parameters<typeof typeText>[0], string]>({
  exec: (t, schema, text) => t.is(typeText(schema).replaceAll(/\s+/g, ' '), text),
  title: (_, schema, text) => `${JSON.stringify(schema)} becomes ${text}`,
});

test(becomes, { type: 'integer' }, 'number');
test(becomes, { type: ['string', 'null'] }, 'string | null');
test(becomes, { type: 'string', const: 'ringing' }, '"ringing"');
test(becomes, { type: 'string', enum: ['a', 'b'] }, '"a" | "b"');
test(becomes, { $ref: '#/components/schemas/Call', description: 'One.' }, 'Call');
test(becomes, { anyOf: [{ $ref: '#/components/schemas/EndReason' }, { type: 'null' }] }, 'EndReason | null');
test(becomes, { type: 'array', items: { type: ['number', 'null'] } }, '(number | null)[]');
test(becomes, { type: 'object', additionalProperties: { type: 'string' } }, 'Record<string, string>');
test(becomes, { type: 'object' }, 'Record<string, unknown>');
test(becomes, {}, 'unknown');
test(
  becomes,
  {
    type: 'object',
    properties: { a: { type: 'boolean', description: 'Ends */ no comment.' }, 'b-c': { type: 'string' } },
    required: ['a'],
  },
  '{ /** Ends *\\/ no comment. */ a: boolean; "b-c"?: string | undefined; }',
);

test('two members of a request with one name are refused', (t) => {
  const parameters = [
    { in: 'path', name: 'id', required: true, schema: { type: 'string' } },
    { in: 'query', name: 'id', schema: { type: 'string' } },
  ] as const;
  const get = { operationId: 'getOne', parameters: [...parameters], responses: {} };
  t.throws(
    () => clientSchema({ openapi: '3.1.1', info: { title: 't', version: '1' }, paths: { '/{id}': { get } } }),
    { message: 'getOne has a name twice' },
  );
});
