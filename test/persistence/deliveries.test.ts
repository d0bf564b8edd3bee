/** Webhook deliveries in the database. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { type RecordedFact, recordFact } from '#src/persistence/calls/call-facts.ts';
import type { Database } from '#src/persistence/database/database.ts';
import {
  type ClaimedDelivery,
  type DeliveryClaim,
  nextDeliveryDueAt,
  releaseDeliveriesOf,
  releaseDelivery,
} from '#src/persistence/events/deliveries.ts';
import { recordDeliveryAttempt } from '#src/persistence/events/delivery-attempts.ts';
import { listDeliveries, replayDelivery } from '#src/persistence/events/delivery-list.ts';
import { deliveriesChannel } from '#src/persistence/events/outbox.ts';
import {
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  findWebhookEndpoint,
  listWebhookEndpoints,
  patchWebhookEndpoint,
  rotateEndpointSecret,
} from '#src/persistence/events/webhook-endpoints.ts';
import { isLockAwaited } from '#test/helpers/database-statement.ts';
import { ownDatabase } from '#test/helpers/database.ts';
import { storedCall, type StoredNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';
import { at, attempt, claim, createWorld, only, type World } from './deliveries/delivery-world.ts';

// Claims
// Which deliveries are claimed, by which process, and for how long.

test.serial('claims a due delivery once, with all data for its attempt', async (t) => {
  const { db, owner, endpoint, events } = await createWorld(t);
  const endpointId = await endpoint();
  await events(1);
  t.deepEqual(await claim(db, 0), []);
  const delivery = only(await claim(db, 1));
  t.like(delivery, { attempt: 1, failedInRound: 0, event: { type: 'call.ringing', at: at(1) } });
  t.is(delivery.event.snapshot.call.id, delivery.event.callId);
  t.deepEqual(delivery.endpoint, {
    id: endpointId,
    workspaceId: owner.workspaceId,
    url: 'https://example.com/hook',
    secretSealed: 'sealed',
    previousSecretSealed: null,
    previousSecretUntil: null,
    failingSince: null,
    lastSuccessAt: null,
  });
  t.deepEqual(await claim(db, 1), []);
});

test.serial('simultaneous claims never share a delivery', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  await endpoint();
  await events(1, 1, 1, 2, 2, 2, 3, 3);
  const claimed = (await Promise.all(Array.from({ length: 4 }, () => claim(db, 9, { free: 4 })))).flat();
  t.is(new Set(claimed.map(({ id }) => id)).size, claimed.length);
});

test.serial('limits the claims of several gateways per endpoint', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  await endpoint();
  await events(...Array.from({ length: 60 }, (_, index) => index + 1));
  const claimed = Promise.withResolvers<void>();
  const waited = Promise.withResolvers<void>();
  const slow: Database = {
    ...db,
    transaction: (work) =>
      db.transaction(async (statements, manager) => {
        const result = await work(statements, manager);
        claimed.resolve();
        await waited.promise;
        return result;
      }),
  };
  const one = claim(slow, 99, { perEndpoint: 5 });
  await claimed.promise;
  const two = claim(db, 99, { node: 'two', perEndpoint: 5 });
  await until('the other claim waits', async () => (await isLockAwaited(db)) || undefined);
  waited.resolve();
  t.is((await one).length, 5);
  t.deepEqual(await two, []);
});

test.serial('makes a claimed delivery due again when its lease ends or it is released', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  await endpoint();
  await events(1);
  const { id } = only(await claim(db, 1));
  t.deepEqual(await claim(db, 60), []);
  t.is(only(await claim(db, 61)).id, id);
  await releaseDelivery(db, id);
  t.like(only(await claim(db, 62)), { id, attempt: 1 });
});

test.serial(
  'makes deliveries claimed by a dead node due again at once, but not those of other nodes',
  async (t) => {
    const { db, endpoint, events } = await createWorld(t);
    await endpoint();
    await events(1, 2);
    const { id } = only(await claim(db, 2, { node: 'dead', free: 2 }));
    const other = only(await claim(db, 2, { node: 'living', free: 2 }));
    const notified = Promise.withResolvers<void>();
    const unlisten = await db.listen(deliveriesChannel, notified.resolve);
    t.teardown(unlisten);

    t.is(await releaseDeliveriesOf(db, 'dead'), 1);
    await notified.promise;
    t.like(only(await claim(db, 3)), { id, attempt: 1 });
    t.is(await releaseDeliveriesOf(db, 'dead'), 0);
    await recordDeliveryAttempt(db, other.id, attempt(1, 'HTTP 500'), {
      state: 'pending',
      nextAttemptAt: at(20),
    });
    t.is(await releaseDeliveriesOf(db, 'living'), 0, 'a claim ends with its attempt');
  },
);

test.serial('limits claims per endpoint, so that other endpoints get their share', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  await endpoint();
  await events(1, 2, 3, 4, 5, 6, 7);
  const quick = await endpoint();
  await events(8);
  const first = await claim(db, 9, { perEndpoint: 3 });
  t.deepEqual(
    first.map(({ event }) => event.at).sort((a, b) => a.getTime() - b.getTime()),
    [at(1), at(2), at(3), at(8)],
  );
  t.deepEqual(await claim(db, 10, { perEndpoint: 3 }), []);
  t.is(first.filter((delivery) => delivery.endpoint.id === quick).length, 1);
  const [done] = first.filter((delivery) => delivery.endpoint.id !== quick);
  await recordDeliveryAttempt(db, done?.id ?? '', attempt(1), { state: 'delivered' });
  t.deepEqual(only(await claim(db, 10, { perEndpoint: 3 })).event.at, at(4));
});

test.serial('claims the longest due deliveries first', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  await endpoint();
  await endpoint();
  await events(3, 1, 2);
  const claimed = await claim(db, 9, { free: 4 });
  t.deepEqual(
    claimed.map(({ event }) => event.at),
    [at(1), at(1)],
  );
});

test.serial(
  'claims only for workspaces with fewer claims than remain free, those with the fewest first',
  async (t) => {
    const db = await ownDatabase(t);
    const [busy, other] = [await createWorld(t, db), await createWorld(t, db)];
    await busy.endpoint();
    await busy.endpoint();
    await busy.events(1, 1, 1, 1, 1);
    await other.endpoint();
    await other.events(9, 9);
    const taken = async (changes: Partial<DeliveryClaim>) => {
      const all = await claim(db, 10, changes);
      for (const { id } of all) await releaseDelivery(db, id);
      const of = ({ owner }: World) =>
        all.filter(({ endpoint }) => endpoint.workspaceId === owner.workspaceId).length;
      return [of(busy), of(other)];
    };

    t.deepEqual(await taken({ free: 100 }), [10, 2]);
    // Each gets one third of the places when both have deliveries, and one third remains free.
    t.deepEqual(await taken({ free: 6 }), [2, 2]);
    t.deepEqual(await taken({ free: 1 }), [1, 0]);
    const hold = (count: number) => new Map([[busy.owner.workspaceId, count]]);
    t.deepEqual(await taken({ free: 1, held: hold(1) }), [0, 1]);
    t.deepEqual(await taken({ free: 10, held: hold(10) }), [0, 2]);
    t.deepEqual(await taken({ free: 10, held: hold(7) }), [1, 2]);
  },
);

test.serial('respects a lower limit set for an endpoint', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  const resting = await endpoint();
  const tried = await endpoint();
  await events(1, 2, 3);
  const restrained = new Map([
    [resting, 0],
    [tried, 1],
  ]);
  t.is(only(await claim(db, 9, { restrained })).endpoint.id, tried);
  t.deepEqual(await claim(db, 9, { restrained }), []);
  t.is((await claim(db, 9)).length, 5);
});

test.serial('does not claim deliveries of a paused or disabled endpoint', async (t) => {
  const { db, owner, endpoint, events } = await createWorld(t);
  const endpointId = await endpoint();
  const wanted = { endpointId, workspaceId: owner.workspaceId };
  await events(1);
  await patchWebhookEndpoint(db, wanted, { state: 'paused' });
  t.deepEqual(await claim(db, 2), []);
  await disableWebhookEndpoint(db, { endpointId, url: 'https://example.com/former' }, 'Gone');
  t.like(await findWebhookEndpoint(db, wanted), { state: 'paused', disabledReason: null });
  await disableWebhookEndpoint(db, { endpointId, url: 'https://example.com/hook' }, 'Gone');
  t.like(await findWebhookEndpoint(db, wanted), { state: 'disabled', disabledReason: 'Gone' });
  t.is(await nextDeliveryDueAt(db, at(0)), undefined);
  await events(2);
  t.like(await patchWebhookEndpoint(db, wanted, { state: 'active' }), {
    state: 'active',
    disabledReason: null,
  });
  t.deepEqual(only(await claim(db, 3)).event.at, at(1));
});

test.serial('returns the next due time or lease end', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  t.is(await nextDeliveryDueAt(db, at(0)), undefined);
  await endpoint();
  await events(1, 200);
  t.deepEqual(await nextDeliveryDueAt(db, at(0)), at(1));
  t.deepEqual(await nextDeliveryDueAt(db, at(1)), at(200));
  await claim(db, 2);
  t.deepEqual(await nextDeliveryDueAt(db, at(2)), at(62));
});

// Attempts
// Attempts of deliveries, and their effect on endpoints.

test.serial('stores each attempt once and updates its delivery', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  const endpointId = await endpoint();
  await events(1);
  const { id } = only(await claim(db, 1));
  t.true(
    await recordDeliveryAttempt(db, id, attempt(1, 'HTTP 500'), { state: 'pending', nextAttemptAt: at(20) }),
  );
  t.false(await recordDeliveryAttempt(db, id, attempt(1), { state: 'delivered' }));
  t.deepEqual(await claim(db, 19), []);
  t.like(only(await claim(db, 20)), { id, attempt: 2, failedInRound: 1 });
  t.true(await recordDeliveryAttempt(db, id, attempt(2), { state: 'delivered' }));
  t.deepEqual(await claim(db, 1_000), []);
  const [listed] = await listDeliveries(db, { endpointId, limit: 10 });
  t.like(listed, {
    id,
    state: 'delivered',
    nextAttemptAt: null,
    finishedAt: new Date(at(10).getTime() + 1_500),
  });
  t.deepEqual(listed?.attempts, [attempt(1, 'HTTP 500'), attempt(2)]);
});

test.serial('ignores an attempt whose endpoint was deleted meanwhile', async (t) => {
  const { db, owner, endpoint, events } = await createWorld(t);
  const endpointId = await endpoint();
  await events(1);
  const { id } = only(await claim(db, 1));
  t.true(await deleteWebhookEndpoint(db, { endpointId, workspaceId: owner.workspaceId }));
  t.false(await recordDeliveryAttempt(db, id, attempt(1), { state: 'delivered' }));
});

test.serial('stores events of a call while one of its endpoints is being deleted', async (t) => {
  const { db, owner, endpoint } = await createWorld(t);
  const endpointId = await endpoint();
  const other = await endpoint();
  let stored: Promise<unknown> | undefined;
  await db.transaction(async ({ execute }) => {
    await execute('delete from webhook_endpoint where id = $1', [endpointId]);
    stored = storedCall(db, owner, { startedAt: at(1) });
    await until('the event waits', async () => (await isLockAwaited(db)) || undefined);
  });
  await t.notThrowsAsync(stored ?? Promise.reject(new Error('nothing was stored')));
  t.is(only(await claim(db, 1)).endpoint.id, other);
});

const isDeletion = (sql: string): boolean => sql.includes('delete from "event_delivery"');

test.serial(
  'deletes the deliveries of an endpoint in batches, between which events are stored',
  async (t) => {
    const { db, owner, endpoint, events } = await createWorld(t);
    const endpointId = await endpoint();
    await events(1);
    await db.execute(
      `insert into event_delivery
       (id, event_id, endpoint_id, call_id, position, state, next_attempt_at, created_at)
     select gen_random_uuid(), event_id, endpoint_id, call_id, n, 'delivered', created_at, created_at + n * interval '1 ms'
     from event_delivery, generate_series(1, 2500) as n`,
    );
    const other = await endpoint();
    const before: (number | undefined)[] = [];
    const observed: Database = {
      ...db,
      async execute<Found>(sql: string, parameters?: readonly unknown[]) {
        if (isDeletion(sql)) {
          const [left] = await db.execute<{ count: number }>(
            'select count(*) from event_delivery where endpoint_id = $1',
            [endpointId],
          );
          before.push(left?.count);
          await events(2);
        }
        return db.execute<Found>(sql, parameters);
      },
    };
    t.true(await deleteWebhookEndpoint(observed, { endpointId, workspaceId: owner.workspaceId }));
    t.deepEqual(before, [2_501, 1_501, 501, 0]);
    t.deepEqual(await listDeliveries(db, { endpointId, limit: 10 }), []);
    t.is((await listDeliveries(db, { endpointId: other, limit: 10 })).length, before.length);
  },
);

test.serial(
  'leaves an endpoint disabled if its deletion is interrupted, and continues it later',
  async (t) => {
    const { db, owner, endpoint, events } = await createWorld(t);
    const endpointId = await endpoint();
    const wanted = { endpointId, workspaceId: owner.workspaceId };
    await events(1);
    const broken: Database = {
      ...db,
      execute: (sql, parameters) =>
        isDeletion(sql) ? Promise.reject(new Error('away')) : db.execute(sql, parameters),
    };
    await t.throwsAsync(deleteWebhookEndpoint(broken, wanted), { message: 'away' });
    t.like(await findWebhookEndpoint(db, wanted), {
      state: 'disabled',
      disabledReason: 'The endpoint is being deleted',
    });
    t.deepEqual(await claim(db, 2), []);
    t.true(await deleteWebhookEndpoint(db, wanted));
    t.is(await findWebhookEndpoint(db, wanted), undefined);
    t.false(await deleteWebhookEndpoint(db, wanted));
  },
);

test.serial('replaying a dead delivery restarts its schedule and keeps its attempts', async (t) => {
  const { db, owner, endpoint, events } = await createWorld(t);
  const endpointId = await endpoint();
  await events(1);
  const { id } = only(await claim(db, 1));
  await recordDeliveryAttempt(db, id, attempt(1, 'HTTP 500'), { state: 'dead' });
  t.deepEqual(await claim(db, 1_000), []);
  const replay = { deliveryId: id, now: at(30) };
  t.is(await replayDelivery(db, { ...replay, workspaceId: randomUUID() }), undefined);
  t.like(await replayDelivery(db, { ...replay, workspaceId: owner.workspaceId }), {
    id,
    state: 'pending',
    nextAttemptAt: at(30),
    finishedAt: null,
  });
  t.like(only(await claim(db, 30)), { id, attempt: 2, failedInRound: 0 });
  await recordDeliveryAttempt(db, id, attempt(2), { state: 'delivered' });
  const [listed] = await listDeliveries(db, { endpointId, limit: 10 });
  t.is(listed?.attempts.length, 2);
});

test.serial('lists deliveries by state, newest first, page by page', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  const endpointId = await endpoint();
  await events(1, 2, 2, 2, 3);
  const whole = await listDeliveries(db, { endpointId, limit: 10 });
  t.deepEqual(
    whole.map(({ createdAt }) => createdAt),
    [at(3), at(2), at(2), at(2), at(1)],
  );
  const first = await listDeliveries(db, { endpointId, limit: 2 });
  const second = await listDeliveries(db, { endpointId, limit: 10, after: first.at(-1) });
  t.deepEqual([...first, ...second], whole);
  await recordDeliveryAttempt(db, whole[0]?.id ?? '', attempt(1), { state: 'dead' });
  t.is((await listDeliveries(db, { endpointId, limit: 10, state: 'dead' })).length, 1);
  t.is((await listDeliveries(db, { endpointId, limit: 10, state: 'pending' })).length, 4);
});

test.serial(
  'changes, rotates and deletes an endpoint only in its workspace, with its deliveries',
  async (t) => {
    const { db, owner, endpoint, events } = await createWorld(t);
    const endpointId = await endpoint();
    await events(1);
    const wanted = { endpointId, workspaceId: owner.workspaceId };
    const stranger = { endpointId, workspaceId: randomUUID() };
    t.is(await findWebhookEndpoint(db, stranger), undefined);
    t.is(await patchWebhookEndpoint(db, stranger, { url: 'https://b' }), undefined);
    t.is(await rotateEndpointSecret(db, stranger, { secretSealed: 'x', previousUntil: at(5) }), undefined);
    t.false(await deleteWebhookEndpoint(db, stranger));

    t.like(
      await patchWebhookEndpoint(db, wanted, {
        events: ['call.ended'],
        numberId: owner.numberId,
        url: undefined,
      }),
      {
        events: ['call.ended'],
        numberId: owner.numberId,
        url: 'https://example.com/hook',
      },
    );
    t.like(await patchWebhookEndpoint(db, wanted, { events: null, numberId: null }), {
      events: null,
      numberId: null,
    });
    t.like(await rotateEndpointSecret(db, wanted, { secretSealed: 'new', previousUntil: at(5) }), {
      secretSealed: 'new',
      previousSecretSealed: 'sealed',
      previousSecretUntil: at(5),
    });
    t.deepEqual(
      (await listWebhookEndpoints(db, owner.workspaceId)).map(({ id }) => id),
      [endpointId],
    );

    const { id } = only(await claim(db, 1));
    await recordDeliveryAttempt(db, id, attempt(1), { state: 'delivered' });
    t.true(await deleteWebhookEndpoint(db, wanted));
    t.deepEqual(await listDeliveries(db, { endpointId, limit: 10 }), []);
  },
);

// Order
// The events of a call reach an endpoint one after another.

/** A call with these events after `call.ringing`, one per second from its insertion on. */
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

test.serial(
  'sends an endpoint the events of a call one after another, independently of other calls and endpoints',
  async (t) => {
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
  },
);

test.serial('orders events with equal times like their facts', async (t) => {
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

test.serial(
  'keeps the due time of a queued delivery when the one before it is replayed and delivered',
  async (t) => {
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
  },
);

test.serial('does not replay a delivery that is being attempted', async (t) => {
  const { db, owner, endpoint } = await createWorld(t);
  await endpoint();
  await callWith(db, owner, 1, []);
  const { id } = only(await claim(db, 10));
  const replay = { deliveryId: id, workspaceId: owner.workspaceId };
  t.like(await replayDelivery(db, { ...replay, now: at(20) }), { state: 'pending', nextAttemptAt: at(1) });
  t.deepEqual(await claim(db, 30), []);
  // The previous owner is dead.
  t.like(await replayDelivery(db, { ...replay, now: at(80) }), { nextAttemptAt: at(80) });
});

test.serial('claims other due deliveries although many wait behind a failing call', async (t) => {
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
