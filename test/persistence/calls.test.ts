/** Calls in the database: lists, SIP messages, legs, minutes, cost of statements and erasure. */
import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { dayOf } from '#src/domain/day.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { SipLeg } from '#src/domain/sip-leg.ts';
import { type RecordedFact, recordFact } from '#src/persistence/calls/call-facts.ts';
import { type CallListQuery, countCalls, listCalls } from '#src/persistence/calls/call-list.ts';
import { keepTransitions } from '#src/persistence/calls/call-transitions.ts';
import { createCallReading, findCall, insertCall } from '#src/persistence/calls/calls.ts';
import { createLatencyReading } from '#src/persistence/calls/latency-statistics.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { findEndedCall } from '#src/persistence/calls/ended-calls.ts';
import { eraseCall, eraseWords } from '#src/persistence/calls/erasing.ts';
import { takeFromEarlierProcess } from '#src/persistence/calls/claim-calls.ts';
import { inBatches } from '#src/persistence/database/in-batches.ts';
import { erasedFiles } from '#src/persistence/calls/recordings.ts';
import { openLeg, sealLeg } from '#src/persistence/calls/sealed-legs.ts';
import { legsOf, writeLegs } from '#src/persistence/calls/checkpoint-legs.ts';
import {
  deleteSipMessages,
  keepSipMessages,
  sipMessagesOf,
  type StoredSipMessage,
} from '#src/persistence/calls/sip-messages.ts';
import { insertCallWithin, type SpentOfNumber, spentOn } from '#src/persistence/calls/spent-minutes.ts';
import { transcriptOf } from '#src/persistence/calls/transcripts.ts';
import { isLockAwaited } from '#test/helpers/database-statement.ts';
import { openTestDatabase, ownDatabase, testDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { encryptedLeg, keysOfLeg } from '#test/helpers/encrypted-leg.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { newCallRow, storedCall, storedNumber, type StoredNumber } from '#test/helpers/stored-number.ts';
import { sealing } from '#test/helpers/test-sealing.ts';
import { until } from '#test/helpers/until.ts';
import { answered, ended, said, startedAt, typesOf } from './call-facts/stored-facts.ts';

// Call list

const callListAt = (second: number): Date => new Date(Date.UTC(2026, 10, 21, 3, 0, second));

test.serial('lists every call once across pages, newest first, even for equal start times', async (t) => {
  const db = await testDatabase('call list');
  const owner = await storedNumber(db);
  const seconds = [5, 1, 3, 3, 3, 3, 2, 5, 3];
  for (const second of seconds) await storedCall(db, owner, { startedAt: callListAt(second) });
  const stranger = await storedNumber(db);
  await storedCall(db, stranger, { startedAt: callListAt(3) });

  const scope = { numberId: owner.numberId };
  const whole = await listCalls(db, { scope, limit: 100 });
  t.is(whole.length, seconds.length);
  t.deepEqual(
    whole.map((call) => [call.startedAt.getTime(), call.id]),
    whole
      .map((call): [number, string] => [call.startedAt.getTime(), call.id])
      .sort(([a, x], [b, y]) => b - a || (x < y ? 1 : -1)),
  );
  const paged = [];
  let after: CallListQuery['after'];
  for (;;) {
    const page = await listCalls(db, { scope, limit: 2, after });
    paged.push(...page);
    after = page.at(-1);
    if (page.length < 2) break;
  }
  t.deepEqual(paged, whole);
});

test.serial('lists only calls that match the filters', async (t) => {
  const db = await testDatabase('call list');
  const owner = await storedNumber(db);
  const early = await storedCall(db, owner, { startedAt: callListAt(1), direction: 'inbound' });
  const middle = await storedCall(db, owner, { startedAt: callListAt(2) });
  const late = await storedCall(db, owner, { startedAt: callListAt(3) });
  await recordFact(db, middle, 1, { type: 'call.answered', at: callListAt(4).getTime() });
  const ids = async (filters: Partial<CallListQuery>): Promise<string[]> =>
    (await listCalls(db, { scope: { workspaceId: owner.workspaceId }, limit: 10, ...filters })).map(
      ({ id }) => id,
    );
  t.deepEqual(await ids({}), [late, middle, early]);
  t.deepEqual(await ids({ status: 'active' }), [middle]);
  t.deepEqual(await ids({ direction: 'inbound' }), [early]);
  t.deepEqual(await ids({ since: callListAt(2) }), [late, middle]);
  t.deepEqual(await ids({ until: callListAt(2) }), [early]);
  t.deepEqual(
    await ids({ since: callListAt(2), until: callListAt(3), status: 'active', direction: 'outbound' }),
    [middle],
  );
  t.deepEqual(await ids({ scope: { workspaceId: randomUUID() } }), []);
  const counted = (filters: Partial<CallListQuery>): Promise<number> =>
    countCalls(db, { scope: { workspaceId: owner.workspaceId }, limit: 10, ...filters });
  t.is(await counted({}), 3);
  t.is(await counted({ limit: 2 }), 2);
  t.is(await counted({ since: callListAt(2), status: 'active' }), 1);
  t.is(await counted({ search: { kind: 'id', first: late, last: late } }), 1);
  t.is(await counted({ search: { kind: 'words', words: ['helicopter'] } }), 0);
});

test.serial('finds a call only by its own number and workspace', async (t) => {
  const db = await testDatabase('call list');
  const owner = await storedNumber(db);
  const stranger = await storedNumber(db);
  const callId = await storedCall(db, owner);
  t.is((await findCall(db, { callId, numberId: owner.numberId }))?.id, callId);
  t.is((await findCall(db, { callId, workspaceId: owner.workspaceId }))?.id, callId);
  t.is(await findCall(db, { callId, numberId: stranger.numberId }), undefined);
  t.is(await findCall(db, { callId, workspaceId: stranger.workspaceId }), undefined);
  t.is(await findCall(db, { callId: randomUUID(), numberId: owner.numberId }), undefined);
});

test.serial('lists ringing and active calls of a node', async (t) => {
  const db = await testDatabase('call list');
  const owner = await storedNumber(db);
  const node = randomUUID();
  const ringing = await storedCall(db, owner, { node, startedAt: callListAt(1) });
  const active = await storedCall(db, owner, { node, startedAt: callListAt(2) });
  const over = await storedCall(db, owner, { node, startedAt: callListAt(3) });
  await storedCall(db, owner, { node: 'another' });
  await recordFact(db, active, 1, { type: 'call.answered', at: callListAt(3).getTime() });
  await recordFact(db, over, 1, {
    type: 'call.ended',
    at: callListAt(4).getTime(),
    reason: 'busy',
    status: 'no_answer',
  });
  t.deepEqual(
    (await takeFromEarlierProcess(db, node)).map(({ id }) => id).toSorted(),
    [ringing, active].toSorted(),
  );
  t.is(await findEndedCall(db, active), null);
  t.deepEqual(await findEndedCall(db, over), {
    language: 'ko',
    durationSec: 0,
    endReason: 'busy',
    turns: [],
  });
});

// SIP messages

const sipMessage = (callId: string, atMicros: number): StoredSipMessage => ({
  callId,
  atMicros,
  direction: 'in',
  transport: 'tls',
  local: '[2001:db8::7]:5061',
  remote: '[2001:db8::9]:5061',
  text: 'BYE sip:x SIP/2.0\r\nSubject: "옛" \\ \u{1F4DE}\r\n\r\n',
  leftOut: 3,
});

test.serial('stores SIP messages unchanged and once, and reads them by call in order', async (t) => {
  const database = await testDatabase('sip messages');
  const [one, other] = [randomUUID(), randomUUID()];
  const late = sipMessage(one, 1_795_000_000_999_999);
  const early = sipMessage(one, 1_795_000_000_000_001);
  await keepSipMessages(database, [late, early, sipMessage(other, early.atMicros)]);
  await keepSipMessages(database, [late]);
  t.deepEqual(await sipMessagesOf(database, one), [early, late]);
});

test.serial('deletes old SIP messages in batches, oldest first, and keeps younger ones', async (t) => {
  const database = await testDatabase('sip messages');
  const callId = randomUUID();
  const [first, ...others] = [10, 20, 30, 40].map((atMicros) => sipMessage(callId, atMicros));
  await keepSipMessages(database, [...others, ...(first === undefined ? [] : [first])]);
  t.is(await deleteSipMessages(database, { before: 40, most: 2 }), 2);
  t.deepEqual(
    (await sipMessagesOf(database, callId)).map(({ atMicros }) => atMicros),
    [30, 40],
  );
  t.is(await deleteSipMessages(database, { before: 40, most: 2 }), 1);
  t.is(await deleteSipMessages(database, { before: 40, most: 2 }), 0);
});

// Sealed legs

test.serial(
  'encrypts the SRTP keys of a call so that the gateway that resumes it can read them',
  async (t) => {
    const database = await testDatabase('sealed legs');
    const node = `node ${randomUUID()}`;
    const held = { callId: randomUUID(), epoch: 1, legs: [{ id: randomUUID(), leg: encryptedLeg }] };
    await writeLegs(database, sealing, node, { stored: [held], over: [] });
    const [row] = await database.execute<{ leg: string }>(
      'select legs::text as leg from call_checkpoint where call_id = $1',
      [held.callId],
    );
    for (const key of Object.values(keysOfLeg)) t.false(row?.leg.includes(key));
    t.regex(row?.leg ?? '', /AES_CM_128_HMAC_SHA1_80 inline:v1\./);
    t.deepEqual(await legsOf(database, sealing, node), [held]);
  },
);

test.serial('SRTP keys of one leg do not decrypt in another leg of the call', (t) => {
  const sealed = sealLeg(sealing, 'one', encryptedLeg);
  t.deepEqual(openLeg(sealing, 'one', sealed), encryptedLeg);
  t.deepEqual(openLeg(sealing, 'another', sealed), { ...encryptedLeg, dialog: null });
});

test.serial('reads a leg stored by an older gateway version', (t) => {
  t.deepEqual(openLeg(sealing, 'one', encryptedLeg), encryptedLeg);
});

test.serial('stores a leg without keys', (t) => {
  const plain = { ...encryptedLeg, dialog: null };
  t.is(sealLeg(sealing, 'one', plain), plain);
});

// Spent minutes

const spentMinutesAt = (time: string): Date => new Date(`2026-11-21T${time}.000Z`);
const day = dayOf(spentMinutesAt('03:00:00').getTime(), 'Asia/Seoul');

test.serial(
  'counts active calls with their maximum duration and ended ones with their actual duration',
  async (t) => {
    const database = await testDatabase('spent minutes');
    const owner = await storedNumber(database);
    const stranger = await storedNumber(database);
    const store = async (of: typeof owner, changes: object, columns = '') => {
      const newCall = newCallRow(of, changes);
      await insertCallWithin(database, newCall, day, () => newCall.maxDurationSec);
      if (columns !== '') await database.execute(`update call set ${columns} where id = $1`, [newCall.id]);
    };
    const ended = `status = 'completed', ended_at = '2026-11-21T03:01:40Z', answered_at = '2026-11-21T03:00:10Z'`;
    await store(owner, {});
    await store(owner, {}, `status = 'active', answered_at = '2026-11-21T03:00:00Z'`);
    await store(owner, {}, `${ended}, duration_sec = 90`);
    await store(owner, {}, `status = 'no_answer', ended_at = '2026-11-21T03:00:40Z', duration_sec = 0`);
    // The end of the call was not observed, so it counts up to the time of its detection.
    await store(owner, {}, ended);
    await store(owner, { maxDurationSec: 60 }, ended);
    await store(owner, { direction: 'inbound' }, `${ended}, duration_sec = 90`);
    await store(owner, { startedAt: spentMinutesAt('15:00:00') }, `${ended}, duration_sec = 90`);
    await store(stranger, {}, `${ended}, duration_sec = 90`);
    const [found, ...others] = await spentOn(database, { ...day, workspaceId: owner.workspaceId });
    t.deepEqual(others, []);
    // Clocks have advanced since then: the resumed call has used up its maximum duration.
    t.deepEqual(found, {
      numberId: owner.numberId,
      talkedSec: 600 + 90 + 90 + 60,
      heldSec: 600 + 600 + 90 + 90 + 60,
    });
  },
);

test.serial('simultaneous calls of two gateways never reserve the same minutes', async (t) => {
  const url = await testDatabaseUrl(t);
  const gateways = [await openTestDatabase(t, url, 'one'), await openTestDatabase(t, url, 'two')];
  const [first] = gateways;
  if (first === undefined) throw new Error('There is no gateway');
  const owner = await storedNumber(first);
  const limitSec = 1_000;
  const grant = (spent: readonly SpentOfNumber[]): number => {
    const rest = limitSec - spent.reduce((sum, { heldSec }) => sum + heldSec, 0);
    if (rest < 60) throw new Refusal('daily_limit_reached', 'Nothing is left.');
    return Math.min(150, rest);
  };
  const outcomes = await Promise.allSettled(
    gateways.flatMap((gateway) =>
      Array.from({ length: 12 }, () => insertCallWithin(gateway, newCallRow(owner), day, grant)),
    ),
  );
  const granted = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value ?? 0] : []));
  t.deepEqual(
    granted.toSorted((one, other) => other - one),
    [150, 150, 150, 150, 150, 150, 100],
  );
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') t.true(outcome.reason instanceof Refusal);
  const rows = await first.execute<{ count: number; sum: number }>(
    'select count(*)::int as count, sum(max_duration_sec)::int as sum from call',
  );
  t.deepEqual(rows, [{ count: 7, sum: limitSec }], 'what was refused left no row');
});

// In batches

/** Doubles numbers; each batch is pending until it is released. */
const doubling = (limits: { lanes: number; most: number }, refuse?: (items: readonly number[]) => void) => {
  const batches: number[][] = [];
  const underWay: (() => void)[] = [];
  const double = inBatches(async (items: readonly number[]) => {
    batches.push([...items]);
    await new Promise<void>((resolve) => underWay.push(resolve));
    refuse?.(items);
    return (item) => item * 2;
  }, limits);
  const finishOne = async (): Promise<void> => {
    underWay.shift()?.();
    await turn();
  };
  return { double, batches, finishOne };
};

test.serial(
  'batches the requests of one turn of the event loop and returns its result to each',
  async (t) => {
    const { double, batches, finishOne } = doubling({ lanes: 1, most: 10 });
    const results = Promise.all([double(1), double(2), double(3)]);
    await turn();
    t.deepEqual(batches, [[1, 2, 3]]);
    await finishOne();
    t.deepEqual(await results, [2, 4, 6]);
  },
);

test.serial('puts later requests into the next batch', async (t) => {
  const { double, batches, finishOne } = doubling({ lanes: 2, most: 10 });
  const results = [double(1)];
  await turn();
  results.push(double(2));
  await turn();
  results.push(double(3), double(4));
  await turn();
  t.deepEqual(batches, [[1], [2]]);
  await finishOne();
  t.deepEqual(batches, [[1], [2], [3, 4]]);
  await finishOne();
  await finishOne();
  t.deepEqual(await Promise.all(results), [2, 4, 6, 8]);
  const last = double(5);
  await turn();
  t.deepEqual(batches.at(-1), [5]);
  await finishOne();
  t.is(await last, 10);
});

test.serial('limits the size of a batch', async (t) => {
  const { double, batches, finishOne } = doubling({ lanes: 1, most: 2 });
  const results = Promise.all([1, 2, 3, 4, 5].map(double));
  await turn();
  for (let batch = 1; batch <= 3; batch += 1) await finishOne();
  t.deepEqual(batches, [[1, 2], [3, 4], [5]]);
  t.deepEqual(await results, [2, 4, 6, 8, 10]);
});

test.serial('a rejected request does not fail the other requests of its batch', async (t) => {
  const refused = new Error('thirteen is refused');
  const { double, batches, finishOne } = doubling({ lanes: 1, most: 10 }, (items) => {
    if (items.includes(13)) throw refused;
  });
  const results = Promise.allSettled([double(1), double(13), double(2)]);
  await turn();
  for (let batch = 1; batch <= 4; batch += 1) await finishOne();
  t.deepEqual(batches, [[1, 13, 2], [1], [13], [2]]);
  t.deepEqual(await results, [
    { status: 'fulfilled', value: 2 },
    { status: 'rejected', reason: refused },
    { status: 'fulfilled', value: 4 },
  ]);
});

test.serial('does not retry while the database is unreachable', async (t) => {
  const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const { double, batches, finishOne } = doubling({ lanes: 1, most: 10 }, () => {
    throw away;
  });
  const results = Promise.allSettled([double(1), double(2)]);
  await turn();
  await finishOne();
  t.deepEqual(batches, [[1, 2]]);
  t.deepEqual(await results, [
    { status: 'rejected', reason: away },
    { status: 'rejected', reason: away },
  ]);
});

/** Passes of the event loop between the first and each of three results of one batch. */
const passesOfResults = async (sliceMs: number): Promise<number[]> => {
  const double = inBatches((_items: readonly number[]) => Promise.resolve((item: number) => item * 2), {
    sliceMs,
  });
  let passes = 0;
  let isOver = false;
  const countPasses = async (): Promise<void> => {
    for (; !isOver; passes += 1) await turn();
  };
  const counting = countPasses();
  const results = await Promise.all(
    [1, 2, 3].map(async (item) => {
      await double(item);
      return passes;
    }),
  );
  isOver = true;
  await counting;
  return results.map((pass) => pass - (results[0] ?? 0));
};

test.serial('does other work between the results of a batch once its time is over', async (t) => {
  t.deepEqual(await passesOfResults(0), [0, 1, 2]);
  t.deepEqual(await passesOfResults(Infinity), [0, 0, 0]);
});

test.serial('reads concurrent calls in one statement, each only for its owner', async (t) => {
  const db = await testDatabase('reads');
  const [owner, stranger] = [await storedNumber(db), await storedNumber(db)];
  const callIds = [await storedCall(db, owner), await storedCall(db, owner), await storedCall(db, stranger)];
  let statements = 0;
  const read = createCallReading({
    ...db,
    execute(...asked) {
      statements += 1;
      return db.execute(...asked);
    },
  });
  const [first = '', second = '', foreign = ''] = callIds;
  const { numberId, workspaceId } = owner;
  const found = await Promise.all([
    read({ callId: first, numberId }),
    read({ callId: first.toUpperCase(), workspaceId }),
    read({ callId: second, workspaceId }),
    read({ callId: foreign, numberId }),
    read({ callId: foreign, workspaceId }),
    read({ callId: randomUUID(), numberId }),
  ]);
  t.deepEqual(
    found.map((call) => call?.id),
    [first, first, second, undefined, undefined, undefined],
  );
  t.is(statements, 1);
  t.deepEqual(found[0], await findCall(db, { callId: first, numberId }));
});

test.serial(
  'summarizes the latency of concurrent calls in one statement, each from its own turns',
  async (t) => {
    const db = await testDatabase('latency');
    const owner = await storedNumber(db);
    const callIds = [await storedCall(db, owner), await storedCall(db, owner), await storedCall(db, owner)];
    const [quick = '', slow = '', silent = ''] = callIds;
    const storeWait = (callId: string, sequence: number, firstAudioMs: number) =>
      db.execute(
        `insert into call_fact (call_id, sequence, type, at, data) values ($1, $2, 'turn.spoken', now(), $3)`,
        [
          callId,
          sequence,
          { turn: sequence, latency: { endpointingMs: 100, firstSentenceMs: 50, firstAudioMs } },
        ],
      );
    await storeWait(quick, 1, 200);
    await storeWait(slow, 1, 900);
    await storeWait(slow, 2, 700);
    let statements = 0;
    const latencyOf = createLatencyReading({
      execute(...asked) {
        statements += 1;
        return db.execute(...asked);
      },
    });
    const found = await Promise.all([quick, slow, silent, quick.toUpperCase(), randomUUID()].map(latencyOf));
    t.is(statements, 1);
    t.deepEqual(
      found.map(
        (latency) => latency && [latency.calls, latency.turns, latency.waitMs.p50, latency.waitMs.p99],
      ),
      [[1, 1, 300, 300], [1, 2, 800, 1_000], null, [1, 1, 300, 300], null],
    );
  },
);

// Statements of a call

/** The same database, which also returns how it executed each statement. */
const explaining = (database: Database): { database: Database; plans: string[] } => {
  const plans: string[] = [];
  const statements = scriptedStatements(async (text, parameters) => {
    const lines = await database.execute<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off, timing off) ${text}`,
      parameters,
    );
    plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
    return [];
  });
  return { database: { ...database, ...statements, journal: statements }, plans };
};

/** Matches a plan that evaluated the CTE `hurried`, with which the commit waits for the disk. */
const hurried = /CTE hurried\n +-> +Result \(actual/;

const leg: SipLeg = {
  state: 'standing',
  transactionId: 'transaction',
  dialogId: 'a@b;from-tag=c',
  sipCallId: 'a@b',
  local: '<sip:us@gateway>;tag=us',
  remote: '<sip:them@far>',
  target: 'sip:them@192.0.2.1',
  nextHop: null,
  channel: null,
  dialog: null,
};

test.serial('lists the calls in progress of a status without reading the calls that are over', async (t) => {
  const db = await ownDatabase(t);
  const owner = await storedNumber(db);
  const callId = await storedCall(db, owner);
  const over = { ended_at: '2026-11-21', status: 'completed', end_reason: 'agent_hangup', duration_sec: 1 };
  await db.execute(
    `insert into call select (jsonb_populate_record(call, $1::jsonb || jsonb_build_object('id', gen_random_uuid()))).*
     from call, generate_series(1, 3000)`,
    [JSON.stringify(over)],
  );
  await db.execute('analyze call');
  const { database, plans } = explaining(db);
  await listCalls(database, { scope: { workspaceId: owner.workspaceId }, limit: 50, status: 'ringing' });
  t.is(plans.length, 1);
  t.regex(plans[0] ?? '', /call_in_progress_index/);
  const found = await listCalls(db, {
    scope: { workspaceId: owner.workspaceId },
    limit: 50,
    status: 'ringing',
  });
  t.deepEqual(
    found.map(({ id }) => id),
    [callId],
  );
});

test.serial('does not wait for the disk when transitions are written', async (t) => {
  const { database, plans } = explaining(await testDatabase('what a call costs'));
  const callId = await storedCall(database, await storedNumber(await testDatabase('what a call costs')));
  plans.length = 0;
  await keepTransitions(database.journal, [
    {
      callId,
      epoch: 1,
      sequence: 1,
      at: new Date(),
      machine: 'call',
      chartVersion: 'abc',
      stateBefore: null,
      eventType: 'xstate.init',
      stateAfter: 'connecting',
      factsBefore: 0,
    },
  ]);
  t.is(plans.length, 1);
  t.regex(plans[0] ?? '', hurried);
});

test.serial(
  'writes new, changed and removed legs in one statement without waiting for the disk',
  async (t) => {
    const real = await testDatabase('what a call costs');
    const { database, plans } = explaining(real);
    const node = randomUUID();
    const call = () => ({ callId: randomUUID(), epoch: 1, legs: [{ id: randomUUID(), leg }] });
    const [over, lasting, short] = [call(), call(), call()];
    const changed = { ...lasting, legs: [{ id: randomUUID(), leg: { ...leg, nextHop: 'sip:proxy;lr' } }] };
    await writeLegs(database, sealing, node, { stored: [over, lasting], over: [] });
    await writeLegs(database, sealing, node, {
      stored: [changed, short],
      over: [over],
    });
    await writeLegs(database, sealing, node, { stored: [], over: [short] });
    t.is(plans.length, 3);
    for (const plan of plans) t.regex(plan, hurried);
    t.deepEqual(await legsOf(real, sealing, node), [changed]);
  },
);

test.serial('updates a call until its end without changing an index', async (t) => {
  const database = await ownDatabase(t);
  const callId = await storedCall(database, await storedNumber(database));
  await t.notThrowsAsync(
    database.execute(`do $$ begin
      update call set status = 'active', answered_at = now(), sip_status = 200, answered_by = 'human'
        where id = '${callId}';
      assert (select n_tup_hot_upd from pg_stat_xact_user_tables where relname = 'call') = 1;
    end $$`),
  );
});

test.serial(
  'inserts a ringing call without touching the key table if it has no key, or the tables for ended calls',
  async (t) => {
    const { database, plans } = explaining(await testDatabase('what a call costs'));
    const owner = await storedNumber(await testDatabase('what a call costs'));
    await insertCall(database, newCallRow(owner));
    await insertCall(
      database,
      newCallRow(owner, {
        keyedAnswer: {
          key: 'key',
          fingerprint: Buffer.alloc(32),
          responseStatus: 201,
          responseBody: '{}',
        },
      }),
    );
    t.deepEqual(
      plans.map((plan) =>
        [...new Set([...plan.matchAll(/Insert on (\w+)/g)].map(([, table]) => String(table)))].toSorted(),
      ),
      [
        ['call', 'call_transition', 'event', 'event_delivery'],
        ['call', 'call_transition', 'event', 'event_delivery', 'idempotency_record'],
      ],
    );
  },
);

// Erasure
// Data erased from an ended call, even if some of it arrives later.

const completed: RecordedFact = {
  type: 'recording.completed',
  at: ended.at + 1,
  contentType: 'audio/ogg',
  durationSec: 10.2,
  bytes: 5_000,
  file: '2026-11/a.ogg',
  truncated: false,
};

const summarized: RecordedFact = { type: 'call.summarized', at: ended.at + 2, summary: 'A wombat was sold.' };

const entry = ({ workspaceId }: StoredNumber) => ({
  workspaceId,
  actor: 'operator',
  action: 'call.erased',
  subject: 'call:1',
  at: new Date(startedAt),
});

/** An ended call with unwritten facts from after its end. */
const endedCall = async (
  db: Database,
  owner: StoredNumber,
  counterparty = '01000000001',
): Promise<string> => {
  const callId = await storedCall(db, owner, { counterparty, callerName: 'Numbat', node: randomUUID() });
  const story: RecordedFact[] = [
    answered,
    said(2_000, 'A quokka.'),
    {
      type: 'call.transfer_requested',
      at: startedAt + 2_500,
      transferId: randomUUID(),
      to: '0212345678',
      mode: 'cold',
    },
    {
      ...ended,
      sip: {
        status: 200,
        reason: 'OK',
        callId: 'x',
        reasons: [{ protocol: 'SIP', cause: 603, text: 'Blocked by Numbat' }],
        callInfo: ['https://numbat.example'],
      },
    },
  ];
  for (const [index, fact] of story.entries()) await recordFact(db, callId, index + 1, fact);
  return callId;
};

const everything = async (db: Database, callId: string): Promise<string> => {
  const rows = await db.execute<{ row: string }>(
    `select to_jsonb(c)::text as row from call c where id = $1
     union all select to_jsonb(f)::text from call_fact f where call_id = $1
     union all select to_jsonb(t)::text from call_turn t where call_id = $1
     union all select to_jsonb(e)::text from event e where call_id = $1
     union all select to_jsonb(s)::text from call_search s where call_id = $1
     union all select to_jsonb(m)::text from sip_message m where call_id = $1`,
    [callId],
  );
  return rows.map(({ row }) => row).join('\n');
};

const foundBy = async (
  db: Database,
  { workspaceId }: StoredNumber,
  search: CallListQuery['search'],
): Promise<number> => (await listCalls(db, { scope: { workspaceId }, limit: 10, search })).length;

const erasedMessage = (callId: string, atMicros: number): StoredSipMessage => ({
  callId,
  atMicros,
  direction: 'in',
  transport: 'udp',
  local: '127.0.0.1:5060',
  remote: '127.0.0.1:5070',
  text: 'BYE sip:quokka@127.0.0.1 SIP/2.0',
  leftOut: 0,
});

/** The first page of erased files that this gateway has to remove. */
const first = { node: 'test', after: '00000000-0000-0000-0000-000000000000', atMost: 10 };

const traces = /quokka|wombat|numbat|Book a table|01000000001|0212345678/i;

test.serial('erases all data about the other party, including later writes', async (t) => {
  const db = await testDatabase('erasing');
  const owner = await storedNumber(db);
  const callId = await endedCall(db, owner);
  await keepSipMessages(db, [erasedMessage(callId, 1)]);
  t.regex(await everything(db, callId), traces);

  t.is(await eraseCall(db, { callId, workspaceId: owner.workspaceId }, entry(owner)), 'erased');
  t.notRegex(await everything(db, callId), traces);
  t.deepEqual(await erasedFiles(db, first), [], 'its recording is not complete yet');

  await recordFact(db, callId, 5, completed);
  await recordFact(db, callId, 6, summarized);
  await keepSipMessages(db, [erasedMessage(callId, 2)]);
  t.notRegex(await everything(db, callId), traces);
  t.deepEqual(await erasedFiles(db, first), [{ callId, file: '2026-11/a.ogg' }]);
  t.like(await findCall(db, { callId, ...owner }), {
    counterparty: '01',
    callerName: null,
    summary: null,
    endReason: 'agent_hangup',
    durationSec: 10.25,
    transfer: { to: '78', status: 'failed', reason: 'call_ended' },
  });
  t.deepEqual((await typesOf(db, callId)).toSorted(), [
    'call.answered',
    'call.ended',
    'call.erased',
    'call.ringing',
    'call.transfer_requested',
    'recording.completed',
  ]);
  t.is(await foundBy(db, owner, { kind: 'words', words: ['quokka'] }), 0);
  t.is(await foundBy(db, owner, { kind: 'number', digits: '0000001' }), 0);
});

test.serial('erases the data in the event of a recording that completes during the erasure', async (t) => {
  const db = await testDatabase('erasing');
  const owner = await storedNumber(db);
  const callId = await endedCall(db, owner);
  const erased = Promise.withResolvers<void>();
  const completing = Promise.withResolvers<void>();
  const erasing: Database = {
    ...db,
    transaction: (work) =>
      db.transaction(async (statements, manager) => {
        const result = await work(statements, manager);
        erased.resolve();
        await completing.promise;
        return result;
      }),
  };
  const erasure = eraseCall(erasing, { callId, workspaceId: owner.workspaceId }, entry(owner));
  await erased.promise;
  const recorded = recordFact(db, callId, 5, completed);
  await until('the recording waits', async () => (await isLockAwaited(db)) || undefined);
  completing.resolve();
  t.is(await erasure, 'erased');
  await recorded;
  t.true((await typesOf(db, callId)).includes('recording.completed'));
  t.notRegex(await everything(db, callId), traces);
});

test.serial('keeps the number of a withheld caller withheld in an erased call', async (t) => {
  const db = await testDatabase('erasing');
  const owner = await storedNumber(db);
  const callId = await endedCall(db, owner, 'anonymous');
  await eraseCall(db, { callId, workspaceId: owner.workspaceId }, entry(owner));
  t.like(await findCall(db, { callId, ...owner }), { counterparty: 'anonymous' });
});

test.serial('does not erase an active, foreign or unknown call', async (t) => {
  const db = await testDatabase('erasing');
  const owner = await storedNumber(db);
  const stranger = await storedNumber(db);
  const over = await endedCall(db, owner);
  const ringing = await storedCall(db, owner);
  const talking = await storedCall(db, owner);
  await recordFact(db, talking, 1, answered);
  const before = await everything(db, over);
  const outcome = (callId: string, { workspaceId }: StoredNumber) =>
    eraseCall(db, { callId, workspaceId }, entry(owner));
  t.is(await outcome(ringing, owner), 'in_progress');
  t.is(await outcome(talking, owner), 'in_progress');
  t.is(await outcome(over, stranger), 'unknown');
  t.is(await outcome(randomUUID(), owner), 'unknown');
  t.is(await everything(db, over), before);
  t.is(await outcome(over, owner), 'erased');
  t.is(await outcome(over, owner), 'erased_before');
});

test.serial('keeps the number for searches if only the words of calls are erased', async (t) => {
  const db = await testDatabase('erasing');
  const owner = await storedNumber(db);
  const callId = await endedCall(db, owner);
  const other = await endedCall(db, owner, '01000000002');
  await eraseWords(db, [callId]);
  await recordFact(db, callId, 5, summarized);
  t.notRegex(await everything(db, callId), /quokka|wombat|Book a table/);
  t.deepEqual(await transcriptOf(db, callId), []);
  t.like(await findCall(db, { callId, ...owner }), { counterparty: '01000000001', callerName: 'Numbat' });
  t.is(await foundBy(db, owner, { kind: 'number', digits: '0000001' }), 1);
  t.is(await foundBy(db, owner, { kind: 'words', words: ['quokka'] }), 1, 'that of the other call');
  t.regex(await everything(db, other), /quokka/);
});
