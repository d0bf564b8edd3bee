/**
 * The journal of a call (guides/design/events.md, "Outbox"). One statement writes a fact: its journal row, its changes
 * to the call and its customer event. Repeating the statement changes no row.
 */
import { randomUUID } from 'node:crypto';
import type { CallFact } from '#machines/facts.ts';
import type { CallRoute, SipDetails } from '#machines/line.ts';
import type { CallToSummarize } from '#src/domain/call-summary.ts';
import { explanationOf } from '#src/domain/sip-explanation.ts';
import { transferChange } from '#src/domain/call-transfer.ts';
import { addTurn, createSharedTurnWriter, type Turn } from './add-turn.ts';
import { answerCall, createSharedAnswerWriter } from './answer-call.ts';
import {
  changeTransfer,
  changeTransferSilently,
  createSharedAnswererWriter,
  reportCall,
  setAnsweredBy,
  setConsent,
  setOneWay,
  setSummary,
} from './call-facts/call-changes.ts';
import {
  createSharedFactWriter,
  writeFact,
  type LineColumns,
  type NewFact,
  eventFactParameters,
  newEvent,
  newFact,
  type NewEventFact,
} from './call-facts/new-fact.ts';
import { endCall } from './end-call.ts';
import { checkpointRow, type NewCheckpoint, type StoredProgress } from './call-checkpoints.ts';
import type { StoredTransition } from './call-transitions.ts';
import { callToSummarize, type EndedCall } from './ended-calls.ts';
import { newEventId, outboxWithRecording } from '../events/outbox.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Row } from '../database/tables.ts';
import { sqlText } from '../database/sql-text.ts';

type Finished = Pick<Row<'Recording'>, 'contentType' | 'durationSec' | 'bytes' | 'file' | 'truncated'>;

/** Finishes a recording that is pending, or meets the condition; `$8` and later are the values. */
const finishing = <Values extends object>(set: string, values: readonly (keyof Values)[], or = 'false') =>
  sqlText<NewEventFact & Values, { id: string }>(
    `
      with ${newFact},
      ${newEvent},
      recording_after as (
        update recording set ${set}, finished_at = fact.at
        from fact
        where recording.call_id = fact.call_id and (recording.status = 'pending' or ${or})
        returning recording.*
      ),
      call_after as (
        -- The lock reads the latest version of the row. An erasure for which this statement waited is not in its snapshot.
        select call.* from call join recording_after on recording_after.call_id = call.id
        for no key update of call
      ),
      ${outboxWithRecording}
      select call_after.id from call_after, notification
    `,
    [...eventFactParameters, ...values],
  );

/** Completes a recording; also one that is complete without a part of the call, if that part is added. */
const completeRecording = finishing<Finished & { replaces: boolean }>(
  `status = 'completed', content_type = $8, duration_sec = $9, bytes = $10, file = $11, truncated = $12`,
  ['contentType', 'durationSec', 'bytes', 'file', 'truncated', 'replaces'],
  `recording.status = 'completed' and recording.truncated and (not $12 or $13)`,
);

const failRecording = finishing<object>(`status = 'failed'`, []);

type Stamped<Fact> = Fact extends { at?: number } ? Omit<Fact, 'at'> & { at: number } : never;

/** A fact to write. `at` is wall-clock milliseconds since the epoch. */
export type RecordedFact =
  | Stamped<CallFact>
  | EndWithSummary
  | {
      type: 'recording.completed';
      at: number;
      contentType: string;
      durationSec: number;
      bytes: number;
      /** Path relative to the recordings folder. */
      file: string;
      /** Whether a part is missing, because the gateway that recorded it ended early or is unavailable. */
      truncated: boolean;
      /** Whether a truncated file has a part that an earlier file lacks. */
      replaces?: boolean;
    }
  | { type: 'recording.failed'; at: number }
  | { type: 'call.summarized'; at: number; summary: string };

/** The end of a call with its summary, which one statement stores as two facts. */
export type EndWithSummary = Stamped<Extract<CallFact, { type: 'call.ended' }>> & { summary: string };

/** Returns the number of sequence numbers that a fact takes in the journal. */
export const sequencesOf = (fact: RecordedFact): number =>
  fact.type === 'call.ended' && 'summary' in fact ? 2 : 1;

/** A stored fact. `data` contains its fields except type, time and values that are stored in other rows. */
export type StoredFact = Omit<Row<'CallFactRow'>, 'callId'>;

/** Epoch of a call that was never taken over. */
export const firstEpoch = 1;

const lineOf = ({ sip, route }: { sip?: SipDetails; route?: CallRoute }): LineColumns => ({
  sipStatus: sip?.status ?? null,
  sipReason: sip?.reason ?? null,
  sipCallId: sip?.callId ?? null,
  sipExplanation: explanationOf(sip ?? {}),
  trunkId: route?.trunk.id ?? null,
  trunkName: route?.trunk.name ?? null,
  failedTrunks: route === undefined || route.failedTrunks.length === 0 ? null : route.failedTrunks,
  postDialDelayMs: route?.postDialDelayMs ?? null,
  localSignalling: route?.localAddress ?? null,
  remoteSignalling: route?.remoteAddress ?? null,
});

/** Rows that are written in the same statement as a fact. */
export type KeptBeside = {
  /** Only with the answer: state from which another process can resume the call, with the far ends of the call. */
  checkpoint: NewCheckpoint | null;
  /** Only with `turn.spoken`: progress that is not stored yet; null if it is written otherwise. */
  progress?: StoredProgress | null;
  /** Only with `call.ended`: transitions that are not stored yet. */
  transitions: readonly StoredTransition[];
  /** Only with `call.ended`: whether the writer knows that all stored legs are hung up. */
  legsAreGone: boolean;
};

const nothingBeside: KeptBeside = { checkpoint: null, transitions: [], legsAreGone: false };

/** Returns the data of a fact without the values that are stored in the call's row. */
const dataOf = ({ type: _type, at: _at, ...data }: RecordedFact): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data).filter(([name]) => !['route', 'sound', 'summary', 'replaces'].includes(name)),
  );

/** Result of a written fact. */
export type WrittenFact = {
  /** Only with `call.ended`: input of the call's summary, without words if the summary is stored already. */
  ended: CallToSummarize | null;
};

/** Facts that change neither the row of the call nor other rows, and have no customer event. */
const factsOfJournalOnly = [
  'call.taken_over',
  'call.held',
  'call.resumed',
  'agent.paused',
  'agent.resumed',
  'turn.digit',
  'keys.pressed',
  'keys.failed',
  'say.requested',
  'collect.requested',
  'language.changed',
  'recording.paused',
  'recording.resumed',
  'reply.failed',
] as const satisfies readonly RecordedFact['type'][];

type FactOfJournalOnly = Extract<RecordedFact, { type: (typeof factsOfJournalOnly)[number] }>;

const isOfJournalOnly = (fact: RecordedFact): fact is FactOfJournalOnly =>
  factsOfJournalOnly.some((type) => type === fact.type);

type Position = Pick<NewFact, 'callId' | 'sequence' | 'epoch'>;

const rowOf = (fact: RecordedFact, position: Position): NewFact => ({
  ...position,
  type: fact.type,
  at: new Date(fact.at),
  data: dataOf(fact),
});

const turnOf = (
  fact: Extract<RecordedFact, { type: 'turn.spoken' }>,
  position: Position,
  { progress: stored = null }: Pick<KeptBeside, 'progress'>,
): Turn => {
  const { role, text, whole, endedAt, latency } = fact;
  const { progress = null, aheadMs = null } = stored ?? {};
  return { ...rowOf(fact, position), data: { endedAt, latency }, role, text, whole, progress, aheadMs };
};

/** Resolves to the call if the fact changed the database. */
const write = (
  db: Statements,
  fact: RecordedFact,
  position: Position,
  beside: KeptBeside,
): Promise<readonly ({ id: string } | ({ id: string } & EndedCall))[]> => {
  const row = rowOf(fact, position);
  if (isOfJournalOnly(fact)) return writeFact(db, row);
  const eventFact = { ...row, eventId: newEventId() };
  switch (fact.type) {
    case 'call.answered':
      return answerCall(db, {
        ...eventFact,
        ...lineOf(fact),
        checkpoints: db.asJson(
          beside.checkpoint === null ? [] : [checkpointRow(position.callId, beside.checkpoint)],
        ),
      });
    case 'call.answered_by':
      return setAnsweredBy(db, { ...eventFact, answeredBy: fact.by });
    case 'call.ended': {
      const { status, reason, sound = null } = fact;
      const durationIsKnown = !('durationIsKnown' in fact);
      const transitions = db.asJson(beside.transitions);
      return endCall(db, {
        ...eventFact,
        ...lineOf(fact),
        status,
        reason,
        sound,
        durationIsKnown,
        transitions,
        legsAreGone: beside.legsAreGone,
        summary: 'summary' in fact ? fact.summary : null,
        summaryEventId: newEventId(),
      });
    }
    case 'call.hangup_requested':
    case 'call.hangup_cancelled':
      return reportCall(db, eventFact);
    case 'call.consent': {
      const { given, how } = fact;
      return setConsent(db, { ...eventFact, consent: { given, how, at: row.at.toISOString() } });
    }
    case 'call.transfer_requested':
    case 'call.transfer_connected':
    case 'call.transfer_failed':
    case 'call.transfer_returned':
      return changeTransfer(db, { ...eventFact, transfer: transferChange(fact) });
    case 'call.transfer_ringing':
    case 'call.transfer_answered':
      return changeTransferSilently(db, { ...row, transfer: transferChange(fact) });
    case 'turn.spoken':
      return addTurn(db, turnOf(fact, position, beside));
    case 'sound.one_way':
      return setOneWay(db, { ...row, missing: fact.missing });
    case 'recording.completed':
      return completeRecording(db, {
        ...eventFact,
        ...fact,
        replaces: fact.replaces ?? false,
        at: row.at,
      });
    case 'recording.failed':
      return failRecording(db, eventFact);
    // The only remaining case is `call.summarized`.
    default:
      return setSummary(db, { ...eventFact, data: {}, summary: fact.summary });
  }
};

/** Facts of nearly every call. */
const usualFacts = [
  { type: 'call.answered', at: 0 },
  { type: 'turn.spoken', at: 0, endedAt: 0, role: 'assistant', text: '', whole: true },
  { type: 'call.ended', at: 0, reason: 'system_error', status: 'failed', summary: '' },
] as const satisfies readonly RecordedFact[];

/** Runs the statements of the usual facts for a call that does not exist, so that the server prepares them. */
export const prepareFacts = async (db: Statements): Promise<void> => {
  const position = { callId: randomUUID(), sequence: 1, epoch: firstEpoch };
  for (const fact of usualFacts) await write(db, fact, position, nothingBeside);
};

/** Thrown when another gateway holds the call or has ended it. This gateway must then not write facts of the call. */
export class CallTaken extends Error {
  override readonly name = 'CallTaken';
}

const epochOf = kyselyQuery((queries, { callId }: { callId: string }) =>
  queries.selectFrom('Call').select('epoch').where('id', '=', callId),
);

/**
 * Writes one fact to a call's journal. `sequence` counts the facts of the call from 1, an end with a summary twice;
 * `epoch` counts the gateways that have held the call. `beside` is written in the same statement. Resolves to null if
 * no row changed: the sequence was written before, the call was already ended (for `call.ended`), or the call was
 * already answered (for `call.answered`). Rejects with `CallTaken` if another gateway holds the call.
 */
export const recordFact = async (
  db: Statements,
  callId: string,
  sequence: number,
  fact: RecordedFact,
  epoch = firstEpoch,
  beside = nothingBeside,
): Promise<WrittenFact | null> => {
  const [changed] = await write(db, fact, { callId, sequence, epoch }, beside);
  if (changed !== undefined) return { ended: 'turns' in changed ? callToSummarize(changed) : null };
  const [call] = await epochOf(db, { callId });
  // The call may be missing when its end is written, because its insertion was not confirmed.
  if (call === undefined && fact.type !== 'call.ended') throw new Error('A fact belongs to no call');
  if (call !== undefined && call.epoch !== epoch) throw new CallTaken('Another gateway holds this call');
  return null;
};

/** Returns the type of the fact at this sequence of a stored call; null if there is none. */
const factAt = kyselyQuery((queries, { callId, sequence }: { callId: string; sequence: number }) =>
  queries
    .selectFrom('Call')
    .leftJoin('CallFactRow', (join) =>
      join.onRef('CallFactRow.callId', '=', 'Call.id').on('CallFactRow.sequence', '=', sequence),
    )
    .select('CallFactRow.type')
    .where('Call.id', '=', callId),
);

/**
 * Writes a fact like `recordFact`, for the gateway that holds the call. Also rejects with `CallTaken` if another
 * gateway ended the call, so that post-end work is not done twice.
 */
export const recordAsHolder = async (
  ...given: Parameters<typeof recordFact>
): Promise<WrittenFact | null> => {
  const [db, callId, sequence, fact] = given;
  const written = await recordFact(...given);
  if (written !== null || fact.type !== 'call.ended') return written;
  const [own] = await factAt(db, { callId, sequence });
  if (own !== undefined && own.type !== fact.type) throw new CallTaken('Another gateway has ended this call');
  return null;
};

export type RecordAsHolder = (
  callId: string,
  sequence: number,
  fact: RecordedFact,
  epoch: number,
  beside: KeptBeside,
) => Promise<WrittenFact | null>;

/**
 * Writes facts like `recordAsHolder`. Simultaneous facts of several calls share a statement and a commit if they change
 * only the journal, such as `call.taken_over` of all calls of a dead gateway, or are turns, answers or verdicts of
 * answering-machine detection.
 */
export const createFactRecorder = (db: Statements): RecordAsHolder => {
  const writeWithOthers = createSharedFactWriter(db);
  const addTurnWithOthers = createSharedTurnWriter(db);
  const answerWithOthers = createSharedAnswerWriter(db);
  const setAnswererWithOthers = createSharedAnswererWriter(db);
  const isWrittenWithOthers = (
    fact: RecordedFact,
    position: Position,
    beside: KeptBeside,
  ): Promise<boolean> | false => {
    if (isOfJournalOnly(fact)) return writeWithOthers(rowOf(fact, position));
    if (fact.type === 'turn.spoken') return addTurnWithOthers(turnOf(fact, position, beside));
    if (fact.type !== 'call.answered' && fact.type !== 'call.answered_by') return false;
    const { type: _type, ...row } = rowOf(fact, position);
    const eventFact = { ...row, eventId: newEventId() };
    return fact.type === 'call.answered'
      ? answerWithOthers({ ...eventFact, ...lineOf(fact), checkpoint: beside.checkpoint })
      : setAnswererWithOthers({ ...eventFact, answeredBy: fact.by });
  };
  return async (callId, sequence, fact, epoch, beside) => {
    const isWritten = await isWrittenWithOthers(fact, { callId, sequence, epoch }, beside);
    return isWritten ? { ended: null } : recordAsHolder(db, callId, sequence, fact, epoch, beside);
  };
};

const journalOf = kyselyQuery((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('CallFactRow')
    .select(['sequence', 'type', 'at', 'data'])
    .where('callId', '=', callId)
    .orderBy('sequence'),
);

/** Returns the journal of a call, in order. */
export const facts = (db: Statements, callId: string): Promise<StoredFact[]> => journalOf(db, { callId });

/** Position of a call's journal: the highest sequence written (0 for none), and the epoch. */
export type JournalPosition = { sequence: number; epoch: number };

const lastOf = kyselyQuery((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('Call')
    .select(({ selectFrom }) => [
      'epoch',
      selectFrom('CallFactRow')
        .select(({ fn }) => fn.max('CallFactRow.sequence').as('last'))
        .whereRef('CallFactRow.callId', '=', 'Call.id')
        .as('sequence'),
    ])
    .where('id', '=', callId),
);

export const journalPosition = async (db: Statements, callId: string): Promise<JournalPosition> => {
  const [position] = await lastOf(db, { callId });
  return { sequence: position?.sequence ?? 0, epoch: position?.epoch ?? firstEpoch };
};
