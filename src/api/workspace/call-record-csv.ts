import type * as z from 'zod';
import { csvLine, type Cell } from '../http/csv.ts';
import type { workspaceCall } from './workspace-call-schema.ts';

type Call = z.input<typeof workspaceCall>;

/** Columns in their order, on which importers rely: new columns are appended. */
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

export const callRecordHeader = csvLine(Object.keys(columns));

export const callRecordLine = (call: Call): string =>
  csvLine(Object.values(columns).map((cellOf) => cellOf(call)));
