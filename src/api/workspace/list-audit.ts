import * as z from 'zod';
import { countCursorInQuery, encodeCountCursor, nextCursor } from '../http/cursor.ts';
import { integerInQuery } from '../fields.ts';
import { defineRoute } from '../http/route.ts';
import { auditEntry, auditFilters, wantedEntries } from './audit-schema.ts';

export const listAudit = defineRoute({
  method: 'get',
  path: '/api/v1/admin/audit',
  operationId: 'listAudit',
  tag: 'Workspace',
  summary: 'Read the audit log',
  description: 'Every change made by this API and every reveal of a key, newest first.',
  auth: 'viewer',
  query: auditFilters.extend({
    limit: integerInQuery(1, 200, 50),
    cursor: countCursorInQuery.optional(),
  }),
  responses: {
    200: {
      description: 'A page of entries.',
      schema: z.object({
        entries: z.array(auditEntry),
        next_cursor: nextCursor,
      }),
    },
  },
  refusals: [],
}).handledBy(async ({ caller, query: { limit, cursor, ...filters } }, { directory }) => {
  const wanted = wantedEntries(caller.workspace, filters);
  const found = await directory.auditEntries({ ...wanted, limit: limit + 1, before: cursor });
  const entries = found.slice(0, limit);
  const last = found.length > limit ? entries.at(-1) : undefined;
  return {
    status: 200,
    body: { entries, nextCursor: last === undefined ? null : encodeCountCursor(last.id) },
  };
});
