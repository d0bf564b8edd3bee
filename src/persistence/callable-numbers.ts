/**
 * A number with everything that placing or receiving a call needs, in one query: it is on the path of every request
 * of the client API and of every arriving call.
 */
import type { Direction, SpeechChoice } from '#machines/line.ts';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { StoredCallPolicy } from '#src/domain/call-policy.ts';
import { isLanguage, type Language } from '#src/domain/language.ts';
import { builtInBinding } from './agent-bindings.ts';
import type { Voicemail } from '#src/domain/voicemail.ts';
import type { Database } from './database.ts';

export type CallableNumber = {
  id: string;
  /** Domestic format. */
  number: string;
  language: Language;
  greeting: string | null;
  speech: SpeechChoice;
  voicemail: Voicemail;
  policy: StoredCallPolicy;
  workspace: { id: string; timeZone: string; policy: StoredCallPolicy; maxCallsInProgress: number | null };
  bindings: { inbound: AgentBinding; outbound: AgentBinding };
  /** The bearer token for the outbound agent endpoint, sealed about the number's id. */
  outboundTokenSealed: string | null;
  inboundAuth: { method: 'none' } | { method: 'handshake'; url: string; secretSealed: string };
};

type Row = Pick<
  CallableNumber,
  'id' | 'number' | 'greeting' | 'voicemail' | 'policy' | 'outboundTokenSealed'
> &
  SpeechChoice & {
    language: string;
    inboundAuthMethod: 'none' | 'handshake';
    inboundAuthUrl: string | null;
    inboundAuthSecretSealed: string | null;
    workspaceId: string;
    timeZone: string;
    workspacePolicy: StoredCallPolicy;
    maxCallsInProgress: number | null;
    inbound: AgentBinding | null;
    outbound: AgentBinding | null;
  };

const policyOf = (table: string): string => `json_build_object(
  'maxDurationSec', ${table}.max_duration_sec, 'defaultDurationSec', ${table}.default_duration_sec,
  'silenceTimeoutSec', ${table}.silence_timeout_sec, 'ringTimeoutSec', ${table}.ring_timeout_sec,
  'maxConcurrentCalls', ${table}.max_concurrent_calls, 'recordingEnabled', ${table}.recording_enabled)`;

const bindingOf = (
  table: Direction,
): string => `case when ${table}.direction is not null then json_build_object(
  'direction', ${table}.direction, 'agent', ${table}.agent, 'agentType', ${table}.agent_type,
  'chatUrl', ${table}.chat_url, 'assistantId', ${table}.assistant_id, 'agentId', ${table}.agent_id) end`;

const columns = `
  number.id, number.number, number.language, number.greeting, ${policyOf('number')} as policy,
  number.recognizer, number.synthesizer, number.voice,
  json_build_object('policy', number.voicemail, 'message', number.voicemail_message) as voicemail,
  number.inbound_auth_method as "inboundAuthMethod", number.inbound_auth_url as "inboundAuthUrl",
  number.inbound_auth_secret_sealed as "inboundAuthSecretSealed",
  workspace.id as "workspaceId", workspace.time_zone as "timeZone", ${policyOf('workspace')} as "workspacePolicy",
  workspace.max_calls_in_progress as "maxCallsInProgress",
  ${bindingOf('inbound')} as inbound, ${bindingOf('outbound')} as outbound,
  outbound.token_sealed as "outboundTokenSealed"`;

const tables = `
  phone_number as number
  join workspace on workspace.id = number.workspace_id
  left join agent_binding as inbound on inbound.number_id = number.id and inbound.direction = 'inbound'
  left join agent_binding as outbound on outbound.number_id = number.id and outbound.direction = 'outbound'`;

const inboundAuthOf = (row: Row): CallableNumber['inboundAuth'] => {
  if (row.inboundAuthMethod === 'none') return { method: 'none' };
  if (row.inboundAuthUrl === null || row.inboundAuthSecretSealed === null) {
    throw new Error(`The inbound authentication of number ${row.id} has no URL or no secret`);
  }
  return { method: 'handshake', url: row.inboundAuthUrl, secretSealed: row.inboundAuthSecretSealed };
};

const present = (row: Row): CallableNumber => {
  if (!isLanguage(row.language)) throw new Error(`Number ${row.id} has an unknown language`);
  return {
    id: row.id,
    number: row.number,
    language: row.language,
    greeting: row.greeting,
    speech: { recognizer: row.recognizer, synthesizer: row.synthesizer, voice: row.voice },
    voicemail: row.voicemail,
    policy: row.policy,
    workspace: {
      id: row.workspaceId,
      timeZone: row.timeZone,
      policy: row.workspacePolicy,
      maxCallsInProgress: row.maxCallsInProgress,
    },
    bindings: {
      inbound: row.inbound ?? builtInBinding('inbound'),
      outbound: row.outbound ?? builtInBinding('outbound'),
    },
    outboundTokenSealed: row.outboundTokenSealed,
    inboundAuth: inboundAuthOf(row),
  };
};

const withKeys = `select ${columns}, encode(number_key.key_hash, 'hex') as "keyHash"
  from ${tables} join number_key on number_key.number_id = number.id`;

const byKeys = `${withKeys} where number_key.key_hash = any ($1::bytea[])`;

const byIds = `${withKeys} where number.id = any ($1::uuid[])`;

const byDigits = `select ${columns} from ${tables} where number.number = $1 and number.deleted_at is null`;

type RowWithKey = Row & { keyHash: string };

const byKeyHash = (rows: readonly RowWithKey[]): ReadonlyMap<string, CallableNumber> =>
  new Map(rows.map((row) => [row.keyHash, present(row)]));

/** The numbers that keys stand for, by the fingerprint of the key in hexadecimal digits; see `Sealing.fingerprints`. */
export const findNumbersByKeys = async (
  db: Database,
  fingerprints: readonly Buffer[],
): Promise<ReadonlyMap<string, CallableNumber>> =>
  byKeyHash(await db.execute<RowWithKey>(byKeys, [fingerprints]));

/** Numbers by the fingerprints of the keys that they have just now; one without a key is left out. */
export const findNumbersWithKeys = async (
  db: Pick<Database, 'execute'>,
  numberIds: readonly string[],
): Promise<ReadonlyMap<string, CallableNumber>> =>
  byKeyHash(await db.execute<RowWithKey>(byIds, [numberIds]));

/** By the number that was dialled, domestic format. */
export const findNumberByDigits = async (
  db: Database,
  digits: string,
): Promise<CallableNumber | undefined> => {
  const [row] = await db.execute<Row>(byDigits, [digits]);
  return row && present(row);
};
