/**
 * Total duration of a day's outbound calls (guides/design/limits.md, "Minutes a day"). The sum is computed from the
 * calls each time, by the index of the workspace's call list, because a separate counter could diverge.
 */
import type { Expression } from 'kysely';
import { insertCall, type NewCallRow } from './calls.ts';
import type { Database } from '../database/database.ts';
import { now, secondsBetween } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Day } from '#src/domain/day.ts';
import { lockWorkspaces } from '../workspaces/workspaces.ts';

/** Durations of the calls of one number that began on that day. */
export type SpentOfNumber = {
  numberId: string;
  /** Seconds of conversation until now. */
  talkedSec: number;
  /**
   * Seconds like `talkedSec`, except that calls in progress count with their maximum duration, because these seconds
   * must not be granted again.
   */
  heldSec: number;
};

type DayOf = Day & { workspaceId: string };

/**
 * The day and the rule of a limit. `grant` returns the seconds for a call from the rest of the day, and throws if too
 * few are left.
 */
export type DayGrant = { day: Day; grant: (spent: readonly SpentOfNumber[]) => number };

const ofNumbers = kyselyQuery((queries, { workspaceId, from, until }: DayOf) =>
  queries
    .selectFrom('Call')
    .select('numberId')
    .select(({ eb, fn, lit, ref }) => {
      /** `least` ignores nulls, so an unanswered call has no seconds. */
      const upTo = (end: Expression<Date | null>) =>
        eb
          .case()
          .when('Call.answeredAt', 'is', null)
          .then(lit(0))
          .else(
            fn<number>('least', [ref('Call.maxDurationSec'), secondsBetween(ref('Call.answeredAt'), end)]),
          )
          .end();
      const ended = fn.coalesce('Call.durationSec', upTo(ref('Call.endedAt')));
      const inProgress = eb('Call.endedAt', 'is', null);
      return [
        fn.sum<number>(eb.case().when(inProgress).then(upTo(now)).else(ended).end()).as('talkedSec'),
        fn
          .sum<number>(eb.case().when(inProgress).then(ref('Call.maxDurationSec')).else(ended).end())
          .as('heldSec'),
      ];
    })
    .where('workspaceId', '=', workspaceId)
    .where('direction', '=', 'outbound')
    .where('startedAt', '>=', from)
    .where('startedAt', '<', until)
    .groupBy('numberId'),
);

/** Returns the durations by number. Numbers without a call on that day are omitted. */
export const spentOn = (db: Statements, day: DayOf): Promise<SpentOfNumber[]> => ofNumbers(db, day);

/**
 * Stores a call that begins on this day with the seconds that `grant` returns; `grant` throws to refuse the call. The
 * function is serialized for a workspace over all gateways, so that no second is granted twice. Resolves to the
 * seconds, or to undefined if no call was stored because the request's key already placed another call.
 */
export const insertCallWithin = (
  db: Database,
  newCall: NewCallRow,
  day: Day,
  grant: (spent: readonly SpentOfNumber[]) => number,
): Promise<number | undefined> =>
  db.transaction(async (statements) => {
    const { workspaceId } = newCall;
    await lockWorkspaces(statements, [workspaceId]);
    const maxDurationSec = grant(await spentOn(statements, { ...day, workspaceId }));
    return (await insertCall(statements, { ...newCall, maxDurationSec })) ? maxDurationSec : undefined;
  });
