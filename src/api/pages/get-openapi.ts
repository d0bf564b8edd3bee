import { openApiDocument } from '../openapi.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { createPacked } from './packed.ts';

/** `routes` is called once the list that contains this route is complete. */
export const getOpenApi = (routes: () => readonly Route[]): Route => {
  let document: ReturnType<typeof createPacked> | undefined;
  const documentOf = (version: string): ReturnType<typeof createPacked> =>
    (document ??= createPacked(Buffer.from(JSON.stringify(openApiDocument(routes(), version)))));
  return defineRoute({
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    tag: 'Pages',
    summary: 'This document',
    description: 'The OpenAPI 3.1 document of this API, for generators and tools.',
    auth: 'none',
    prepare: async ({ operation: { version } }) => void documentOf(version),
    responses: {
      200: {
        description: 'The document.',
        media: ['application/json'],
        examples: { 'application/json': { openapi: '3.1.1', info: { title: 'Trunkline' } } },
      },
    },
    refusals: [],
  }).handledBy(async ({ takesEncoding }, { operation: { version } }) => ({
    status: 200,
    media: 'application/json',
    ...(await documentOf(version)(takesEncoding)),
  }));
};
