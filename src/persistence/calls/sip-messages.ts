/** SIP messages of calls (see `SipMessageRow`). */
import type { ExpressionBuilder } from 'kysely';
import { withoutWaitingForDisk } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import { columnsOf, rowsOf, type Row, type Tables } from '../database/tables.ts';

export type StoredSipMessage = Row<'SipMessageRow'>;

/**
 * Whether a call was erased; messages of such calls are not stored. A call may be erased immediately after its end,
 * while its last messages still wait to be written.
 */
const wasErased = ({
  and,
  eb,
  ref,
}: ExpressionBuilder<Tables & { given: StoredSipMessage }, 'Call' | 'given'>) =>
  and([eb('Call.id', '=', ref('given.callId')), eb('Call.erasedAt', 'is not', null)]);

const keeping = kyselyQuery((queries, { messages }: { messages: string }) =>
  queries
    .with('hurried', (read) => read.selectNoFrom(withoutWaitingForDisk.as('commit')))
    .insertInto('SipMessageRow')
    .expression((query) =>
      query
        .selectFrom(['hurried', rowsOf('SipMessageRow', messages)])
        .selectAll('given')
        .where(({ not, exists, selectFrom }) => not(exists(selectFrom('Call').where(wasErased)))),
    )
    .onConflict((conflict) => conflict.doNothing()),
);

/** Stores messages of several calls in one statement, without waiting for the disk. */
export const keepSipMessages = async (
  db: Statements,
  messages: readonly StoredSipMessage[],
): Promise<void> => {
  await keeping(db, { messages: db.asJson(messages) });
};

const ofCall = kyselyQuery((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('SipMessageRow')
    .select(columnsOf('SipMessageRow'))
    .where('callId', '=', callId)
    .orderBy('atMicros'),
);

/** Returns the messages in order. */
export const sipMessagesOf = (db: Statements, callId: string): Promise<StoredSipMessage[]> =>
  ofCall(db, { callId });

const deleting = kyselyQuery((queries, { before, most }: { before: number; most: number }) =>
  queries
    .deleteFrom('SipMessageRow')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('callId', 'atMicros'),
        'in',
        selectFrom('SipMessageRow as old')
          .select(['old.callId', 'old.atMicros'])
          .where('old.atMicros', '<', before)
          .orderBy('old.atMicros')
          .limit(most)
          .$asTuple('callId', 'atMicros'),
      ),
    )
    .returning('callId'),
);

/**
 * Deletes messages older than this time, in microseconds since the epoch. Resolves to the number of deleted messages,
 * at most `most`.
 */
export const deleteSipMessages = async (
  db: Statements,
  range: { before: number; most: number },
): Promise<number> => (await deleting(db, range)).length;
