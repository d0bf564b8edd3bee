/** The stored calls, in progress and over, for whoever may read them: one call, pages, transcript and journal. */
import { Refusal } from '#src/domain/refusal.ts';
import type { RecordedFact } from '#src/persistence/call-facts.ts';
import { journalOf, type JournalEntry } from '#src/persistence/call-journal.ts';
import { listCalls, SearchTooBroad, type CallListQuery } from '#src/persistence/call-list.ts';
import { callRecords } from '#src/persistence/call-records.ts';
import { callTransitions } from '#src/persistence/call-transitions.ts';
import { findCall, type CallRecord, type CallRow } from '#src/persistence/calls.ts';
import { sipMessagesOf, type StoredSipMessage } from '#src/persistence/sip-messages.ts';
import type { Statements } from '#src/persistence/statements.ts';
import { transcriptOf, type TurnRecord } from '#src/persistence/transcripts.ts';
import { turnLatencies } from '#src/persistence/turn-latencies.ts';
import { replayCall, type ReplayStep } from './replay/replay-call.ts';

export type { JournalEntry } from '#src/persistence/call-journal.ts';
export type { CallRecord, CallRow } from '#src/persistence/calls.ts';
export type { RecordingRecord } from '#src/persistence/recordings.ts';

/** Of an entry of a journal. */
export type FactType = RecordedFact['type'];

/** The number or the workspace that asks. */
export type CallOwner = { numberId: string } | { workspaceId: string };

/** A call with the delay in milliseconds that 95 % of its turns kept; null where none was measured. */
export type ListedCall = CallRow & { turnLatencyP95Ms: number | null };

export type StoredCalls = {
  /**
   * A foreign call, an unknown one and one whose id cannot be one take the same way and get the same answer
   * (guides/design/wire.md, "Errors"): a Refusal, `call_not_found`.
   */
  find(wanted: { callId: string } & CallOwner): Promise<CallRecord>;
  /**
   * `next` is the last call of the page where more follow, else null. A search that takes too long is refused,
   * `search_too_broad`.
   */
  page(query: CallListQuery): Promise<{ calls: CallRow[]; next: CallRow | null }>;
  /** The same with what a list shows beside a call. */
  workspacePage(query: CallListQuery): Promise<{ calls: ListedCall[]; next: CallRow | null }>;
  /** All within a time, in the order in which they started, some at a time. */
  records(wanted: Parameters<typeof callRecords>[1]): AsyncIterable<CallRecord[]>;
  /** What was really heard until now, in order. */
  transcript(callId: string): Promise<TurnRecord[]>;
  /** What has happened until now, in order, after the fact with this sequence. */
  journal(callId: string, after?: number): Promise<JournalEntry[]>;
  /** Its SIP messages, in order, as far as they are still kept. */
  sipMessages(callId: string): Promise<StoredSipMessage[]>;
  /** The call once more, through its charts. */
  replay(call: Pick<CallRecord, 'id' | 'startedAt'>): Promise<ReplayStep[]>;
};

const tooBroad = (error: unknown): never => {
  if (!(error instanceof SearchTooBroad)) throw error;
  throw new Refusal(
    'search_too_broad',
    'Too many calls fit this search to find them in time. Add a word, more digits, or days.',
    { cause: error },
  );
};

const pageOf = async (db: Statements, { limit, ...query }: CallListQuery) => {
  // One more than the page tells whether there is a next.
  const found = await listCalls(db, { ...query, limit: limit + 1 }).catch(tooBroad);
  const calls = found.slice(0, limit);
  return { calls, next: found.length > limit ? (calls.at(-1) ?? null) : null };
};

export const createStoredCalls = (db: Statements): StoredCalls => ({
  async find(wanted) {
    const call = await findCall(db, wanted);
    if (call === undefined) throw new Refusal('call_not_found', 'There is no call with this id here.');
    return call;
  },
  page: (query) => pageOf(db, query),
  async workspacePage(query) {
    const { calls, next } = await pageOf(db, query);
    const latencies = await turnLatencies(
      db,
      calls.map(({ id }) => id),
    );
    const listed = calls.map((call) => ({ ...call, turnLatencyP95Ms: latencies.get(call.id) ?? null }));
    return { calls: listed, next };
  },
  records: (wanted) => callRecords(db, wanted),
  transcript: (callId) => transcriptOf(db, callId),
  journal: (callId, after) => journalOf(db, callId, after),
  sipMessages: (callId) => sipMessagesOf(db, callId),
  async replay({ id, startedAt }) {
    const facts = await journalOf(db, id);
    return replayCall({ startedAt, facts, transitions: await callTransitions(db, id) });
  },
});
