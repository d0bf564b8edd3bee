/** A call's row through answer, turns and end. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { CallTaken, facts, recordAsHolder, recordFact } from '#src/persistence/call-facts.ts';
import { findCall } from '#src/persistence/calls.ts';
import { transcriptOf } from '#src/persistence/transcripts.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { answered, answeredCall, ended, said, startedAt, typesOf } from './stored-facts.ts';

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
  t.truthy(await recordFact(db, callId, 2, ended));
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
  t.truthy(await recordFact(db, callId, 2, ended));
  t.falsy(
    await recordFact(db, callId, 3, { ...ended, at: ended.at + 1, reason: 'system_error', status: 'failed' }),
  );
  t.like(await findCall(db, { callId, numberId: owner.numberId }), {
    status: 'completed',
    endReason: 'agent_hangup',
  });
  t.deepEqual(await typesOf(db, callId), ['call.ringing', 'call.answered', 'call.ended']);
  t.falsy(await recordFact(db, callId, 4, answered));
});

test('whoever comes too late to end a call is told so, but for one who asks again', async (t) => {
  const db = await testDatabase();
  const callId = await answeredCall(db);
  t.truthy(await recordAsHolder(db, callId, 2, ended));
  t.is(await recordAsHolder(db, callId, 2, ended), null);
  await recordAsHolder(db, callId, 3, { type: 'call.summarized', at: ended.at, summary: 'Nothing.' });
  for (const sequence of [3, 4])
    await t.throwsAsync(recordAsHolder(db, callId, sequence, { ...ended, reason: 'system_error' }), {
      instanceOf: CallTaken,
    });
  t.deepEqual(await typesOf(db, callId), ['call.ringing', 'call.answered', 'call.ended', 'call.summarized']);
  t.is(await recordAsHolder(db, randomUUID(), 1, ended), null, 'nobody knows whether it was stored');
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
