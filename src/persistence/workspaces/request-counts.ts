/**
 * Shared request counts of all gateways, by the database clock. Requests that reach a gateway at the same time share
 * one statement, which counts them in order.
 */
import type { CountedRequests } from '#src/domain/counted-requests.ts';
import type { Database } from '../database/database.ts';
import { now, secondsAgo, secondsAhead, secondsBetween } from '../database/expressions.ts';
import { inBatches } from '../database/in-batches.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import { rowsOf } from '../database/tables.ts';

const counting = kyselyQuery((queries, { given, perSeconds }: { given: string; perSeconds: number }) =>
  queries
    .insertInto('RequestCount')
    .columns(['key', 'requests', 'endsAt'])
    .expression((read) =>
      read
        .selectFrom(rowsOf('RequestCount', given))
        .select(['key', 'requests', secondsAhead(perSeconds).as('endsAt')])
        // Keys are counted in a fixed order, which prevents deadlocks between gateways.
        .orderBy('key'),
    )
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet(({ eb, ref }) => {
        const isOver = eb('RequestCount.endsAt', '<=', now);
        return {
          requests: eb
            .case()
            .when(isOver)
            .then(ref('excluded.requests'))
            .else(eb('RequestCount.requests', '+', ref('excluded.requests')))
            .end(),
          endsAt: eb.case().when(isOver).then(ref('excluded.endsAt')).else(ref('RequestCount.endsAt')).end(),
        };
      }),
    )
    .returning(({ ref }) => [
      'key',
      'requests',
      secondsBetween(now, ref('RequestCount.endsAt')).as('seconds'),
    ]),
);

type KeyedRequest = { key: string };

const countAll = async (db: Statements, asked: readonly KeyedRequest[], perSeconds: number) => {
  const byKey = Map.groupBy(asked, ({ key }) => key);
  const given = db.asJson([...byKey].map(([key, { length: requests }]) => ({ key, requests })));
  const rows = await counting(db, { given, perSeconds });
  // The seconds are limited to the period, because a statement that waited for another one has an earlier `now`, by
  // which more time remains.
  const inAll = new Map(
    rows.map(({ key, requests, seconds }) => [key, { requests, seconds: Math.min(seconds, perSeconds) }]),
  );
  return (one: KeyedRequest): CountedRequests => {
    const of = inAll.get(one.key);
    const together = byKey.get(one.key);
    if (of === undefined || together === undefined) throw new Error('This request was not counted');
    return { ...of, requests: of.requests - together.length + together.indexOf(one) + 1 };
  };
};

/**
 * Counts one request. `key` identifies the limit and its owner; the count expires at a fixed time after the first
 * request.
 */
export const createRequestCounting = (
  db: Database,
  perSeconds: number,
): ((key: string) => Promise<CountedRequests>) => {
  const count = inBatches((asked: readonly KeyedRequest[]) => countAll(db, asked, perSeconds));
  return (key) => count({ key });
};

const forgetting = kyselyQuery((queries) =>
  queries.deleteFrom('RequestCount').where(({ eb, lit }) => eb('endsAt', '<', secondsAgo(lit(60)))),
);

/** Deletes expired counts. */
export const deleteOldCounts = async (db: Statements): Promise<void> => {
  await forgetting(db, {});
};
