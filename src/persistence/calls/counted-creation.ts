/**
 * Inserts calls while several gateways count together (guides/design/limits.md, "Several gateways"). Insertions of a
 * workspace are serialized, and each insertion first reads the number of calls in progress from the database. While one
 * gateway counts in memory, the others insert no calls by these functions.
 */
import { insertCalls, type NewCallRow } from './calls.ts';
import type { Database } from '../database/database.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import { spentOn, type DayGrant } from './spent-minutes.ts';
import type { Statements } from '../database/statements.ts';
import { lockWorkspaces } from '../workspaces/workspaces.ts';

/** Numbers of calls in progress at all gateways. */
export type CallsInProgress = { ofNumber: number; ofWorkspace: number };

export type CountedCall = {
  newCall: NewCallRow;
  /** Checks the limits against these numbers. Throws if the call must be refused. */
  admit: (calls: CallsInProgress) => void;
  /** Daily minutes that are granted to the call; null without a limit. */
  within: DayGrant | null;
};

/**
 * Result for one call. Either the call was stored with a duration limit in seconds; or it was not stored, because the
 * request's key already placed another call, or because the call was refused.
 */
export type CountedOutcome =
  | { type: 'stored'; maxDurationSec: number }
  | { type: 'key taken' }
  | { type: 'refused'; by: unknown };

/** Reads whether this gateway is registered and not declared dead, and which other gateways count in memory. */
export type CountingNodes = { isPresent: boolean; alone: readonly string[] };

const nodes = kyselyQuery((queries, { node }: { node: string }) =>
  queries
    .selectFrom('Node')
    .select(['name', 'countsAlone', 'lostAt'])
    .where(({ eb, or }) => or([eb('name', '=', node), eb('countsAlone', '=', true)]))
    // The rows are locked until the transaction ends. As long as they exist, no other gateway can consider itself the
    // only one.
    .forKeyShare(),
);

const countingNodes = async (db: Statements, node: string): Promise<CountingNodes> => {
  const rows = await nodes(db, { node });
  return {
    isPresent: rows.some(({ name, lostAt }) => name === node && lostAt === null),
    alone: rows.filter(({ name }) => name !== node).map(({ name }) => name),
  };
};

const inProgress = kyselyQuery((queries, { workspaceIds }: { workspaceIds: readonly string[] }) =>
  queries
    .selectFrom('Call')
    .select(({ fn }) => ['workspaceId', 'numberId', fn.countAll<number>().as('calls')])
    .where('workspaceId', '=', ({ fn, val }) => fn.any(val(workspaceIds)))
    .where('endedAt', 'is', null)
    .groupBy(['workspaceId', 'numberId']),
);

/** Counts of calls by number and by workspace. */
const callsInProgress = async (db: Statements, workspaceIds: readonly string[]) => {
  const counts = new Map<string, number>();
  const add = (owner: string, calls: number): void =>
    void counts.set(owner, (counts.get(owner) ?? 0) + calls);
  for (const { workspaceId, numberId, calls } of await inProgress(db, { workspaceIds })) {
    add(workspaceId, calls);
    add(numberId, calls);
  }
  return {
    of: ({ workspaceId, numberId }: NewCallRow): CallsInProgress => ({
      ofNumber: counts.get(numberId) ?? 0,
      ofWorkspace: counts.get(workspaceId) ?? 0,
    }),
    addOne({ workspaceId, numberId }: NewCallRow): void {
      add(workspaceId, 1);
      add(numberId, 1);
    },
  };
};

type Judged = { newCall: NewCallRow } | { refusedBy: unknown };

/** Decides on each call in order. Admitted calls count for the calls after them. */
const judge = async (db: Statements, newCalls: readonly CountedCall[]): Promise<Map<CountedCall, Judged>> => {
  const calls = await callsInProgress(db, [...new Set(newCalls.map(({ newCall }) => newCall.workspaceId))]);
  const judged = new Map<CountedCall, Judged>();
  for (const counted of newCalls) {
    const { newCall, admit, within } = counted;
    const spent = within && (await spentOn(db, { ...within.day, workspaceId: newCall.workspaceId }));
    try {
      admit(calls.of(newCall));
      const maxDurationSec = within === null || spent === null ? newCall.maxDurationSec : within.grant(spent);
      calls.addOne(newCall);
      judged.set(counted, { newCall: { ...newCall, maxDurationSec } });
    } catch (refusedBy) {
      judged.set(counted, { refusedBy });
    }
  }
  return judged;
};

/**
 * Stores the admitted calls. Resolves to undefined and stores no call if `mayCount` reports that the nodes do not count
 * together yet. A call with daily minutes must be alone in its batch, because a later call would not see its grant.
 */
export const insertCountedCalls = (
  db: Database,
  {
    newCalls,
    node,
    mayCount,
  }: { newCalls: readonly CountedCall[]; node: string; mayCount: (nodes: CountingNodes) => boolean },
): Promise<((counted: CountedCall) => CountedOutcome) | undefined> =>
  db.transaction(async (statements) => {
    await lockWorkspaces(statements, [...new Set(newCalls.map(({ newCall }) => newCall.workspaceId))]);
    if (!mayCount(await countingNodes(statements, node))) return undefined;
    const judged = await judge(statements, newCalls);
    const admitted = [...judged.values()].flatMap((one) => ('newCall' in one ? [one.newCall] : []));
    const stored = admitted.length === 0 ? new Set<string>() : await insertCalls(statements, admitted);
    return (counted) => {
      const one = judged.get(counted);
      if (one === undefined) throw new Error('This call was not among those that were judged');
      if ('refusedBy' in one) return { type: 'refused', by: one.refusedBy };
      const { id, maxDurationSec } = one.newCall;
      return stored.has(id) ? { type: 'stored', maxDurationSec } : { type: 'key taken' };
    };
  });
