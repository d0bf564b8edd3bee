import * as z from 'zod';
import { listAudit as findAudit } from '#src/administration/administrator.ts';
import { countCursorInQuery, encodeCountCursor, nextCursor } from '../cursor.ts';
import { integerInQuery } from '../fields.ts';
import { defineRoute } from '../route.ts';
import { auditEntry, auditFilters, wantedEntries } from './audit-schema.ts';

export const listAudit = defineRoute({
  method: 'get',
  path: '/api/v1/admin/audit',
  operationId: 'listAudit',
  tag: 'Workspace',
  summary: 'Who did what',
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
}).handledBy(async ({ caller, query: { limit, cursor, ...filters } }, { database }) => {
  const wanted = wantedEntries(caller.workspace, filters);
  const found = await findAudit(database, { ...wanted, limit: limit + 1, before: cursor });
  const entries = found.slice(0, limit);
  const last = found.length > limit ? entries.at(-1) : undefined;
  return {
    status: 200,
    body: { entries, nextCursor: last === undefined ? null : encodeCountCursor(last.id) },
  };
});
