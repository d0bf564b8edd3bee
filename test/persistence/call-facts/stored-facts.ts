/** Facts of a call, and the events stored with them. */
import { recordFact, type RecordedFact } from '#src/persistence/calls/call-facts.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { EventSnapshot } from '#src/persistence/events/outbox.ts';
import { storedCall, storedNumber, type StoredNumber } from '#test/helpers/stored-number.ts';

type StoredEvent = { type: string; at: Date; snapshot: EventSnapshot; deliveries: number };

export const eventsOf = (db: Database, callId: string): Promise<StoredEvent[]> =>
  db.execute<StoredEvent>(
    `select type, at, snapshot,
       (select count(*) from event_delivery where event_id = event.id) as deliveries
     from event where call_id = $1 order by at, type`,
    [callId],
  );

export const typesOf = async (db: Database, callId: string): Promise<string[]> =>
  (await eventsOf(db, callId)).map((event) => event.type);

export const startedAt = Date.parse('2026-11-21T03:00:00.000Z');

export const answered = {
  type: 'call.answered',
  at: startedAt + 1_500,
  sip: { status: 200, reason: 'OK', callId: 'abc' },
} satisfies RecordedFact;

export const ended = {
  type: 'call.ended',
  at: startedAt + 11_750,
  reason: 'agent_hangup',
  status: 'completed',
} satisfies RecordedFact;

export const said = (at: number, text: string, role: 'assistant' | 'user' = 'assistant'): RecordedFact => ({
  type: 'turn.spoken',
  at: startedAt + at,
  endedAt: startedAt + at + 500,
  role,
  text,
  whole: true,
});

export const answeredCall = async (db: Database, owner?: StoredNumber): Promise<string> => {
  const callId = await storedCall(db, owner ?? (await storedNumber(db)));
  await recordFact(db, callId, 1, answered);
  return callId;
};
