/** Phone numbers and their settings, as admins of their workspace see them. */
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { StoredCallPolicy } from '#src/domain/call-policy.ts';
import type { Language } from '#src/domain/language.ts';
import type { ListenInPolicy } from '#src/domain/listen-in.ts';
import type { MenuPolicy, ScreeningPolicy, VoicemailPolicy } from '#src/domain/voicemail.ts';
import type { Database } from './database.ts';
import { PhoneNumber } from './entities/phone-number.ts';
import { given, patchRow, type Patch } from './patch.ts';
import { prepared } from './prepared.ts';
import { columnsOf, type Row } from './tables.ts';

/** Settings of a number that admins may change; null inherits from the workspace, then from the platform. */
export type NumberSettings = StoredCallPolicy & {
  language: Language;
  /** Daily limit for the total duration of its outbound calls. */
  dailyMinutes: number | null;
  /** Greeting of a caller; null leaves it to the agent. */
  greeting: string | null;
  /** Handling of calls that an answering machine answers. */
  voicemail: VoicemailPolicy;
  /** Message for an answering machine; null for the default sentence of the language. */
  voicemailMessage: string | null;
  /** Handling of calls that call screening answers, and the caller name given to it; null for none. */
  screening: ScreeningPolicy;
  callerName: string | null;
  /** Handling of calls that an IVR menu answers. */
  menu: MenuPolicy;
  /** Numbers, and prefixes with `*`, to which calls may be transferred; null for none. */
  transferTo: string[] | null;
  /** Whether the conversation after a transfer is recorded. */
  recordTransfers: boolean;
  /** Maximum duration of the conversation between the other party and the person of a transfer. */
  transferMaxDurationSec: number;
  /** Whether admins may listen to calls in progress. */
  listenIn: ListenInPolicy;
  /** Exclusive trunk for outbound calls; null for all trunks of the workspace. */
  trunkId: string | null;
  /** Speech recognition engine, and synthesis engine with voice; null for the operator's order. */
  recognizer: string | null;
  synthesizer: string | null;
  voice: string | null;
};

export type InboundAuthMethod = 'none' | 'handshake';

/** The secret is unsealed only for calls. */
export type NumberRecord = Omit<Row<'PhoneNumber'>, 'deletedAt' | 'inboundAuthSecretSealed'>;

export type NumberPatch = Patch<NumberSettings>;

type NumberIn = { numberId: string; workspaceId: string };

const columns = columnsOf('PhoneNumber').filter(
  (column) => column !== 'deletedAt' && column !== 'inboundAuthSecretSealed',
);

const ofWorkspace = prepared((queries, { workspaceId }: Pick<NumberIn, 'workspaceId'>) =>
  queries
    .selectFrom('PhoneNumber')
    .select(columns)
    .where('workspaceId', '=', workspaceId)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id'),
);

const one = prepared((queries, { numberId, workspaceId }: NumberIn) =>
  queries
    .selectFrom('PhoneNumber')
    .select(columns)
    .where('id', '=', numberId)
    .where('workspaceId', '=', workspaceId)
    .where('deletedAt', 'is', null),
);

const transfers = prepared((queries, { numberId }: Pick<NumberIn, 'numberId'>) =>
  queries
    .selectFrom('PhoneNumber')
    .select(['transferTo', 'recordTransfers', 'transferMaxDurationSec'])
    .where('id', '=', numberId),
);

/** Allowed transfer destinations and settings of a number. */
export type TransferPolicy = Pick<NumberSettings, 'recordTransfers' | 'transferMaxDurationSec'> & {
  targets: readonly string[];
};

export const transferPolicyOf = async (db: Database, numberId: string): Promise<TransferPolicy> => {
  const [row] = await transfers(db, { numberId });
  if (row === undefined) throw new Error('A transfer was asked for of a number that there is not');
  const { transferTo, ...policy } = row;
  return { ...policy, targets: transferTo ?? [] };
};

const removal = prepared((queries, { numberId, workspaceId, at }: NumberIn & { at: Date }) =>
  queries
    .with('gone', (query) =>
      query
        .updateTable('PhoneNumber')
        .set({
          deletedAt: at,
          trunkId: null,
          inboundAuthMethod: 'none',
          inboundAuthUrl: null,
          inboundAuthSecretSealed: null,
        })
        .where('id', '=', numberId)
        .where('workspaceId', '=', workspaceId)
        .where('deletedAt', 'is', null)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('Call')
                .select('id')
                .where('numberId', '=', numberId)
                .where('status', 'in', ['ringing', 'active']),
            ),
          ),
        )
        .returning('id'),
    )
    .with('withoutKey', (query) =>
      query.deleteFrom('NumberKey').where('numberId', 'in', query.selectFrom('gone').select('id')),
    )
    .with('withoutAgents', (query) =>
      query.deleteFrom('AgentBinding').where('numberId', 'in', query.selectFrom('gone').select('id')),
    )
    .with('withoutAnswers', (query) =>
      query.deleteFrom('IdempotencyRecord').where('numberId', 'in', query.selectFrom('gone').select('id')),
    )
    .selectFrom('gone')
    .select('id'),
);

/** Condition: the number was not deleted. */
const rowOf = ({ numberId, workspaceId }: NumberIn) => ({ id: numberId, workspaceId, deletedAt: null });

/** Resolves to undefined if the number exists in any workspace. */
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

/** Oldest first. */
export const listNumbers = (db: Database, workspaceId: string): Promise<NumberRecord[]> =>
  ofWorkspace(db, { workspaceId });

/** Undefined for a number that was deleted or belongs to another workspace. */
export const findNumber = async (db: Database, wanted: NumberIn): Promise<NumberRecord | undefined> =>
  (await one(db, wanted)).at(0);

/** Changes the given settings and resolves to all settings; undefined for a number of another workspace. */
export const patchNumber = async (
  db: Database,
  wanted: NumberIn,
  patch: NumberPatch,
): Promise<NumberRecord | undefined> => {
  await patchRow(db, PhoneNumber, rowOf(wanted), patch);
  return findNumber(db, wanted);
};

/**
 * Stores the authentication of a number's callers. `secretSealed`, sealed with the number's id, signs the handshake;
 * undefined keeps the stored one. `none` deletes URL and secret.
 */
export const putInboundAuth = async (
  db: Database,
  wanted: NumberIn,
  auth: { method: 'none' } | { method: 'handshake'; url: string; secretSealed?: string | undefined },
): Promise<NumberRecord | undefined> => {
  const changes =
    auth.method === 'none'
      ? { inboundAuthUrl: null, inboundAuthSecretSealed: null }
      : { inboundAuthUrl: auth.url, inboundAuthSecretSealed: auth.secretSealed };
  await patchRow(db, PhoneNumber, rowOf(wanted), { inboundAuthMethod: auth.method, ...changes });
  return findNumber(db, wanted);
};

/**
 * Deletes a number and its key; its digits can be added again. Its row, calls and events are kept. `in_use` while one
 * of its calls is in progress at any node.
 */
export const deleteNumber = async (
  db: Database,
  wanted: NumberIn,
  at: Date,
): Promise<'deleted' | 'in_use' | 'unknown'> => {
  const gone = await removal(db, { ...wanted, at });
  if (gone.length > 0) return 'deleted';
  return (await findNumber(db, wanted)) === undefined ? 'unknown' : 'in_use';
};
