/**
 * The gateways of the database. Each gateway periodically renews its row and holds its name by a session
 * (`node-session.ts`). The clean-up after a dead gateway is claimed by one other gateway.
 */
import { sql, type Expression } from 'kysely';
import type { GatewayCondition, GatewayLoad } from '#src/domain/gateway-condition.ts';
import { nodeHasSession } from '../database/advisory-locks.ts';
import { hangupsLeftFor } from '../calls/pending-hangups.ts';
import { now, secondsAgo, secondsAhead } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Queries, Row } from '../database/tables.ts';

/** One run of a gateway, from start to end. */
export type NodeInstance = Pick<Row<'Node'>, 'name' | 'instance'>;

/** Another registered gateway. `seenAt` changes whenever that gateway renews its row. */
export type OtherNode = Pick<Row<'Node'>, 'name' | 'instance' | 'seenAt'> & {
  /** Whether the gateway was declared dead and the clean-up is incomplete. */
  isLost: boolean;
  /** Whether a database session holds the gateway's name. */
  hasSession: boolean;
  /** Far ends that the gateway reaches (`TakesOver`); null while it takes over no calls. */
  takesLines: string | null;
};

type WithAddress = Pick<Row<'Node'>, 'name' | 'instance' | 'address'>;

/**
 * Calls that a gateway would resume: their line driver, and the newest checkpoint format that the gateway reads. `null`
 * if it would resume none.
 */
export type TakesOver = { lines: string; form: number };

const none = { takesLines: null, takesForm: null };

const columnsOf = (takes: TakesOver | null): Pick<Row<'Node'>, 'takesLines' | 'takesForm'> =>
  takes === null ? none : { takesLines: takes.lines, takesForm: takes.form };

type Joining = WithAddress & ReturnType<typeof columnsOf>;

const joining = kyselyQuery((queries, { name, instance, address, takesLines, takesForm }: Joining) =>
  queries
    .insertInto('Node')
    .values({ name, instance, address, takesLines, takesForm, seenAt: now })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet(({ ref }) => ({
        instance: ref('excluded.instance'),
        address: ref('excluded.address'),
        takesLines: ref('excluded.takesLines'),
        takesForm: ref('excluded.takesForm'),
        seenAt: ref('excluded.seenAt'),
        lostAt: null,
        countsAlone: false,
        claimedUntil: null,
      })),
    ),
);

/** Registers a starting gateway, replacing an earlier registration of the same name. */
export const joinNodes = async (
  db: Statements,
  { takes = null, ...node }: WithAddress & { takes?: TakesOver | null },
): Promise<void> => {
  await joining(db, { ...node, ...columnsOf(takes) });
};

const nodesSeen = (queries: Pick<Queries, 'selectFrom'>) =>
  queries
    .selectFrom('Node')
    .select(({ eb, ref }) => [
      'name',
      'instance',
      'seenAt',
      'takesLines',
      eb('lostAt', 'is not', null).$castTo<boolean>().as('isLost'),
      nodeHasSession(ref('Node.name')).as('hasSession'),
    ]);

type Renewing = NodeInstance & { version: string | null; load: string | null };

const renewing = kyselyQuery((queries, { name, instance, version, load }: Renewing) =>
  nodesSeen(
    queries.with('renewed', (write) =>
      write
        .updateTable('Node')
        .set({ seenAt: now, version, load: sql<GatewayLoad | null>`${load}::jsonb` })
        .where('name', '=', name)
        .where('instance', '=', instance)
        .where('lostAt', 'is', null)
        .returning('name'),
    ),
  ).select(({ exists }) => [
    sql<boolean>`exists (select from renewed)`.as('isRenewed'),
    exists(hangupsLeftFor(queries, name)).$castTo<boolean>().as('hasPendingHangups'),
  ]),
);

/** Result of a renewal. The other gateways are those before it, as `otherNodes` returns them. */
export type Renewal = { isRenewed: boolean; hasPendingHangups: boolean; others: OtherNode[] };

/**
 * Renews a gateway's registration and stores its condition, if it is known, and reads what the gateway checks
 * periodically: one statement. `isRenewed` is false if other gateways declared it dead meanwhile.
 */
export const renewNode = async (
  db: Statements,
  { name, instance }: NodeInstance,
  condition: GatewayCondition | null,
): Promise<Renewal> => {
  const version = condition?.version ?? null;
  const load = condition && JSON.stringify(condition.load);
  const nodes = await renewing(db, { name, instance, version, load });
  return {
    // A registration that others have removed may leave no row at all.
    isRenewed: nodes.some(({ isRenewed }) => isRenewed),
    hasPendingHangups: nodes.some(({ hasPendingHangups }) => hasPendingHangups),
    others: nodes.filter((other) => other.name !== name),
  };
};

const others = kyselyQuery((queries, { name }: { name: string }) =>
  nodesSeen(queries).where('name', '<>', name),
);

export const otherNodes = (db: Statements, name: string): Promise<OtherNode[]> => others(db, { name });

/**
 * Whether a connection with the name of a gateway exists. PostgreSQL cuts the name of a client (`openPool` of
 * database.ts) after 63 characters.
 */
const hasConnection = (name: Expression<string>) => sql<boolean>`exists (
  select from pg_stat_activity
  where datname = current_database() and application_name = left('trunkline ' || ${name}, 63))`;

const withoutConnections = kyselyQuery((queries, { names }: { names: readonly string[] }) =>
  nodesSeen(queries)
    .where('name', '=', ({ fn, val }) => fn.any(val(names)))
    .where(({ not, ref }) => not(nodeHasSession(ref('Node.name'))))
    .where(({ not, ref }) => not(hasConnection(ref('Node.name')))),
);

/** The registered gateways among these of whose processes no connection to the database is left. */
export const nodesWithoutConnections = (db: Statements, names: readonly string[]): Promise<OtherNode[]> =>
  withoutConnections(db, { names });

/** Calls that a gateway cannot resume, and for how long after the death of their gateway it leaves them to others. */
export type LeavesToOthers = {
  /** Newest format of `CallCheckpoint` that the gateway resumes; 0 without lines. */
  form: number;
  forMs: number;
};

type Claim = NodeInstance & { seenAt: Date; forSec: number; form: number; leaveSec: number };

const claiming = kyselyQuery((queries, { name, instance, seenAt, forSec, form, leaveSec }: Claim) =>
  queries
    .updateTable('Node')
    .set(({ fn }) => ({
      lostAt: fn.coalesce('lostAt', now),
      countsAlone: false,
      claimedUntil: secondsAhead(forSec),
    }))
    .where('name', '=', name)
    .where('instance', '=', instance)
    .where('seenAt', '=', seenAt)
    .where(({ eb, or }) => or([eb('claimedUntil', 'is', null), eb('claimedUntil', '<', now)]))
    .where(({ eb, or, not, exists, selectFrom }) =>
      or([
        eb('seenAt', '<=', secondsAgo(leaveSec)),
        not(
          exists(
            selectFrom('CallCheckpoint')
              .innerJoin('Call', 'Call.id', 'CallCheckpoint.callId')
              .where('CallCheckpoint.node', '=', name)
              .where('CallCheckpoint.form', '>', form)
              .where('CallCheckpoint.settings', 'is not', null)
              .where('Call.answeredAt', 'is not', null)
              .where('Call.endedAt', 'is', null),
          ),
        ),
      ]),
    )
    .returning('name'),
);

/**
 * Claims the clean-up after a dead gateway for a limited time. Resolves to `false` if another gateway claimed it, if
 * the dead one was seen after `seenAt`, if it runs again, or while its calls are left to others (`leaves`): the claimer
 * would end the calls that only another gateway or the next process of the dead one resumes.
 */
export const claimLostNode = async (
  db: Statements,
  { forMs, leaves, ...node }: NodeInstance & { seenAt: Date; forMs: number; leaves: LeavesToOthers },
): Promise<boolean> => {
  const { form, forMs: leaveMs } = leaves;
  const claimed = await claiming(db, { ...node, forSec: forMs / 1000, form, leaveSec: leaveMs / 1000 });
  return claimed.length > 0;
};

const removing = kyselyQuery((queries, { name, instance, isLost }: NodeInstance & { isLost: boolean }) =>
  queries
    .deleteFrom('Node')
    .where('name', '=', name)
    .where('instance', '=', instance)
    .where(({ eb, parens, val }) => eb(parens('lostAt', 'is not', null), '=', val(isLost)))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('Call').where('Call.node', '=', name).where('Call.endedAt', 'is', null))),
    )
    .returning('name'),
);

/**
 * Removes a gateway that holds no calls, after its orderly end or its death. Resolves to `false` while it still holds
 * calls, or if it runs again.
 */
export const removeNode = async (
  db: Statements,
  node: NodeInstance & { isLost: boolean },
): Promise<boolean> => (await removing(db, node)).length > 0;

const telling = kyselyQuery((queries, { name, instance, address }: WithAddress) =>
  queries.updateTable('Node').set({ address }).where('name', '=', name).where('instance', '=', instance),
);

/** Stores the address at which others reach this gateway, once it listens. */
export const tellAddress = async (db: Statements, node: WithAddress): Promise<void> => {
  await telling(db, node);
};

const tellingTakes = kyselyQuery(
  (queries, { name, instance, takesLines, takesForm }: NodeInstance & ReturnType<typeof columnsOf>) =>
    queries
      .updateTable('Node')
      .set({ takesLines, takesForm })
      .where('name', '=', name)
      .where('instance', '=', instance),
);

export const tellTakes = async (
  db: Statements,
  { takes, ...node }: NodeInstance & { takes: TakesOver | null },
): Promise<void> => {
  await tellingTakes(db, { ...node, ...columnsOf(takes) });
};

const tellingCountsAlone = kyselyQuery(
  (queries, { name, instance, countsAlone }: NodeInstance & { countsAlone: boolean }) =>
    queries
      .updateTable('Node')
      .set({ countsAlone })
      .where('name', '=', name)
      .where('instance', '=', instance)
      .where('lostAt', 'is', null),
);

/** Stores whether the gateway counts calls in memory. */
export const tellCountsAlone = async (
  db: Statements,
  node: NodeInstance & { countsAlone: boolean },
): Promise<void> => {
  await tellingCountsAlone(db, node);
};

const living = kyselyQuery((queries, { name }: { name: string }) =>
  queries
    .selectFrom('Node')
    .select(['name', 'takesLines', 'takesForm'])
    .where('name', '<>', name)
    .where('lostAt', 'is', null)
    .where(({ ref }) => nodeHasSession(ref('Node.name')))
    .orderBy('name'),
);

/** Returns the other running gateways, each with the kind of calls that it would resume. */
export const livingNodes = async (
  db: Statements,
  name: string,
): Promise<{ name: string; takes: TakesOver | null }[]> =>
  (await living(db, { name })).map(({ name: other, takesLines: lines, takesForm: form }) => ({
    name: other,
    takes: lines === null || form === null ? null : { lines, form },
  }));

/** Another gateway that runs, and the address at which it is reached. */
export type ReachableNode = NodeInstance & { address: string };

const reachable = kyselyQuery((queries, { name }: { name: string }) =>
  queries
    .selectFrom('Node')
    .select(['name', 'instance'])
    .select(({ ref }) => ref('address').$notNull().as('address'))
    .where('name', '<>', name)
    .where('address', 'is not', null)
    .where('lostAt', 'is', null)
    .where(({ ref }) => nodeHasSession(ref('Node.name'))),
);

/** Returns the other running gateways that have an address. */
export const reachableNodes = (db: Statements, name: string): Promise<ReachableNode[]> =>
  reachable(db, { name });

const addressOf = kyselyQuery((queries, { name }: { name: string }) =>
  queries.selectFrom('Node').select('address').where('name', '=', name),
);

/** Returns the address at which others reach a gateway; null if there is none. */
export const addressOfNode = async (db: Statements, name: string): Promise<string | null> =>
  (await addressOf(db, { name }))[0]?.address ?? null;
