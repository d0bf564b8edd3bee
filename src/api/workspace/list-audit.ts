import * as z from 'zod';
import { listAudit as findAudit } from '#src/administration/administrator.ts';
import { countCursorInQuery, encodeCountCursor, nextCursor } from '../cursor.ts';
import { integerInQuery, timestamp } from '../fields.ts';
import { defineRoute } from '../route.ts';

const auditEntry = z
  .object({
    id: z.int().meta({ example: 42 }),
    actor: z.string().meta({
      description: 'Who: `admin:` and the id of the token.',
      example: 'admin:0b7c1f64-93d1-4c5e-8a53-5a8f3f1f2f10',
    }),
    action: z
      .string()
      .meta({ description: 'What was done, such as `number_key.revealed`.', example: 'agent.changed' }),
    subject: z.string().meta({
      description: 'To what, such as `number:` and its id.',
      example: 'number:7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
    }),
    at: timestamp,
    detail: z.record(z.string(), z.unknown()).meta({
      description: 'What belongs to it; never a secret.',
      example: { direction: 'inbound', agent: 'endpoint' },
    }),
  })
  .meta({ id: 'AuditEntry' });

export const listAudit = defineRoute({
  method: 'get',
  path: '/api/v1/admin/audit',
  operationId: 'listAudit',
  tag: 'Workspace',
  summary: 'Who did what',
  description: 'Every change made by this API and every reveal of a key, newest first.',
  auth: 'viewer',
  query: z.object({ limit: integerInQuery(1, 200, 50), cursor: countCursorInQuery.optional() }),
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
}).handledBy(async ({ caller, query: { limit, cursor } }, { database }) => {
  const { id: workspaceId } = caller.workspace;
  const found = await findAudit(database, { workspaceId, limit: limit + 1, before: cursor });
  const entries = found.slice(0, limit);
  const last = found.length > limit ? entries.at(-1) : undefined;
  return {
    status: 200,
    body: { entries, nextCursor: last === undefined ? null : encodeCountCursor(last.id) },
  };
});
