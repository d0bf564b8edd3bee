/** SIP trunks of workspaces. Each change is told to every gateway by a notification. */
import { UniqueConstraintViolationException, type InferEntity } from '@mikro-orm/core';
import type { TrunkSettings } from '#src/domain/trunk.ts';
import type { Database } from './database.ts';
import { TrunkRow } from './entities/trunk.ts';

/** The channel of the notifications. */
export const trunksChannel = 'trunks';

export type TrunkRecord = TrunkSettings & {
  id: string;
  workspaceId: string;
  /** Sealed about the trunk's id. */
  passwordSealed: string | null;
  createdAt: Date;
};

type TrunkIn = { trunkId: string; workspaceId: string };

/** Undefined leaves a setting as it is. */
export type TrunkPatch = {
  [Name in keyof TrunkSettings]?: TrunkSettings[Name] | undefined;
} & { passwordSealed?: string | null | undefined };

const present = (row: InferEntity<typeof TrunkRow>): TrunkRecord => ({
  id: row.id,
  workspaceId: row.workspaceId,
  name: row.name,
  host: row.host,
  port: row.port ?? null,
  transport: row.transport,
  username: row.username ?? null,
  passwordSealed: row.passwordSealed ?? null,
  register: row.register,
  realm: row.realm ?? null,
  fromDomain: row.fromDomain ?? null,
  numberFormat: row.numberFormat,
  callerId: row.callerId,
  privacy: row.privacy,
  codecs: row.codecs ?? null,
  srtp: row.srtp,
  priority: row.priority,
  weight: row.weight,
  maxChannels: row.maxChannels ?? null,
  callsPerSecond: row.callsPerSecond ?? null,
  inboundAddresses: row.inboundAddresses,
  inboundAuth: row.inboundAuth,
  healthCheck: row.healthCheck,
  enabled: row.enabled,
  createdAt: row.createdAt,
});

const tellGateways = (db: Database): Promise<unknown> =>
  db.execute(`select pg_notify('${trunksChannel}', '')`);

/** Undefined when the name is taken in the workspace. */
export const createTrunk = async (db: Database, trunk: TrunkRecord): Promise<TrunkRecord | undefined> => {
  try {
    await db.entityManager().insert(TrunkRow, trunk);
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) return undefined;
    throw error;
  }
  await tellGateways(db);
  return trunk;
};

/** The oldest first. */
export const listTrunks = async (db: Database, workspaceId: string): Promise<TrunkRecord[]> => {
  const rows = await db
    .entityManager()
    .find(TrunkRow, { workspaceId }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  return rows.map(present);
};

/** Of all workspaces. */
export const listAllTrunks = async (db: Database): Promise<TrunkRecord[]> =>
  (await db.entityManager().find(TrunkRow, {})).map(present);

/** Undefined for a trunk of another workspace. */
export const findTrunk = async (
  db: Database,
  { trunkId, workspaceId }: TrunkIn,
): Promise<TrunkRecord | undefined> => {
  const row = await db.entityManager().findOne(TrunkRow, { id: trunkId, workspaceId });
  return row === null ? undefined : present(row);
};

/** Resolves to all settings; undefined for a trunk of another workspace, `name_taken` as it says. */
export const patchTrunk = async (
  db: Database,
  { trunkId, workspaceId }: TrunkIn,
  patch: TrunkPatch,
): Promise<TrunkRecord | 'name_taken' | undefined> => {
  const manager = db.entityManager();
  const row = await manager.findOne(TrunkRow, { id: trunkId, workspaceId });
  if (row === null) return undefined;
  for (const [name, value] of Object.entries(patch))
    if (value !== undefined) manager.assign(row, { [name]: value });
  try {
    await manager.flush();
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) return 'name_taken';
    throw error;
  }
  await tellGateways(db);
  return present(row);
};

/** Numbers that were bound to it use the other trunks of the workspace. Resolves to whether there was such a trunk. */
export const deleteTrunk = async (db: Database, { trunkId, workspaceId }: TrunkIn): Promise<boolean> => {
  const rows = await db.execute('delete from trunk where id = $1 and workspace_id = $2 returning 1', [
    trunkId,
    workspaceId,
  ]);
  if (rows.length > 0) await tellGateways(db);
  return rows.length > 0;
};

/** Whose number this is and which trunk it is bound to; undefined for a number that belongs to nobody. */
export const findNumberOwner = async (
  db: Database,
  number: string,
): Promise<{ workspaceId: string; trunkId: string | null } | undefined> => {
  const [row] = await db.execute<{ workspaceId: string; trunkId: string | null }>(
    `select workspace_id as "workspaceId", trunk_id as "trunkId" from phone_number
     where number = $1 and deleted_at is null`,
    [number],
  );
  return row;
};
