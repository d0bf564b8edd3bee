/** Births of calls, alone and many at once. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { facts } from '#src/persistence/call-facts.ts';
import { callTransitions } from '#src/persistence/call-transitions.ts';
import { createCallInsertion, findCall, insertCall, insertEndedCall } from '#src/persistence/calls.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { callBirth, storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { eventsOf, startedAt, typesOf } from './stored-facts.ts';

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

test('where its chart begins is written with a call, in its one statement, and not of one that is born ended', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const opening = { chartVersion: 'abcdef012345', state: 'ringing.alerting' };
  const [born, ended, other] = [
    callBirth(owner, { opening }),
    callBirth(owner, { opening }),
    callBirth(owner),
  ];
  await Promise.all([born, other].map(async (birth) => insertCall(db, birth)));
  await insertEndedCall(db, ended, { status: 'failed', reason: 'caller_rejected', at: new Date(startedAt) });
  t.deepEqual(await callTransitions(db, born.id), [
    {
      callId: born.id,
      epoch: 1,
      sequence: 1,
      at: born.startedAt,
      machine: 'call',
      chartVersion: 'abcdef012345',
      stateBefore: null,
      eventType: 'xstate.init',
      stateAfter: 'ringing.alerting',
      factsBefore: 0,
    },
  ]);
  t.deepEqual(await callTransitions(db, ended.id), []);
  t.deepEqual(await callTransitions(db, other.id), []);
});
