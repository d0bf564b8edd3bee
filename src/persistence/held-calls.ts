/** The calls that a gateway holds, and how they pass to another one when it is no more. */
import { sql } from 'kysely';
import { isInDoubt } from './connection-errors.ts';
import type { Database } from './database.ts';
import { readRevival, revivalForm, type Revival } from './call-revivals.ts';
import { callColumns, type CallRow } from './calls.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Queries } from './tables.ts';

/** A call whose holder is no more. */
export type TakenCall = CallRow & {
  /** The gateway that held it before; that of an earlier process has the same name. */
  takenFrom: string;
  /** What to go on with; null where it cannot go on: it was not answered, or nobody here can read what was left of it. */
  revival: Revival | null;
};

/** `by` goes on with those that can; the others stay where they are, for their recordings lie there. */
type Taking = { from: string; by: string; form: number };

type TakingSome = Taking & { callIds: readonly string[] };

/** All that a node holds, or what is handed over of it. */
const taking = (
  queries: Queries,
  { from, by, form, callIds }: TakingSome,
  which: 'all' | 'of the lost' | 'handed over',
) =>
  queries
    .with('taken', (write) =>
      write
        .updateTable('Call')
        .set(({ and, eb, exists, selectFrom, ref, val }) => ({
          epoch: eb('Call.epoch', '+', sql.lit(1)),
          node: eb
            .case()
            .when(
              and([
                eb('Call.answeredAt', 'is not', null),
                exists(
                  selectFrom('CallRevival')
                    .whereRef('CallRevival.callId', '=', 'Call.id')
                    .where('CallRevival.form', '<=', form),
                ),
              ]),
            )
            .then(val(by))
            .else(ref('Call.node'))
            .end(),
        }))
        .where('Call.node', '=', from)
        .where('Call.endedAt', 'is', null)
        .$if(which === 'handed over', (some) =>
          some.where('Call.id', '=', ({ fn, val }) => fn.any(val(callIds))),
        )
        .$if(which === 'of the lost', (lost) =>
          lost.where(({ exists, selectFrom }) =>
            exists(selectFrom('Node').where('Node.name', '=', from).where('Node.lostAt', 'is not', null)),
          ),
        )
        .returning(callColumns),
    )
    .with('takenRevivals', (write) =>
      write
        .updateTable('CallRevival')
        .from('taken')
        .set(({ ref }) => ({ epoch: ref('taken.epoch') }))
        .whereRef('CallRevival.callId', '=', 'taken.id')
        .returning([
          'CallRevival.callId',
          'CallRevival.form',
          'CallRevival.start',
          'CallRevival.tokenSealed',
          'CallRevival.headersSealed',
          'CallRevival.progress',
          'CallRevival.aheadMs',
        ]),
    )
    .with('takenLegs', (write) =>
      write
        .updateTable('SipLegRow')
        .from('taken')
        .set(({ ref }) => ({ node: ref('taken.node'), epoch: ref('taken.epoch') }))
        .whereRef('SipLegRow.callId', '=', 'taken.id'),
    )
    .selectFrom('taken as Call')
    .leftJoin('takenRevivals', (join) =>
      join.onRef('takenRevivals.callId', '=', 'Call.id').on('takenRevivals.form', '<=', form),
    )
    .select(callColumns)
    .select([
      'takenRevivals.start',
      'takenRevivals.tokenSealed',
      'takenRevivals.headersSealed',
      'takenRevivals.progress',
      'takenRevivals.aheadMs',
      sql<string>`${from}::text`.as('takenFrom'),
    ])
    .orderBy('Call.startedAt')
    .orderBy('Call.id');

const takingFromEarlierProcess = prepared((queries, values: TakingSome) => taking(queries, values, 'all'));
const takingFromLostNode = prepared((queries, values: TakingSome) => taking(queries, values, 'of the lost'));
const takingHandedOver = prepared((queries, values: TakingSome) => taking(queries, values, 'handed over'));

const all = { callIds: [] };

type Found = Awaited<ReturnType<typeof takingFromLostNode>>[number];

const takenCall = ({ start, tokenSealed, headersSealed, progress, aheadMs, ...call }: Found): TakenCall => ({
  ...call,
  revival:
    call.answeredAt === null || start === null
      ? null
      : (readRevival({ start, tokenSealed, headersSealed, progress, aheadMs }) ?? null),
});

/** The commit of a taking was not answered: whether these calls were taken, `confirmTaken` finds out. */
export class TakingInDoubt extends Error {
  override readonly name = 'TakingInDoubt';
  readonly calls: readonly TakenCall[];
  constructor(calls: readonly TakenCall[], cause: unknown) {
    super('It is not known whether calls were taken', { cause });
    this.calls = calls;
  }
}

/** What is taken is known before it is committed: a lost answer would else leave calls to a holder that knows of none. */
const takeKnowingly = async (
  db: Pick<Database, 'transaction'>,
  take: (statements: Statements) => Promise<Found[]>,
): Promise<TakenCall[]> => {
  let taken: TakenCall[] = [];
  try {
    await db.transaction(async (statements) => {
      taken = (await take(statements)).map(takenCall);
    });
  } catch (error) {
    if (taken.length > 0 && isInDoubt(error)) throw new TakingInDoubt(taken, error);
    throw error;
  }
  return taken;
};

/** The lock waits for a taking that the server is still at. */
const holders = prepared((queries, { callIds }: { callIds: readonly string[] }) =>
  queries
    .selectFrom('Call')
    .select(['id', 'node', 'epoch'])
    .where('id', '=', ({ fn, val }) => fn.any(val(callIds)))
    .where('endedAt', 'is', null)
    .forShare(),
);

/** Those of the calls of a `TakingInDoubt` that were taken indeed. */
export const confirmTaken = async (db: Statements, calls: readonly TakenCall[]): Promise<TakenCall[]> => {
  const held = await holders(db, { callIds: calls.map(({ id }) => id) });
  const byId = new Map(held.map((call) => [call.id, call]));
  return calls.filter(({ id, node, epoch }) => {
    const now = byId.get(id);
    return now?.node === node && now.epoch === epoch;
  });
};

/**
 * Takes the calls that a dead process of this node held. From now on it writes nothing of them, should it live after all;
 * nor does whoever has taken them before.
 */
export const takeFromEarlierProcess = async (db: Statements, node: string): Promise<TakenCall[]> =>
  (await takingFromEarlierProcess(db, { from: node, by: node, form: revivalForm, ...all })).map(takenCall);

/**
 * The same, of a node that others found dead (`nodes.ts`); none as soon as it runs again. Of several that take its calls
 * one goes on with each. Without lines (`goesOn` false) nobody can go on with any. May throw a `TakingInDoubt`.
 */
export const takeFromLostNode = (
  db: Pick<Database, 'transaction'>,
  { from, by, goesOn }: { from: string; by: string; goesOn: boolean },
): Promise<TakenCall[]> =>
  takeKnowingly(db, (statements) =>
    takingFromLostNode(statements, { from, by, form: goesOn ? revivalForm : 0, ...all }),
  );

/**
 * The same, of calls that a node which lives has let go of for this one. What is not there, has ended, or was taken
 * before, is left out. May throw a `TakingInDoubt`.
 */
export const takeHandedOver = (
  db: Pick<Database, 'transaction'>,
  { from, by, callIds }: { from: string; by: string; callIds: readonly string[] },
): Promise<TakenCall[]> =>
  takeKnowingly(db, (statements) => takingHandedOver(statements, { from, by, form: revivalForm, callIds }));
