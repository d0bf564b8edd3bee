/**
 * The minutes of a day's outbound calls together (guides/design/limits.md, "Minutes a day"). It is counted anew from
 * the calls themselves each time, by the index of a workspace's list: nothing beside them can go wrong.
 */
import type { Expression } from 'kysely';
import { insertCall, type CallBirth } from './calls.ts';
import type { Database } from './database.ts';
import { now, secondsBetween } from './expressions.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Day } from '#src/domain/day.ts';
import { lockWorkspaces } from './workspaces.ts';

/** Of the calls that began on that day, by number. */
export type SpentOfNumber = {
  numberId: string;
  /** Seconds of conversation by now. */
  talkedSec: number;
  /** The same, with those in progress as long as they may last: what is not to be given away again. */
  heldSec: number;
};

type DayOf = Day & { workspaceId: string };

/** A day, and the seconds that `grant` gives a call of what is left of it; it throws where too little is. */
export type DayGrant = { day: Day; grant: (spent: readonly SpentOfNumber[]) => number };

const ofNumbers = prepared((queries, { workspaceId, from, until }: DayOf) =>
  queries
    .selectFrom('Call')
    .select('numberId')
    .select(({ eb, fn, lit, ref }) => {
      /** `least` passes over what is null: a call that was never answered has no seconds. */
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

/** Numbers that placed no call that day are left out. */
export const spentOn = (db: Statements, day: DayOf): Promise<SpentOfNumber[]> => ofNumbers(db, day);

/**
 * Stores a call that begins on this day, with what `grant` gives it of the day: seconds, or a refusal that it throws.
 * One after the other for a workspace, on whichever gateway, so that nothing is given twice. Resolves to the seconds;
 * to undefined where the request's key has placed another call, and none is stored.
 */
export const insertCallWithin = (
  db: Database,
  birth: CallBirth,
  day: Day,
  grant: (spent: readonly SpentOfNumber[]) => number,
): Promise<number | undefined> =>
  db.transaction(async (statements) => {
    const { workspaceId } = birth;
    await lockWorkspaces(statements, [workspaceId]);
    const maxDurationSec = grant(await spentOn(statements, { ...day, workspaceId }));
    return (await insertCall(statements, { ...birth, maxDurationSec })) ? maxDurationSec : undefined;
  });
