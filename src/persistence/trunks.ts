/** SIP trunks of workspaces. A notification announces each change to every gateway. */
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { TrunkSettings } from '#src/domain/trunk.ts';
import type { Database } from './database.ts';
import { TrunkRow } from './entities/trunk.ts';
import { notify } from './notifications.ts';
import { patchRow, type Patch } from './patch.ts';
import { prepared } from './prepared.ts';
import { columnsOf, type Row } from './tables.ts';
import { forgetTrunkLoad } from './trunk-load.ts';

/** Channel of the notifications. */
export const trunksChannel = 'trunks';

export type TrunkRecord = Row<'TrunkRow'>;

type TrunkIn = { trunkId: string; workspaceId: string };

/** Headers from and to a trunk, beyond those that every INVITE has. */
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

/** Undefined if the name exists in the workspace. */
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

/** Oldest first. */
export const listTrunks = (db: Database, workspaceId: string): Promise<TrunkRecord[]> =>
  ofWorkspace(db, { workspaceId });

/** Returns the trunks of all workspaces. */
export const listAllTrunks = (db: Database): Promise<TrunkRecord[]> => all(db, {});

/** Undefined for a trunk of another workspace. */
export const findTrunk = async (db: Database, wanted: TrunkIn): Promise<TrunkRecord | undefined> =>
  (await one(db, wanted)).at(0);

/** Resolves to all settings; undefined for a trunk of another workspace, `name_taken` if the name exists. */
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

/**
 * Deletes a trunk. Numbers bound to it then use the other trunks of the workspace. Resolves to whether the trunk
 * existed.
 */
export const deleteTrunk = async (db: Database, wanted: TrunkIn): Promise<boolean> => {
  const isRemoved = await db.transaction(async (statements) => {
    const removed = await removal(statements, wanted);
    if (removed.length > 0) await forgetTrunkLoad(statements, wanted.trunkId);
    return removed.length > 0;
  });
  if (isRemoved) await notify(db, trunksChannel);
  return isRemoved;
};

/** Workspace and bound trunk of a number; undefined for an unknown number. */
export const findNumberOwner = async (
  db: Database,
  number: string,
): Promise<Pick<Row<'PhoneNumber'>, 'workspaceId' | 'trunkId'> | undefined> =>
  (await owner(db, { number })).at(0);

/**
 * Headers of each enabled trunk that calls of this number may use; none for an unknown number. `configured`: headers of
 * the gateway's configured trunk, which serves numbers without a bound trunk; null if there is none.
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
