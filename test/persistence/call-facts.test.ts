/** Facts of calls in the database. */
import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { z } from 'zod';
import type { EventType } from '#src/domain/event-types.ts';
import type { SipLeg } from '#src/domain/sip-leg.ts';
import { createSharedTurnWriter } from '#src/persistence/calls/add-turn.ts';
import {
  CallTaken,
  createFactRecorder,
  facts,
  journalPosition,
  recordAsHolder,
  type RecordedFact,
  recordFact,
} from '#src/persistence/calls/call-facts.ts';
import {
  type CallProgress,
  storeProgress,
  type StoredSettings,
  checkpointForm,
} from '#src/persistence/calls/call-checkpoints.ts';
import { callTransitions, keepTransitions } from '#src/persistence/calls/call-transitions.ts';
import { createCallInsertion, findCall, insertCall, insertEndedCall } from '#src/persistence/calls/calls.ts';
import {
  takeFromEarlierProcess,
  takeFromLostNode,
  takeHandedOver,
} from '#src/persistence/calls/claim-calls.ts';
import { legsOf, openLegs, sealLegs, writeLegs } from '#src/persistence/calls/checkpoint-legs.ts';
import { prepareCalls } from '#src/persistence/calls/prepare-calls.ts';
import { findRecording } from '#src/persistence/calls/recordings.ts';
import { transcriptOf } from '#src/persistence/calls/transcripts.ts';
import { createWebhookEndpoint } from '#src/persistence/events/webhook-endpoints.ts';
import { isLockAwaited } from '#test/helpers/database-statement.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { someRoute, someSound } from '#test/helpers/some-sound.ts';
import { newCallRow, storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { sealing } from '#test/helpers/test-sealing.ts';
import { until } from '#test/helpers/until.ts';
import {
  answered,
  answeredCall,
  ended,
  eventsOf,
  said,
  startedAt,
  typesOf,
} from './call-facts/stored-facts.ts';

// Insertion
// Inserting calls, alone and many at once.

test.serial('inserts a ringing call and its event in one statement', async (t) => {
  const db = await testDatabase('creations');
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

test.serial(
  'inserts a rejected inbound call as ended, with only the fact and the event call.ended',
  async (t) => {
    const db = await testDatabase('creations');
    const owner = await storedNumber(db);
    const newCall = newCallRow(owner, { direction: 'inbound' });
    const at = new Date(startedAt + 20);
    await insertEndedCall(db, newCall, { status: 'failed', reason: 'caller_rejected', at });
    t.like(await findCall(db, { callId: newCall.id, workspaceId: owner.workspaceId }), {
      status: 'failed',
      endReason: 'caller_rejected',
      endedAt: at,
      durationSec: 0,
    });
    t.deepEqual(await typesOf(db, newCall.id), ['call.ended']);
    t.deepEqual(await facts(db, newCall.id), [
      { sequence: 1, type: 'call.ended', at, data: { status: 'failed', reason: 'caller_rejected' } },
    ]);
  },
);

test.serial('stores no event for a call that cannot be stored', async (t) => {
  const db = await testDatabase('creations');
  const owner = await storedNumber(db);
  const newCall = newCallRow(owner, { numberId: randomUUID() });
  await t.throwsAsync(insertCall(db, newCall));
  t.deepEqual(await typesOf(db, newCall.id), []);
});

test.serial('inserts simultaneous calls in one statement, each with its own event', async (t) => {
  const db = await testDatabase('creations');
  const owners = await Promise.all([storedNumber(db), storedNumber(db)]);
  const newCalls = [...owners, ...owners].map((owner, index) =>
    newCallRow(owner, {
      instruction: `Say "${index}" \\ {,}\n안녕 🙂`,
      startedAt: new Date(startedAt + index),
    }),
  );
  let statements = 0;
  const execute: typeof db.execute = (...asked) => {
    statements += 1;
    return db.execute(...asked);
  };
  await Promise.all(newCalls.map(createCallInsertion({ ...db, execute })));
  t.is(statements, 1);
  for (const newCall of newCalls) {
    t.like(await findCall(db, { callId: newCall.id, numberId: newCall.numberId }), newCall);
    const events = await eventsOf(db, newCall.id);
    t.is(events.length, 1);
    t.like(events[0], { type: 'call.ringing', at: newCall.startedAt });
    t.like(events[0]?.snapshot.call, { id: newCall.id, instruction: newCall.instruction });
  }
});

test.serial('stores the other calls of a statement if one cannot be stored', async (t) => {
  const db = await testDatabase('creations');
  const owner = await storedNumber(db);
  const [good, other] = [newCallRow(owner), newCallRow(owner)];
  const bad = newCallRow(owner, { numberId: randomUUID() });
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

test.serial(
  'stores the initial chart state with a call in one statement, except for calls inserted as ended',
  async (t) => {
    const db = await testDatabase('creations');
    const owner = await storedNumber(db);
    const opening = { chartVersion: 'abcdef012345', state: 'ringing.alerting' };
    const [born, ended, other] = [
      newCallRow(owner, { opening }),
      newCallRow(owner, { opening }),
      newCallRow(owner),
    ];
    await Promise.all([born, other].map(async (newCall) => insertCall(db, newCall)));
    await insertEndedCall(db, ended, {
      status: 'failed',
      reason: 'caller_rejected',
      at: new Date(startedAt),
    });
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
  },
);

test.serial('prepares the statements of a call without storing anything', async (t) => {
  const db = await testDatabase('prepared');
  const count = `select (select count(*) from call) + (select count(*) from event) + (select count(*) from call_fact) as rows`;
  const before = await db.execute(count);
  await prepareCalls(db);
  t.deepEqual(await db.execute(count), before);
  const prepared = `select statement from pg_prepared_statements`;
  const [creation, facts] = [await db.execute(prepared), await db.journal.execute(prepared)].map((found) =>
    JSON.stringify(found),
  );
  t.regex(creation ?? '', /insert into call \(/);
  for (const type of ['call.answered', 'turn.spoken', 'call.ended'])
    t.true(facts?.includes(`'${type}'`), type);
  t.regex(creation ?? '', /takenCheckpoints/, 'claim of a take-over');
});

test.serial('plans the statements of facts without their values, once for each connection', async (t) => {
  const db = await testDatabase('planned');
  await prepareCalls(db);
  const [plans] = await db.journal.execute(
    `select sum(custom_plans)::int as custom, sum(generic_plans)::int > 0 as "hasGeneric" from pg_prepared_statements`,
  );
  t.deepEqual(plans, { custom: 0, hasGeneric: true });
});

// Life
// A call's row through answer, turns and end.

test.serial('makes an answered call active and starts its recording', async (t) => {
  const db = await testDatabase('life');
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

test.serial('stores no recording row for a call without recording', async (t) => {
  const db = await testDatabase('life');
  const owner = await storedNumber(db);
  const callId = await storedCall(db, owner, { recordingEnabled: false });
  await recordFact(db, callId, 1, answered);
  t.is((await findCall(db, { callId, numberId: owner.numberId }))?.recording, null);
});

test.serial('stores the connected time of an answered call in milliseconds as its duration', async (t) => {
  const db = await testDatabase('life');
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

test.serial('stores 0 as the duration of an unanswered call', async (t) => {
  const db = await testDatabase('life');
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

test.serial('stores the Reason headers from the end of a call', async (t) => {
  const db = await testDatabase('life');
  const owner = await storedNumber(db);
  const callId = await answeredCall(db, owner);
  const reasons = [{ protocol: 'Q.850', cause: 41, text: 'Temporary failure' }];
  await recordFact(db, callId, 2, {
    ...ended,
    reason: 'trunk_error',
    sip: { status: 200, reason: 'OK', callId: 'x', reasons },
  });
  t.like(await findCall(db, { callId, numberId: owner.numberId }), {
    status: 'completed',
    endReason: 'trunk_error',
    sipExplanation: { reasons, callInfo: [] },
  });
});

test.serial('stores only the first end of a call and writes one call.ended', async (t) => {
  const db = await testDatabase('life');
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

test.serial('stores an end with its summary in one statement, as two facts with two events', async (t) => {
  const db = await testDatabase('life');
  const owner = await storedNumber(db);
  const callId = await answeredCall(db, owner);
  let statements = 0;
  const execute: typeof db.execute = (...asked) => {
    statements += 1;
    return db.execute(...asked);
  };
  const end = { ...ended, summary: 'A numbat called.' };
  t.truthy(await recordAsHolder({ ...db, execute }, callId, 2, end));
  t.is(statements, 1);
  const everything = async () => ({
    call: await findCall(db, { callId, numberId: owner.numberId }),
    events: await eventsOf(db, callId),
    facts: await facts(db, callId),
  });
  const before = await everything();
  t.like(before.call, { status: 'completed', summary: 'A numbat called.' });
  t.deepEqual(
    before.facts.map(({ sequence, type }) => [sequence, type]),
    [
      [1, 'call.answered'],
      [2, 'call.ended'],
      [3, 'call.summarized'],
    ],
  );
  t.false(JSON.stringify(before.facts).includes('numbat'), 'words are not stored in the journal');
  t.deepEqual(
    before.events.slice(-2).map(({ type, snapshot }) => [type, snapshot.call.status, snapshot.call.summary]),
    [
      ['call.ended', 'completed', null],
      ['call.summarized', 'completed', 'A numbat called.'],
    ],
  );
  const found = await db.execute(
    `select 1 from call_search where call_id = $1 and words @@ to_tsquery('simple', 'numbat')`,
    [callId],
  );
  t.is(found.length, 1);
  t.is(await recordAsHolder(db, callId, 2, end), null);
  t.deepEqual(await everything(), before);
});

test.serial('stores no summary with the end of a call whose words are not stored', async (t) => {
  const db = await testDatabase('life');
  const owner = await storedNumber(db);
  await db.execute(`update phone_number set retention_days = '{"words": 0}' where id = $1`, [owner.numberId]);
  const callId = await answeredCall(db, owner);
  t.truthy(await recordFact(db, callId, 2, { ...ended, summary: 'A numbat called.' }));
  t.is((await findCall(db, { callId, numberId: owner.numberId }))?.summary, null);
  t.deepEqual(await typesOf(db, callId), ['call.ringing', 'call.answered', 'call.ended']);
});

test.serial('returns that the call has already ended to a late writer, except on a retry', async (t) => {
  const db = await testDatabase('life');
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

test.serial('numbers turns from 1, with their offset from the answer', async (t) => {
  const db = await testDatabase('life');
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

test.serial('never stores a turn offset before that of the previous turn', async (t) => {
  const db = await testDatabase('life');
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

test.serial('stores no spoken text in the journal', async (t) => {
  const db = await testDatabase('life');
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

// Audio
// The stored trunk and audio statistics of a call.

test.serial('stores the trunk with the answer, and the audio statistics with the end', async (t) => {
  const db = await testDatabase('sound');
  const owner = await storedNumber(db);
  const callId = await storedCall(db, owner);
  const read = () => findCall(db, { callId, numberId: owner.numberId });
  await recordFact(db, callId, 1, { ...answered, route: { ...someRoute, failedTrunks: ['other'] } });
  t.like(await read(), {
    trunkId: someRoute.trunk.id,
    trunkName: 'carrier',
    failedTrunks: ['other'],
    postDialDelayMs: 1_830,
    localSignalling: '192.0.2.10:5060',
    remoteSignalling: '203.0.113.5:5060',
    sound: null,
    oneWay: null,
  });
  await recordFact(db, callId, 2, { ...ended, sound: someSound });
  t.deepEqual((await read())?.sound, someSound);
  t.is((await read())?.trunkName, 'carrier', 'an end that says nothing of it leaves it');
});

test.serial('does not repeat columns of the call in the journal', async (t) => {
  const db = await testDatabase('sound');
  const callId = await storedCall(db, await storedNumber(db));
  await recordFact(db, callId, 1, { ...answered, route: someRoute });
  await recordFact(db, callId, 2, { ...ended, route: someRoute, sound: someSound });
  const journal = await facts(db, callId);
  t.deepEqual(
    journal.map(({ data }) => Object.keys(data)),
    [['sip'], ['reason', 'status']],
  );
});

test.serial('stores the first direction of missing audio and emits no event for it', async (t) => {
  const db = await testDatabase('sound');
  const owner = await storedNumber(db);
  const callId = await answeredCall(db, owner);
  const at = answered.at + 5_000;
  t.truthy(await recordFact(db, callId, 2, { type: 'sound.one_way', at, missing: 'nothing_received' }));
  t.truthy(await recordFact(db, callId, 3, { type: 'sound.one_way', at, missing: 'nothing_delivered' }));
  t.is((await findCall(db, { callId, numberId: owner.numberId }))?.oneWay, 'nothing_received');
  t.deepEqual(await typesOf(db, callId), ['call.ringing', 'call.answered']);
});

// Take-over
// A call that was taken over: its previous owner can no longer write to it.

const at = answered.at + 1_000;

const everyFact: readonly RecordedFact[] = [
  { type: 'call.answered_by', at, by: 'human' },
  { type: 'call.held', at },
  { type: 'call.hangup_requested', at, immediate: false },
  { type: 'sound.one_way', at, missing: 'nothing_received' },
  { type: 'turn.spoken', at, endedAt: at + 1, role: 'user', text: 'Hello?', whole: true },
  {
    type: 'recording.completed',
    at,
    contentType: 'audio/ogg',
    durationSec: 1,
    bytes: 1,
    file: 'a',
    truncated: false,
  },
  { type: 'recording.failed', at },
  ended,
  { type: 'call.summarized', at, summary: 'Nothing.' },
];

const taking = (from: string) => ({ from, by: 'taker', canResume: true });

const takenCall = async () => {
  const db = await testDatabase('taken');
  const owner = await storedNumber(db);
  const node = randomUUID();
  const callId = await storedCall(db, owner, { node });
  await recordFact(db, callId, 1, answered);
  const [taken] = await takeFromEarlierProcess(db, node);
  return { db, owner, node, callId, taken };
};

test.serial('drops facts of a previous owner and stores those of the new one', async (t) => {
  const { db, owner, callId, taken } = await takenCall();
  t.like(taken, { id: callId, epoch: 2 });
  const before = await findCall(db, { callId, numberId: owner.numberId });
  for (const fact of everyFact)
    await t.throwsAsync(recordFact(db, callId, 2, fact), { instanceOf: CallTaken }, fact.type);
  t.deepEqual(await findCall(db, { callId, numberId: owner.numberId }), before);
  t.deepEqual(await transcriptOf(db, callId), []);
  t.is((await facts(db, callId)).length, 1);
  for (const [index, fact] of everyFact.entries())
    t.is(
      (await recordFact(db, callId, 2 + index, fact, 2)) !== null,
      // The recording of the call is completed and no longer marked as failed.
      fact.type !== 'recording.failed',
      fact.type,
    );
});

test.serial('a take-over waits for a fact that is being written and then finds it', async (t) => {
  const db = await testDatabase('taken');
  const node = randomUUID();
  const callId = await storedCall(db, await storedNumber(db), { node });
  let hasTaken = false;
  const taking = await db.transaction(async (statements) => {
    t.truthy(await recordFact(statements, callId, 1, answered));
    const taken = takeFromEarlierProcess(db, node).then((calls) => {
      hasTaken = true;
      return calls;
    });
    await until('the take-over waits', async () => (await isLockAwaited(db)) || undefined);
    t.false(hasTaken);
    return { taken };
  });
  t.like((await taking.taken)[0], { id: callId, answeredAt: new Date(answered.at), epoch: 2 });
});

/** Calls that another gateway has taken over, and the recorder of their facts, which counts its statements. */
const takenCalls = async (count: number) => {
  const db = await testDatabase('taken');
  const owner = await storedNumber(db);
  const node = randomUUID();
  for (let stored = 0; stored < count; stored += 1) await storedCall(db, owner, { node });
  const callIds = (await takeFromEarlierProcess(db, node)).map(({ id }) => id);
  let statements = 0;
  const execute: typeof db.execute = (...asked) => {
    statements += 1;
    return db.execute(...asked);
  };
  const record = createFactRecorder({ ...db, execute });
  const recordTaken = (callId: string, epoch = 2) =>
    record(callId, 1, { type: 'call.taken_over', at: startedAt, node: 'south', from: 'north' }, epoch, {
      checkpoint: null,
      transitions: [],
      legsAreGone: false,
    });
  return { db, callIds, recordTaken, statements: () => statements };
};

test.serial('stores the take-overs of several calls in one statement', async (t) => {
  const { db, callIds, recordTaken, statements } = await takenCalls(3);
  const written = await Promise.all(callIds.map((callId) => recordTaken(callId)));
  t.deepEqual(
    written,
    callIds.map(() => ({ ended: null })),
  );
  t.is(statements(), 1);
  for (const callId of callIds)
    t.deepEqual(await facts(db, callId), [
      {
        sequence: 1,
        type: 'call.taken_over',
        at: new Date(startedAt),
        data: { node: 'south', from: 'north' },
      },
    ]);
});

test.serial('rejects a fact of a call with a later owner, and stores those that came with it', async (t) => {
  const { db, callIds, recordTaken } = await takenCalls(3);
  const [lost = '', ...held] = callIds;
  const late = recordTaken(lost, 1);
  const others = held.map((callId) => recordTaken(callId));
  await t.throwsAsync(late, { instanceOf: CallTaken });
  await Promise.all(others);
  t.deepEqual(await facts(db, lost), []);
  for (const callId of held) t.is((await facts(db, callId)).length, 1);
});

test.serial('stores a fact twice only once, also together with others', async (t) => {
  const { db, callIds, recordTaken } = await takenCalls(2);
  await Promise.all(callIds.map((callId) => recordTaken(callId)));
  t.deepEqual(await Promise.all(callIds.map((callId) => recordTaken(callId))), [null, null]);
  for (const callId of callIds) t.is((await facts(db, callId)).length, 1);
});

test.serial('a locked call delays only its own fact', async (t) => {
  const { db, callIds, recordTaken } = await takenCalls(3);
  const [locked = '', ...free] = callIds;
  const { waiting } = await db.transaction(async (statements) => {
    await statements.execute('select from call where id = $1 for update', [locked]);
    const waiting = recordTaken(locked);
    await Promise.all(free.map((callId) => recordTaken(callId)));
    for (const callId of free) t.is((await facts(db, callId)).length, 1);
    t.deepEqual(await facts(db, locked), []);
    return { waiting };
  });
  await waiting;
  t.is((await facts(db, locked)).length, 1);
});

/** Answered calls, and the recorder of their turns, which counts its statements. */
const talkingCalls = async (count: number) => {
  const db = await testDatabase('turns');
  const owner = await storedNumber(db);
  const callIds: string[] = [];
  while (callIds.length < count) callIds.push(await answeredCall(db, owner));
  let statements = 0;
  const execute: typeof db.execute = (...asked) => {
    statements += 1;
    return db.execute(...asked);
  };
  const record = createFactRecorder({ ...db, execute });
  const beside = { checkpoint: null, transitions: [], legsAreGone: false };
  const say = (callId: string, sequence: number, text: string, epoch = 1) =>
    record(callId, sequence, said(1_000 * sequence, text), epoch, beside);
  const wordsOf = async (callId: string) =>
    (await transcriptOf(db, callId)).map(({ sequence, text, tOffsetSec }) => [sequence, text, tOffsetSec]);
  return { db, owner, callIds, say, wordsOf, statements: () => statements };
};

test.serial(
  'stores simultaneous turns of several calls in one statement, each as it would be alone',
  async (t) => {
    const { db, callIds, say, wordsOf, statements } = await talkingCalls(3);
    const written = await Promise.all(callIds.map((callId, index) => say(callId, 2, `First of ${index}`)));
    t.deepEqual(
      written,
      callIds.map(() => ({ ended: null })),
    );
    await Promise.all(callIds.map((callId, index) => say(callId, 3, `Second of ${index}`)));
    t.is(statements(), 2);
    for (const [index, callId] of callIds.entries()) {
      t.deepEqual(await wordsOf(callId), [
        [1, `First of ${index}`, 0.5],
        [2, `Second of ${index}`, 1.5],
      ]);
      t.deepEqual((await facts(db, callId)).at(-1), {
        sequence: 3,
        type: 'turn.spoken',
        at: new Date(startedAt + 3_000),
        data: { turn: 2, endedAt: startedAt + 3_500 },
      });
    }
  },
);

test.serial('rejects a turn of a call with a later owner, and stores a repeated turn once', async (t) => {
  const { db, callIds, say, wordsOf } = await talkingCalls(3);
  const [lost = '', again = '', other = ''] = callIds;
  await db.execute('update call set epoch = 2 where id = $1', [lost]);
  await say(again, 2, 'Once');
  const late = say(lost, 2, 'Too late');
  const others = [say(again, 2, 'Once'), say(other, 2, 'In time')];
  await t.throwsAsync(late, { instanceOf: CallTaken });
  t.deepEqual(await Promise.all(others), [null, { ended: null }]);
  t.deepEqual(await wordsOf(lost), []);
  t.deepEqual(await wordsOf(again), [[1, 'Once', 0.5]]);
  t.deepEqual(await wordsOf(other), [[1, 'In time', 0.5]]);
});

test.serial('stores no words of simultaneous turns whose number keeps none', async (t) => {
  const { db, owner, callIds, say, wordsOf } = await talkingCalls(2);
  await db.execute(`update phone_number set retention_days = '{"words": 0}' where id = $1`, [owner.numberId]);
  await Promise.all(callIds.map((callId) => say(callId, 2, 'A secret matter')));
  for (const callId of callIds) {
    t.deepEqual(await wordsOf(callId), []);
    t.is((await facts(db, callId)).length, 2);
  }
});

test.serial('a locked call delays only its own turn', async (t) => {
  const { db, callIds, say, wordsOf } = await talkingCalls(3);
  const [locked = '', ...free] = callIds;
  const { waiting } = await db.transaction(async (statements) => {
    await statements.execute('select from call where id = $1 for update', [locked]);
    const waiting = say(locked, 2, 'Later');
    await Promise.all(free.map((callId) => say(callId, 2, 'At once')));
    for (const callId of free) t.deepEqual(await wordsOf(callId), [[1, 'At once', 0.5]]);
    t.deepEqual(await wordsOf(locked), []);
    return { waiting };
  });
  await waiting;
  t.deepEqual(await wordsOf(locked), [[1, 'Later', 0.5]]);
});

const settings: StoredSettings = {
  scriptSealed: null,
  greeting: null,
  speech: { recognizer: null, synthesizer: null, voice: null },
  voicemail: { policy: 'talk', message: null },
  screening: { policy: 'answer', callerName: null },
  menu: 'talk',
  transferTo: ['0212345*'],
  policy: {
    silenceTimeoutSec: 10,
    ringTimeoutSec: 45,
    recordingEnabled: false,
    bargeIn: { mode: 'pause', onsetMs: 120, speechMs: 600, resumeMs: 300 },
    turnEnd: { mode: 'pause', minSilenceMs: 700, maxSilenceMs: 1_500 },
    consent: { announce: null, require: 'none' },
  },
  binding: {
    direction: 'outbound',
    agent: 'builtin',
    agentType: null,
    chatUrl: null,
    assistantId: null,
    agentId: null,
    controls: 'off',
    model: null,
    prompt: null,
    tools: null,
  },
};

const someLeg: SipLeg = {
  state: 'standing',
  transactionId: 'transaction',
  dialogId: 'a',
  sipCallId: 'a@b',
  local: '<sip:us@gateway>;tag=us',
  remote: '<sip:them@far>',
  target: 'sip:them@192.0.2.1',
  nextHop: null,
  channel: null,
  dialog: null,
};

const plain = { tokenSealed: null, headersSealed: null, aheadMs: 0 };

/** Ringing calls, and the recorder of their answers and answerers, which counts its statements. */
const ringingCalls = async (count: number) => {
  const db = await testDatabase('answers');
  const owner = await storedNumber(db);
  const node = randomUUID();
  const callIds: string[] = [];
  while (callIds.length < count) callIds.push(await storedCall(db, owner, { node, recordingEnabled: true }));
  let statements = 0;
  const execute: typeof db.execute = (...asked) => {
    statements += 1;
    return db.execute(...asked);
  };
  const record = createFactRecorder({ ...db, execute });
  const answer = (callId: string, epoch = 1, legs: SipLeg[] = []) =>
    record(callId, 1, answered, epoch, {
      checkpoint: { settings, ...plain, legs: Object.fromEntries(legs.map((leg) => [callId, leg])) },
      transitions: [],
      legsAreGone: false,
    });
  const detect = (callId: string, by: 'human' | 'machine', sequence = 2) =>
    record(callId, sequence, { type: 'call.answered_by', at: startedAt + 2_000, by }, 1, {
      checkpoint: null,
      transitions: [],
      legsAreGone: false,
    });
  const stored = async (callId: string) => {
    const call = await findCall(db, { callId, ...owner });
    if (call === undefined) throw new Error('The call is not stored');
    const [row] = await db.execute<{ checkpoints: unknown[] }>(
      `select json_agg(to_jsonb(call_checkpoint) - 'call_id') as checkpoints from call_checkpoint where call_id = $1`,
      [callId],
    );
    const events = (await eventsOf(db, callId)).map(({ snapshot, ...event }) => ({
      ...event,
      call: { ...snapshot.call, id: null },
    }));
    const recording = { ...call.recording, callId: null };
    return {
      call: { ...call, id: null, recording },
      checkpoints: row?.checkpoints,
      events,
      facts: await facts(db, callId),
    };
  };
  return { db, callIds, answer, detect, stored, statements: () => statements };
};

test.serial('stores simultaneous answers in one statement, each as it would be alone', async (t) => {
  const { callIds, answer, detect, stored, statements } = await ringingCalls(4);
  const [alone = '', ...together] = callIds;
  await answer(alone);
  await detect(alone, 'human');
  t.is(statements(), 2);
  const written = { ended: null };
  t.deepEqual(await Promise.all(together.map((callId) => answer(callId))), [written, written, written]);
  t.is(statements(), 3);
  const answerers = await Promise.all(together.map((callId) => detect(callId, 'human')));
  t.deepEqual(answerers, [written, written, written]);
  t.is(statements(), 4);
  const expected = await stored(alone);
  t.like(expected.call, { status: 'active', answeredBy: 'human', sipStatus: 200 });
  t.is(expected.checkpoints?.length, 1);
  t.deepEqual(
    expected.events.map(({ type }) => type),
    ['call.ringing', 'call.answered', 'call.answered_by'],
  );
  for (const callId of together) t.deepEqual(await stored(callId), expected);
});

test.serial(
  'rejects an answer of a call with a later owner, and stores a repeated answer once',
  async (t) => {
    const { db, callIds, answer, detect, stored } = await ringingCalls(3);
    const [lost = '', again = '', other = ''] = callIds;
    await db.execute('update call set epoch = 2 where id = $1', [lost]);
    await answer(again);
    await detect(again, 'machine');
    const late = answer(lost);
    const others = [answer(again), answer(other)];
    await t.throwsAsync(late, { instanceOf: CallTaken });
    t.deepEqual(await Promise.all(others), [null, { ended: null }]);
    t.deepEqual((await stored(lost)).facts, []);
    t.is((await stored(again)).facts.length, 2);
    const second = [detect(again, 'human', 3), detect(other, 'human')];
    t.deepEqual(await Promise.all(second), [null, { ended: null }]);
    t.is((await stored(again)).call.answeredBy, 'machine');
    t.is((await stored(other)).call.answeredBy, 'human');
  },
);

test.serial('a locked call or checkpoint delays only its own answer', async (t) => {
  const { db, callIds, answer, stored } = await ringingCalls(4);
  const [lockedCall = '', lockedCheckpoint = '', ...free] = callIds;
  await writeLegs(db, sealing, 'north', {
    stored: [{ callId: lockedCheckpoint, epoch: 1, legs: [{ id: lockedCheckpoint, leg: someLeg }] }],
    over: [],
  });
  const { waiting } = await db.transaction(async (statements) => {
    await statements.execute('select from call where id = $1 for update', [lockedCall]);
    await statements.execute('select from call_checkpoint where call_id = $1 for update', [lockedCheckpoint]);
    const waiting = [answer(lockedCall), answer(lockedCheckpoint, 1, [someLeg])];
    await Promise.all(free.map((callId) => answer(callId)));
    for (const callId of free) t.is((await stored(callId)).call.status, 'active');
    for (const callId of [lockedCall, lockedCheckpoint]) t.is((await stored(callId)).call.status, 'ringing');
    return { waiting };
  });
  await Promise.all(waiting);
  for (const callId of callIds) t.is((await stored(callId)).call.status, 'active');
});

/** A writer of turns whose statements are pending until they are released; each writes the turns of `isWritten`. */
const pendingTurns = (isWritten: (place: number) => boolean) => {
  const batches: string[][] = [];
  const pending: (() => void)[] = [];
  const results = new Map<string, Promise<boolean>>();
  let finished = 0;
  const asJson = (rows: readonly Readonly<Record<string, unknown>>[]): string => JSON.stringify(rows);
  const execute = async <Found>(_sql: string, [turns]: readonly unknown[] = []): Promise<Found[]> => {
    const callIds = z.array(z.object({ callId: z.string() })).parse(JSON.parse(String(turns)));
    batches.push(callIds.map(({ callId }) => callId));
    await new Promise<void>((resolve) => pending.push(resolve));
    const written = callIds.filter(({ callId }) => isWritten(Number(callId)));
    return written.map(({ callId }) => ({ id: callId })) as Found[];
  };
  const write = createSharedTurnWriter({ asJson, execute });
  const add = (place: number): Promise<boolean> => {
    const callId = String(place);
    const result = write({
      callId,
      sequence: 2,
      epoch: 1,
      type: 'turn.spoken',
      at: new Date(startedAt),
      data: {},
      role: 'user',
      text: 'Hello?',
      whole: true,
      progress: null,
      aheadMs: null,
    });
    results.set(callId, result);
    return result;
  };
  /** Finishes the oldest statement; resolves when its results were returned and a waiting batch was sent. */
  const finishOne = async (): Promise<void> => {
    pending.shift()?.();
    const batch = batches[finished] ?? [];
    finished += 1;
    await Promise.all(batch.flatMap((callId) => results.get(callId) ?? []));
    // The writer may leave the event loop free for one pass after the last result.
    await turn();
    await turn();
  };
  return { add, batches, finishOne };
};

const places = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

test('writes simultaneous turns in four statements at a time, of at most a thousand turns', async (t) => {
  const { add, batches, finishOne } = pendingTurns(() => true);
  const sizes = (): number[] => batches.map(({ length }) => length);
  const first = places(0, 4_500).map(add);
  await turn();
  t.deepEqual(sizes(), [1_000, 1_000, 1_000, 1_000]);
  const later = places(4_500, 5_800).map(add);
  await turn();
  t.is(batches.length, 4, 'later turns wait for one of the four statements');
  await finishOne();
  t.deepEqual(sizes().slice(4), [1_000], 'the waiting turns, and the first of the later ones');
  t.deepEqual(batches[4], places(4_000, 5_000).map(String));
  await finishOne();
  t.deepEqual(sizes().slice(5), [800]);
  for (let left = 0; left < 4; left += 1) await finishOne();
  t.deepEqual(
    await Promise.all([...first, ...later]),
    places(0, 5_800).map(() => true),
  );
  t.deepEqual(batches.flat(), places(0, 5_800).map(String), 'each turn is sent once, in its order');
});

test('returns which turns of each statement were not written', async (t) => {
  const isWritten = (place: number): boolean => place % 7 !== 0;
  const { add, batches, finishOne } = pendingTurns(isWritten);
  const written = Promise.all(places(0, 2_100).map(add));
  await turn();
  t.is(batches.length, 3);
  for (let left = 0; left < 3; left += 1) await finishOne();
  t.deepEqual(await written, places(0, 2_100).map(isWritten));
});

test('leaves a single turn to the statement that waits for its call', async (t) => {
  const { add, batches } = pendingTurns(() => true);
  t.false(await add(1));
  t.deepEqual(batches, []);
});

test.serial("one of several simultaneous take-overs claims a dead gateway's calls", async (t) => {
  const db = await testDatabase('taken');
  const node = randomUUID();
  const owner = await storedNumber(db);
  for (let count = 0; count < 5; count += 1) await storedCall(db, owner, { node });
  t.deepEqual(await takeFromLostNode(db, taking(node)), [], 'it was not found dead');
  await db.execute(
    `insert into node (name, instance, seen_at, lost_at) values ($1, gen_random_uuid(), now(), now())`,
    [node],
  );
  const taken = await Promise.all([1, 2, 3].map(() => takeFromLostNode(db, taking(node))));
  t.deepEqual(
    taken.flat().map(({ epoch }) => epoch),
    [2, 2, 2, 2, 2],
  );
  t.true(taken.every((calls) => calls.length === 0 || calls.length === 5));
});

test.serial('a handed-over call with a checkpoint of a newer format stays with its gateway', async (t) => {
  const db = await testDatabase('taken');
  const node = randomUUID();
  const owner = await storedNumber(db);
  const newCall = async (form: number): Promise<string> => {
    const callId = await storedCall(db, owner, { node });
    await recordFact(db, callId, 1, answered, 1, {
      checkpoint: { settings, tokenSealed: null, headersSealed: null, aheadMs: 0, legs: {} },
      transitions: [],
      legsAreGone: false,
    });
    await db.execute('update call_checkpoint set form = $2 where call_id = $1', [callId, form]);
    return callId;
  };
  const [readable, newer] = [await newCall(checkpointForm), await newCall(checkpointForm + 1)];
  const taken = await takeHandedOver(db, { from: node, by: 'taker', callIds: [readable, newer] });
  t.deepEqual(
    taken.map(({ id }) => id),
    [readable],
  );
  t.deepEqual(await db.execute('select node, epoch, ended_at from call where id = $1', [newer]), [
    { node, epoch: 1, ended_at: null },
  ]);
});

/** A step of a plan that the server has executed. */
type PlanStep = {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanStep[];
};

const stepsOf = (step: PlanStep): PlanStep[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)];

test.serial('reads each row a few times to claim the calls of a dead gateway', async (t) => {
  const db = await testDatabase('taken');
  const node = randomUUID();
  const owner = await storedNumber(db);
  const count = 60;
  for (let stored = 0; stored < count; stored += 1) {
    const callId = await storedCall(db, owner, { node });
    await recordFact(db, callId, 1, answered, 1, {
      checkpoint: { settings, tokenSealed: null, headersSealed: null, aheadMs: 0, legs: {} },
      transitions: [],
      legsAreGone: false,
    });
  }
  const steps: PlanStep[] = [];
  await takeFromEarlierProcess(
    {
      ...db,
      execute: async (text, parameters) => {
        const explained = await db.execute<{ 'QUERY PLAN': [{ Plan: PlanStep }] }>(
          `explain (analyze, format json) ${text}`,
          parameters,
        );
        for (const { 'QUERY PLAN': plans } of explained)
          for (const { Plan: plan } of plans) steps.push(...stepsOf(plan));
        return [];
      },
    },
    node,
  );
  t.true(steps.length > 5);
  for (const step of steps) {
    const {
      'Actual Rows': rows,
      'Rows Removed by Filter': filtered = 0,
      'Rows Removed by Join Filter': unjoined = 0,
    } = step;
    const read = (rows + filtered + unjoined) * step['Actual Loops'];
    t.true(read <= 10 * count, `${step['Node Type']} reads ${read} rows`);
  }
});

test.serial('the death of a gateway reveals claimed calls that it has not ended', async (t) => {
  const db = await testDatabase('taken');
  const [first, second] = [randomUUID(), randomUUID()];
  const callId = await storedCall(db, await storedNumber(db), { node: first });
  await db.execute(
    `insert into call_checkpoint (call_id, node, epoch, form, legs) values ($1, $2, 1, 1, '{}')`,
    [callId, first],
  );
  await db.execute(`insert into recording (call_id, status, created_at) values ($1, 'pending', now())`, [
    callId,
  ]);
  await db.execute(
    `insert into node (name, instance, seen_at, lost_at)
      select name, gen_random_uuid(), now(), now() from unnest($1::text[]) as name`,
    [[first, second]],
  );
  const placesOf = () =>
    db.execute(
      `select call.node as holder, call_checkpoint.node as legs, recording.node as recording
        from call
          join call_checkpoint on call_checkpoint.call_id = call.id
          join recording on recording.call_id = call.id
        where call.id = $1`,
      [callId],
    );
  t.is((await takeFromLostNode(db, { from: first, by: second, canResume: true })).length, 1);
  const [claimed] = await placesOf();
  t.deepEqual(claimed, { holder: second, legs: first, recording: first });

  const [again] = await takeFromLostNode(db, taking(second));
  t.like(again, { id: callId, epoch: 3, checkpoint: null });
  const [claimedAgain] = await placesOf();
  t.deepEqual(claimedAgain, { holder: 'taker', legs: second, recording: first });
});

test.serial('drops transitions and legs of a previous owner', async (t) => {
  const { db, node, callId } = await takenCall();
  const transition = {
    callId,
    sequence: 1,
    at: new Date(at),
    machine: 'call',
    chartVersion: 'v',
    stateBefore: null,
    eventType: 'xstate.init',
    stateAfter: 'ringing',
    factsBefore: 0,
  } as const;
  await keepTransitions(db, [
    { ...transition, epoch: 1 },
    { ...transition, epoch: 2, stateAfter: 'active' },
  ]);
  t.deepEqual(
    (await callTransitions(db, callId)).map(({ epoch, stateAfter }) => [epoch, stateAfter]),
    [[2, 'active']],
  );

  const leg = {
    state: 'standing',
    transactionId: 'transaction',
    dialogId: 'a',
    sipCallId: 'a@b',
    local: '<sip:us@gateway>;tag=us',
    remote: '<sip:them@far>',
    target: 'sip:them@192.0.2.1',
    nextHop: null,
    channel: null,
    dialog: null,
  } as const;
  const held = { callId, epoch: 2, legs: [{ id: randomUUID(), leg }] };
  await writeLegs(db, sealing, node, { stored: [held], over: [] });
  const late = {
    ...held,
    epoch: 1,
    legs: [{ id: randomUUID(), leg: { ...leg, target: 'sip:another@192.0.2.9' } }],
  };
  await writeLegs(db, sealing, node, { stored: [late], over: [] });
  await writeLegs(db, sealing, node, { stored: [], over: [late] });
  t.deepEqual(await legsOf(db, sealing, node), [held]);
  await writeLegs(db, sealing, node, { stored: [], over: [held] });
  t.deepEqual(await legsOf(db, sealing, node), []);
});

// Transfers
// The row of a call shows its last transfer, from request to end.

const transferId = '3f1f6f0e-98a2-4f0f-8a9e-5d5b8e4f7a11';
const to = '0212345678';
const requested = {
  type: 'call.transfer_requested',
  at: startedAt + 3_000,
  transferId,
  to,
  mode: 'cold',
} as const;

const rung = {
  id: transferId,
  to,
  mode: 'cold',
  status: 'ringing',
  reason: null,
  startedAt: new Date(requested.at).toISOString(),
  connectedAt: null,
  sip: null,
};

/** The transfer of the call after these facts, and the types of its events. */
const after = async (...story: RecordedFact[]) => {
  const db = await testDatabase('transfers');
  const owner = await storedNumber(db);
  const callId = await storedCall(db, owner);
  for (const [index, fact] of story.entries()) await recordFact(db, callId, index + 1, fact);
  const call = await findCall(db, { callId, numberId: owner.numberId });
  return { transfer: call?.transfer, told: (await typesOf(db, callId)).slice(2) };
};

test.serial('returns no transfer for a call without a transfer request', async (t) => {
  t.is((await after(answered, ended)).transfer, null);
});

test.serial('stores a ringing person and the start of the ringing', async (t) => {
  t.deepEqual(await after(answered, requested), { transfer: rung, told: ['call.transfer_requested'] });
});

test.serial('keeps a connected transfer as connected when the call ends', async (t) => {
  const at = startedAt + 5_000;
  const { transfer, told } = await after(
    answered,
    requested,
    { type: 'call.transfer_connected', at, transferId, recorded: true, maxDurationSec: 3_600 },
    ended,
  );
  t.deepEqual(transfer, { ...rung, status: 'connected', connectedAt: new Date(at).toISOString() });
  t.deepEqual(told, ['call.transfer_requested', 'call.transfer_connected', 'call.ended']);
});

test.serial('stores why no person was connected, with SIP details', async (t) => {
  const sip = { status: 486, reason: 'Busy Here', callId: 'abc' };
  const failed = {
    type: 'call.transfer_failed',
    at: startedAt + 5_000,
    transferId,
    reason: 'busy',
    sip,
  } as const;
  const { transfer, told } = await after(answered, requested, failed, ended);
  t.deepEqual(transfer, { ...rung, status: 'failed', reason: 'busy', sip });
  t.deepEqual(told, ['call.transfer_requested', 'call.transfer_failed', 'call.ended']);
});

test.serial(
  'stores a cancelled transfer as returned, not as failed, and replaces it by the next one',
  async (t) => {
    const returned = { type: 'call.transfer_returned', at: startedAt + 5_000, transferId } as const;
    t.deepEqual((await after(answered, requested, returned)).transfer, { ...rung, status: 'returned' });
    const again = { ...requested, to: '0298765432', at: startedAt + 6_000 } as const;
    const { transfer } = await after(answered, requested, returned, again);
    t.deepEqual(transfer, { ...rung, to: again.to, startedAt: new Date(again.at).toISOString() });
  },
);

test.serial('stores the transfer of a call that ends during ringing as failed', async (t) => {
  const { transfer, told } = await after(answered, requested, ended);
  t.deepEqual(transfer, { ...rung, status: 'failed', reason: 'call_ended' });
  t.deepEqual(told, ['call.transfer_requested', 'call.ended']);
});

// Afterwards
// Repeated, late and unassigned facts, and their recipients.

test.serial('ignores a repeated fact', async (t) => {
  const db = await testDatabase('afterwards');
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
  t.deepEqual(await journalPosition(db, callId), { sequence: story.length, epoch: 1 });
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

test.serial('returns a finished recording in its event and with the call', async (t) => {
  const db = await testDatabase('afterwards');
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

test.serial('replaces a truncated recording by one with more of the call', async (t) => {
  const db = await testDatabase('afterwards');
  const callId = await answeredCall(db, await storedNumber(db));
  const recorded = {
    type: 'recording.completed',
    contentType: 'audio/ogg',
    durationSec: 10,
    truncated: true,
  } as const;
  const at = ended.at + 5;
  const write = (sequence: number, file: { bytes: number; truncated?: boolean; replaces?: boolean }) =>
    recordFact(db, callId, sequence, { ...recorded, at: at + sequence, file: 'a.ogg', ...file });
  t.truthy(await write(2, { bytes: 20 }));
  t.falsy(await write(3, { bytes: 30 }));
  t.truthy(await write(4, { bytes: 40, replaces: true }));
  t.truthy(await write(5, { bytes: 50, truncated: false, replaces: true }));
  t.falsy(await write(6, { bytes: 60, replaces: true }));
  t.like(await findRecording(db, callId), { bytes: 50, truncated: false, finishedAt: new Date(at + 5) });
  const fact = (await facts(db, callId)).find(({ sequence }) => sequence === 4);
  t.deepEqual(Object.keys(fact?.data ?? {}).toSorted(), [
    'bytes',
    'contentType',
    'durationSec',
    'file',
    'truncated',
  ]);
});

test.serial('stores the result of answer detection once and emits it with the call', async (t) => {
  const db = await testDatabase('afterwards');
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

test.serial('replaces the result "call screening" by the party after it, and emits both', async (t) => {
  const db = await testDatabase('afterwards');
  const owner = await storedNumber(db);
  const callId = await answeredCall(db, owner);
  const at = startedAt + 4_000;
  t.truthy(await recordFact(db, callId, 2, { type: 'call.answered_by', at, by: 'screening' }));
  t.truthy(await recordFact(db, callId, 3, { type: 'call.answered_by', at: at + 9_000, by: 'human' }));
  t.falsy(await recordFact(db, callId, 4, { type: 'call.answered_by', at: at + 9_001, by: 'machine' }));
  t.is((await findCall(db, { callId, numberId: owner.numberId }))?.answeredBy, 'human');
  const events = (await eventsOf(db, callId)).filter(({ type }) => type === 'call.answered_by');
  t.like(events, [
    { snapshot: { call: { answered_by: 'screening' } } },
    { snapshot: { call: { answered_by: 'human' } } },
  ]);
});

test.serial('stores a summary and emits an event', async (t) => {
  const db = await testDatabase('afterwards');
  const owner = await storedNumber(db);
  const callId = await answeredCall(db, owner);
  await recordFact(db, callId, 2, ended);
  await recordFact(db, callId, 3, { type: 'call.summarized', at: ended.at + 5, summary: 'Short.' });
  t.is((await findCall(db, { callId, numberId: owner.numberId }))?.summary, 'Short.');
  const event = (await eventsOf(db, callId)).at(-1);
  t.like(event, { type: 'call.summarized', snapshot: { call: { summary: 'Short.', status: 'completed' } } });
});

test.serial('rejects a fact of an unknown call', async (t) => {
  const db = await testDatabase('afterwards');
  await t.throwsAsync(recordFact(db, randomUUID(), 1, answered), { message: /belongs to no call/ });
});

test.serial('creates one delivery per subscribed endpoint that is not disabled', async (t) => {
  const db = await testDatabase('afterwards');
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

// Additional rows
// Rows written in the same statement as a fact of a call, and facts without such rows.

const setUpWrittenBeside = async () => {
  const db = await testDatabase('written beside');
  const node = randomUUID();
  return { db, node, callId: await storedCall(db, await storedNumber(db), { node }) };
};

test.serial('stores the checkpoint with the answer and deletes it with the end', async (t) => {
  const { db, node, callId } = await setUpWrittenBeside();
  const checkpoint = { settings, tokenSealed: 'sealed', headersSealed: null, aheadMs: -3_600_000.5 };
  t.truthy(
    await recordFact(db, callId, 1, answered, 1, {
      checkpoint: { ...checkpoint, legs: {} },
      transitions: [],
      legsAreGone: false,
    }),
  );
  t.falsy(
    await recordFact(db, callId, 1, answered, 1, {
      checkpoint: { ...checkpoint, legs: {} },
      transitions: [],
      legsAreGone: false,
    }),
    'once',
  );
  t.deepEqual((await takeFromEarlierProcess(db, node))[0]?.checkpoint, { ...checkpoint, progress: null });
  t.truthy(await recordFact(db, callId, 2, ended, 2));
  t.deepEqual(await db.execute('select 1 from call_checkpoint where call_id = $1', [callId]), []);
});

test.serial('allows a call with a leg to be resumed from its answer on', async (t) => {
  const { db, node, callId } = await setUpWrittenBeside();
  const legs = [{ id: randomUUID(), leg: someLeg }];
  await writeLegs(db, sealing, node, { stored: [{ callId, epoch: 1, legs }], over: [] });
  t.like((await takeFromEarlierProcess(db, node))[0], { id: callId, epoch: 2, checkpoint: null });
  const checkpoint = { settings, ...plain };
  await recordFact(db, callId, 1, answered, 2, {
    checkpoint: { ...checkpoint, legs: sealLegs(sealing, legs) },
    transitions: [],
    legsAreGone: false,
  });
  const [taken] = await takeFromEarlierProcess(db, node);
  t.deepEqual(taken?.checkpoint, { ...checkpoint, progress: null });
  t.deepEqual(openLegs(sealing, taken?.legs ?? {}), legs);
});

for (const legsAreGone of [true, false])
  test.serial(
    `the end of a call ${legsAreGone ? 'deletes' : 'keeps'} its checkpoint if its legs are ${legsAreGone ? 'gone' : 'not gone'}`,
    async (t) => {
      const { db, node, callId } = await setUpWrittenBeside();
      const call = { callId, epoch: 1, legs: [{ id: randomUUID(), leg: someLeg }] };
      await writeLegs(db, sealing, node, { stored: [call], over: [] });
      const checkpoint = { settings, ...plain };
      await recordFact(db, callId, 1, answered, 1, {
        checkpoint: { ...checkpoint, legs: sealLegs(sealing, call.legs) },
        transitions: [],
        legsAreGone: false,
      });
      await recordFact(db, callId, 2, ended, 1, { checkpoint: null, transitions: [], legsAreGone });
      t.deepEqual(await legsOf(db, sealing, node), legsAreGone ? [] : [call]);
      t.deepEqual(await takeFromEarlierProcess(db, node), []);
      await writeLegs(db, sealing, node, { stored: [], over: [call] });
      t.deepEqual(await db.execute('select 1 from call_checkpoint where call_id = $1', [callId]), []);
    },
  );

const progressAt = (turn: number): CallProgress => ({
  facts: 1,
  endReason: null,
  pausedForSecret: false,
  leftAt: null,
  farEnd: null,
  conversation: {
    state: 'listening.silent',
    turn,
    utterance: 0,
    spoken: null,
    unanswered: 0,
    isReplyOwed: false,
    asked: [],
    controls: [],
    collected: null,
    failuresInARow: 0,
    wasReprompted: false,
    unplayed: [],
  },
});

test.serial('rejects a checkpoint from a previous owner of a taken-over call', async (t) => {
  const { db, node, callId } = await setUpWrittenBeside();
  const checkpoint = { settings, tokenSealed: null, headersSealed: null, aheadMs: 0 };
  await recordFact(db, callId, 1, answered, 1, {
    checkpoint: { ...checkpoint, legs: {} },
    transitions: [],
    legsAreGone: false,
  });
  const kept = async (): Promise<unknown> =>
    (
      await db.execute<{ turn: number }>(
        `select (progress -> 'conversation' ->> 'turn')::int as turn from call_checkpoint where call_id = $1`,
        [callId],
      )
    )[0]?.turn;
  await storeProgress(db, [{ callId, epoch: 1, progress: progressAt(1), aheadMs: 0 }]);
  t.is(await kept(), 1);
  await takeFromEarlierProcess(db, node);
  await storeProgress(db, [{ callId, epoch: 1, progress: progressAt(2), aheadMs: 0 }]);
  t.is(await kept(), 1);
  await storeProgress(db, [{ callId, epoch: 2, progress: progressAt(3), aheadMs: 0 }]);
  t.is(await kept(), 3);
});

test.serial(
  'writes legs with the progress of their call, and keeps progress without a newer one',
  async (t) => {
    const { db, node, callId } = await setUpWrittenBeside();
    const [id, call] = [randomUUID(), { callId, epoch: 1 }];
    const checkpoint = { settings, ...plain, legs: sealLegs(sealing, [{ id, leg: someLeg }]) };
    await recordFact(db, callId, 1, answered, 1, { checkpoint, transitions: [], legsAreGone: false });
    const progress = progressAt(2);
    const held = [{ id, leg: { ...someLeg, nextHop: 'sip:held;lr' } }];
    await writeLegs(db, sealing, node, {
      stored: [{ ...call, legs: held, progress: { ...call, progress, aheadMs: 7 } }],
      over: [],
    });
    await writeLegs(db, sealing, node, { stored: [{ ...call, legs: [{ id, leg: someLeg }] }], over: [] });
    const [taken] = await takeFromEarlierProcess(db, node);
    t.deepEqual(taken?.checkpoint, { settings, ...plain, aheadMs: 7, progress });
    t.deepEqual(openLegs(sealing, taken?.legs ?? {}), [{ id, leg: someLeg }]);
  },
);

test.serial('writes a turn with the progress of its call, alone and together with other calls', async (t) => {
  const { db, node, callId } = await setUpWrittenBeside();
  const checkpoint = { settings, ...plain, legs: {} };
  await recordFact(db, callId, 1, answered, 1, { checkpoint, transitions: [], legsAreGone: false });
  const beside = (turn: number) => ({
    checkpoint: null,
    progress: { callId, epoch: 1, progress: progressAt(turn), aheadMs: turn },
    transitions: [],
    legsAreGone: false,
  });
  const stored = () =>
    db.execute(
      `select (progress -> 'conversation' ->> 'turn')::int as turn, ahead_ms from call_checkpoint where call_id = $1`,
      [callId],
    );
  await recordFact(db, callId, 2, said(1, 'Hello.'), 1, beside(1));
  t.deepEqual(await stored(), [{ turn: 1, ahead_ms: 1 }]);
  // A turn that was written before does not change the progress, nor does a turn without progress.
  await recordFact(db, callId, 2, said(1, 'Hello.'), 1, beside(2));
  await recordFact(db, callId, 3, said(2, 'Still here?'));
  t.deepEqual(await stored(), [{ turn: 1, ahead_ms: 1 }]);

  const other = await storedCall(db, await storedNumber(db));
  const record = createFactRecorder(db);
  await Promise.all([
    record(callId, 4, said(3, 'Yes.', 'user'), 1, beside(4)),
    record(other, 1, said(3, 'Hi.', 'user'), 1, { checkpoint: null, transitions: [], legsAreGone: false }),
  ]);
  t.deepEqual(await stored(), [{ turn: 4, ahead_ms: 4 }]);
  const [taken] = await takeFromEarlierProcess(db, node);
  t.deepEqual(taken?.checkpoint?.progress, progressAt(4));
});

test.serial('does not resume an unanswered call', async (t) => {
  const { db, node, callId } = await setUpWrittenBeside();
  t.like((await takeFromEarlierProcess(db, node))[0], { id: callId, checkpoint: null, epoch: 2 });
  const checkpoint = { settings, tokenSealed: null, headersSealed: null, aheadMs: 0 };
  await t.throwsAsync(
    recordFact(db, callId, 1, answered, 1, {
      checkpoint: { ...checkpoint, legs: {} },
      transitions: [],
      legsAreGone: false,
    }),
  );
  t.deepEqual(await db.execute('select 1 from call_checkpoint where call_id = $1', [callId]), []);
});

test.serial('writes the last transitions with the end and keeps stored ones', async (t) => {
  const { db, callId } = await setUpWrittenBeside();
  const transition = {
    callId,
    epoch: 1,
    at: new Date(ended.at),
    machine: 'call',
    chartVersion: 'v',
    stateBefore: null,
    eventType: 'xstate.init',
    factsBefore: 0,
  } as const;
  const first = { ...transition, sequence: 1, stateAfter: 'ringing' };
  const last = { ...transition, sequence: 2, stateAfter: 'completed' };
  await keepTransitions(db, [first]);
  const transitions = [{ ...first, stateAfter: 'another' }, last];
  t.truthy(await recordFact(db, callId, 1, ended, 1, { checkpoint: null, transitions, legsAreGone: false }));
  const late = [{ ...last, sequence: 3 }];
  t.falsy(
    await recordFact(db, callId, 2, ended, 1, { checkpoint: null, transitions: late, legsAreGone: false }),
    'it has ended',
  );
  t.deepEqual(await callTransitions(db, callId), [first, last]);
});

test.serial('returns the data for the summary with the end', async (t) => {
  const { db, callId } = await setUpWrittenBeside();
  t.deepEqual(await recordFact(db, callId, 1, answered), { ended: null });
  await recordFact(db, callId, 2, said(2_000, 'Hello.'));
  await recordFact(db, callId, 3, said(3_000, 'Good day.', 'user'));
  t.deepEqual(await recordFact(db, callId, 4, ended), {
    ended: {
      language: 'ko',
      durationSec: 10.25,
      endReason: 'agent_hangup',
      turns: [
        { role: 'assistant', text: 'Hello.' },
        { role: 'user', text: 'Good day.' },
      ],
    },
  });
  t.is(await recordFact(db, callId, 5, ended), null);
});
