/**
 * Load of all gateways on a trunk with limits. Taking a channel locks the trunk's row until the transaction ends, which
 * serializes the count. A channel counts until it is released, at most until its call ends. Channels of a dead gateway
 * are freed when its calls end, and move with a call that another gateway takes over.
 *
 * Each leg of a call has a channel. The legs of one call share a row, and not a key of their own, because gateways of
 * older versions write beside this one during an update: they count rows, and name the key (trunk, call) to resolve
 * conflicts.
 */
import { sql } from 'kysely';
import type { TrunkChannel, TrunkLeg } from '#src/domain/trunk.ts';
import type { Database } from '../database/database.ts';
import {
  clockNow,
  later,
  laterOf,
  millisecondsUntil,
  now,
  secondsAgo,
  withoutWaitingForDisk,
} from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';

/** Time within which an inbound call is stored or rejected. During this time its channel counts without a call. */
const arrivingSec = 30;

const lockingTrunk = kyselyQuery((queries, { trunkId }: { trunkId: string }) =>
  queries
    .with('hurried', (read) => read.selectNoFrom(withoutWaitingForDisk.as('commit')))
    .insertInto('TrunkLoad')
    .columns(['trunkId', 'nextCallAt'])
    .expression((read) =>
      read.selectFrom('hurried').select(({ val }) => [val(trunkId).as('trunkId'), now.as('at')]),
    )
    .onConflict((conflict) =>
      conflict.column('trunkId').doUpdateSet(({ ref }) => ({ nextCallAt: ref('TrunkLoad.nextCallAt') })),
    ),
);

/** Deletes channels whose calls ended or were never stored. */
const clearing = kyselyQuery((queries, { trunkId }: { trunkId: string }) =>
  queries
    .deleteFrom('TrunkChannel')
    .where('trunkId', '=', trunkId)
    .where(({ and, eb, exists, lit, not, or, selectFrom }) => {
      const itsCall = selectFrom('Call').select('Call.id').whereRef('Call.id', '=', 'TrunkChannel.callId');
      return or([
        exists(itsCall.where('Call.endedAt', 'is not', null)),
        and([eb('takenAt', '<', secondsAgo(lit(arrivingSec))), not(exists(itsCall))]),
      ]);
    }),
);

const counting = kyselyQuery((queries, { trunkId }: { trunkId: string }) =>
  queries
    .selectFrom('TrunkChannel')
    // A row of an older gateway has no legs and counts as one channel.
    .select(({ ref }) =>
      sql<number>`coalesce(sum(coalesce(cardinality(${ref('legs')}), 1)), 0)::int`.as('channels'),
    )
    .where('trunkId', '=', trunkId),
);

const taking = kyselyQuery((queries, { trunkId, callId, leg, node }: TrunkChannel & { node: string }) =>
  queries
    .insertInto('TrunkChannel')
    .values({ trunkId, callId, legs: sql<TrunkLeg[]>`array[${leg}]::text[]`, node, takenAt: now })
    .onConflict((conflict) =>
      conflict.columns(['trunkId', 'callId']).doUpdateSet(({ ref }) => {
        const legs = ref('TrunkChannel.legs');
        const taken = ref('excluded.legs');
        return {
          node: ref('excluded.node'),
          legs: sql<
            TrunkLeg[]
          >`case when ${legs} @> ${taken} then ${legs} else array_cat(${legs}, ${taken}) end`,
        };
      }),
    ),
);

const givingBack = kyselyQuery((queries, { trunkId, callId, leg, node }: TrunkChannel & { node: string }) =>
  queries
    .updateTable('TrunkChannel')
    .set(({ ref }) => ({ legs: sql<TrunkLeg[]>`array_remove(${ref('legs')}, ${leg})` }))
    .where('trunkId', '=', trunkId)
    .where('callId', '=', callId)
    .where('node', '=', node),
);

/** Deletes the row of a call whose last leg was released. */
const removingUnused = kyselyQuery(
  (queries, { trunkId, callId, node }: Omit<TrunkChannel, 'leg'> & { node: string }) =>
    queries
      .deleteFrom('TrunkChannel')
      .where('trunkId', '=', trunkId)
      .where('callId', '=', callId)
      .where('node', '=', node)
      .where(({ ref }) => sql<boolean>`${ref('legs')} = '{}'`),
);

const waitingTurn = kyselyQuery(
  (queries, { trunkId, gapMs, patienceMs }: { trunkId: string; gapMs: number; patienceMs: number }) =>
    queries
      .insertInto('TrunkLoad')
      .values({ trunkId, nextCallAt: later(clockNow, gapMs) })
      .onConflict((conflict) =>
        conflict
          .column('trunkId')
          .doUpdateSet(({ ref }) => ({
            nextCallAt: later(laterOf(ref('TrunkLoad.nextCallAt'), clockNow), gapMs),
          }))
          .where(({ eb, ref }) => eb(millisecondsUntil(ref('TrunkLoad.nextCallAt')), '<=', patienceMs)),
      )
      .returning(({ ref }) => millisecondsUntil(ref('TrunkLoad.nextCallAt')).as('untilNext')),
);

const removingChannels = kyselyQuery((queries, { trunkId }: { trunkId: string }) =>
  queries.deleteFrom('TrunkChannel').where('trunkId', '=', trunkId),
);

const removingTurns = kyselyQuery((queries, { trunkId }: { trunkId: string }) =>
  queries.deleteFrom('TrunkLoad').where('trunkId', '=', trunkId),
);

/**
 * Deletes the load of a deleted trunk. Channels of dead gateways are otherwise deleted when a channel is taken, which
 * no longer happens for this trunk.
 */
export const forgetTrunkLoad = async (db: Statements, trunkId: string): Promise<void> => {
  await removingChannels(db, { trunkId });
  await removingTurns(db, { trunkId });
};

const take = async (
  db: Statements,
  { maxChannels, ...channel }: TrunkChannel & { node: string; maxChannels: number },
): Promise<boolean> => {
  await lockingTrunk(db, channel);
  await clearing(db, channel);
  const [counted] = await counting(db, channel);
  if ((counted?.channels ?? 0) >= maxChannels) return false;
  await taking(db, channel);
  return true;
};

export const createTrunkLoad = (database: Database, node: string) => ({
  /** Takes a channel. Resolves to whether one was free. */
  take: (channel: TrunkChannel & { maxChannels: number }): Promise<boolean> =>
    database.transaction((db) => take(db, { ...channel, node })),

  /**
   * Makes this gateway the owner of the channels of a call that it took over, and counts this leg; this gateway then
   * releases the channels.
   */
  async keep(channel: TrunkChannel): Promise<void> {
    await taking(database, { ...channel, node });
  },

  /** Releases a channel. If another gateway took over the call meanwhile, the channel is not released. */
  async giveBack(channel: TrunkChannel): Promise<void> {
    const owned = { ...channel, node };
    await givingBack(database, owned);
    // A statement of its own, because two legs that end at the same time see each other's release only afterwards.
    await removingUnused(database, owned);
  },

  /**
   * Reserves the start of a call. Resolves to the milliseconds until then, or to null if the wait exceeds its limit.
   */
  async turn(call: { trunkId: string; callsPerSecond: number; patienceMs: number }): Promise<number | null> {
    const { trunkId, callsPerSecond, patienceMs } = call;
    const gapMs = 1_000 / callsPerSecond;
    const [turn] = await waitingTurn(database, { trunkId, gapMs, patienceMs });
    return turn === undefined ? null : Math.max(0, turn.untilNext - gapMs);
  },
});
