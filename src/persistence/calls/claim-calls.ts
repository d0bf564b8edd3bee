/** Claims of calls: a gateway takes over the calls of a dead gateway, or calls that another gateway hands over. */
import { sql } from 'kysely';
import { isInDoubt } from '../database/connection-errors.ts';
import type { Database } from '../database/database.ts';
import { checkpointForm, readCheckpoint, type Checkpoint } from './call-checkpoints.ts';
import type { CallRow } from './calls.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Queries, Row } from '../database/tables.ts';

/** Columns of a call that its next gateway needs. */
const columns = [
  'id',
  'workspaceId',
  'numberId',
  'direction',
  'ownNumber',
  'counterparty',
  'language',
  'instruction',
  'maxDurationSec',
  'startedAt',
  'answeredAt',
  'answeredBy',
  'node',
  'epoch',
] as const satisfies readonly (keyof CallRow)[];

/** A call that was taken over from its former gateway. */
export type TakenCall = Pick<CallRow, (typeof columns)[number]> & {
  /** Name of the former gateway. An earlier process of this gateway has the same name as this process. */
  takenFrom: string;
  /**
   * Checkpoint of the call; null if the call cannot be resumed, because it was not answered or its checkpoint is
   * unreadable here.
   */
  checkpoint: Checkpoint | null;
  /** Far ends of the call; empty if the call has no checkpoint. */
  legs: Row<'CallCheckpoint'>['legs'];
};

/**
 * Parameters of a claim. `by` becomes the gateway of all claimed calls, so that its own death is noticed even before it
 * has ended the calls that cannot be resumed. `from` keeps the far ends and recordings of these calls: the far ends are
 * hung up when `from` is cleaned up, and the recordings are in its folder.
 */
type Taking = { from: string; by: string; form: number };

type TakingSome = Taking & { callIds: readonly string[] };

type Checkpointed = Row<'CallCheckpoint'>;

const callColumns = columns.map((column) => `Call.${column}` as const);
const takenColumns = columns.map((column) => `taken.${column}` as const);

/**
 * Statement that claims all calls of a node, or the calls that the node hands over. Its time must grow with the number of
 * calls, not with their square. The server expects one row of a claim and would compare each row of two claims with each
 * of the other; only `in` and `any` with the result of a claim are looked up.
 */
const taking = (
  queries: Queries,
  { from, by, form, callIds }: TakingSome,
  which: 'all' | 'of the lost' | 'handed over',
) =>
  queries
    .with('taken', (write) =>
      write
        .updateTable('Call')
        .set(({ eb }) => ({ epoch: eb('Call.epoch', '+', sql.lit(1)), node: by }))
        .where('Call.node', '=', from)
        .where('Call.endedAt', 'is', null)
        .$if(which === 'handed over', (some) =>
          some
            .where('Call.id', '=', ({ fn, val }) => fn.any(val(callIds)))
            // A call that only another gateway can resume is left to it.
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('CallCheckpoint as newer')
                    .whereRef('newer.callId', '=', 'Call.id')
                    .where('newer.form', '>', form)
                    .where('newer.settings', 'is not', null),
                ),
              ),
            ),
        )
        .$if(which === 'of the lost', (lost) =>
          lost.where(({ exists, selectFrom }) =>
            exists(selectFrom('Node').where('Node.name', '=', from).where('Node.lostAt', 'is not', null)),
          ),
        )
        .returning(callColumns),
    )
    .with('takenCheckpoints', (write) =>
      write
        .updateTable('CallCheckpoint')
        .from('taken')
        .set(({ and, eb, ref, val }) => ({
          node: eb
            .case()
            .when(
              and([
                eb('taken.answeredAt', 'is not', null),
                eb('CallCheckpoint.settings', 'is not', null),
                eb('CallCheckpoint.form', '<=', form),
              ]),
            )
            .then(val(by))
            .else(val(from))
            .end(),
          epoch: ref('taken.epoch'),
        }))
        .whereRef('CallCheckpoint.callId', '=', 'taken.id')
        .returning(takenColumns)
        .returning([
          'CallCheckpoint.form',
          'CallCheckpoint.settings',
          'CallCheckpoint.tokenSealed',
          'CallCheckpoint.headersSealed',
          'CallCheckpoint.progress',
          'CallCheckpoint.aheadMs',
          'CallCheckpoint.legs',
        ]),
    )
    .with('readable', (read) =>
      read.selectFrom('takenCheckpoints').selectAll().where('takenCheckpoints.form', '<=', form),
    )
    .with('leftRecordings', (write) =>
      write
        .updateTable('Recording')
        .set(({ fn, val }) => ({ node: fn<string | null>('nullif', [val(from), val(by)]) }))
        .where('Recording.status', '=', sql.lit('pending'))
        .where('Recording.node', 'is', null)
        .where(({ eb, fn, selectFrom }) =>
          eb(
            'Recording.callId',
            '=',
            fn.any(
              fn<string[]>('array', [
                selectFrom('taken')
                  .select('taken.id')
                  .where(({ eb: is, or }) =>
                    or([
                      is('taken.answeredAt', 'is', null),
                      is(
                        'taken.id',
                        'not in',
                        selectFrom('readable')
                          .select('readable.id')
                          .where('readable.settings', 'is not', null),
                      ),
                    ]),
                  ),
              ]),
            ),
          ),
        )
        .returning('Recording.callId'),
    )
    .with('found', (read) =>
      read
        .selectFrom('readable')
        .select(columns.map((column) => `readable.${column}` as const))
        .select([
          'readable.settings',
          'readable.tokenSealed',
          'readable.headersSealed',
          'readable.progress',
          'readable.aheadMs',
          'readable.legs',
        ])
        .unionAll(
          read
            .selectFrom('taken')
            .select(takenColumns)
            .select([
              sql`null`.as('settings'),
              sql<Checkpointed['tokenSealed']>`null`.as('tokenSealed'),
              sql<Checkpointed['headersSealed']>`null`.as('headersSealed'),
              sql`null`.as('progress'),
              sql<Checkpointed['aheadMs']>`null`.as('aheadMs'),
              sql<Checkpointed['legs']>`'{}'::jsonb`.as('legs'),
            ])
            .where(({ eb, selectFrom }) =>
              eb('taken.id', 'not in', selectFrom('readable').select('readable.id')),
            ),
        ),
    )
    .selectFrom('found as Call')
    .select(callColumns)
    .select([
      'Call.settings',
      'Call.tokenSealed',
      'Call.headersSealed',
      'Call.progress',
      'Call.aheadMs',
      'Call.legs',
      sql<string>`${from}::text`.as('takenFrom'),
    ])
    .orderBy('Call.startedAt')
    .orderBy('Call.id');

const takingFromEarlierProcess = kyselyQuery((queries, values: TakingSome) => taking(queries, values, 'all'));
const takingFromLostNode = kyselyQuery((queries, values: TakingSome) =>
  taking(queries, values, 'of the lost'),
);
const takingHandedOver = kyselyQuery((queries, values: TakingSome) => taking(queries, values, 'handed over'));

const all = { callIds: [] };

type Found = Awaited<ReturnType<typeof takingFromLostNode>>[number];

const takenCall = ({
  settings,
  tokenSealed,
  headersSealed,
  progress,
  aheadMs,
  legs,
  ...call
}: Found): TakenCall => ({
  ...call,
  checkpoint:
    call.answeredAt === null || settings === null
      ? null
      : (readCheckpoint({ settings, tokenSealed, headersSealed, progress, aheadMs }) ?? null),
  legs,
});

/**
 * Thrown when the commit of a take-over was not confirmed. `confirmTaken` finds out which of these calls were taken
 * over.
 */
export class TakingInDoubt extends Error {
  override readonly name = 'TakingInDoubt';
  readonly calls: readonly TakenCall[];
  constructor(calls: readonly TakenCall[], cause: unknown) {
    super('It is not known whether calls were taken', { cause });
    this.calls = calls;
  }
}

/**
 * Runs a claim. The claimed calls are noted before the commit. Otherwise, if the confirmation of the commit is lost,
 * calls could belong to a gateway that does not know them.
 */
const claimInTransaction = async (
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

/** Statement that returns the gateways of calls. Its lock waits for a take-over that the server is still executing. */
const holders = kyselyQuery((queries, { callIds }: { callIds: readonly string[] }) =>
  queries
    .selectFrom('Call')
    .select(['id', 'node', 'epoch'])
    .where('id', '=', ({ fn, val }) => fn.any(val(callIds)))
    .where('endedAt', 'is', null)
    .forShare(),
);

/** Returns the calls of a `TakingInDoubt` that were actually taken over. */
export const confirmTaken = async (db: Statements, calls: readonly TakenCall[]): Promise<TakenCall[]> => {
  const held = await holders(db, { callIds: calls.map(({ id }) => id) });
  const byId = new Map(held.map((call) => [call.id, call]));
  return calls.filter(({ id, node, epoch }) => {
    const now = byId.get(id);
    return now?.node === node && now.epoch === epoch;
  });
};

/**
 * Claims the calls of a dead process of this node. The old process, if it still runs, can no longer write facts of
 * these calls, and neither can earlier gateways of these calls.
 */
export const takeFromEarlierProcess = async (db: Statements, node: string): Promise<TakenCall[]> =>
  (await takingFromEarlierProcess(db, { from: node, by: node, form: checkpointForm, ...all })).map(takenCall);

/**
 * Claims the calls of a node that others declared dead (`nodes.ts`). Returns no calls if the node runs again. If
 * several nodes claim its calls, each call is resumed by one of them. Without lines (`canResume` false), none can be
 * resumed. May throw a `TakingInDoubt`.
 */
export const takeFromLostNode = (
  db: Pick<Database, 'transaction'>,
  { from, by, canResume }: { from: string; by: string; canResume: boolean },
): Promise<TakenCall[]> =>
  claimInTransaction(db, (statements) =>
    takingFromLostNode(statements, { from, by, form: canResume ? checkpointForm : 0, ...all }),
  );

/**
 * Claims calls that a running node released for this one. Unknown and ended calls, calls that another gateway has taken
 * over, and calls with a checkpoint of a newer format are skipped. May throw a `TakingInDoubt`.
 */
export const takeHandedOver = (
  db: Pick<Database, 'transaction'>,
  { from, by, callIds }: { from: string; by: string; callIds: readonly string[] },
): Promise<TakenCall[]> =>
  claimInTransaction(db, (statements) =>
    takingHandedOver(statements, { from, by, form: checkpointForm, callIds }),
  );
