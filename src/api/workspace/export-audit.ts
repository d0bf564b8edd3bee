import { Readable } from 'node:stream';
import * as z from 'zod';
import { listAudit as findAudit } from '#src/administration/administrator.ts';
import type { ApiServices } from '../api-services.ts';
import { encode } from '../codec.ts';
import { byteOrderMark, csvLine } from '../csv.ts';
import { defineRoute } from '../route.ts';
import { auditEntry, auditFilters, wantedEntries } from './audit-schema.ts';

const pageSize = 500;

/** New columns are appended. */
const header = csvLine(['at', 'actor', 'action', 'subject', 'detail']);

export const exportAudit = defineRoute({
  method: 'get',
  path: '/api/v1/admin/audit.csv',
  operationId: 'exportAudit',
  tag: 'Workspace',
  summary: 'The audit log as CSV',
  description:
    'All that `listAudit` lists with the same query, in UTF-8 with a byte order mark for spreadsheets; a text that they would take for a formula begins with an apostrophe. `detail` is JSON. An answer that breaks off without its end is not whole: ask again.',
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
}).handledBy(({ caller, query, isHead }, { database }) => {
  const lines = linesOf(database, wantedEntries(caller.workspace, query), caller.workspace.timeZone);
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
  database: ApiServices['database'],
  wanted: ReturnType<typeof wantedEntries>,
  timeZone: string,
): AsyncGenerator<string> {
  yield `${byteOrderMark}${header}`;
  for (let before: number | undefined; ;) {
    const entries = await findAudit(database, { ...wanted, limit: pageSize, before });
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
