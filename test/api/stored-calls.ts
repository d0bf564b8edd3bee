/** Calls and recordings as a gateway stores them in the database. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ApiServices } from '#src/api/api-services.ts';
import type { CallRow } from '#src/persistence/calls/calls.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { FakeGateway } from './fake-gateway.ts';

const finishedCall = (workspaceId: string, number: FakeGateway['number']): CallRow => ({
  id: randomUUID(),
  workspaceId,
  numberId: number.id,
  direction: 'outbound',
  ownNumber: number.number,
  counterparty: '01000000001',
  callerName: null,
  diversions: null,
  metadata: null,
  sipHeaders: null,
  transfer: null,
  consent: null,
  wordsErasedAt: null,
  erasedAt: null,
  language: 'ko',
  status: 'completed',
  endReason: 'agent_hangup',
  instruction: 'Ask about the delivery.',
  summary: null,
  maxDurationSec: 600,
  recordingEnabled: true,
  startedAt: new Date('2026-11-21T03:00:00.000Z'),
  answeredAt: new Date('2026-11-21T03:00:05.000Z'),
  endedAt: new Date('2026-11-21T03:01:05.500Z'),
  durationSec: 60.5,
  answeredBy: null,
  sipStatus: null,
  sipReason: null,
  sipCallId: null,
  sipExplanation: null,
  trunkId: null,
  trunkName: null,
  failedTrunks: null,
  postDialDelayMs: null,
  localSignalling: null,
  remoteSignalling: null,
  oneWay: null,
  sound: null,
  node: 'test',
  epoch: 1,
});

/** A finished call of the number; `changes` modifies it. */
export const storeCall = async (
  { database, workspaceId, number }: Pick<FakeGateway, 'database' | 'workspaceId' | 'number'>,
  changes: Partial<CallRow> = {},
): Promise<CallRow> => {
  const call: CallRow = { ...finishedCall(workspaceId, number), ...changes };
  await database.execute(
    `insert into call (id, workspace_id, number_id, direction, own_number, counterparty, language, status, end_reason,
       instruction, summary, max_duration_sec, recording_enabled, started_at, answered_at, ended_at, duration_sec,
       answered_by, sip_status, sip_reason, sip_call_id, node, trunk_id, trunk_name, failed_trunks,
       post_dial_delay_ms, local_signalling, remote_signalling, one_way, sound, metadata, sip_headers, transfer,
       sip_explanation)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
       $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34)`,
    [
      call.id,
      call.workspaceId,
      call.numberId,
      call.direction,
      call.ownNumber,
      call.counterparty,
      call.language,
      call.status,
      call.endReason,
      call.instruction,
      call.summary,
      call.maxDurationSec,
      call.recordingEnabled,
      call.startedAt,
      call.answeredAt,
      call.endedAt,
      call.durationSec,
      call.answeredBy,
      call.sipStatus,
      call.sipReason,
      call.sipCallId,
      call.node,
      call.trunkId,
      call.trunkName,
      call.failedTrunks,
      call.postDialDelayMs,
      call.localSignalling,
      call.remoteSignalling,
      call.oneWay,
      call.sound,
      call.metadata,
      call.sipHeaders,
      call.transfer,
      call.sipExplanation,
    ],
  );
  return call;
};

/** The recording of a stored call. */
export const storeRecording = async (
  database: Database,
  callId: string,
  recording: { status: 'pending' | 'completed' | 'failed'; file?: string; contentType?: string },
): Promise<void> => {
  await database.execute(
    `insert into recording (call_id, status, content_type, duration_sec, bytes, file, created_at)
     values ($1, $2, $3, $4, $5, $6, now())`,
    [
      callId,
      recording.status,
      recording.contentType ?? null,
      recording.status === 'completed' ? 60.5 : null,
      recording.status === 'completed' ? 100 : null,
      recording.file ?? null,
    ],
  );
};

/** Fake store whose recordings all have the same bytes; `isOpen()` returns the number of open files. */
export const recordingsOf = (content: Buffer): ApiServices['calls']['recordings'] & { isOpen(): number } => {
  let opened = 0;
  return {
    isOpen: () => opened,
    async open() {
      opened += 1;
      const close = async (): Promise<void> => {
        opened -= 1;
      };
      return {
        bytes: content.length,
        async read(range = { start: 0, end: content.length - 1 }) {
          const stream = Readable.from([content.subarray(range.start, range.end + 1)]);
          stream.once('close', () => void close());
          return stream;
        },
        close,
      };
    },
  };
};
