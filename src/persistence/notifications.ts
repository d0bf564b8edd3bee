/** Notifications say that there is something to read, and carry nothing: whoever listens asks the database. */
import { sql } from 'kysely';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';

/** As part of a query: every gateway that listens on the channel is told when its transaction is committed. */
export const notified = (channel: string) => sql`pg_notify(${channel}, '')`;

const notifying = prepared((queries, { channel }: { channel: string }) =>
  queries.selectNoFrom(notified(channel).as('notified')),
);

/** Tells every gateway that listens on the channel. */
export const notify = async (db: Statements, channel: string): Promise<void> => {
  await notifying(db, { channel });
};
