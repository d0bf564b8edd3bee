/**
 * The gateways that share the database. Each has a row that it renews again and again, and holds its name by a session
 * (`node-session.ts`). A dead one is claimed, so that one other cleans up after it.
 */
import { nodeHasSession } from './advisory-locks.ts';
import { now, secondsAhead } from './expressions.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Row } from './tables.ts';

/** One run of a gateway. */
export type NodeInstance = Pick<Row<'Node'>, 'name' | 'instance'>;

/** `seenAt` changes whenever it renews its row. */
export type OtherNode = Pick<Row<'Node'>, 'name' | 'instance' | 'seenAt'> & {
  /** It was found dead, and not everything that it held is cleaned up. */
  isLost: boolean;
  /** Whether a session of the database holds its name. */
  hasSession: boolean;
};

type WithAddress = Pick<Row<'Node'>, 'name' | 'instance' | 'address'>;

/** Which calls a gateway would go on with; `null` while it would with none. */
export type TakesOver = { lines: string; form: number };

const none = { takesLines: null, takesForm: null };

const columnsOf = (takes: TakesOver | null): Pick<Row<'Node'>, 'takesLines' | 'takesForm'> =>
  takes === null ? none : { takesLines: takes.lines, takesForm: takes.form };

type Joining = WithAddress & ReturnType<typeof columnsOf>;

const joining = prepared((queries, { name, instance, address, takesLines, takesForm }: Joining) =>
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

/** Enters a gateway that starts, whatever became of the one that had its name before. */
export const joinNodes = async (
  db: Statements,
  { takes = null, ...node }: WithAddress & { takes?: TakesOver | null },
): Promise<void> => {
  await joining(db, { ...node, ...columnsOf(takes) });
};

const renewing = prepared((queries, { name, instance }: NodeInstance) =>
  queries
    .updateTable('Node')
    .set({ seenAt: now })
    .where('name', '=', name)
    .where('instance', '=', instance)
    .where('lostAt', 'is', null)
    .returning('name'),
);

/** Says that the gateway lives. `false`: others found it dead meanwhile. */
export const renewNode = async (db: Statements, node: NodeInstance): Promise<boolean> =>
  (await renewing(db, node)).length > 0;

const others = prepared((queries, { name }: { name: string }) =>
  queries
    .selectFrom('Node')
    .select(({ eb, ref }) => [
      'name',
      'instance',
      'seenAt',
      eb('lostAt', 'is not', null).$castTo<boolean>().as('isLost'),
      nodeHasSession(ref('Node.name')).as('hasSession'),
    ])
    .where('name', '<>', name),
);

export const otherNodes = (db: Statements, name: string): Promise<OtherNode[]> => others(db, { name });

type Claim = NodeInstance & { seenAt: Date; forSec: number };

const claiming = prepared((queries, { name, instance, seenAt, forSec }: Claim) =>
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
    .returning('name'),
);

/**
 * Takes the clean-up after a dead gateway upon oneself for a while. `false` when another one has, when the dead one was
 * seen after `seenAt`, or when it runs again.
 */
export const claimLostNode = async (
  db: Statements,
  { forMs, ...node }: NodeInstance & { seenAt: Date; forMs: number },
): Promise<boolean> => (await claiming(db, { ...node, forSec: forMs / 1000 })).length > 0;

const removing = prepared((queries, { name, instance, isLost }: NodeInstance & { isLost: boolean }) =>
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
 * Removes a gateway that holds no call any more: one that ends in order, or a lost one. `false` while it still holds
 * some, or when it runs again.
 */
export const removeNode = async (
  db: Statements,
  node: NodeInstance & { isLost: boolean },
): Promise<boolean> => (await removing(db, node)).length > 0;

const telling = prepared((queries, { name, instance, address }: WithAddress) =>
  queries.updateTable('Node').set({ address }).where('name', '=', name).where('instance', '=', instance),
);

/** Where others reach this gateway, once it listens. */
export const tellAddress = async (db: Statements, node: WithAddress): Promise<void> => {
  await telling(db, node);
};

const tellingTakes = prepared(
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

const tellingCountsAlone = prepared(
  (queries, { name, instance, countsAlone }: NodeInstance & { countsAlone: boolean }) =>
    queries
      .updateTable('Node')
      .set({ countsAlone })
      .where('name', '=', name)
      .where('instance', '=', instance)
      .where('lostAt', 'is', null),
);

/** Whether it counts calls in memory from now on. */
export const tellCountsAlone = async (
  db: Statements,
  node: NodeInstance & { countsAlone: boolean },
): Promise<void> => {
  await tellingCountsAlone(db, node);
};

const living = prepared((queries, { name }: { name: string }) =>
  queries
    .selectFrom('Node')
    .select(['name', 'takesLines', 'takesForm'])
    .where('name', '<>', name)
    .where('lostAt', 'is', null)
    .where(({ ref }) => nodeHasSession(ref('Node.name')))
    .orderBy('name'),
);

/** The other gateways that live, and which calls each would go on with. */
export const livingNodes = async (
  db: Statements,
  name: string,
): Promise<{ name: string; takes: TakesOver | null }[]> =>
  (await living(db, { name })).map(({ name: other, takesLines: lines, takesForm: form }) => ({
    name: other,
    takes: lines === null || form === null ? null : { lines, form },
  }));

const addressOf = prepared((queries, { name }: { name: string }) =>
  queries.selectFrom('Node').select('address').where('name', '=', name),
);

/** The address that a gateway told, for others; null where there is none. */
export const addressOfNode = async (db: Statements, name: string): Promise<string | null> =>
  (await addressOf(db, { name }))[0]?.address ?? null;
