import { Readable } from 'node:stream';
import * as z from 'zod';
import type { StoredCalls } from '#src/calls/stored-calls.ts';
import { encode } from '../http/codec.ts';
import { byteOrderMark, csvLine, type Cell } from '../http/csv.ts';
import { mostExported, notAllExported } from '#src/domain/call-export.ts';
import { defineRoute } from '../http/route.ts';
import { listedCall, presentListedCall, wantedCalls, workspaceCallFilters } from './workspace-call-list.ts';

const pageSize = 500;

type Call = z.input<typeof listedCall>;

/** Columns of the export in their order. Importers rely on the order, so new columns are appended. */
const columns: Readonly<Record<string, (call: Call) => Cell>> = {
  started_at: (call) => call.started_at,
  direction: (call) => call.direction,
  counterparty: (call) => call.counterparty,
  number: (call) => call.number,
  status: (call) => call.status,
  end_reason: (call) => call.end_reason,
  duration_sec: (call) => call.duration_sec,
  turn_latency_p95_ms: (call) => call.turn_latency_p95_ms,
  instruction: (call) => call.instruction,
  summary: (call) => call.summary,
  call_id: (call) => call.id,
};

const header = csvLine(Object.keys(columns));

/** Last line after a failure. The line has as many cells as the other lines, so that table parsers accept it. */
const lastLine = csvLine(Object.keys(columns).map((_, index) => (index === 0 ? notAllExported : null)));

const lineOf = (call: Call): string => csvLine(Object.values(columns).map((cellOf) => cellOf(call)));

export const exportCalls = defineRoute({
  method: 'get',
  path: '/api/v1/admin/calls.csv',
  operationId: 'exportCalls',
  tag: 'Workspace',
  summary: 'Export the listed calls as CSV',
  description: `The calls of \`listWorkspaceCalls\` with the same query, at most ${mostExported}, in UTF-8 with a byte order mark for spreadsheets; text that looks like a formula begins with an apostrophe. If there are more calls, the first cell of the last line says so. A response that breaks off is incomplete: repeat the request.`,
  auth: 'viewer',
  query: workspaceCallFilters,
  responses: {
    200: {
      description: 'The calls.',
      media: ['text/csv'],
      examples: { 'text/csv': header },
      headers: z.object({ 'Content-Disposition': z.string().meta({ description: 'A name for the file.' }) }),
    },
  },
  refusals: ['search_too_broad'],
}).handledBy(async ({ caller, query, isHead }, services) => {
  const wanted = { ...wantedCalls(services, caller.workspace, query), limit: pageSize };
  // The first page is read before the response begins, so that a refusal is still possible.
  const first = await services.calls.storedCalls.workspacePage(wanted);
  const lines = linesOf(services.calls.storedCalls, wanted, first, caller.workspace.timeZone);
  return {
    status: 200,
    media: 'text/csv',
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': 'attachment; filename="calls.csv"',
    },
    body: isHead ? null : Readable.from(lines),
  };
});

type Page = Awaited<ReturnType<StoredCalls['workspacePage']>>;

async function* linesOf(
  storedCalls: StoredCalls,
  wanted: Parameters<StoredCalls['workspacePage']>[0],
  first: Page,
  timeZone: string,
): AsyncGenerator<string> {
  yield `${byteOrderMark}${header}`;
  let page = first;
  for (let written = 0; ;) {
    yield page.calls.map((call) => lineOf(encode(listedCall, presentListedCall(call), timeZone))).join('');
    written += page.calls.length;
    if (page.next === null) return;
    if (written >= mostExported) {
      yield lastLine;
      return;
    }
    page = await storedCalls.workspacePage({ ...wanted, after: page.next });
  }
}
