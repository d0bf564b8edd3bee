/** Calls that have ended, whoever owns them, for the gateway's own work after the end: with all that was said, in one look. */
import { sql } from 'kysely';
import type { CallToSummarize } from '#src/domain/call-summary.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';

const endedCall = prepared((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('Call')
    .select(({ selectFrom }) => [
      'language',
      'durationSec',
      'endReason',
      selectFrom('CallTurn')
        .select(({ fn, ref }) =>
          fn
            .coalesce(
              sql<
                CallToSummarize['turns']
              >`json_agg(json_build_object('role', ${ref('role')}, 'text', ${ref('text')}) order by ${ref('sequence')})`,
              sql<CallToSummarize['turns']>`'[]'`,
            )
            .as('turns'),
        )
        .whereRef('CallTurn.callId', '=', 'Call.id')
        .as('turns'),
    ])
    .where('id', '=', callId)
    .where('endedAt', 'is not', null),
);

/** Undefined for a call that goes on, and for none. */
export const findEndedCall = async (db: Statements, callId: string): Promise<CallToSummarize | undefined> => {
  const [call] = await endedCall(db, { callId });
  if (call === undefined || call.endReason === null) return undefined;
  const { endReason, turns, ...known } = call;
  return { ...known, endReason, turns: turns ?? [] };
};
