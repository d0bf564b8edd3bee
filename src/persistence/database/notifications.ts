/** Notifications about new rows. A notification carries no data: listeners query the database. */
import { sql } from 'kysely';
import { kyselyQuery } from './kysely-query.ts';
import type { Statements } from './statements.ts';

/** Part of a query: notifies all gateways that listen on the channel when its transaction commits. */
export const notified = (channel: string) => sql`pg_notify(${channel}, '')`;

const notifying = kyselyQuery((queries, { channel }: { channel: string }) =>
  queries.selectNoFrom(notified(channel).as('notified')),
);

/** Notifies every gateway that listens on the channel. */
export const notify = async (db: Statements, channel: string): Promise<void> => {
  await notifying(db, { channel });
};
