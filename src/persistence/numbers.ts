/** Telephone numbers and their settings, as their workspace's admins see them. */
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

/** Settings of a number that an admin may change; null falls back to the workspace's, then to the platform's. */
export type NumberSettings = StoredCallPolicy & {
  language: Language;
  /** How long its outbound calls of a day may last together. */
  dailyMinutes: number | null;
  /** What is said first to a caller; null leaves it to the agent. */
  greeting: string | null;
  /** What becomes of its calls that a machine answers. */
  voicemail: VoicemailPolicy;
  /** Said to a machine; null for the sentence of the language. */
  voicemailMessage: string | null;
  /** What becomes of its calls that call screening answers, and the name that is said to it; null for none. */
  screening: ScreeningPolicy;
  callerName: string | null;
  /** What becomes of its calls that a menu answers. */
  menu: MenuPolicy;
  /** Numbers, and prefixes with `*`, to which its calls may be transferred; null for none. */
  transferTo: string[] | null;
  /** Whether what is said behind a transfer is recorded. */
  recordTransfers: boolean;
  /** How long the other party and the person of a transfer may talk with each other. */
  transferMaxDurationSec: number;
  /** Whether admins may listen to its calls in progress. */
  listenIn: ListenInPolicy;
  /** The trunk of the workspace that alone carries its outbound calls; null for all of them. */
  trunkId: string | null;
  /** The engine that hears, and the one that speaks with this voice; null for the operator's order. */
  recognizer: string | null;
  synthesizer: string | null;
  voice: string | null;
};

export type InboundAuthMethod = 'none' | 'handshake';

/** Its secret is opened for its calls alone. */
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

/** To whom the calls of a number may be transferred, and how. */
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

/** Of a number that was not deleted. */
const rowOf = ({ numberId, workspaceId }: NumberIn) => ({ id: numberId, workspaceId, deletedAt: null });

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
export const listNumbers = (db: Database, workspaceId: string): Promise<NumberRecord[]> =>
  ofWorkspace(db, { workspaceId });

/** Undefined for a number that was deleted or belongs to another workspace. */
export const findNumber = async (db: Database, wanted: NumberIn): Promise<NumberRecord | undefined> =>
  (await one(db, wanted)).at(0);

/** Changes the given settings and resolves to all of them; undefined for a number of another workspace. */
export const patchNumber = async (
  db: Database,
  wanted: NumberIn,
  patch: NumberPatch,
): Promise<NumberRecord | undefined> => {
  await patchRow(db, PhoneNumber, rowOf(wanted), patch);
  return findNumber(db, wanted);
};

/**
 * Stores how callers of a number are authenticated. `secretSealed`, sealed about the number's id, signs the handshake;
 * undefined keeps the stored one. With `none`, URL and secret are forgotten.
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
 * From now on nobody has this number and its key is unknown; its digits may be added again. Its calls, their events and
 * the row that they refer to stay. `in_use` while one of its calls is in progress, on whichever node.
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
