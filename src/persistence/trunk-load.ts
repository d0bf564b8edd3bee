/**
 * The load of all gateways of this database on a trunk that has limits. Who takes a channel holds the row of the trunk
 * until the transaction ends, so that one is counted after the other. A channel counts until it is given back, and no
 * longer than its call lasts: what a dead gateway had is free as soon as its calls are over, and stays with a call that
 * another one goes on with.
 */
import type { TrunkChannel } from '#src/domain/trunk.ts';
import type { Database } from './database.ts';
import {
  clockNow,
  later,
  laterOf,
  millisecondsUntil,
  now,
  secondsAgo,
  withoutWaitingForDisk,
} from './expressions.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';

/** A caller is stored, or sent away, within this; until then it counts without a call. */
const arrivingSec = 30;

const lockingTrunk = prepared((queries, { trunkId }: { trunkId: string }) =>
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

/** Those whose calls are over, or never came to be. */
const clearing = prepared((queries, { trunkId }: { trunkId: string }) =>
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

const counting = prepared((queries, { trunkId }: { trunkId: string }) =>
  queries
    .selectFrom('TrunkChannel')
    .select(({ fn }) => fn.countAll<number>().as('channels'))
    .where('trunkId', '=', trunkId),
);

const taking = prepared((queries, { trunkId, callId, node }: TrunkChannel & { node: string }) =>
  queries
    .insertInto('TrunkChannel')
    .values({ trunkId, callId, node, takenAt: now })
    .onConflict((conflict) =>
      conflict.columns(['trunkId', 'callId']).doUpdateSet(({ ref }) => ({ node: ref('excluded.node') })),
    ),
);

const givingBack = prepared((queries, { trunkId, callId, node }: TrunkChannel & { node: string }) =>
  queries
    .deleteFrom('TrunkChannel')
    .where('trunkId', '=', trunkId)
    .where('callId', '=', callId)
    .where('node', '=', node),
);

const waitingTurn = prepared(
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

const removingChannels = prepared((queries, { trunkId }: { trunkId: string }) =>
  queries.deleteFrom('TrunkChannel').where('trunkId', '=', trunkId),
);

const removingTurns = prepared((queries, { trunkId }: { trunkId: string }) =>
  queries.deleteFrom('TrunkLoad').where('trunkId', '=', trunkId),
);

/** Of a trunk that is deleted: nobody takes a channel of it any more, which is when those of the dead are cleared. */
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
  /** Resolves to whether there was one. */
  take: (channel: TrunkChannel & { maxChannels: number }): Promise<boolean> =>
    database.transaction((db) => take(db, { ...channel, node })),

  /** For a call that goes on here: its channel is given back by this gateway from now on. */
  async keep(channel: TrunkChannel): Promise<void> {
    await taking(database, { ...channel, node });
  },

  /** Nothing, where another gateway has the call meanwhile. */
  async giveBack(channel: TrunkChannel): Promise<void> {
    await givingBack(database, { ...channel, node });
  },

  /** Milliseconds until it is the turn of one more call; null where that is further away than its patience. */
  async turn(call: { trunkId: string; callsPerSecond: number; patienceMs: number }): Promise<number | null> {
    const { trunkId, callsPerSecond, patienceMs } = call;
    const gapMs = 1_000 / callsPerSecond;
    const [turn] = await waitingTurn(database, { trunkId, gapMs, patienceMs });
    return turn === undefined ? null : Math.max(0, turn.untilNext - gapMs);
  },
});
