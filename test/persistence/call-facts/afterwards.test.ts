/** Facts that come twice, late, or of nobody, and who is told of them. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { facts, journalPlace, recordFact, type RecordedFact } from '#src/persistence/call-facts.ts';
import { findCall } from '#src/persistence/calls.ts';
import { transcriptOf } from '#src/persistence/transcripts.ts';
import { createWebhookEndpoint } from '#src/persistence/webhook-endpoints.ts';
import type { EventType } from '#src/domain/event-types.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { until } from '#test/helpers/until.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { answered, answeredCall, ended, eventsOf, said, startedAt, typesOf } from './stored-facts.ts';

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
    t.truthy(await recordFact(db, callId, index + 1, fact), fact.type);
    const before = await everything();
    t.falsy(await recordFact(db, callId, index + 1, fact), fact.type);
    t.deepEqual(await everything(), before, fact.type);
  }
  t.deepEqual(await journalPlace(db, callId), { sequence: story.length, epoch: 1 });
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
  t.falsy(
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
  t.truthy(await recordFact(db, callId, 2, { type: 'call.answered_by', at, by: 'human' }));
  t.falsy(await recordFact(db, callId, 3, { type: 'call.answered_by', at: at + 1, by: 'machine' }));
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
  await t.throwsAsync(recordFact(db, randomUUID(), 1, answered), { message: /belongs to no call/ });
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
  await until('a notification has come', () => notified > 0 || undefined);
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
});
