/**
 * Erases the words of an ended call after their retention period, or all data about the other party. The call's row
 * keeps its times, end and metrics; the journal remains without words and DTMF digits. Stored events lose the same
 * data, including undelivered events.
 */
import { sql, type Expression } from 'kysely';
import { anonymous } from '#src/domain/caller-identity.ts';
import type { CallTransfer } from '#src/domain/call-transfer.ts';
import { statusesInProgress } from '#src/domain/end-reasons.ts';
import { appendAudit, type NewAuditEntry } from '../workspaces/audit-entries.ts';
import { newSearch } from './call-search-words.ts';
import type { Database } from '../database/database.ts';
import { now } from '../database/expressions.ts';
import { sqlText } from '../database/sql-text.ts';
import { newEventId, outbox } from '../events/outbox.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';

type Calls = { callIds: readonly string[] };

const turns = kyselyQuery((queries, { callIds }: Calls) =>
  queries.deleteFrom('CallTurn').where('callId', '=', ({ fn, val }) => fn.any(val(callIds))),
);

/** Placeholder of an erased digit. The journal uses the same placeholder for secret digits. */
const hidden = sql.lit('•');

/** Types of facts with words or DTMF digits, or with error details of an agent's server. */
const factsWithWords = [
  'turn.digit',
  'keys.pressed',
  'keys.failed',
  'say.requested',
  'reply.failed',
] as const;

const wordsInFacts = kyselyQuery((queries, { callIds }: Calls) =>
  queries
    .updateTable('CallFactRow')
    .set(({ ref }) => ({
      data: sql<Record<string, unknown>>`case ${ref('type')}
        when 'turn.digit' then ${ref('data')} || jsonb_build_object('digit', ${hidden})
        when 'keys.pressed' then ${ref('data')} || jsonb_build_object('keys', ${hidden})
        when 'keys.failed' then ${ref('data')} || jsonb_build_object('keys', ${hidden})
        when 'say.requested' then ${ref('data')} || jsonb_build_object('text', ${hidden})
        else ${ref('data')} - 'detail' end`,
    }))
    .where('callId', '=', ({ fn, val }) => fn.any(val(callIds)))
    .where('type', 'in', [...factsWithWords]),
);

/** Removes and replaces fields of the call in each stored event. */
const inSnapshots = (
  without: readonly string[],
  told: Readonly<Record<string, Expression<unknown> | null>>,
) =>
  kyselyQuery((queries, { callIds }: Calls) =>
    queries
      .updateTable('Event')
      .set(({ ref }) => {
        const fields = Object.entries(told).flatMap(([name, value]) => [sql.lit(name), value ?? sql`null`]);
        const call = sql`(${ref('snapshot')} -> 'call') - array[${sql.join(without.map((name) => sql.lit(name)))}]::text[]`;
        return {
          snapshot: sql<object>`jsonb_set(${ref('snapshot')}, '{call}', ${call} || jsonb_build_object(${sql.join(fields)}))`,
        };
      })
      .where('callId', '=', ({ fn, val }) => fn.any(val(callIds))),
  );

const wordsInSnapshots = inSnapshots([], { instruction: null, summary: null });

/** Reduces a phone number to its last two digits. */
const lastTwoDigits = (number: Expression<string>) =>
  sql<string>`case ${number} when ${sql.lit(anonymous)} then ${number}
    else right(regexp_replace(${number}, '[^0-9]', '', 'g'), 2) end`;

/** Reduces the number of a transfer's person to its last two digits. */
const withLastTwoDigits = (transfer: Expression<CallTransfer | null>) =>
  sql<CallTransfer | null>`(${transfer} #- '{sip,reasons}' #- '{sip,callInfo}')
    || jsonb_build_object('to', ${lastTwoDigits(sql<string>`${transfer} ->> 'to'`)})`;

const personInSnapshots = inSnapshots(['metadata', 'sip_headers', 'sip_explanation'], {
  caller_name: null,
  diversions: null,
  counterparty: lastTwoDigits(sql<string>`snapshot -> 'call' ->> 'counterparty'`),
  // For a call without a transfer the value is SQL null, because JSON null would be a value.
  transfer: withLastTwoDigits(
    sql<CallTransfer | null>`nullif(snapshot -> 'call' -> 'transfer', ${sql.lit('null')}::jsonb)`,
  ),
});

const personInFacts = kyselyQuery((queries, { callIds }: Calls) =>
  queries
    .updateTable('CallFactRow')
    .set(({ ref }) => ({
      data: sql<Record<string, unknown>>`${ref('data')}
        || jsonb_build_object('to', ${lastTwoDigits(sql<string>`${ref('data')} ->> 'to'`)})`,
    }))
    .where('callId', '=', ({ fn, val }) => fn.any(val(callIds)))
    .where('type', '=', 'call.transfer_requested'),
);

/** Removes the texts of the network's reasons, which may contain names. Status and cause remain. */
const explanationsInFacts = kyselyQuery((queries, { callIds }: Calls) =>
  queries
    .updateTable('CallFactRow')
    .set(({ ref }) => ({
      data: sql<Record<string, unknown>>`${ref('data')} #- '{sip,reasons}' #- '{sip,callInfo}'`,
    }))
    .where('callId', '=', ({ fn, val }) => fn.any(val(callIds)))
    .where('type', 'in', ['call.ended', 'call.transfer_failed']),
);

const wordsInCalls = kyselyQuery((queries, { callIds }: Calls) =>
  queries
    .updateTable('Call')
    .set(({ fn }) => ({
      instruction: null,
      summary: null,
      wordsErasedAt: fn.coalesce('wordsErasedAt', now),
    }))
    .where('id', '=', ({ fn, val }) => fn.any(val(callIds))),
);

const unfindable = kyselyQuery((queries, { callIds }: Calls) =>
  queries.deleteFrom('CallSearch').where('callId', '=', ({ fn, val }) => fn.any(val(callIds))),
);

/** Writes search rows with the number and name of the other party. */
const makeFindable = sqlText<Calls, object>(
  `
    with call_after as (
      select * from call where id = any ($1::uuid[])
    ),
    ${newSearch}
    select 1 as done
  `,
  ['callIds'],
);

const withoutWords = async (db: Statements, calls: Calls): Promise<void> => {
  await turns(db, calls);
  await wordsInFacts(db, calls);
  await wordsInSnapshots(db, calls);
  await wordsInCalls(db, calls);
  await unfindable(db, calls);
};

/** Erases the words of ended calls within a transaction. Each call can still be found by its number. */
export const eraseWords = async (transaction: Statements, callIds: readonly string[]): Promise<void> => {
  await withoutWords(transaction, { callIds });
  await makeFindable(transaction, { callIds });
};

const recordings = kyselyQuery((queries, { callIds }: Calls) =>
  queries
    .updateTable('Recording')
    .set({ erasedAt: now })
    .where('callId', '=', ({ fn, val }) => fn.any(val(callIds)))
    .where('erasedAt', 'is', null),
);

/** Marks the recordings of these calls as erased. Their files are returned by `erasedFiles`. */
export const eraseRecordings = async (db: Statements, callIds: readonly string[]): Promise<void> => {
  await recordings(db, { callIds });
};

const sipMessages = kyselyQuery((queries, { callIds }: Calls) =>
  queries.deleteFrom('SipMessageRow').where('callId', '=', ({ fn, val }) => fn.any(val(callIds))),
);

/** Reduces a phone number to its last two digits. */
const lastTwoDigitsOf = (number: string): string =>
  `case ${number} when '${anonymous}' then ${number} else right(regexp_replace(${number}, '[^0-9]', '', 'g'), 2) end`;

/**
 * Statement that erases a person's data and stores the event. The position of the event follows all facts of the call,
 * including facts that are being written now.
 */
const erasePerson = sqlText<{ callId: string; eventId: string }, { id: string }>(
  `
    with call_after as (
      update call set
        counterparty = ${lastTwoDigitsOf('counterparty')},
        caller_name = null,
        diversions = null,
        metadata = null,
        sip_headers = null,
        sip_explanation = null,
        transfer = (transfer #- '{sip,reasons}' #- '{sip,callInfo}')
          || jsonb_build_object('to', ${lastTwoDigitsOf(`(transfer ->> 'to')`)}),
        erased_at = now()
      where id = $1
      returning call.*
    ),
    new_event as (
      select $2::text as id, id as call_id, 'call.erased' as type, now() as at, 2147483647 as position
      from call_after
    ),
    ${outbox}
    select call_after.id from call_after, notification
  `,
  ['callId', 'eventId'],
);

const locked = kyselyQuery((queries, wanted: { callId: string; workspaceId: string }) =>
  queries
    .selectFrom('Call')
    .select(['status', 'erasedAt'])
    .where('id', '=', wanted.callId)
    .where('workspaceId', '=', wanted.workspaceId)
    .forNoKeyUpdate(),
);

export type Erasure = 'erased' | 'erased_before' | 'in_progress' | 'unknown';

/**
 * Erases all data about the other party of a call, including words and recording. The same transaction stores the event
 * `call.erased` and the audit log entry. `callId` must be a UUID.
 */
export const eraseCall = (
  db: Database,
  wanted: { callId: string; workspaceId: string },
  entry: NewAuditEntry,
): Promise<Erasure> =>
  db.transaction(async (statements) => {
    const [call] = await locked(statements, wanted);
    if (call === undefined) return 'unknown';
    if (statusesInProgress.some((status) => status === call.status)) return 'in_progress';
    if (call.erasedAt !== null) return 'erased_before';
    const { callId } = wanted;
    const calls = { callIds: [callId] };
    await withoutWords(statements, calls);
    await eraseRecordings(statements, calls.callIds);
    await sipMessages(statements, calls);
    await personInFacts(statements, calls);
    await explanationsInFacts(statements, calls);
    await personInSnapshots(statements, calls);
    await erasePerson(statements, { callId, eventId: newEventId() });
    await appendAudit(statements, entry);
    return 'erased';
  });
