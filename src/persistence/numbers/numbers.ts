/** Phone numbers and their settings, as admins of their workspace see them. */
import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredCallPolicy } from '#src/domain/call-policy.ts';
import type { Language } from '#src/domain/language.ts';
import type { ListenInPolicy } from '#src/domain/listen-in.ts';
import type { MenuPolicy, ScreeningPolicy, VoicemailPolicy } from '#src/domain/voicemail.ts';
import type { Database } from '../database/database.ts';
import { statusesInProgress } from '#src/domain/end-reasons.ts';
import { Call } from '../calls/call.ts';
import { IdempotencyRecord } from '../workspaces/idempotency-record.ts';
import { AgentBinding } from './agent-binding.ts';
import { NumberKey } from './number-key.ts';
import { PhoneNumber } from './phone-number.ts';
import { given, oldestFirst, recordOf, type Patch } from '../database/records.ts';
import { columnsOf, type Row } from '../database/tables.ts';

/**
 * Settings of a number that admins may change. A null setting inherits from the workspace, or else from the platform.
 */
export type NumberSettings = StoredCallPolicy & {
  language: Language;
  /** Daily limit for the total duration of the number's outbound calls. */
  dailyMinutes: number | null;
  /** Greeting for inbound calls; null leaves the greeting to the agent. */
  greeting: string | null;
  /** Handling of calls that an answering machine answers. */
  voicemail: VoicemailPolicy;
  /** Message for an answering machine; null for the default sentence of the language. */
  voicemailMessage: string | null;
  /** Handling of calls that call screening answers, and the caller name given to it; null for no name. */
  screening: ScreeningPolicy;
  callerName: string | null;
  /** Handling of calls that an IVR menu answers. */
  menu: MenuPolicy;
  /** Numbers, and prefixes with `*`, to which calls may be transferred; null if no transfer is allowed. */
  transferTo: string[] | null;
  /** Whether the conversation after a transfer is recorded. */
  recordTransfers: boolean;
  /** Maximum duration of the conversation between the other party and the person of a transfer. */
  transferMaxDurationSec: number;
  /** Whether admins may listen to calls in progress. */
  listenIn: ListenInPolicy;
  /** The only trunk for the number's outbound calls; null allows all trunks of the workspace. */
  trunkId: string | null;
  /** Engines for recognition and synthesis, and the voice; null for the operator's order. */
  recognizer: string | null;
  synthesizer: string | null;
  voice: string | null;
};

export type InboundAuthMethod = 'none' | 'handshake';

/** A stored number. The secret of the handshake is omitted; it is unsealed only when a call needs it. */
export type NumberRecord = Omit<Row<'PhoneNumber'>, 'deletedAt' | 'inboundAuthSecretSealed'>;

export type NumberPatch = Patch<NumberSettings>;

type NumberIn = { numberId: string; workspaceId: string };

const columns = columnsOf('PhoneNumber').filter(
  (column) => column !== 'deletedAt' && column !== 'inboundAuthSecretSealed',
);

/** Allowed transfer destinations and settings of a number. */
export type TransferPolicy = Pick<NumberSettings, 'recordTransfers' | 'transferMaxDurationSec'> & {
  targets: readonly string[];
};

export const transferPolicyOf = async (db: Database, numberId: string): Promise<TransferPolicy> => {
  const number = await db.entityManager().findOne(PhoneNumber, { id: numberId });
  if (number === null) throw new Error('A transfer was requested for a number that does not exist');
  const { transferTo, recordTransfers, transferMaxDurationSec } = number;
  return { targets: transferTo ?? [], recordTransfers, transferMaxDurationSec };
};

/** Condition for a number that was not deleted. */
const rowOf = ({ numberId, workspaceId }: NumberIn) => ({ id: numberId, workspaceId, deletedAt: null });

/** Locks the number until the transaction ends. New calls of the number, other changes and its deletion wait. */
const lockNumber = (manager: EntityManager, wanted: NumberIn) =>
  manager.findOne(PhoneNumber, rowOf(wanted), { lockMode: LockMode.PESSIMISTIC_WRITE });

/** Adds a number. Resolves to undefined if the number exists in any workspace. */
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

/** Lists the numbers, oldest first. */
export const listNumbers = async (db: Database, workspaceId: string): Promise<NumberRecord[]> => {
  const numbers = await db
    .entityManager()
    .find(PhoneNumber, { workspaceId, deletedAt: null }, { orderBy: oldestFirst });
  return numbers.map((number) => recordOf<NumberRecord>(number, columns));
};

/** Returns the number; undefined for a number that was deleted or belongs to another workspace. */
export const findNumber = async (db: Database, wanted: NumberIn): Promise<NumberRecord | undefined> => {
  const number = await db.entityManager().findOne(PhoneNumber, rowOf(wanted));
  return number === null ? undefined : recordOf<NumberRecord>(number, columns);
};

const changeNumber = async (
  db: Database,
  wanted: NumberIn,
  changes: Patch<Omit<Row<'PhoneNumber'>, 'id' | 'workspaceId'>>,
): Promise<NumberRecord | undefined> => {
  const changed = await db.transaction(async (_statements, manager) => {
    const number = await lockNumber(manager, wanted);
    if (number !== null) manager.assign(number, given(changes));
    return number;
  });
  return changed === null ? undefined : recordOf<NumberRecord>(changed, columns);
};

/** Changes the given settings and resolves to all settings; undefined for a number of another workspace. */
export const patchNumber = (
  db: Database,
  wanted: NumberIn,
  patch: NumberPatch,
): Promise<NumberRecord | undefined> => changeNumber(db, wanted, patch);

/**
 * Stores the authentication of a number's callers. `secretSealed`, sealed with the number's id, signs the handshake;
 * undefined leaves the stored secret unchanged. `none` deletes URL and secret.
 */
export const putInboundAuth = (
  db: Database,
  wanted: NumberIn,
  auth: { method: 'none' } | { method: 'handshake'; url: string; secretSealed?: string | undefined },
): Promise<NumberRecord | undefined> =>
  changeNumber(db, wanted, {
    inboundAuthMethod: auth.method,
    ...(auth.method === 'none'
      ? { inboundAuthUrl: null, inboundAuthSecretSealed: null }
      : { inboundAuthUrl: auth.url, inboundAuthSecretSealed: auth.secretSealed }),
  });

/**
 * Deletes a number and its key. The same telephone number can be added again. The row, calls and events of the deleted
 * number remain. Resolves to `in_use` while one of its calls is in progress at any node.
 */
export const deleteNumber = (
  db: Database,
  wanted: NumberIn,
  at: Date,
): Promise<'deleted' | 'in_use' | 'unknown'> =>
  db.transaction(async (_statements, manager) => {
    const number = await lockNumber(manager, wanted);
    if (number === null) return 'unknown';
    const { numberId } = wanted;
    if ((await manager.count(Call, { numberId, status: { $in: statusesInProgress } })) > 0) return 'in_use';
    manager.assign(number, {
      deletedAt: at,
      trunkId: null,
      inboundAuthMethod: 'none',
      inboundAuthUrl: null,
      inboundAuthSecretSealed: null,
    });
    await manager.nativeDelete(NumberKey, { numberId });
    await manager.nativeDelete(AgentBinding, { numberId });
    await manager.nativeDelete(IdempotencyRecord, { numberId });
    return 'deleted';
  });
