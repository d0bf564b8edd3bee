/**
 * Encrypts secrets that use an older master key again with the newest one. A secret that changes meanwhile is skipped,
 * because the change already used the newest key.
 */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { withReplaced } from './expressions.ts';
import { sealedKeys } from '../calls/sealed-legs.ts';
import type { Sealing } from './sealing.ts';

type SealedSecret = { about: string; sealed: string };

type Change = SealedSecret & { resealed: string; secret: string };

/** A column of sealed secrets. Tables have different types, so each column has its own queries. */
type SealedColumn = {
  read(db: Database): Promise<SealedSecret[]>;
  write(db: Database, change: Change, sealing: Sealing): Promise<unknown>;
};

/** Sealed values of number keys: the recovery copy and the fingerprint. */
const numberKeys: SealedColumn = {
  read: ({ queries }) =>
    queries
      .selectFrom('NumberKey')
      .select(['numberId as about', 'keySealed as sealed'])
      .where('keySealed', 'is not', null)
      .$narrowType<SealedSecret>()
      .execute(),
  write: ({ queries }, { about, sealed, resealed, secret }, sealing) =>
    queries
      .updateTable('NumberKey')
      .set({ keySealed: resealed, keyHash: sealing.fingerprint(secret) })
      .where('numberId', '=', about)
      .where('keySealed', '=', sealed)
      .execute(),
};

const agentTokens: SealedColumn = {
  read: ({ queries }) =>
    queries
      .selectFrom('AgentBinding')
      .select(['numberId as about', 'tokenSealed as sealed'])
      .where('tokenSealed', 'is not', null)
      .$narrowType<SealedSecret>()
      .execute(),
  write: ({ queries }, { about, sealed, resealed }) =>
    queries
      .updateTable('AgentBinding')
      .set({ tokenSealed: resealed })
      .where('numberId', '=', about)
      .where('tokenSealed', '=', sealed)
      .execute(),
};

/** Sealed headers of agents; one row may contain several sealed values. */
const agentHeaders: SealedColumn = {
  async read({ queries }) {
    const rows = await queries
      .selectFrom('AgentBinding')
      .select(['numberId as about', 'headersSealed'])
      .execute();
    return rows.flatMap(({ about, headersSealed }) =>
      Object.values(headersSealed).map((sealed) => ({ about, sealed })),
    );
  },
  write: ({ queries }, { about, sealed, resealed }) =>
    queries
      .updateTable('AgentBinding')
      .set(({ ref }) => ({ headersSealed: withReplaced(ref('headersSealed'), sealed, resealed) }))
      .where('numberId', '=', about)
      .execute(),
};

const handshakeSecrets: SealedColumn = {
  read: ({ queries }) =>
    queries
      .selectFrom('PhoneNumber')
      .select(['id as about', 'inboundAuthSecretSealed as sealed'])
      .where('inboundAuthSecretSealed', 'is not', null)
      .$narrowType<SealedSecret>()
      .execute(),
  write: ({ queries }, { about, sealed, resealed }) =>
    queries
      .updateTable('PhoneNumber')
      .set({ inboundAuthSecretSealed: resealed })
      .where('id', '=', about)
      .where('inboundAuthSecretSealed', '=', sealed)
      .execute(),
};

const trunkPasswords: SealedColumn = {
  read: ({ queries }) =>
    queries
      .selectFrom('TrunkRow')
      .select(['id as about', 'passwordSealed as sealed'])
      .where('passwordSealed', 'is not', null)
      .$narrowType<SealedSecret>()
      .execute(),
  write: ({ queries }, { about, sealed, resealed }) =>
    queries
      .updateTable('TrunkRow')
      .set({ passwordSealed: resealed })
      .where('id', '=', about)
      .where('passwordSealed', '=', sealed)
      .execute(),
};

const webhookSecrets = (column: 'secretSealed' | 'previousSecretSealed'): SealedColumn => ({
  read: ({ queries }) =>
    queries
      .selectFrom('WebhookEndpoint')
      .select(['id as about', `${column} as sealed`])
      .where(column, 'is not', null)
      .$narrowType<SealedSecret>()
      .execute(),
  write: ({ queries }, { about, sealed, resealed }) =>
    queries
      .updateTable('WebhookEndpoint')
      .set({ [column]: resealed })
      .where('id', '=', about)
      .where(column, '=', sealed)
      .execute(),
});

const storedScript = sql<string | null>`settings ->> 'scriptSealed'`;

/** Media keys, which are within the session descriptions of a call in progress, several in one row. */
const callKeys: SealedColumn = {
  async read({ queries }) {
    const calls = await queries.selectFrom('CallCheckpoint').select('legs').execute();
    const legs = calls.flatMap((call) => Object.entries(call.legs));
    return legs.flatMap(([about, { dialog }]) =>
      [dialog?.localSdp, dialog?.remoteSdp].flatMap((description) =>
        (description?.match(sealedKeys) ?? []).map((sealed) => ({ about, sealed })),
      ),
    );
  },
  write: ({ queries }, { about, sealed, resealed }) =>
    queries
      .updateTable('CallCheckpoint')
      .set(({ ref }) => ({ legs: withReplaced(ref('legs'), sealed, resealed) }))
      .where(({ fn, val }) => fn('jsonb_exists', ['legs', val(about)]))
      .execute(),
};

/** Tokens for the agents of calls in progress. */
const callTokens: SealedColumn = {
  read: ({ queries }) =>
    queries
      .selectFrom('CallCheckpoint')
      .select(['callId as about', 'tokenSealed as sealed'])
      .where('tokenSealed', 'is not', null)
      .$narrowType<SealedSecret>()
      .execute(),
  write: ({ queries }, { about, sealed, resealed }) =>
    queries
      .updateTable('CallCheckpoint')
      .set({ tokenSealed: resealed })
      .where('callId', '=', about)
      .where('tokenSealed', '=', sealed)
      .execute(),
};

/** Headers for the agents of calls in progress; one row may contain several sealed values. */
const callHeaders: SealedColumn = {
  async read({ queries }) {
    const rows = await queries
      .selectFrom('CallCheckpoint')
      .select(['callId as about', 'headersSealed'])
      .where('headersSealed', 'is not', null)
      .execute();
    return rows.flatMap(({ about, headersSealed }) =>
      Object.values(headersSealed ?? {}).map((sealed) => ({ about, sealed })),
    );
  },
  write: ({ queries }, { about, sealed, resealed }) =>
    queries
      .updateTable('CallCheckpoint')
      .set(({ ref }) => ({ headersSealed: withReplaced(ref('headersSealed'), sealed, resealed) }))
      .where('callId', '=', about)
      .execute(),
};

/** Scripts of simulated persons in calls in progress. */
const callScripts: SealedColumn = {
  read: ({ queries }) =>
    queries
      .selectFrom('CallCheckpoint')
      .select(['callId as about', storedScript.as('sealed')])
      .where(storedScript, 'is not', null)
      .$narrowType<SealedSecret>()
      .execute(),
  write: ({ queries }, { about, sealed, resealed }) =>
    queries
      .updateTable('CallCheckpoint')
      .set(({ ref }) => ({ settings: withReplaced(ref('settings'), sealed, resealed) }))
      .where('callId', '=', about)
      .where(storedScript, '=', sealed)
      .execute(),
};

export type SecretKind =
  | 'number_keys'
  | 'agent_tokens'
  | 'agent_headers'
  | 'handshake_secrets'
  | 'trunk_passwords'
  | 'webhook_secrets'
  | 'call_keys'
  | 'call_tokens'
  | 'call_headers'
  | 'call_scripts';

const sealedColumns: readonly { kind: SecretKind; columns: readonly SealedColumn[] }[] = [
  { kind: 'number_keys', columns: [numberKeys] },
  { kind: 'agent_tokens', columns: [agentTokens] },
  { kind: 'agent_headers', columns: [agentHeaders] },
  { kind: 'handshake_secrets', columns: [handshakeSecrets] },
  { kind: 'trunk_passwords', columns: [trunkPasswords] },
  {
    kind: 'webhook_secrets',
    columns: [webhookSecrets('secretSealed'), webhookSecrets('previousSecretSealed')],
  },
  { kind: 'call_keys', columns: [callKeys] },
  { kind: 'call_tokens', columns: [callTokens] },
  { kind: 'call_headers', columns: [callHeaders] },
  { kind: 'call_scripts', columns: [callScripts] },
];

/**
 * Result for one kind of secret. `resealed`: number of secrets that were sealed with an older key. `unreadable`: number
 * of secrets that no configured key opens; they are unchanged.
 */
export type ResealedSecrets = { kind: SecretKind; resealed: number; unreadable: number };

const openOrNull = (sealing: Sealing, { sealed, about }: SealedSecret): string | null => {
  try {
    return sealing.open(sealed, about);
  } catch {
    // An unreadable secret is only counted here. Its use reports an error.
    return null;
  }
};

/** Reseals the secrets of one column and counts them by outcome. */
const resealColumn = async (
  db: Database,
  sealing: Sealing,
  column: SealedColumn,
): Promise<Omit<ResealedSecrets, 'kind'>> => {
  const older = (await column.read(db)).filter(({ sealed }) => !sealing.isNewest(sealed));
  let unreadable = 0;
  for (const one of older) {
    const secret = openOrNull(sealing, one);
    if (secret === null) unreadable += 1;
    else await column.write(db, { ...one, secret, resealed: sealing.seal(secret, one.about) }, sealing);
  }
  return { resealed: older.length - unreadable, unreadable };
};

export const resealSecrets = async (db: Database, sealing: Sealing): Promise<ResealedSecrets[]> => {
  const all: ResealedSecrets[] = [];
  for (const { kind, columns } of sealedColumns) {
    const counted: ResealedSecrets = { kind, resealed: 0, unreadable: 0 };
    for (const column of columns) {
      const { resealed, unreadable } = await resealColumn(db, sealing, column);
      counted.resealed += resealed;
      counted.unreadable += unreadable;
    }
    all.push(counted);
  }
  return all;
};
