/** Telephone numbers and their settings, as their workspace's admins see them. */
import { UniqueConstraintViolationException, type InferEntity } from '@mikro-orm/core';
import type { StoredCallPolicy } from '#src/domain/call-policy.ts';
import { isLanguage, type Language } from '#src/domain/language.ts';
import type { VoicemailPolicy } from '#src/domain/voicemail.ts';
import type { Database } from './database.ts';
import { PhoneNumber } from './entities/phone-number.ts';

/** What an admin may change of a number; null falls back to the workspace's, then to the platform's. */
export type NumberSettings = StoredCallPolicy & {
  language: Language;
  /** What is said first to a caller; null leaves it to the agent. */
  greeting: string | null;
  /** What becomes of its calls that a machine answers. */
  voicemail: VoicemailPolicy;
  /** Said to a machine; null for the sentence of the language. */
  voicemailMessage: string | null;
  /** The trunk of the workspace that alone carries its outbound calls; null for all of them. */
  trunkId: string | null;
  /** The engine that hears, and the one that speaks with this voice; null for the operator's order. */
  recognizer: string | null;
  synthesizer: string | null;
  voice: string | null;
};

export type InboundAuthMethod = 'none' | 'handshake';

export type NumberRecord = NumberSettings & {
  id: string;
  workspaceId: string;
  /** Domestic format. */
  number: string;
  inboundAuthMethod: InboundAuthMethod;
  inboundAuthUrl: string | null;
  createdAt: Date;
};

/** Undefined leaves a setting as it is. */
export type NumberPatch = { [Name in keyof NumberSettings]?: NumberSettings[Name] | undefined };

type NumberIn = { numberId: string; workspaceId: string };

const present = (row: InferEntity<typeof PhoneNumber>): NumberRecord => {
  if (!isLanguage(row.language)) throw new Error(`Number ${row.id} has an unknown language`);
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    number: row.number,
    language: row.language,
    greeting: row.greeting ?? null,
    voicemail: row.voicemail,
    voicemailMessage: row.voicemailMessage ?? null,
    maxDurationSec: row.maxDurationSec ?? null,
    defaultDurationSec: row.defaultDurationSec ?? null,
    silenceTimeoutSec: row.silenceTimeoutSec ?? null,
    ringTimeoutSec: row.ringTimeoutSec ?? null,
    maxConcurrentCalls: row.maxConcurrentCalls ?? null,
    recordingEnabled: row.recordingEnabled ?? null,
    trunkId: row.trunkId ?? null,
    recognizer: row.recognizer ?? null,
    synthesizer: row.synthesizer ?? null,
    voice: row.voice ?? null,
    inboundAuthMethod: row.inboundAuthMethod,
    inboundAuthUrl: row.inboundAuthUrl ?? null,
    createdAt: row.createdAt,
  };
};

type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

const given = <Fields extends object>(fields: Fields): Given<Fields> =>
  // Object.fromEntries forgets the types of what it is given.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;

/** Resolves to undefined when the number is taken, by whichever workspace. */
export const createNumber = async (
  db: Database,
  number: Pick<NumberRecord, 'id' | 'workspaceId' | 'number' | 'language' | 'createdAt'> & NumberPatch,
): Promise<NumberRecord | undefined> => {
  const manager = db.entityManager();
  try {
    await manager.insert(PhoneNumber, given(number));
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) return undefined;
    throw error;
  }
  return findNumber(db, { numberId: number.id, workspaceId: number.workspaceId });
};

/** The oldest first. */
export const listNumbers = async (db: Database, workspaceId: string): Promise<NumberRecord[]> => {
  const rows = await db
    .entityManager()
    .find(PhoneNumber, { workspaceId, deletedAt: null }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  return rows.map(present);
};

/** Undefined for a number that was deleted or belongs to another workspace. */
export const findNumber = async (
  db: Database,
  { numberId, workspaceId }: NumberIn,
): Promise<NumberRecord | undefined> => {
  const row = await db.entityManager().findOne(PhoneNumber, { id: numberId, workspaceId, deletedAt: null });
  return row === null ? undefined : present(row);
};

/** Changes the given settings and resolves to all of them; undefined for a number of another workspace. */
export const patchNumber = async (
  db: Database,
  { numberId, workspaceId }: NumberIn,
  patch: NumberPatch,
): Promise<NumberRecord | undefined> => {
  const changes = given(patch);
  if (Object.keys(changes).length > 0) {
    await db
      .entityManager()
      .nativeUpdate(PhoneNumber, { id: numberId, workspaceId, deletedAt: null }, changes);
  }
  return findNumber(db, { numberId, workspaceId });
};

/**
 * How callers of a number are authenticated. `secretSealed`, sealed about the number's id, signs the handshake;
 * undefined keeps the stored one. With `none`, URL and secret are forgotten.
 */
export const putInboundAuth = async (
  db: Database,
  { numberId, workspaceId }: NumberIn,
  auth: { method: 'none' } | { method: 'handshake'; url: string; secretSealed?: string | undefined },
): Promise<NumberRecord | undefined> => {
  const changes =
    auth.method === 'none'
      ? { inboundAuthMethod: 'none' as const, inboundAuthUrl: null, inboundAuthSecretSealed: null }
      : {
          inboundAuthMethod: 'handshake' as const,
          inboundAuthUrl: auth.url,
          ...(auth.secretSealed === undefined ? {} : { inboundAuthSecretSealed: auth.secretSealed }),
        };
  await db.entityManager().nativeUpdate(PhoneNumber, { id: numberId, workspaceId, deletedAt: null }, changes);
  return findNumber(db, { numberId, workspaceId });
};

/**
 * From now on nobody has this number and its key is unknown; its digits may be added again. Its calls, their events and
 * the row that they refer to stay. `in_use` while one of its calls is in progress, on whichever node.
 */
export const deleteNumber = async (
  db: Database,
  { numberId, workspaceId }: NumberIn,
  at: Date,
): Promise<'deleted' | 'in_use' | 'unknown'> => {
  const rows = await db.execute(
    `with gone as (
       update phone_number
       set deleted_at = $3, trunk_id = null, inbound_auth_method = 'none', inbound_auth_url = null,
         inbound_auth_secret_sealed = null
       where id = $1 and workspace_id = $2 and deleted_at is null
         and not exists (select from call where number_id = $1 and status in ('ringing', 'active'))
       returning id
     ), without_key as (
       delete from number_key where number_id = (select id from gone)
     ), without_agents as (
       delete from agent_binding where number_id = (select id from gone)
     ), without_answers as (
       delete from idempotency_record where number_id = (select id from gone)
     )
     select 1 from gone`,
    [numberId, workspaceId, at],
  );
  if (rows.length > 0) return 'deleted';
  return (await findNumber(db, { numberId, workspaceId })) === undefined ? 'unknown' : 'in_use';
};
