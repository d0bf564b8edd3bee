/** Rules that must hold: after each statement that writes call data, and when all work has finished. */
import { phrases } from '#src/domain/phrases.ts';
import type { Postgres } from './postgres.ts';

/** Announcement at the beginning of a call if the other party must consent. */
export const announcement = '이 통화는 녹음됩니다. 동의하시면 네라고 말씀하시거나 일 번을 눌러 주세요.';

/** Facts that may follow the end of a call. */
const lateFacts = `'call.summarized', 'recording.completed', 'recording.failed'`;

/** Reasons for the end of a call whose line could not be taken over; a requested hang-up also ends it at once. */
const endsOfLines = `'system_error', 'counterparty_hangup', 'transfer_completed'`;

type Rule = { what: string; broken: string };

/** Each query returns violations of its rule. */
const always: readonly Rule[] = [
  {
    what: 'a gateway wrote to a call held by another one',
    broken: `select * from stale_write`,
  },
  {
    what: 'a call has another holder without a new epoch',
    broken: `select call_id, epoch, count(*) from call_holder group by call_id, epoch having count(*) > 1`,
  },
  {
    what: 'a call was taken over more often than its epoch shows',
    broken: `select id, epoch, count(*) from call join call_fact on call_id = id and type = 'call.taken_over'
      group by id, epoch having count(*) > epoch - 1`,
  },
  {
    what: 'a call has more than one terminal fact',
    broken: `select call_id from call_fact where type = 'call.ended' group by call_id having count(*) > 1`,
  },
  {
    what: 'a fact follows the end of its call',
    broken: `select later.call_id, later.type from call_fact later join call_fact ended using (call_id)
      where ended.type = 'call.ended' and later.sequence > ended.sequence
        and later.type not in (${lateFacts})`,
  },
  {
    what: 'the facts of a call have a gap',
    broken: `select call_id, count(*), max(sequence) from call_fact group by call_id
      having count(*) <> max(sequence) or min(sequence) <> 1`,
  },
  {
    what: 'an event has no corresponding fact',
    broken: `select event.call_id, event.type from event where event.type <> 'call.ringing' and not exists (
      select from call_fact where call_fact.call_id = event.call_id and call_fact.type = event.type)`,
  },
  {
    what: 'a call ended in its row but not in its journal, or the other way round',
    broken: `select id, status from call where (ended_at is not null) <> exists (
      select from call_fact where call_id = call.id and type = 'call.ended')`,
  },
  {
    what: 'a call has more than one event of its end',
    broken: `select call_id from event where type = 'call.ended' group by call_id having count(*) > 1`,
  },
  {
    what: 'a person rings for a call that has ended',
    broken: `select id, transfer from call
      where ended_at is not null and transfer ->> 'status' in ('requested', 'ringing', 'briefing')`,
  },
  {
    what: 'two talking persons were disconnected although the call continued',
    broken: `select connected.call_id, later.type from call_fact connected join call_fact later using (call_id)
      where connected.type = 'call.transfer_connected' and later.sequence > connected.sequence
        and later.type in ('call.transfer_failed', 'call.transfer_returned')`,
  },
  {
    what: 'two persons ring at once, or one rings after another took the call',
    broken: `select call_id from (
        select call_id, type, lag(type) over (partition by call_id order by sequence) as before from call_fact
        where type in ('call.transfer_requested', 'call.transfer_connected', 'call.transfer_failed', 'call.transfer_returned')
      ) as transfers
      where type = 'call.transfer_requested' and before in ('call.transfer_requested', 'call.transfer_connected')`,
  },
];

/** End reasons of a call in which the other party no longer talked to the agent. */
const endsOfBridged = [
  'transfer_completed',
  'agent_hangup',
  'max_duration',
  'media_error',
  'trunk_error',
  'system_error',
];

/** Words of the agent that the other party of a call heard, by sequence number in the journal. */
const told = `(select call_fact.call_id, call_fact.sequence, text from call_fact
  join call_turn on call_turn.call_id = call_fact.call_id and call_turn.sequence = (call_fact.data ->> 'turn')::int
  where type = 'turn.spoken' and role = 'assistant') told`;

const atRest: readonly Rule[] = [
  {
    what: 'a call in which two persons talked ended as one with the agent',
    broken: `select call.id, end_reason from call join call_fact on call_id = call.id
      where type = 'call.transfer_connected' and end_reason not in ('${endsOfBridged.join("', '")}')`,
  },
  {
    what: 'a call has not ended',
    broken: `select id, status, node from call where ended_at is null`,
  },
  {
    what: 'an ended call has no event of its end',
    broken: `select id from call where not exists (
      select from event where event.call_id = call.id and event.type = 'call.ended')`,
  },
  {
    what: 'a delivery is neither delivered nor dead',
    broken: `select event.call_id, event.type, attempts from event_delivery
      join event on event.id = event_id where state = 'pending'`,
  },
  { what: 'the checkpoint of an ended call still exists', broken: `select call_id from call_checkpoint` },
  {
    what: 'a holder continued a call without publishing that it took the call over',
    broken: `select first.call_id, first.epoch, process, first.type, end_reason from (
        select distinct on (call_id, epoch) call_id, epoch, type, process from fact_writer
        where epoch > 1 and type not in ('call.hangup_requested', ${lateFacts})
        order by call_id, epoch, sequence
      ) first join call on call.id = first.call_id
      where type <> 'call.taken_over' and not (type = 'call.ended' and (
        end_reason in (${endsOfLines})
        or exists (
          select from fact_writer asked where asked.call_id = first.call_id and asked.epoch = first.epoch
            and asked.type = 'call.hangup_requested'
        )
      ))`,
  },
  {
    what: 'a holder of a call wrote nothing of it',
    broken: `select holder.call_id, holder.epoch, holder.process from call_holder holder
      join call on call.id = holder.call_id and call.epoch = holder.epoch
      where not exists (select from fact_writer where fact_writer.call_id = holder.call_id
        and fact_writer.epoch = holder.epoch and fact_writer.process = holder.process)`,
  },
  {
    what: 'a holder published twice, or without taking a call over, that it did',
    broken: `select call_id, epoch, count(*) from fact_writer where type = 'call.taken_over'
      group by call_id, epoch having count(*) > 1 or epoch = 1`,
  },
  {
    what: 'a request placed two calls',
    broken: `select instruction from call where instruction is not null group by 1 having count(*) > 1`,
  },
  {
    what: 'the recording of an ended call is pending',
    broken: `select call_id, node from recording where status = 'pending'`,
  },
  {
    what: 'a finished recording and its journal disagree',
    broken: `select call_id, status from recording where status in ('completed', 'failed') and not exists (
      select from call_fact where call_fact.call_id = recording.call_id and type = 'recording.' || status)`,
  },
  {
    what: 'a recording is not as long as its call',
    broken: `select call.id, call.duration_sec, recording.duration_sec as recorded from recording
      join call on call.id = call_id join phone_number on phone_number.id = number_id
      where recording.status = 'completed' and not truncated and phone_number.consent ->> 'announce' is null
        and abs(recording.duration_sec - call.duration_sec) > 4
        -- A gateway that froze between the hang-up and the end leaves a call that another gateway ends later.
        and not exists (select from call_fact completed join call_fact taken using (call_id)
          where call_id = call.id and completed.type = 'recording.completed' and taken.type = 'call.taken_over'
            and taken.sequence > completed.sequence)`,
  },
  {
    what: 'words were spoken before the answer of a call or after its end',
    broken: `select call_id, call_fact.at, answered_at, ended_at from call_fact join call on call.id = call_id
      where type = 'turn.spoken' and duration_sec is not null and
        (at < answered_at - interval '1 second' or at > ended_at + interval '1 second')`,
  },
  {
    what: 'a party heard more than the announcement before its consent',
    broken: `select told.call_id, text from ${told}
      join call on call.id = told.call_id join phone_number on phone_number.id = number_id
      where phone_number.consent ->> 'announce' is not null and position(text in '${announcement}') = 0
        and not exists (select from call_fact known where known.call_id = told.call_id
          and known.type = 'call.consent' and known.sequence < told.sequence)`,
  },
  {
    what: 'a party that refused consent heard more than a goodbye',
    broken: `select told.call_id, text from ${told} join call_fact refused using (call_id)
      where refused.type = 'call.consent' and refused.data ->> 'given' = 'false' and told.sequence > refused.sequence
        and position(text in '${phrases.ko.consentRefused}') = 0`,
  },
  {
    what: 'a call and its journal disagree about consent',
    broken: `select id, consent, data from call left join call_fact on call_id = id and type = 'call.consent'
      where consent ->> 'given' is distinct from data ->> 'given'`,
  },
  {
    what: 'a call exceeded its maximum duration',
    broken: `select id, duration_sec from call where duration_sec > max_duration_sec + 45 or duration_sec < 0`,
  },
];

const isAboutWriters = ({ broken }: Rule): boolean =>
  /\b(?:stale_write|call_holder|fact_writer)\b/.test(broken);

/** Whether the rule is about recordings, which real gateways make long after the end of their calls. */
const isAboutRecordings = ({ broken }: Rule): boolean => /\brecording\b/.test(broken);

/** Rules that need only a gateway's own tables, for a database at rest. */
export const rulesOfTables: readonly Rule[] = [...always, ...atRest].filter(
  (rule) => !isAboutWriters(rule) && !isAboutRecordings(rule),
);

const brokenIn = (postgres: Postgres, rules: readonly Rule[]): string[] =>
  rules.flatMap(({ what, broken }) =>
    postgres.rows(broken).map((found) => `${what}: ${JSON.stringify(found)}`),
  );

/** All rules that hold at any time in one query, to be fast when there is no violation. */
const anyBroken = `select ${always.map(({ broken }) => `exists (${broken})`).join(' or ')}`;

export const checkAlways = (postgres: Postgres): string[] =>
  postgres.isTrue(anyBroken) ? brokenIn(postgres, always) : [];

export const checkAtRest = (postgres: Postgres): string[] => brokenIn(postgres, [...always, ...atRest]);

/** Whether all work is finished. */
export const isAtRest = (postgres: Postgres): boolean =>
  !postgres.isTrue(`select exists (select from call where ended_at is null)
    or exists (select from event_delivery where state = 'pending')
    or exists (select from call_checkpoint) or exists (select from recording where status = 'pending')`);
