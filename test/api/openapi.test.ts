/** The OpenAPI document and its examples. */
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import test from 'ava';
import { z } from 'zod';
import { exampleOf } from '#src/api/add-examples.ts';
import { problemMediaType, problemSchema } from '#src/api/http/problem.ts';
import { openApiDocument } from '#src/api/openapi.ts';
import { refusalsOf } from '#src/api/refusals-of.ts';
import { routes } from '#src/api/routes.ts';
import { openApiFile, openApiText, storedOpenApi, storedVersion } from '#src/api/stored-openapi.ts';
import { refusalCatalogue, refusalCodes } from '#src/domain/refusal.ts';
import { fakeGateway } from './fake-gateway.ts';

// OpenAPI

const document = openApiDocument(routes, storedVersion);
/** The document, which all responses are checked against, as JSON. */
const source = JSON.stringify(document);

const openapiOperation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()).length(1),
  summary: z.string().min(1),
  description: z.string().min(1),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  responses: z.record(z.string(), z.looseObject({ description: z.string().min(1) })),
});

const openapiDocument = z
  .object({
    openapi: z.string(),
    paths: z.record(z.string(), z.record(z.string(), openapiOperation)),
    tags: z.array(z.object({ name: z.string() })),
    components: z.object({
      schemas: z.record(z.string(), z.unknown()),
      examples: z.record(z.string(), z.unknown()),
      headers: z.record(z.string(), z.unknown()),
      securitySchemes: z.record(z.string(), z.unknown()),
    }),
  })
  .parse(JSON.parse(source));

const operations = Object.entries(openapiDocument.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ path, method, described })),
);

test.serial('has exactly one operation with a unique operationId for every route', (t) => {
  t.is(operations.length, routes.length);
  const ids = operations.map(({ described }) => described.operationId);
  t.is(new Set(ids).size, ids.length);
  t.deepEqual(
    new Set(operations.map(({ path, method }) => `${method} ${path}`)),
    new Set(routes.map(({ path, method }) => `${method} ${path}`)),
  );
});

test.serial('gives every operation a declared tag and its authorization', (t) => {
  const tags = new Set(openapiDocument.tags.map(({ name }) => name));
  for (const { path, described } of operations) {
    for (const tag of described.tags) t.true(tags.has(tag), tag);
    const schemes = described.security.flatMap((one) => Object.keys(one));
    for (const scheme of schemes) t.true(scheme in openapiDocument.components.securitySchemes);
    const expected = path.startsWith('/api/v1/admin/')
      ? ['adminToken']
      : path.startsWith('/api/v1/') || path === '/mcp'
        ? ['numberKey']
        : [];
    t.deepEqual(schemes, expected, path);
  }
});

test.serial('describes every possible problem of a route under its status', (t) => {
  for (const route of routes) {
    const described = operations.find(
      ({ path, method }) => path === route.path && method === route.method,
    )?.described;
    for (const code of refusalsOf(route)) {
      const response = described?.responses[refusalCatalogue[code].status];
      t.true(
        JSON.stringify(response).includes(`#/components/schemas/Problem.${code}"`),
        `${route.operationId}: ${code}`,
      );
    }
  }
});

test.serial('resolves every reference of the document', (t) => {
  const { schemas, examples, headers } = openapiDocument.components;
  const known: Record<string, Record<string, unknown>> = { schemas, examples, headers };
  const references = [...source.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
  t.true(references.length > 50);
  for (const [, kind = '', name = ''] of references) t.true(name in (known[kind] ?? {}), name);
  t.false(/"\$ref":"(?!#\/components\/(schemas|examples|headers)\/)/.test(source));
});

test.serial('describes each path parameter', (t) => {
  for (const route of routes) {
    const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    t.deepEqual(Object.keys(route.params?.shape ?? {}).toSorted(), named.toSorted(), route.path);
  }
});

test.serial('the stored document is up to date (else run `npm run generate-client`)', async (t) => {
  t.true(
    (await readFile(openApiFile, 'utf8')) === openApiText(document),
    'openapi.json is older than the routes',
  );
});

test.serial('the stored document is that of the routes, with the version of the gateway', async (t) => {
  const served = await storedOpenApi('1.2.3');
  const made = openApiDocument(routes, '1.2.3');
  t.true(isDeepStrictEqual(JSON.parse(served), JSON.parse(JSON.stringify(made))));
});

test.serial('serves the document, which mentions no other host', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, body, bytes } = await client.as(undefined).get('/openapi.json');
  t.is(status, 200);
  t.is(body.openapi, '3.1.1');
  t.false(/https?:\/\/(?!json-schema\.org|www\.w3\.org\/2000|(?:\w+\.)?example\.com)/.test(bytes.toString()));
});

test.serial('the reference page loads no external resources', async (t) => {
  const { client } = await fakeGateway(t);
  const anonymous = client.as(undefined);
  const page = await anonymous.get('/docs');
  t.is(page.status, 200);
  t.regex(page.headers.get('content-type') ?? '', /^text\/html/);
  const policy = page.headers.get('content-security-policy') ?? '';
  t.true(policy.includes("script-src 'self'"));
  t.false(/unsafe|https?:/.test(policy));

  const text = page.bytes.toString();
  t.false(/https?:\/\//.test(text));
  const parts = [...text.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path);
  t.true(parts.length >= 4, text);
  for (const path of parts) {
    const { status, bytes } = await anonymous.get(path);
    t.is(status, 200, path);
    t.true(bytes.length > 0);
  }
  for (const path of [
    '/docs/index.html',
    '/docs/package.json',
    '/docs/..%2fpackage.json',
    '/docs/constructor',
  ]) {
    t.is((await anonymous.get(path)).status, 404, path);
  }
});

test.serial('the first page links to the other pages', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, bytes, headers } = await client.as(undefined).get('/');
  t.is(status, 200);
  t.true(bytes.toString().includes('href="/docs"'));
  t.false(/unsafe/.test(headers.get('content-security-policy') ?? ''));
});

// OpenAPI examples

const content = z.record(
  z.string(),
  z.object({
    schema: z.unknown(),
    example: z.unknown().optional(),
    examples: z.record(z.string(), z.object({ $ref: z.string() })).optional(),
  }),
);

const openapiExamplesOperation = z.object({
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ content: content.optional() })),
});

const openapiExamplesDocument = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), openapiExamplesOperation)),
    components: z.object({ examples: z.record(z.string(), z.object({ value: z.unknown() })) }),
  })
  .parse(JSON.parse(source));

const described = routes.map((route) => {
  const found = openapiExamplesDocument.paths[route.path]?.[route.method];
  if (found === undefined) throw new Error(`${route.operationId} is not described`);
  return { route, ...found };
});

/** Parsing drops undeclared fields, so an undeclared field makes the two differ. */
const fits = (schema: z.ZodType, example: unknown): boolean =>
  isDeepStrictEqual(schema.safeParse(example).data, example);

test.serial('has a valid example for every request body', (t) => {
  const withBody = described.filter(({ route }) => route.body !== undefined);
  t.true(withBody.length > 10);
  for (const { route, requestBody } of withBody) {
    const example = requestBody?.content['application/json']?.example;
    t.not(example, undefined, route.operationId);
    t.deepEqual(route.body?.safeParse(example).error, undefined, route.operationId);
  }
});

test.serial('has an example for each media type of every response', (t) => {
  for (const { route, responses } of described) {
    for (const [status, declared] of Object.entries(route.responses)) {
      const types = Object.entries(responses[status]?.content ?? {});
      t.is(types.length > 0, declared.schema !== undefined || declared.media !== undefined);
      for (const [type, { example }] of types) {
        const name = `${route.operationId} ${status} ${type}`;
        const schema =
          type === 'application/json' ? (declared.schema ?? z.looseObject({})) : declared.mediaSchema;
        if (schema !== undefined) t.true(fits(schema, example), `${name}: ${JSON.stringify(example)}`);
        else t.regex(z.string().parse(example), /\S/, name);
      }
    }
  }
});

test.serial('has an example for every possible problem of an operation, by its code', (t) => {
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

test.serial('has a valid example for every problem of the catalogue', (t) => {
  t.is(Object.keys(openapiExamplesDocument.components.examples).length, refusalCodes.length);
  for (const code of refusalCodes) {
    const example = openapiExamplesDocument.components.examples[`Problem.${code}`]?.value;
    t.true(fits(problemSchema(code), example), JSON.stringify(example));
  }
});

test.serial('has exactly the declared fields in an example', (t) => {
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

test.serial('passes a public OpenAPI linter without errors', async (t) => {
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
  // Checks that the linter is active.
  const one = routes.filter(({ operationId }) => operationId === 'createCall');
  const small = JSON.stringify(openApiDocument(one, storedVersion));
  t.deepEqual(await lint(small), []);
  t.true((await lint(small.replace('"status":"ringing"', '"status":1'))).length > 0);
});
