/**
 * Reads a number with all data for placing or receiving a call. One query reads all data, because every client API
 * request and every inbound call needs the data.
 */
import { sql, type InferResult } from 'kysely';
import type { Direction, SpeechChoice } from '#machines/line.ts';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { SealedHeaders } from '#src/domain/agent-headers.ts';
import { callPolicyFields, type StoredCallPolicy } from '#src/domain/call-policy.ts';
import { isLanguage, type Language } from '#src/domain/language.ts';
import type { MenuPolicy, Screening, Voicemail } from '#src/domain/voicemail.ts';
import { bindingColumns, builtInBinding } from './agent-bindings.ts';
import type { Database } from '../database/database.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Queries } from '../database/tables.ts';

export type CallableNumber = {
  id: string;
  /** Telephone number in domestic format. */
  number: string;
  language: Language;
  greeting: string | null;
  speech: SpeechChoice;
  voicemail: Voicemail;
  screening: Screening;
  menu: MenuPolicy;
  /** Numbers, and prefixes with `*`, to which calls may be transferred. */
  transferTo: readonly string[];
  policy: StoredCallPolicy;
  /** Daily limit for the total duration of outbound calls. */
  dailyMinutes: number | null;
  workspace: {
    id: string;
    timeZone: string;
    policy: StoredCallPolicy;
    maxCallsInProgress: number | null;
    dailyMinutes: number | null;
  };
  bindings: { inbound: AgentBinding; outbound: AgentBinding };
  /** Bearer token for the outbound agent endpoint, sealed with the number's id. */
  outboundTokenSealed: string | null;
  /** Headers for the agent endpoints, sealed with the number's id. */
  headersSealed: { inbound: SealedHeaders; outbound: SealedHeaders };
  inboundAuth: { method: 'none' } | { method: 'handshake'; url: string; secretSealed: string };
};

/** Returns columns of a joined table as one object. */
const objectOf = <Fields>(table: string, fields: readonly (keyof Fields & string)[]) =>
  sql<Fields>`json_build_object(${sql.join(
    fields.flatMap((field) => [sql.lit(field), sql.ref(`${table}.${field}`)]),
  )})`;

const bindingOf = <Way extends Direction>(direction: Way) =>
  sql<AgentBinding | null>`case when ${sql.ref(`${direction}.direction`)} is not null
    then ${objectOf<AgentBinding>(direction, bindingColumns)} end`.as(direction);

const callable = (queries: Queries) =>
  queries
    .selectFrom('PhoneNumber as number')
    .innerJoin('Workspace as workspace', 'workspace.id', 'number.workspaceId')
    .leftJoin('AgentBinding as inbound', (join) =>
      join.onRef('inbound.numberId', '=', 'number.id').on('inbound.direction', '=', sql.lit('inbound')),
    )
    .leftJoin('AgentBinding as outbound', (join) =>
      join.onRef('outbound.numberId', '=', 'number.id').on('outbound.direction', '=', sql.lit('outbound')),
    )
    .select([
      'number.id',
      'number.number',
      'number.language',
      'number.greeting',
      'number.voicemail',
      'number.voicemailMessage',
      'number.screening',
      'number.callerName',
      'number.menu',
      'number.transferTo',
      'number.recognizer',
      'number.synthesizer',
      'number.voice',
      'number.inboundAuthMethod',
      'number.inboundAuthUrl',
      'number.inboundAuthSecretSealed',
      'number.workspaceId',
      'workspace.timeZone',
      'workspace.maxCallsInProgress',
      'workspace.dailyMinutes as workspaceDailyMinutes',
      'number.dailyMinutes',
      'outbound.tokenSealed',
      'inbound.headersSealed as inboundHeadersSealed',
      'outbound.headersSealed as outboundHeadersSealed',
      objectOf<StoredCallPolicy>('number', callPolicyFields).as('policy'),
      objectOf<StoredCallPolicy>('workspace', callPolicyFields).as('workspacePolicy'),
      bindingOf('inbound'),
      bindingOf('outbound'),
    ]);

type Found = InferResult<ReturnType<typeof callable>>[number];

const inboundAuthOf = (row: Found): CallableNumber['inboundAuth'] => {
  if (row.inboundAuthMethod === 'none') return { method: 'none' };
  if (row.inboundAuthUrl === null || row.inboundAuthSecretSealed === null) {
    throw new Error(`The inbound authentication of number ${row.id} has no URL or no secret`);
  }
  return { method: 'handshake', url: row.inboundAuthUrl, secretSealed: row.inboundAuthSecretSealed };
};

const present = (row: Found): CallableNumber => {
  const { id, number, language, greeting, policy, recognizer, synthesizer, voice } = row;
  if (!isLanguage(language)) throw new Error(`Number ${id} has an unknown language`);
  const { workspaceId, timeZone, workspacePolicy, maxCallsInProgress } = row;
  return {
    id,
    number,
    language,
    greeting,
    policy,
    speech: { recognizer, synthesizer, voice },
    voicemail: { policy: row.voicemail, message: row.voicemailMessage },
    screening: { policy: row.screening, callerName: row.callerName },
    menu: row.menu,
    transferTo: row.transferTo ?? [],
    dailyMinutes: row.dailyMinutes,
    workspace: {
      id: workspaceId,
      timeZone,
      policy: workspacePolicy,
      maxCallsInProgress,
      dailyMinutes: row.workspaceDailyMinutes,
    },
    bindings: {
      inbound: row.inbound ?? builtInBinding('inbound'),
      outbound: row.outbound ?? builtInBinding('outbound'),
    },
    outboundTokenSealed: row.tokenSealed,
    headersSealed: {
      inbound: row.inboundHeadersSealed ?? {},
      outbound: row.outboundHeadersSealed ?? {},
    },
    inboundAuth: inboundAuthOf(row),
  };
};

const withKeys = (queries: Queries) =>
  callable(queries)
    .innerJoin('NumberKey as key', 'key.numberId', 'number.id')
    .select(sql<string>`encode(${sql.ref('key.keyHash')}, 'hex')`.as('fingerprint'));

const byKeys = kyselyQuery((queries, { fingerprints }: { fingerprints: readonly Buffer[] }) =>
  withKeys(queries).where('key.keyHash', '=', ({ fn, val }) => fn.any(val(fingerprints))),
);

const byIds = kyselyQuery((queries, { numberIds }: { numberIds: readonly string[] }) =>
  withKeys(queries).where('number.id', '=', ({ fn, val }) => fn.any(val(numberIds))),
);

const byDigits = kyselyQuery((queries, { digits }: { digits: string }) =>
  callable(queries).where('number.number', '=', digits).where('number.deletedAt', 'is', null),
);

const byFingerprint = (
  rows: readonly (Found & { fingerprint: string })[],
): ReadonlyMap<string, CallableNumber> => new Map(rows.map((row) => [row.fingerprint, present(row)]));

/** Returns numbers by the fingerprints of their keys in hexadecimal digits (`Sealing.fingerprints`). */
export const findNumbersByKeys = async (
  db: Database,
  fingerprints: readonly Buffer[],
): Promise<ReadonlyMap<string, CallableNumber>> => byFingerprint(await byKeys(db, { fingerprints }));

/** Returns numbers by the fingerprint of their current key. Numbers without a key are omitted. */
export const findNumbersWithKeys = async (
  db: Pick<Database, 'queries' | 'execute'>,
  numberIds: readonly string[],
): Promise<ReadonlyMap<string, CallableNumber>> => byFingerprint(await byIds(db, { numberIds }));

/** Finds a number by the dialled digits in domestic format. */
export const findNumberByDigits = async (
  db: Database,
  digits: string,
): Promise<CallableNumber | undefined> => {
  const row = (await byDigits(db, { digits })).at(0);
  return row && present(row);
};
