/** SIP trunks of workspaces. Every gateway is notified of each change. */
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { TrunkSettings } from '#src/domain/trunk.ts';
import type { Database } from '../database/database.ts';
import { TrunkRow } from './trunk.ts';
import { notify } from '../database/notifications.ts';
import { given, oldestFirst, recordOf, type Patch } from '../database/records.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import { columnsOf, type Row } from '../database/tables.ts';
import { forgetTrunkLoad } from './trunk-channels.ts';

/** Channel of the change notifications. */
export const trunksChannel = 'trunks';

export type TrunkRecord = Row<'TrunkRow'>;

type TrunkIn = { trunkId: string; workspaceId: string };

/** Custom headers that may be read from a trunk and sent to it. */
export type TrunkHeaders = Pick<TrunkRecord, 'headersIn' | 'headersOut'>;

export type TrunkPatch = Patch<TrunkSettings & Pick<TrunkRecord, 'passwordSealed'>>;

const columns = columnsOf('TrunkRow');

const owner = kyselyQuery((queries, { number }: { number: string }) =>
  queries
    .selectFrom('PhoneNumber')
    .select(['workspaceId', 'trunkId'])
    .where('number', '=', number)
    .where('deletedAt', 'is', null),
);

const headersOfNumber = kyselyQuery((queries, { number }: { number: string }) =>
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

/** Runs a change in which the trunk's name must stay unique in its workspace. */
const unlessNameTaken = async <Result>(change: Promise<Result>): Promise<Result | 'name_taken'> => {
  try {
    return await change;
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) return 'name_taken';
    throw error;
  }
};

/** Adds a trunk; resolves to undefined if the name exists in the workspace. */
export const createTrunk = async (db: Database, trunk: TrunkRecord): Promise<TrunkRecord | undefined> => {
  const created = await unlessNameTaken(
    db.transaction(async (statements, manager) => {
      await manager.insert(TrunkRow, trunk);
      await notify(statements, trunksChannel);
      return trunk;
    }),
  );
  return created === 'name_taken' ? undefined : created;
};

/** Lists the trunks, oldest first. */
export const listTrunks = async (db: Database, workspaceId: string): Promise<TrunkRecord[]> => {
  const trunks = await db.entityManager().find(TrunkRow, { workspaceId }, { orderBy: oldestFirst });
  return trunks.map((trunk) => recordOf<TrunkRecord>(trunk, columns));
};

/** Returns the trunks of all workspaces, oldest first, so that all gateways have the same order. */
export const listAllTrunks = async (db: Database): Promise<TrunkRecord[]> => {
  const trunks = await db.entityManager().find(TrunkRow, {}, { orderBy: oldestFirst });
  return trunks.map((trunk) => recordOf<TrunkRecord>(trunk, columns));
};

/** Condition for a trunk of this workspace. */
const rowOf = ({ trunkId, workspaceId }: TrunkIn) => ({ id: trunkId, workspaceId });

/** Returns the trunk; undefined for a trunk of another workspace. */
export const findTrunk = async (db: Database, wanted: TrunkIn): Promise<TrunkRecord | undefined> => {
  const trunk = await db.entityManager().findOne(TrunkRow, rowOf(wanted));
  return trunk === null ? undefined : recordOf<TrunkRecord>(trunk, columns);
};

/**
 * Changes a trunk and resolves to all its settings; undefined for a trunk of another workspace, `name_taken` if the
 * name exists.
 */
export const patchTrunk = (
  db: Database,
  wanted: TrunkIn,
  patch: TrunkPatch,
): Promise<TrunkRecord | 'name_taken' | undefined> =>
  unlessNameTaken(
    db.transaction(async (statements, manager) => {
      const trunk = await manager.findOne(TrunkRow, rowOf(wanted));
      if (trunk === null) return undefined;
      manager.assign(trunk, given(patch));
      await notify(statements, trunksChannel);
      return recordOf<TrunkRecord>(trunk, columns);
    }),
  );

/**
 * Deletes a trunk. Numbers bound to the deleted trunk then use the other trunks of the workspace. Resolves to whether
 * the trunk existed.
 */
export const deleteTrunk = (db: Database, wanted: TrunkIn): Promise<boolean> =>
  db.transaction(async (statements, manager) => {
    if ((await manager.nativeDelete(TrunkRow, rowOf(wanted))) === 0) return false;
    await forgetTrunkLoad(statements, wanted.trunkId);
    await notify(statements, trunksChannel);
    return true;
  });

/** Returns workspace and bound trunk of a number; undefined for an unknown number. */
export const findNumberOwner = async (
  db: Database,
  number: string,
): Promise<Pick<Row<'PhoneNumber'>, 'workspaceId' | 'trunkId'> | undefined> =>
  (await owner(db, { number })).at(0);

/**
 * Returns the custom headers of each enabled trunk that calls of this number may use; empty for an unknown number.
 * `configured` contains the headers of the gateway's configured trunk, which serves numbers without a bound trunk; null
 * if there is no such trunk.
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
