import { isDeepStrictEqual } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import test from 'ava';
import { z } from 'zod';
import { exampleOf } from '#src/api/example.ts';
import { refusalsOf } from '#src/api/openapi.ts';
import { problemMediaType, problemSchema } from '#src/api/problem.ts';
import { routes } from '#src/api/routes.ts';
import { refusalCatalogue, refusalCodes } from '#src/domain/refusal.ts';
import { testDocument } from '#test/helpers/api-client.ts';

const content = z.record(
  z.string(),
  z.object({
    schema: z.unknown(),
    example: z.unknown().optional(),
    examples: z.record(z.string(), z.object({ $ref: z.string() })).optional(),
  }),
);

const operation = z.object({
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ content: content.optional() })),
});

const source = JSON.stringify(testDocument());

const document = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), operation)),
    components: z.object({ examples: z.record(z.string(), z.object({ value: z.unknown() })) }),
  })
  .parse(JSON.parse(source));

const described = routes.map((route) => {
  const found = document.paths[route.path]?.[route.method];
  if (found === undefined) throw new Error(`${route.operationId} is not described`);
  return { route, ...found };
});

/** Parsing drops what is not declared: then the two differ. */
const fits = (schema: z.ZodType, example: unknown): boolean =>
  isDeepStrictEqual(schema.safeParse(example).data, example);

test('every request body has an example that the gateway would take', (t) => {
  const withBody = described.filter(({ route }) => route.body !== undefined);
  t.true(withBody.length > 10);
  for (const { route, requestBody } of withBody) {
    const example = requestBody?.content['application/json']?.example;
    t.not(example, undefined, route.operationId);
    t.deepEqual(route.body?.safeParse(example).error, undefined, route.operationId);
  }
});

test('every answer has an example of each of its media types', (t) => {
  for (const { route, responses } of described) {
    for (const [status, declared] of Object.entries(route.responses)) {
      const types = Object.entries(responses[status]?.content ?? {});
      t.is(types.length > 0, declared.schema !== undefined || declared.media !== undefined);
      for (const [type, { example }] of types) {
        const name = `${route.operationId} ${status} ${type}`;
        if (type === 'application/json') {
          t.true(fits(declared.schema ?? z.looseObject({}), example), `${name}: ${JSON.stringify(example)}`);
        } else t.regex(z.string().parse(example), /\S/, name);
      }
    }
  }
});

test('every problem that an operation can answer has an example there, by its code', (t) => {
  for (const { route, responses } of described) {
    for (const code of refusalsOf(route)) {
      const media = responses[refusalCatalogue[code].status]?.content?.[problemMediaType];
      t.is(
        media?.examples?.[code]?.$ref,
        `#/components/examples/Problem.${code}`,
        `${route.operationId} ${code}`,
      );
    }
  }
});

test('every problem of the catalogue has an example that is such a problem', (t) => {
  t.is(Object.keys(document.components.examples).length, refusalCodes.length);
  for (const code of refusalCodes) {
    const example = document.components.examples[`Problem.${code}`]?.value;
    t.true(fits(problemSchema(code), example), JSON.stringify(example));
  }
});

test('an example takes what its fields declare, and leaves out what they do not', (t) => {
  const schemas = { Named: { type: 'string', example: 'by name' } } as const;
  const textWithout = { type: 'string' } as const;
  t.is(exampleOf({ $ref: '#/components/schemas/Named' }, schemas), 'by name');
  t.is(exampleOf({ $ref: '#/components/schemas/Named', example: 'nearer' }, schemas), 'nearer');
  t.deepEqual(
    exampleOf(
      {
        type: 'object',
        properties: {
          left_out: textWithout,
          nullable: { type: ['string', 'null'] },
          either: { anyOf: [textWithout, { type: 'null' }] },
          list: { type: 'array', items: { type: 'integer', minimum: 3 } },
          empty: { type: 'array', items: textWithout },
          chosen: { type: 'string', enum: ['a', 'b'] },
          default: { type: 'boolean', default: false },
        },
      },
      schemas,
    ),
    { nullable: null, either: null, list: [3], empty: [], chosen: 'a', default: false },
  );
});

test('a public linter has nothing to say against the document', async (t) => {
  const config = await createConfig({
    extends: ['recommended'],
    // The problems of HTTP itself, such as `headers_too_large`, belong to no operation.
    rules: { 'no-unused-components': 'off' },
  });
  const lint = async (text: string) =>
    (await lintFromString({ source: text, absoluteRef: '/openapi.json', config })).map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`,
    );
  t.deepEqual(await lint(source), []);
  // Were it to look no longer, that would be noticed.
  t.true((await lint(source.replace('"status":"ringing"', '"status":1'))).length > 0);
});
