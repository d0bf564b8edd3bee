/** Reads ended calls of all workspaces for the gateway's post-end work. One query reads a call with its transcript. */
import { expressionBuilder, sql, type Expression } from 'kysely';
import type { CallToSummarize } from '#src/domain/call-summary.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Row, Tables } from '../database/tables.ts';

/** Transcript of a call, in order. */
export const turnsOf = (callId: Expression<string>) =>
  expressionBuilder<Tables>()
    .selectFrom('CallTurn')
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
    .where('CallTurn.callId', '=', callId);

const endedCall = kyselyQuery((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('Call')
    .select(({ ref }) => ['language', 'durationSec', 'endReason', turnsOf(ref('Call.id')).as('turns')])
    .where('id', '=', callId)
    .where('endedAt', 'is not', null),
);

/** Columns of the call as read from the database. */
export type EndedCall = Pick<Row<'Call'>, 'language' | 'durationSec' | 'endReason'> & {
  turns: CallToSummarize['turns'] | null;
};

/** Returns the input of a call's summary; null for a call in progress. */
export const callToSummarize = ({
  language,
  durationSec,
  endReason,
  turns,
}: EndedCall): CallToSummarize | null =>
  endReason === null ? null : { language, durationSec, endReason, turns: turns ?? [] };

/**
 * Resolves to the input of a call's summary; null for a call in progress and for a call whose summary is not stored.
 */
export const findEndedCall = async (db: Statements, callId: string): Promise<CallToSummarize | null> => {
  const [call] = await endedCall(db, { callId });
  return call === undefined ? null : callToSummarize(call);
};
