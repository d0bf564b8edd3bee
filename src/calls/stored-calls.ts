/** Reads stored calls, in progress and ended, for authorized readers: one call, pages, transcript and journal. */
import { excerptAround, type CallSearch } from '#src/domain/call-search.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { RecordedFact } from '#src/persistence/calls/call-facts.ts';
import { journalOf, type JournalEntry } from '#src/persistence/calls/call-journal.ts';
import {
  countCalls,
  listCalls,
  SearchTooBroad,
  type CallListQuery,
} from '#src/persistence/calls/call-list.ts';
import { callRecords } from '#src/persistence/calls/call-records.ts';
import { callTransitions, type StoredTransition } from '#src/persistence/calls/call-transitions.ts';
import { createCallReading, type CallRecord, type CallRow } from '#src/persistence/calls/calls.ts';
import { turnsWithWords } from '#src/persistence/calls/search-excerpts.ts';
import { sipMessagesOf, type StoredSipMessage } from '#src/persistence/calls/sip-messages.ts';
import type { LatencySummary } from '#src/domain/latency-summary.ts';
import { createLatencyReading } from '#src/persistence/calls/latency-statistics.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { transcriptOf, type TurnRecord } from '#src/persistence/calls/transcripts.ts';
import { turnLatencies } from '#src/persistence/calls/turn-latencies.ts';
import { replayCall, type ReplayStep } from './replay/replay-call.ts';

export type { JournalEntry } from '#src/persistence/calls/call-journal.ts';
export type { CallRecord, CallRow } from '#src/persistence/calls/calls.ts';
export type { RecordingRecord } from '#src/persistence/calls/recordings.ts';

/** Type of a journal entry. */
export type FactType = RecordedFact['type'];

/** Scope of the reader: a number or a workspace. */
export type CallOwner = { numberId: string } | { workspaceId: string };

type WantedCall = { callId: string } & CallOwner;

/** A call with the 95th percentile of its response delay in milliseconds; null if none was measured. */
export type ListedCall = CallRow & { turnLatencyP95Ms: number | null };

/** Words of a transcript around a match of a search. */
export type Excerpt = Pick<TurnRecord, 'role' | 'text'>;

export type StoredCalls = {
  /**
   * Resolves to the call. A call outside of the scope, an unknown call and a malformed id take the same path and get
   * the same response (guides/design/wire.md, "Errors"): a Refusal, `call_not_found`.
   */
  find(wanted: WantedCall): Promise<CallRecord>;
  /** Resolves to a call like `find`, with the latency of its replies; null without a measured turn. */
  findWithLatency(wanted: WantedCall): Promise<{ call: CallRecord; latency: LatencySummary | null }>;
  /**
   * Resolves to a page of calls. `next` is the last call of the page if more calls follow, else null. A search that
   * takes too long is refused with `search_too_broad`.
   */
  page(query: CallListQuery): Promise<{ calls: CallRow[]; next: CallRow | null }>;
  /** Returns a page of calls with the additional fields of a list. */
  workspacePage(query: CallListQuery): Promise<{ calls: ListedCall[]; next: CallRow | null }>;
  /**
   * Returns the turn of each call in which a search by words matched, cut around the first match. Other searches have
   * none.
   */
  excerpts(callIds: readonly string[], search: CallSearch | undefined): Promise<ReadonlyMap<string, Excerpt>>;
  /** Returns the number of calls that match, counted up to `limit`. Refuses like a page. */
  count(query: CallListQuery): Promise<number>;
  /** Streams all calls of a period in the order of their start, in batches. */
  records(wanted: Parameters<typeof callRecords>[1]): AsyncIterable<CallRecord[]>;
  /** Resolves to the words that were heard so far, in order. */
  transcript(callId: string): Promise<TurnRecord[]>;
  /** Resolves to the facts so far after this sequence number, in order. */
  journal(callId: string, after?: number): Promise<JournalEntry[]>;
  /** Returns the stored SIP messages of the call, in order. */
  sipMessages(callId: string): Promise<StoredSipMessage[]>;
  /** Returns the stored transitions of the call's charts, in order. */
  transitions(callId: string): Promise<StoredTransition[]>;
  /** Returns the replay of the call through its charts. */
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

const pageOf = async (db: Database, { limit, ...query }: CallListQuery) => {
  // One call more than the page size is requested, which shows whether another page exists.
  const found = await listCalls(db, { ...query, limit: limit + 1 }).catch(tooBroad);
  const calls = found.slice(0, limit);
  return { calls, next: found.length > limit ? (calls.at(-1) ?? null) : null };
};

export const createStoredCalls = (db: Database): StoredCalls => {
  const findCall = createCallReading(db);
  const latencyOf = createLatencyReading(db);
  const find = async (wanted: WantedCall): Promise<CallRecord> => {
    const call = await findCall(wanted);
    if (call === undefined) throw new Refusal('call_not_found', 'There is no call with this id here.');
    return call;
  };
  return {
    find,
    async findWithLatency(wanted) {
      // At once, because each statement waits for a pass of the event loop, which is long on a busy gateway.
      const [call, latency] = await Promise.all([find(wanted), latencyOf(wanted.callId)]);
      return { call, latency };
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
    async excerpts(callIds, search) {
      if (search?.kind !== 'words') return new Map();
      const { words } = search;
      const turns = await turnsWithWords(db, callIds, words);
      return new Map(
        turns.map(({ callId, role, text }) => [callId, { role, text: excerptAround(text, words) }]),
      );
    },
    count: (query) => countCalls(db, query).catch(tooBroad),
    records: (wanted) => callRecords(db, wanted),
    transcript: (callId) => transcriptOf(db, callId),
    journal: (callId, after) => journalOf(db, callId, after),
    sipMessages: (callId) => sipMessagesOf(db, callId),
    transitions: (callId) => callTransitions(db, callId),
    async replay({ id, startedAt }) {
      const facts = await journalOf(db, id);
      return replayCall({ startedAt, facts, transitions: await callTransitions(db, id) });
    },
  };
};
