/** The events of a call reach an endpoint one after another. */
import test from 'ava';
import { recordFact, type RecordedFact } from '#src/persistence/call-facts.ts';
import type { Database } from '#src/persistence/database.ts';
import { nextDeliveryDueAt, type ClaimedDelivery } from '#src/persistence/deliveries.ts';
import { recordDeliveryAttempt } from '#src/persistence/delivery-attempts.ts';
import { replayDelivery } from '#src/persistence/delivery-list.ts';
import { storedCall, type StoredNumber } from '#test/helpers/stored-number.ts';
import { at, attempt, claim, createWorld, only } from './delivery-world.ts';

/** A call with these events beside `call.ringing`, one a second from the second of its birth on. */
const callWith = async (db: Database, owner: StoredNumber, second: number, types: readonly FactType[]) => {
  const callId = await storedCall(db, owner, { startedAt: at(second) });
  for (const [index, type] of types.entries())
    await recordFact(db, callId, index + 1, factOf(type, at(second + index + 1).getTime()));
  return callId;
};

type FactType = 'call.answered' | 'call.hangup_requested' | 'call.ended';

const factOf = (type: FactType, time: number): RecordedFact => {
  if (type === 'call.ended') return { type, at: time, reason: 'agent_hangup', status: 'completed' };
  return type === 'call.answered' ? { type, at: time } : { type, at: time, immediate: false };
};

const typesOf = (claimed: ClaimedDelivery[]) => claimed.map(({ event }) => event.type);

test('an endpoint gets the events of a call one after another, and other calls and endpoints go on', async (t) => {
  const { db, owner, endpoint } = await createWorld(t);
  await endpoint();
  const all: FactType[] = ['call.answered', 'call.hangup_requested', 'call.ended'];
  const first = await callWith(db, owner, 1, all);
  const ringing = only(await claim(db, 10));
  t.is(ringing.event.type, 'call.ringing');
  t.deepEqual(await claim(db, 11), []);

  const second = await callWith(db, owner, 2, ['call.answered']);
  t.deepEqual(
    (await claim(db, 12)).map(({ event }) => [event.callId, event.type]),
    [[second, 'call.ringing']],
  );
  await recordDeliveryAttempt(db, ringing.id, attempt(1, 'HTTP 500'), {
    state: 'pending',
    nextAttemptAt: at(100),
  });
  t.deepEqual(await claim(db, 40), []);
  t.deepEqual(typesOf(await claim(db, 100)).toSorted(), ['call.ringing', 'call.ringing']);
  t.true(await recordDeliveryAttempt(db, ringing.id, attempt(2), { state: 'delivered' }));

  for (const type of all) {
    const next = (await claim(db, 101)).filter(({ event }) => event.callId === first);
    t.deepEqual(typesOf(next), [type]);
    await recordDeliveryAttempt(db, only(next).id, attempt(1), {
      state: type === 'call.answered' ? 'dead' : 'delivered',
    });
  }
});

test('events of the same moment have the order of their facts', async (t) => {
  const { db, owner, endpoint } = await createWorld(t);
  await endpoint();
  const callId = await storedCall(db, owner, { startedAt: at(1) });
  const all = ['call.answered', 'call.hangup_requested', 'call.ended'] as const;
  for (const [index, type] of all.entries())
    await recordFact(db, callId, index + 1, factOf(type, at(1).getTime()));
  for (const type of ['call.ringing', ...all] as const) {
    const next = only(await claim(db, 20));
    t.is(next.event.type, type);
    await recordDeliveryAttempt(db, next.id, attempt(1), { state: 'delivered' });
  }
});

test('what had tried before keeps its own time when the one before it is replayed and delivered', async (t) => {
  const { db, owner, endpoint } = await createWorld(t);
  await endpoint();
  await callWith(db, owner, 1, ['call.answered']);
  const ringing = only(await claim(db, 10));
  await recordDeliveryAttempt(db, ringing.id, attempt(1), { state: 'dead' });
  const answered = only(await claim(db, 12));
  await recordDeliveryAttempt(db, answered.id, attempt(1, 'HTTP 500'), {
    state: 'pending',
    nextAttemptAt: at(500),
  });
  await replayDelivery(db, { deliveryId: ringing.id, workspaceId: owner.workspaceId, now: at(20) });
  t.is(only(await claim(db, 20)).id, ringing.id);
  await recordDeliveryAttempt(db, ringing.id, attempt(2), { state: 'delivered' });
  t.deepEqual(await claim(db, 499), []);
  t.is(only(await claim(db, 500)).id, answered.id);
});

test('one that is under way is not replayed', async (t) => {
  const { db, owner, endpoint } = await createWorld(t);
  await endpoint();
  await callWith(db, owner, 1, []);
  const { id } = only(await claim(db, 10));
  const replay = { deliveryId: id, workspaceId: owner.workspaceId };
  t.like(await replayDelivery(db, { ...replay, now: at(20) }), { state: 'pending', nextAttemptAt: at(1) });
  t.deepEqual(await claim(db, 30), []);
  // Whoever had it is gone.
  t.like(await replayDelivery(db, { ...replay, now: at(80) }), { nextAttemptAt: at(80) });
});

test('a backlog behind one call that fails does not hide what is due behind it', async (t) => {
  const { db, owner, endpoint } = await createWorld(t);
  await endpoint();
  const callId = await storedCall(db, owner, { startedAt: at(1) });
  const ringing = only(await claim(db, 2));
  await recordDeliveryAttempt(db, ringing.id, attempt(1, 'HTTP 500'), {
    state: 'pending',
    nextAttemptAt: at(900),
  });
  for (let sequence = 1; sequence <= 120; sequence += 1)
    await recordFact(db, callId, sequence, factOf('call.hangup_requested', at(3).getTime()));
  const other = await storedCall(db, owner, { startedAt: at(4) });
  t.is(only(await claim(db, 10)).event.callId, other);
  t.deepEqual(await nextDeliveryDueAt(db, at(80)), at(900));
});
