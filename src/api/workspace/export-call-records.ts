import { Readable } from 'node:stream';
import * as z from 'zod';
import type { CallRecord } from '#src/calls/stored-calls.ts';
import { encode } from '../http/codec.ts';
import { momentInQuery } from '../fields.ts';
import { defineRoute } from '../http/route.ts';
import { presentWorkspaceCall, workspaceCall } from './workspace-call-schema.ts';
import { csvLine, type Cell } from '../http/csv.ts';

type Call = z.input<typeof workspaceCall>;

/** Columns of the export in their order. Importers rely on the order, so new columns are appended. */
const columns: Readonly<Record<string, (call: Call) => Cell>> = {
  call_id: (call) => call.call_id,
  number_id: (call) => call.number_id,
  direction: (call) => call.direction,
  from: (call) => call.from,
  to: (call) => call.to,
  language: (call) => call.language,
  status: (call) => call.status,
  end_reason: (call) => call.end_reason,
  answered_by: (call) => call.answered_by,
  started_at: (call) => call.started_at,
  answered_at: (call) => call.answered_at,
  ended_at: (call) => call.ended_at,
  duration_sec: (call) => call.duration_sec,
  sip_status: ({ sip }) => sip.status,
  sip_reason: ({ sip }) => sip.reason,
  sip_call_id: ({ sip }) => sip.call_id,
  recording_status: ({ recording }) => recording.status,
  recording_content_type: ({ recording }) => recording.content_type ?? null,
  recording_duration_sec: ({ recording }) => recording.duration_sec ?? null,
  instruction: (call) => call.instruction,
  summary: (call) => call.summary,
  trunk_id: ({ trunk }) => trunk?.id ?? null,
  trunk_name: ({ trunk }) => trunk?.name ?? null,
  failed_trunks: (call) => call.failed_trunks.join(' '),
  post_dial_delay_ms: (call) => call.post_dial_delay_ms,
  codec: ({ sound }) => sound.codec,
  received_packets: ({ sound }) => sound.received.packets,
  received_loss: ({ sound }) => sound.received.loss,
  received_jitter_ms: ({ sound }) => sound.received.jitter_ms,
  received_mos: ({ sound }) => sound.received.mos,
  sent_packets: ({ sound }) => sound.sent.packets,
  sent_loss: ({ sound }) => sound.sent.loss,
  sent_jitter_ms: ({ sound }) => sound.sent.jitter_ms,
  sent_mos: ({ sound }) => sound.sent.mos,
  round_trip_ms: ({ sound }) => sound.round_trip_ms,
  one_way: ({ sound }) => sound.one_way,
  local_signalling: ({ addresses }) => addresses.local_signalling,
  remote_signalling: ({ addresses }) => addresses.remote_signalling,
  local_media: ({ addresses }) => addresses.local_media,
  remote_media: ({ addresses }) => addresses.remote_media,
  from_name: (call) => call.from_name,
  diverted_from: ({ diversions }) => diversions.map(({ number }) => number).join(' ') || null,
  metadata: ({ metadata }) => (metadata === undefined ? null : JSON.stringify(metadata)),
  sip_headers: ({ sip }) => (sip.headers === undefined ? null : JSON.stringify(sip.headers)),
  transfer_to: ({ transfer }) => transfer?.to ?? null,
  transfer_status: ({ transfer }) => transfer?.status ?? null,
  transfer_reason: ({ transfer }) => transfer?.reason ?? null,
  sip_reasons: ({ sip }) => (sip.reasons === undefined ? null : JSON.stringify(sip.reasons)),
  sip_call_info: ({ sip }) => sip.call_info?.join(' ') ?? null,
};

const callRecordHeader = csvLine(Object.keys(columns));

const callRecordLine = (call: Call): string => csvLine(Object.values(columns).map((cellOf) => cellOf(call)));

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
