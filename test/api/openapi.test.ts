import test from 'ava';
import { z } from 'zod';
import { refusalsOf } from '#src/api/openapi.ts';
import { routes } from '#src/api/routes.ts';
import { refusalCatalogue } from '#src/domain/refusal.ts';
import { testDocument } from '#test/helpers/api-client.ts';
import { fakeGateway } from './fake-gateway.ts';

const operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()).length(1),
  summary: z.string().min(1),
  description: z.string().min(1),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  responses: z.record(z.string(), z.looseObject({ description: z.string().min(1) })),
});

const document = z
  .object({
    openapi: z.string(),
    paths: z.record(z.string(), z.record(z.string(), operation)),
    tags: z.array(z.object({ name: z.string() })),
    components: z.object({
      schemas: z.record(z.string(), z.unknown()),
      examples: z.record(z.string(), z.unknown()),
      securitySchemes: z.record(z.string(), z.unknown()),
    }),
  })
  .parse(JSON.parse(JSON.stringify(testDocument())));

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ path, method, described })),
);

test('every route is one operation, and no two share an operationId', (t) => {
  t.is(operations.length, routes.length);
  const ids = operations.map(({ described }) => described.operationId);
  t.is(new Set(ids).size, ids.length);
  t.deepEqual(
    new Set(operations.map(({ path, method }) => `${method} ${path}`)),
    new Set(routes.map(({ path, method }) => `${method} ${path}`)),
  );
});

test('every operation has a declared tag and says who may use it', (t) => {
  const tags = new Set(document.tags.map(({ name }) => name));
  for (const { path, described } of operations) {
    for (const tag of described.tags) t.true(tags.has(tag), tag);
    const schemes = described.security.flatMap((one) => Object.keys(one));
    for (const scheme of schemes) t.true(scheme in document.components.securitySchemes);
    const expected = path.startsWith('/api/v1/admin/')
      ? ['adminToken']
      : path.startsWith('/api/v1/') || path === '/mcp'
        ? ['numberKey']
        : [];
    t.deepEqual(schemes, expected, path);
  }
});

test('every problem that a route can answer is described under its status', (t) => {
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

test('every reference leads somewhere', (t) => {
  const { schemas, examples } = document.components;
  const references = [...JSON.stringify(testDocument()).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
  t.true(references.length > 50);
  for (const [, kind = '', name = ''] of references)
    t.true(name in (kind === 'examples' ? examples : schemas), name);
  t.false(/"\$ref":"(?!#\/components\/(schemas|examples)\/)/.test(JSON.stringify(testDocument())));
});

test('each parameter of a path is described', (t) => {
  for (const route of routes) {
    const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    t.deepEqual(Object.keys(route.params?.shape ?? {}).toSorted(), named.toSorted(), route.path);
  }
});

test('the document is served, and names no other host', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, body, bytes } = await client.as(undefined).get('/openapi.json');
  t.is(status, 200);
  t.is(body.openapi, '3.1.1');
  t.false(/https?:\/\/(?!json-schema\.org|www\.w3\.org\/2000|(?:\w+\.)?example\.com)/.test(bytes.toString()));
});

test('the reference page loads nothing from elsewhere', async (t) => {
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

test('the first page greets and links to the rest', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, bytes, headers } = await client.as(undefined).get('/');
  t.is(status, 200);
  t.true(bytes.toString().includes('href="/docs"'));
  t.false(/unsafe/.test(headers.get('content-security-policy') ?? ''));
});
