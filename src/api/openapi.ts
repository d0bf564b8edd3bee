/** The OpenAPI document, generated only from the routes. */
import * as z from 'zod';
import {
  createDocument,
  type oas32,
  type ZodOpenApiMediaTypeObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { refusalCatalogue, refusalCodes } from '#src/domain/refusal.ts';
import { addExamples } from './add-examples.ts';
import { idempotencyHeader } from './http/idempotency.ts';
import { ignoredFieldsHeader } from './http/ignored-fields.ts';
import { problemMediaType, problemSchema } from './http/problem.ts';
import type { ResponseDeclaration, Route } from './http/route.ts';
import { refusalsOf } from './refusals-of.ts';

const description = `
A voice gateway that connects telephone numbers to conversational agents.

- **Client API** (\`/api/v1\`): with the API key of a number, which decides the number that calls and what can be seen.
- **Admin API** (\`/api/v1/admin\`): with an admin token of the workspace. A token of the role \`viewer\` reads everything but secrets; other requests with it are \`forbidden\`.

Errors are problem documents (RFC 9457): act on \`code\`, show \`detail\` to people. Each answer carries \`X-Request-Id\`. Fields and parameters that an operation does not know are ignored; \`X-Ignored-Fields\` names them, also where the request is refused.
`.trim();

const tags = [
  { name: 'Calls', description: 'Placing, reading and ending the calls of a number.' },
  { name: 'Numbers', description: 'Numbers, their agents and their keys.' },
  { name: 'Trunks', description: 'SIP trunks to the telephone network, and their states.' },
  { name: 'Workspace', description: 'Settings, tokens, calls of all numbers, and the audit log.' },
  { name: 'Webhooks', description: 'Webhook endpoints and their deliveries.' },
  { name: 'Simulator', description: 'The simulated telephone line, if it is enabled.' },
  { name: 'Rehearsals', description: 'Runs of suites of simulated callers and callees, with their results.' },
  { name: 'Console', description: 'Signing a browser in to the console and out of it.' },
  { name: 'Operation', description: 'The state of the gateway.' },
  { name: 'Pages', description: 'Pages for people.' },
];

const numberIdHeader = z.object({
  'x-number-id': z.string().optional().meta({
    description: 'The number of the key; absent, empty or `null` means the same. Another number is refused.',
  }),
});

/** All problem codes, including codes of HTTP itself that belong to no operation. */
const allProblems = Object.fromEntries(
  refusalCodes.map((code) => [`Problem.${code}`, problemSchema(code)] as const),
);

type Responses = Record<string, ZodOpenApiResponseObject>;

const problemResponses = (route: Route): Responses => {
  const byStatus = Map.groupBy(refusalsOf(route), (code) => refusalCatalogue[code].status);
  const responses: Responses = {};
  for (const [status, codes] of byStatus) {
    const [first, ...others] = codes.map(problemSchema);
    if (first === undefined) continue;
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${refusalCatalogue[code].title}.`).join(' '),
      content: {
        [problemMediaType]: {
          schema: others.length === 0 ? first : z.discriminatedUnion('code', [first, ...others]),
        },
      },
      ...(status === 429 ? { headers: retryHeaders } : {}),
    };
  }
  return responses;
};

const retryHeaders = z.object({
  'Retry-After': z.string().optional().meta({
    description:
      'Seconds to wait, with `rate_limited`, `draining`, `over_capacity` and `service_unavailable`.',
  }),
  RateLimit: z.string().optional(),
  'RateLimit-Policy': z.string().optional(),
});

const contentOf = ({ schema, media, mediaSchema, examples }: ResponseDeclaration) => {
  if (schema === undefined && media === undefined) return {};
  const mediaContent = (type: string): ZodOpenApiMediaTypeObject => ({
    schema: mediaSchema ?? { type: type === 'application/json' ? 'object' : 'string' },
    ...(examples?.[type] === undefined ? {} : { example: examples[type] }),
  });
  return {
    content: {
      ...(schema === undefined ? {} : { 'application/json': { schema } }),
      ...Object.fromEntries((media ?? []).map((type) => [type, mediaContent(type)])),
    },
  };
};

const ignoredHeader = z.object({
  [ignoredFieldsHeader]: z
    .string()
    .optional()
    .meta({
      description:
        'Names of fields of the body and of parameters of the query that this operation does not know and has ignored, separated by commas: dotted paths, percent-encoded where need be, at most 20. Absent where there are none.',
      example: 'max_duration_secs',
      header: { id: ignoredFieldsHeader },
    }),
});

const responsesOf = (route: Route): Responses => {
  const responses = problemResponses(route);
  for (const [status, declared] of Object.entries(route.responses)) {
    responses[status] = {
      description: declared.description,
      ...contentOf(declared),
      headers: declared.headers === undefined ? ignoredHeader : declared.headers.extend(ignoredHeader.shape),
    };
  }
  return responses;
};

const headersOf = (route: Route): z.ZodObject | undefined => {
  const shape = {
    ...(route.auth === 'number' ? numberIdHeader.shape : {}),
    ...(route.idempotent === true ? idempotencyHeader.shape : {}),
    ...route.headers?.shape,
  };
  return Object.keys(shape).length === 0 ? undefined : z.object(shape);
};

const securityOf = {
  number: [{ numberKey: [] }],
  admin: [{ adminToken: [] }],
  viewer: [{ adminToken: [] }],
  none: [],
};

const operationOf = (route: Route): ZodOpenApiOperationObject => {
  const { params, query, body } = route;
  const header = headersOf(route);
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    security: securityOf[route.auth],
    requestParams: {
      ...(params === undefined ? {} : { path: params }),
      ...(query === undefined ? {} : { query }),
      ...(header === undefined ? {} : { header }),
    },
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: { 'application/json': { schema: body } },
          },
        }),
    responses: responsesOf(route),
  };
};

export const openApiDocument = (routes: readonly Route[], version: string): oas32.OpenAPIObject => {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) };
  }
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: { title: 'Trunkline', version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/' }],
      tags,
      paths,
      components: {
        schemas: allProblems,
        securitySchemes: {
          numberKey: { type: 'http', scheme: 'bearer', description: 'A number API key, `gw_live_…`.' },
          adminToken: { type: 'http', scheme: 'bearer', description: 'An admin token, `gw_admin_…`.' },
        },
      },
    },
    {
      override: ({ jsonSchema, io }) => {
        // Responses may have additional members, because clients generated from this document should tolerate new
        // fields.
        if (io === 'output' && jsonSchema.additionalProperties === false)
          delete jsonSchema.additionalProperties;
        // A pattern is omitted if the field's format already defines it.
        if (jsonSchema.format === 'uuid') delete jsonSchema.pattern;
      },
    },
  );
  addExamples(document);
  return document;
};
