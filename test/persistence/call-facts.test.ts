import { randomUUID } from 'node:crypto';
import test from 'ava';
import { facts, lastFactSequence, recordFact, type RecordedFact } from '#src/persistence/call-facts.ts';
import { createCallInsertion, findCall, insertCall, insertEndedCall } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';
import type { EventSnapshot } from '#src/persistence/outbox.ts';
import { transcriptOf } from '#src/persistence/transcripts.ts';
import { createWebhookEndpoint } from '#src/persistence/webhook-endpoints.ts';
import type { EventType } from '#src/domain/event-types.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { callBirth, storedCall, storedNumber, type StoredNumber } from '#test/helpers/stored-number.ts';

type StoredEvent = { type: string; at: Date; snapshot: EventSnapshot; deliveries: number };

const eventsOf = (db: Database, callId: string): Promise<StoredEvent[]> =>
  db.execute<StoredEvent>(
    `select type, at, snapshot,
       (select count(*) from event_delivery where event_id = event.id) as deliveries
     from event where call_id = $1 order by at, type`,
    [callId],
  );

const typesOf = async (db: Database, callId: string): Promise<string[]> =>
  (await eventsOf(db, callId)).map((event) => event.type);

const startedAt = Date.parse('2026-11-21T03:00:00.000Z');
const answered: RecordedFact = {
  type: 'call.answered',
  at: startedAt + 1_500,
  sip: { status: 200, reason: 'OK', callId: 'abc' },
};
const ended: RecordedFact = {
  type: 'call.ended',
  at: startedAt + 11_750,
  reason: 'agent_hangup',
  status: 'completed',
};
const said = (at: number, text: string, role: 'assistant' | 'user' = 'assistant'): RecordedFact => ({
  type: 'turn.spoken',
  at: startedAt + at,
  endedAt: startedAt + at + 500,
  role,
  text,
  whole: true,
});

const answeredCall = async (db: Database, owner?: StoredNumber): Promise<string> => {
  const callId = await storedCall(db, owner ?? (await storedNumber(db)));
  await recordFact(db, callId, 1, answered);
  return callId;
};

test('a call is born ringing, with its event', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await storedCall(db, owner);
  const call = await findCall(db, { callId, numberId: owner.numberId });
  t.like(call, {
    id: callId,
    workspaceId: owner.workspaceId,
    status: 'ringing',
    endReason: null,
    instruction: 'Book a table',
    startedAt: new Date(startedAt),
    answeredAt: null,
    durationSec: null,
    recording: null,
  });
  const [event] = await eventsOf(db, callId);
  t.is(event?.type, 'call.ringing');
  t.deepEqual(event?.at, new Date(startedAt));
  t.like(event?.snapshot, {
    time_zone: 'Asia/Seoul',
    call: { id: callId, status: 'ringing', ended_at: null },
  });
  t.is(Date.parse(event?.snapshot.call.started_at ?? ''), startedAt);
});

test('a rejected inbound call is born ended, with the fact and the event call.ended alone', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const birth = callBirth(owner, { direction: 'inbound' });
  const at = new Date(startedAt + 20);
  await insertEndedCall(db, birth, { status: 'failed', reason: 'caller_rejected', at });
  t.like(await findCall(db, { callId: birth.id, workspaceId: owner.workspaceId }), {
    status: 'failed',
    endReason: 'caller_rejected',
    endedAt: at,
    durationSec: 0,
  });
  t.deepEqual(await typesOf(db, birth.id), ['call.ended']);
  t.deepEqual(await facts(db, birth.id), [
    { sequence: 1, type: 'call.ended', at, data: { status: 'failed', reason: 'caller_rejected' } },
  ]);
});

test('a call that cannot be stored leaves no event', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const birth = callBirth(owner, { numberId: randomUUID() });
  await t.throwsAsync(insertCall(db, birth));
  t.deepEqual(await typesOf(db, birth.id), []);
});

test('calls that are born together are one statement, each with an event of its own', async (t) => {
  const db = await testDatabase();
  const owners = await Promise.all([storedNumber(db), storedNumber(db)]);
  const births = [...owners, ...owners].map((owner, index) =>
    callBirth(owner, {
      instruction: `Say "${index}" \\ {,}\n안녕 🙂`,
      startedAt: new Date(startedAt + index),
    }),
  );
  let statements = 0;
  const run: typeof db.run = (query) => {
    statements += 1;
    return db.run(query);
  };
  await Promise.all(births.map(createCallInsertion({ ...db, run })));
  t.is(statements, 1);
  for (const birth of births) {
    t.like(await findCall(db, { callId: birth.id, numberId: birth.numberId }), birth);
    const events = await eventsOf(db, birth.id);
    t.is(events.length, 1);
    t.like(events[0], { type: 'call.ringing', at: birth.startedAt });
    t.like(events[0]?.snapshot.call, { id: birth.id, instruction: birth.instruction });
  }
});

test('a call that cannot be stored does not keep those that are born with it from being stored', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const [good, other] = [callBirth(owner), callBirth(owner)];
  const bad = callBirth(owner, { numberId: randomUUID() });
  const insert = createCallInsertion(db);
  const results = await Promise.allSettled([insert(good), insert(bad), insert(other)]);
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.deepEqual(await typesOf(db, good.id), ['call.ringing']);
  t.deepEqual(await typesOf(db, bad.id), []);
  t.deepEqual(await typesOf(db, other.id), ['call.ringing']);
});

test('an answer makes the call active and begins its recording', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await answeredCall(db, owner);
  t.like(await findCall(db, { callId, numberId: owner.numberId }), {
    status: 'active',
    answeredAt: new Date(answered.at),
    sipStatus: 200,
    sipReason: 'OK',
    sipCallId: 'abc',
    recording: { status: 'pending', contentType: null },
  });
  t.deepEqual(await typesOf(db, callId), ['call.ringing', 'call.answered']);
});

test('a call that is not to be recorded has no recording', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await storedCall(db, owner, { recordingEnabled: false });
  await recordFact(db, callId, 1, answered);
  t.is((await findCall(db, { callId, numberId: owner.numberId }))?.recording, null);
});

test('the duration of an answered call is its connected time, to the millisecond', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await answeredCall(db, owner);
  t.true(await recordFact(db, callId, 2, ended));
  t.like(await findCall(db, { callId, numberId: owner.numberId }), {
    status: 'completed',
    endReason: 'agent_hangup',
    endedAt: new Date(ended.at),
    durationSec: 10.25,
    sipStatus: 200,
  });
});

test('the duration of a call that was never answered is 0', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await storedCall(db, owner);
  const busy = { status: 486, reason: 'Busy Here', callId: 'x' };
  await recordFact(db, callId, 1, {
    type: 'call.ended',
    at: startedAt + 900,
    reason: 'busy',
    status: 'no_answer',
    sip: busy,
  });
  t.like(await findCall(db, { callId, numberId: owner.numberId }), {
    status: 'no_answer',
    endReason: 'busy',
    durationSec: 0,
    sipStatus: 486,
  });
});

test('the first end wins, and there is one call.ended', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await answeredCall(db, owner);
  t.true(await recordFact(db, callId, 2, ended));
  t.false(
    await recordFact(db, callId, 3, { ...ended, at: ended.at + 1, reason: 'system_error', status: 'failed' }),
  );
  t.like(await findCall(db, { callId, numberId: owner.numberId }), {
    status: 'completed',
    endReason: 'agent_hangup',
  });
  t.deepEqual(await typesOf(db, callId), ['call.ringing', 'call.answered', 'call.ended']);
  t.false(await recordFact(db, callId, 4, answered));
});

test('turns are numbered from 1, with their offset from the answer', async (t) => {
  const db = await testDatabase();
  const callId = await answeredCall(db);
  await recordFact(db, callId, 2, said(1_700, 'Hello.'));
  await recordFact(db, callId, 3, said(4_125, 'Good evening.', 'user'));
  t.deepEqual(
    (await transcriptOf(db, callId)).map(({ sequence, role, text, tOffsetSec }) => [
      sequence,
      role,
      text,
      tOffsetSec,
    ]),
    [
      [1, 'assistant', 'Hello.', 0.2],
      [2, 'user', 'Good evening.', 2.625],
    ],
  );
  t.deepEqual(await typesOf(db, callId), ['call.ringing', 'call.answered']);
});

test('the offset of a turn never lies before that of the turn before it', async (t) => {
  const db = await testDatabase();
  const callId = await answeredCall(db);
  for (const [index, at] of [4_000, 3_992, 4_001, 1_000].entries())
    await recordFact(db, callId, 2 + index, said(at, `Turn ${index}.`));
  t.deepEqual(
    (await transcriptOf(db, callId)).map(({ sequence, tOffsetSec }) => [sequence, tOffsetSec]),
    [
      [1, 2.5],
      [2, 2.5],
      [3, 2.501],
      [4, 2.501],
    ],
  );
});

test('the journal holds no spoken text', async (t) => {
  const db = await testDatabase();
  const callId = await answeredCall(db);
  await recordFact(db, callId, 2, said(1_700, 'A secret matter'));
  const [, turn] = await facts(db, callId);
  t.deepEqual(turn, {
    sequence: 2,
    type: 'turn.spoken',
    at: new Date(startedAt + 1_700),
    data: { turn: 1, endedAt: startedAt + 2_200 },
  });
});

test('a fact that is written again changes nothing', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await storedCall(db, owner);
  const story: RecordedFact[] = [
    answered,
    { type: 'call.answered_by', at: startedAt + 1_900, by: 'machine' },
    said(2_000, 'Hello.'),
    { type: 'turn.digit', at: startedAt + 2_500, digit: '5' },
    { type: 'reply.failed', at: startedAt + 2_600, turn: 2, failure: 'http_error', detail: 'HTTP 500' },
    { type: 'call.hangup_requested', at: startedAt + 3_000, immediate: false },
    { type: 'call.hangup_cancelled', at: startedAt + 4_000 },
    ended,
    {
      type: 'recording.completed',
      at: ended.at + 1,
      contentType: 'audio/ogg',
      durationSec: 10.2,
      bytes: 5_000_000_000,
      file: 'a.ogg',
      truncated: false,
    },
    { type: 'call.summarized', at: ended.at + 2, summary: 'A table was booked.' },
  ];
  const everything = async () => ({
    call: await findCall(db, { callId, numberId: owner.numberId }),
    events: await eventsOf(db, callId),
    turns: await transcriptOf(db, callId),
    facts: await facts(db, callId),
  });
  for (const [index, fact] of story.entries()) {
    t.true(await recordFact(db, callId, index + 1, fact), fact.type);
    const before = await everything();
    t.false(await recordFact(db, callId, index + 1, fact), fact.type);
    t.deepEqual(await everything(), before, fact.type);
  }
  t.is(await lastFactSequence(db, callId), story.length);
  t.deepEqual(await typesOf(db, callId), [
    'call.ringing',
    'call.answered',
    'call.answered_by',
    'call.hangup_requested',
    'call.hangup_cancelled',
    'call.ended',
    'recording.completed',
    'call.summarized',
  ]);
});

test('a finished recording is part of its event and of the call', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await answeredCall(db, owner);
  const at = ended.at + 5;
  const recording = {
    contentType: 'audio/ogg',
    durationSec: 10.2,
    bytes: 5_000_000_000,
    file: 'a.ogg',
    truncated: true,
  };
  await recordFact(db, callId, 2, { type: 'recording.completed', at, ...recording });
  t.like((await findCall(db, { callId, numberId: owner.numberId }))?.recording, {
    status: 'completed',
    ...recording,
    finishedAt: new Date(at),
  });
  const event = (await eventsOf(db, callId)).find(({ type }) => type === 'recording.completed');
  t.deepEqual(event?.snapshot.recording, {
    status: 'completed',
    content_type: 'audio/ogg',
    duration_sec: 10.2,
    bytes: 5_000_000_000,
    truncated: true,
  });
  t.false(
    await recordFact(db, callId, 3, { type: 'recording.failed', at: at + 1 }),
    'it is finished already',
  );
});

test('who answered is stored once and told, with the call as it is then', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await answeredCall(db, owner);
  t.is((await findCall(db, { callId, numberId: owner.numberId }))?.answeredBy, null);
  const at = startedAt + 4_000;
  t.true(await recordFact(db, callId, 2, { type: 'call.answered_by', at, by: 'human' }));
  t.false(await recordFact(db, callId, 3, { type: 'call.answered_by', at: at + 1, by: 'machine' }));
  t.is((await findCall(db, { callId, numberId: owner.numberId }))?.answeredBy, 'human');
  const events = (await eventsOf(db, callId)).filter(({ type }) => type === 'call.answered_by');
  t.is(events.length, 1);
  t.like(events[0], { at: new Date(at), snapshot: { call: { answered_by: 'human', status: 'active' } } });
});

test('a summary is stored and told', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await answeredCall(db, owner);
  await recordFact(db, callId, 2, ended);
  await recordFact(db, callId, 3, { type: 'call.summarized', at: ended.at + 5, summary: 'Short.' });
  t.is((await findCall(db, { callId, numberId: owner.numberId }))?.summary, 'Short.');
  const event = (await eventsOf(db, callId)).at(-1);
  t.like(event, { type: 'call.summarized', snapshot: { call: { summary: 'Short.', status: 'completed' } } });
});

test('a fact of an unknown call is refused', async (t) => {
  const db = await testDatabase();
  await t.throwsAsync(recordFact(db, randomUUID(), 1, answered), { message: /call_fact_call_id_foreign/ });
});

test('each endpoint that wants an event gets one delivery, but for disabled ones', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const stranger = await storedNumber(db);
  const endpoint = async (
    workspaceId: string,
    events: EventType[] | null,
    numberId: string | null,
  ): Promise<string> => {
    const { id } = await createWebhookEndpoint(db, {
      id: randomUUID(),
      workspaceId,
      numberId,
      url: 'https://example.com/hook',
      events,
      secretSealed: 'sealed',
      createdAt: new Date(),
    });
    return id;
  };
  const all = await endpoint(owner.workspaceId, null, null);
  const ends = await endpoint(owner.workspaceId, ['call.ended'], owner.numberId);
  await endpoint(owner.workspaceId, null, stranger.numberId);
  await endpoint(stranger.workspaceId, null, null);
  const disabled = await endpoint(owner.workspaceId, null, null);
  await db.execute(`update webhook_endpoint set state = 'disabled' where id = $1`, [disabled]);

  let notified = 0;
  const unlisten = await db.listen('deliveries', () => (notified += 1));
  const callId = await answeredCall(db, owner);
  await recordFact(db, callId, 2, ended);
  await db.ping();
  await unlisten();

  const deliveries = await db.execute<{ type: string; endpointId: string }>(
    `select event.type, endpoint_id as "endpointId" from event_delivery
     join event on event.id = event_id where event.call_id = $1 order by event.at, event.type, endpoint_id = $2`,
    [callId, ends],
  );
  t.deepEqual(deliveries, [
    { type: 'call.ringing', endpointId: all },
    { type: 'call.answered', endpointId: all },
    { type: 'call.ended', endpointId: all },
    { type: 'call.ended', endpointId: ends },
  ]);
  t.true(notified > 0);
});
