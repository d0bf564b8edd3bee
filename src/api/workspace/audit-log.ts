import { Readable } from 'node:stream';
import * as z from 'zod';
import type { ApiServices } from '../api-services.ts';
import { encode } from '../http/codec.ts';
import { byteOrderMark, csvLine } from '../http/csv.ts';
import { defineRoute } from '../http/route.ts';
import { auditEntry, auditFilters, wantedEntries } from './audit-schema.ts';
import { countCursorInQuery, encodeCountCursor, nextCursor } from '../http/cursor.ts';
import { integerInQuery } from '../fields.ts';

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

const pageSize = 500;

/** Columns of the CSV export; new columns are appended at the end. */
const header = csvLine(['at', 'actor', 'action', 'subject', 'detail']);

export const exportAudit = defineRoute({
  method: 'get',
  path: '/api/v1/admin/audit.csv',
  operationId: 'exportAudit',
  tag: 'Workspace',
  summary: 'The audit log as CSV',
  description:
    'The entries of `listAudit` with the same query, in UTF-8 with a byte order mark for spreadsheets; text that looks like a formula begins with an apostrophe. `detail` is JSON. A response that breaks off is incomplete: repeat the request.',
  auth: 'viewer',
  query: auditFilters,
  responses: {
    200: {
      description: 'The entries.',
      media: ['text/csv'],
      examples: { 'text/csv': header },
      headers: z.object({ 'Content-Disposition': z.string().meta({ description: 'A name for the file.' }) }),
    },
  },
  refusals: [],
}).handledBy(({ caller, query, isHead }, { directory }) => {
  const lines = linesOf(directory, wantedEntries(caller.workspace, query), caller.workspace.timeZone);
  return {
    status: 200,
    media: 'text/csv',
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': 'attachment; filename="audit.csv"',
    },
    body: isHead ? null : Readable.from(lines),
  };
});

async function* linesOf(
  directory: ApiServices['directory'],
  wanted: ReturnType<typeof wantedEntries>,
  timeZone: string,
): AsyncGenerator<string> {
  yield `${byteOrderMark}${header}`;
  for (let before: number | undefined; ;) {
    const entries = await directory.auditEntries({ ...wanted, limit: pageSize, before });
    yield entries
      .map((entry) => encode(auditEntry, entry, timeZone))
      .map(({ at, actor, action, subject, detail }) =>
        csvLine([at, actor, action, subject, JSON.stringify(detail)]),
      )
      .join('');
    before = entries.at(-1)?.id;
    if (entries.length < pageSize) return;
  }
}
