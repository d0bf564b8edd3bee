/** SIP trunks of workspaces. Each change is told to every gateway by a notification. */
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { TrunkSettings } from '#src/domain/trunk.ts';
import type { Database } from './database.ts';
import { TrunkRow } from './entities/trunk.ts';
import { notify } from './notifications.ts';
import { patchRow, type Patch } from './patch.ts';
import { prepared } from './prepared.ts';
import { columnsOf, type Row } from './tables.ts';
import { forgetTrunkLoad } from './trunk-load.ts';

/** The channel of the notifications. */
export const trunksChannel = 'trunks';

export type TrunkRecord = Row<'TrunkRow'>;

type TrunkIn = { trunkId: string; workspaceId: string };

/** Headers to and from a trunk, beyond those that every INVITE has. */
export type TrunkHeaders = Pick<TrunkRecord, 'headersIn' | 'headersOut'>;

export type TrunkPatch = Patch<TrunkSettings & Pick<TrunkRecord, 'passwordSealed'>>;

const columns = columnsOf('TrunkRow');

const all = prepared((queries) => queries.selectFrom('TrunkRow').select(columns));

const ofWorkspace = prepared((queries, { workspaceId }: Pick<TrunkIn, 'workspaceId'>) =>
  queries
    .selectFrom('TrunkRow')
    .select(columns)
    .where('workspaceId', '=', workspaceId)
    .orderBy('createdAt')
    .orderBy('id'),
);

const one = prepared((queries, { trunkId, workspaceId }: TrunkIn) =>
  queries
    .selectFrom('TrunkRow')
    .select(columns)
    .where('id', '=', trunkId)
    .where('workspaceId', '=', workspaceId),
);

const removal = prepared((queries, { trunkId, workspaceId }: TrunkIn) =>
  queries
    .deleteFrom('TrunkRow')
    .where('id', '=', trunkId)
    .where('workspaceId', '=', workspaceId)
    .returning('id'),
);

const owner = prepared((queries, { number }: { number: string }) =>
  queries
    .selectFrom('PhoneNumber')
    .select(['workspaceId', 'trunkId'])
    .where('number', '=', number)
    .where('deletedAt', 'is', null),
);

const headersOfNumber = prepared((queries, { number }: { number: string }) =>
  queries
    .selectFrom('PhoneNumber as number')
    .innerJoin('TrunkRow as trunk', 'trunk.workspaceId', 'number.workspaceId')
    .select(['trunk.headersIn', 'trunk.headersOut'])
    .where('number.number', '=', number)
    .where('number.deletedAt', 'is', null)
    .where('trunk.enabled', '=', true)
    .where(({ eb, or }) =>
      or([eb('number.trunkId', 'is', null), eb('number.trunkId', '=', eb.ref('trunk.id'))]),
    ),
);

/** Undefined when the name is taken in the workspace. */
export const createTrunk = async (db: Database, trunk: TrunkRecord): Promise<TrunkRecord | undefined> => {
  try {
    await db.entityManager().insert(TrunkRow, trunk);
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) return undefined;
    throw error;
  }
  await notify(db, trunksChannel);
  return trunk;
};

/** The oldest first. */
export const listTrunks = (db: Database, workspaceId: string): Promise<TrunkRecord[]> =>
  ofWorkspace(db, { workspaceId });

/** Of all workspaces. */
export const listAllTrunks = (db: Database): Promise<TrunkRecord[]> => all(db, {});

/** Undefined for a trunk of another workspace. */
export const findTrunk = async (db: Database, wanted: TrunkIn): Promise<TrunkRecord | undefined> =>
  (await one(db, wanted)).at(0);

/** Resolves to all settings; undefined for a trunk of another workspace, `name_taken` as it says. */
export const patchTrunk = async (
  db: Database,
  wanted: TrunkIn,
  patch: TrunkPatch,
): Promise<TrunkRecord | 'name_taken' | undefined> => {
  try {
    await patchRow(db, TrunkRow, { id: wanted.trunkId, workspaceId: wanted.workspaceId }, patch);
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) return 'name_taken';
    throw error;
  }
  const patched = await findTrunk(db, wanted);
  if (patched !== undefined) await notify(db, trunksChannel);
  return patched;
};

/** Numbers that were bound to it use the other trunks of the workspace. Resolves to whether there was such a trunk. */
export const deleteTrunk = async (db: Database, wanted: TrunkIn): Promise<boolean> => {
  const isRemoved = await db.transaction(async (statements) => {
    const removed = await removal(statements, wanted);
    if (removed.length > 0) await forgetTrunkLoad(statements, wanted.trunkId);
    return removed.length > 0;
  });
  if (isRemoved) await notify(db, trunksChannel);
  return isRemoved;
};

/** The workspace of a number, and the trunk that it is bound to; undefined for a number that belongs to nobody. */
export const findNumberOwner = async (
  db: Database,
  number: string,
): Promise<Pick<Row<'PhoneNumber'>, 'workspaceId' | 'trunkId'> | undefined> =>
  (await owner(db, { number })).at(0);

/**
 * Of each enabled trunk that calls of this number may go or come by; none of a number that belongs to nobody.
 * `configured`: those of the gateway's own trunk, which serves numbers that are bound to no other; null where there is
 * none.
 */
export const trunkHeadersOf = async (
  db: Database,
  number: string,
  configured: TrunkHeaders | null,
): Promise<TrunkHeaders[]> => {
  const own = await headersOfNumber(db, { number });
  if (configured === null) return own;
  const isBound = (await findNumberOwner(db, number))?.trunkId !== null;
  return isBound ? own : [...own, configured];
};
