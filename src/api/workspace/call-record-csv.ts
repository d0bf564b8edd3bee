import type * as z from 'zod';
import type { callRecord } from '../calls/call-schema.ts';
import { csvLine, type Cell } from '../csv.ts';

type Call = z.input<typeof callRecord>;

/** The columns and their order, which those who import them rely on: new ones go to the end. */
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
};

export const callRecordHeader = csvLine(Object.keys(columns));

export const callRecordLine = (call: Call): string =>
  csvLine(Object.values(columns).map((cellOf) => cellOf(call)));
