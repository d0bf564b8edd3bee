/** A call that was taken over: who held it before writes nothing of it any more. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { CallTaken, facts, recordFact, type RecordedFact } from '#src/persistence/call-facts.ts';
import { keepTransitions, callTransitions } from '#src/persistence/call-transitions.ts';
import { findCall } from '#src/persistence/calls.ts';
import { takeFromEarlierProcess, takeFromLostNode } from '#src/persistence/held-calls.ts';
import { legsOf, writeLegs } from '#src/persistence/sip-legs.ts';
import { transcriptOf } from '#src/persistence/transcripts.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { sealing } from '#test/helpers/test-sealing.ts';
import { answered, ended } from './stored-facts.ts';

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

const taking = (from: string) => ({ from, by: 'taker', goesOn: true });

const takenCall = async () => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const node = randomUUID();
  const callId = await storedCall(db, owner, { node });
  await recordFact(db, callId, 1, answered);
  const [taken] = await takeFromEarlierProcess(db, node);
  return { db, owner, node, callId, taken };
};

test('no fact of an earlier holder is written, whatever it tells; those of the new one are', async (t) => {
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
      // Its recording is completed, and fails no more.
      fact.type !== 'recording.failed',
      fact.type,
    );
});

test('a fact that is being written is waited for, and found by who takes the call', async (t) => {
  const db = await testDatabase();
  const node = randomUUID();
  const callId = await storedCall(db, await storedNumber(db), { node });
  let hasTaken = false;
  const taking = await db.transaction(async (statements) => {
    t.truthy(await recordFact(statements, callId, 1, answered));
    const taken = takeFromEarlierProcess(db, node).then((calls) => {
      hasTaken = true;
      return calls;
    });
    // Whoever waits for a lock is seen waiting.
    for (let waits = 0; waits === 0;) {
      const [found] = await db.execute<{ waits: number }>(
        `select count(*)::int as waits from pg_locks where not granted and locktype = 'transactionid'`,
      );
      waits = found?.waits ?? 0;
    }
    t.false(hasTaken);
    return { taken };
  });
  t.like((await taking.taken)[0], { status: 'active', epoch: 2 });
});

test('of several that take the calls of a dead gateway each has an epoch of its own', async (t) => {
  const db = await testDatabase();
  const node = randomUUID();
  const owner = await storedNumber(db);
  for (let count = 0; count < 5; count += 1) await storedCall(db, owner, { node });
  t.deepEqual(await takeFromLostNode(db, taking(node)), [], 'it was not found dead');
  await db.execute(
    `insert into node (name, instance, seen_at, lost_at) values ($1, gen_random_uuid(), now(), now())`,
    [node],
  );
  const taken = await Promise.all([1, 2, 3].map(() => takeFromLostNode(db, taking(node))));
  for (const calls of taken) t.is(new Set(calls.map(({ epoch }) => epoch)).size, 1);
  t.deepEqual(
    taken.map(([call]) => call?.epoch ?? 0).toSorted((one, other) => one - other),
    [2, 3, 4],
  );
});

test('transitions and legs of an earlier holder are left out, too', async (t) => {
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
  const held = { id: randomUUID(), callId, leg, epoch: 2 };
  await writeLegs(db, sealing, node, { kept: [held], over: [] });
  const late = { ...held, epoch: 1, leg: { ...leg, target: 'sip:another@192.0.2.9' } };
  await writeLegs(db, sealing, node, { kept: [late], over: [] });
  await writeLegs(db, sealing, node, { kept: [], over: [late] });
  t.deepEqual(await legsOf(db, sealing, node), [held]);
  await writeLegs(db, sealing, node, { kept: [], over: [held] });
  t.deepEqual(await legsOf(db, sealing, node), []);
});
