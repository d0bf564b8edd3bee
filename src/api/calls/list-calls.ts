import * as z from 'zod';
import type { Decoded } from '../http/codec.ts';
import { momentCursorInQuery, encodeMomentCursor, nextCursor } from '../http/cursor.ts';
import { integerInQuery, momentInQuery } from '../fields.ts';
import { defineRoute } from '../http/route.ts';
import type { ApiServices } from '../api-services.ts';
import { presentListedFields } from './present-call.ts';
import { metadataInQuery } from './metadata-fields.ts';
import { callListItem, callStatus, direction } from './call-schema.ts';

export const callListQuery = z.object({
  limit: integerInQuery(1, 200, 20),
  cursor: momentCursorInQuery.optional(),
  status: callStatus.optional(),
  direction: direction.optional(),
  metadata: metadataInQuery.optional(),
  since: momentInQuery.optional().meta({ description: 'Calls that started at this time or later.' }),
  until: momentInQuery.optional().meta({ description: 'Calls that started before this time.' }),
});

export const callPage = z
  .object({
    calls: z.array(callListItem),
    next_cursor: nextCursor,
  })
  .meta({ id: 'CallPage' });

/** Returns a page of the calls of one number or of a workspace, newest first. */
export const pageOfCalls = async (
  { calls: { storedCalls } }: ApiServices,
  scope: { numberId: string } | { workspaceId: string; numberId?: string | undefined },
  { cursor, limit, ...filters }: Decoded<z.output<typeof callListQuery>>,
): Promise<Decoded<z.output<typeof callPage>>> => {
  const after = cursor && { startedAt: cursor.at, id: cursor.id };
  const { calls, next } = await storedCalls.page({ scope, after, limit, ...filters });
  return {
    calls: calls.map((call) => presentListedFields(call)),
    nextCursor: next && encodeMomentCursor({ at: next.startedAt, id: next.id }),
  };
};

export const listCalls = defineRoute({
  method: 'get',
  path: '/api/v1/calls',
  operationId: 'listCalls',
  tag: 'Calls',
  summary: 'List the calls of the number',
  description: 'Newest first by `started_at`, then by `id`. Follow `next_cursor` until it is null.',
  auth: 'number',
  query: callListQuery,
  responses: { 200: { description: 'A page of calls.', schema: callPage } },
  refusals: ['search_too_broad'],
}).handledBy(async ({ caller, query }, services) => {
  return { status: 200, body: await pageOfCalls(services, { numberId: caller.id }, query) };
});
