import { Readable } from 'node:stream';
import * as z from 'zod';
import type { CallRecord } from '#src/calls/stored-calls.ts';
import { encode } from '../http/codec.ts';
import { momentInQuery } from '../fields.ts';
import { defineRoute } from '../http/route.ts';
import { callRecordHeader, callRecordLine } from './call-record-csv.ts';
import { presentWorkspaceCall, workspaceCall } from './workspace-call-schema.ts';

const media = { csv: 'text/csv', jsonl: 'application/jsonl' } as const;

type Format = keyof typeof media;

export const exportCallRecords = defineRoute({
  method: 'get',
  path: '/api/v1/admin/call-records',
  operationId: 'exportCallRecords',
  tag: 'Workspace',
  summary: 'Export call detail records',
  description:
    'All calls of the workspace that started within the given time, in order of their start, including calls in progress. As CSV with a header line, where text that looks like a formula begins with an apostrophe; or as JSON lines, each like a response of `getWorkspaceCall`. A response that breaks off is incomplete: repeat the request.',
  auth: 'viewer',
  query: z.object({
    format: z.enum(['csv', 'jsonl']).default('csv'),
    since: momentInQuery.optional().meta({ description: 'Calls that started at this time or later.' }),
    until: momentInQuery
      .optional()
      .meta({ description: 'Calls that started before this time; default: now.' }),
  }),
  responses: {
    200: {
      description: 'The records.',
      media: [media.csv, media.jsonl],
      examples: {
        [media.csv]: callRecordHeader,
        [media.jsonl]: '{"call_id":"7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11","status":"completed"}\n',
      },
      headers: z.object({ 'Content-Disposition': z.string().meta({ description: 'A name for the file.' }) }),
    },
  },
  refusals: [],
}).handledBy(({ caller, query, isHead }, services) => {
  const { format, since = null, until = new Date(services.operation.clock.now()) } = query;
  const { id: workspaceId, timeZone } = caller.workspace;
  const lines = linesOf(
    { format, timeZone },
    services.calls.storedCalls.records({ workspaceId, since, until }),
  );
  return {
    status: 200,
    media: media[format],
    headers: {
      ...(format === 'csv' ? { 'Content-Type': 'text/csv; charset=utf-8; header=present' } : {}),
      'Content-Disposition': `attachment; filename="call-records.${format}"`,
    },
    body: isHead ? null : Readable.from(lines),
  };
});

async function* linesOf(
  { format, timeZone }: { format: Format; timeZone: string },
  pages: AsyncIterable<readonly CallRecord[]>,
): AsyncGenerator<string> {
  if (format === 'csv') yield callRecordHeader;
  for await (const page of pages) {
    const calls = page.map((call) => encode(workspaceCall, presentWorkspaceCall(call), timeZone));
    yield calls
      .map((call) => (format === 'csv' ? callRecordLine(call) : `${JSON.stringify(call)}\n`))
      .join('');
  }
}
