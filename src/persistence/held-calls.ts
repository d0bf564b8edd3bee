/** Calls that a gateway holds, and their transfer to another gateway when it is dead or hands them over. */
import { sql } from 'kysely';
import { isInDoubt } from './connection-errors.ts';
import type { Database } from './database.ts';
import { readRevival, revivalForm, type Revival } from './call-revivals.ts';
import { callColumns, type CallRow } from './calls.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Queries } from './tables.ts';

/** A call that was taken from its former holder. */
export type TakenCall = CallRow & {
  /** The previous holder; an earlier process has the same name. */
  takenFrom: string;
  /** Resume state; null if the call cannot be resumed: it was not answered, or its state is unreadable here. */
  revival: Revival | null;
};

/** `by` takes the calls that can be resumed; the others keep their node, whose folder has their recordings. */
type Taking = { from: string; by: string; form: number };

type TakingSome = Taking & { callIds: readonly string[] };

/** Takes all calls of a node, or those that it hands over. */
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

/** The commit of a take-over was not confirmed; `confirmTaken` determines whether these calls were taken. */
export class TakingInDoubt extends Error {
  override readonly name = 'TakingInDoubt';
  readonly calls: readonly TakenCall[];
  constructor(calls: readonly TakenCall[], cause: unknown) {
    super('It is not known whether calls were taken', { cause });
    this.calls = calls;
  }
}

/**
 * Records the taken calls before the commit: a lost confirmation would otherwise leave calls with a holder that does
 * not know them.
 */
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

/** The lock waits for a take-over that the server is still executing. */
const holders = prepared((queries, { callIds }: { callIds: readonly string[] }) =>
  queries
    .selectFrom('Call')
    .select(['id', 'node', 'epoch'])
    .where('id', '=', ({ fn, val }) => fn.any(val(callIds)))
    .where('endedAt', 'is', null)
    .forShare(),
);

/** Returns the calls of a `TakingInDoubt` that were actually taken. */
export const confirmTaken = async (db: Statements, calls: readonly TakenCall[]): Promise<TakenCall[]> => {
  const held = await holders(db, { callIds: calls.map(({ id }) => id) });
  const byId = new Map(held.map((call) => [call.id, call]));
  return calls.filter(({ id, node, epoch }) => {
    const now = byId.get(id);
    return now?.node === node && now.epoch === epoch;
  });
};

/**
 * Takes the calls of a dead process of this node. The old process, should it still run, and earlier holders can no
 * longer write facts of them.
 */
export const takeFromEarlierProcess = async (db: Statements, node: string): Promise<TakenCall[]> =>
  (await takingFromEarlierProcess(db, { from: node, by: node, form: revivalForm, ...all })).map(takenCall);

/**
 * Takes the calls of a node that others declared dead (`nodes.ts`); returns none if it runs again. If several nodes
 * take its calls, one resumes each call. Without lines (`goesOn` false) none can be resumed. May throw a
 * `TakingInDoubt`.
 */
export const takeFromLostNode = (
  db: Pick<Database, 'transaction'>,
  { from, by, goesOn }: { from: string; by: string; goesOn: boolean },
): Promise<TakenCall[]> =>
  takeKnowingly(db, (statements) =>
    takingFromLostNode(statements, { from, by, form: goesOn ? revivalForm : 0, ...all }),
  );

/**
 * Takes calls that a running node released for this one. Skips unknown, ended and already taken calls. May throw a
 * `TakingInDoubt`.
 */
export const takeHandedOver = (
  db: Pick<Database, 'transaction'>,
  { from, by, callIds }: { from: string; by: string; callIds: readonly string[] },
): Promise<TakenCall[]> =>
  takeKnowingly(db, (statements) => takingHandedOver(statements, { from, by, form: revivalForm, callIds }));
