/** Actions in a call: hangup, recording pause, words requested by API. */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { queueLimits } from '#config/policy.ts';
import { mostAsked } from '#machines/asked-words.ts';
import { briefingOf } from '#src/calls/in-call/briefing.ts';
import type { AskNode } from '#src/calls/call-parts.ts';
import { createInCallRequests } from '#src/calls/in-call/in-call-requests.ts';
import { createPendingHangUps } from '#src/continuity/pending-hang-ups.ts';
import { createRecordingRequests } from '#src/calls/in-call/pause-recording.ts';
import { createPerformRequest } from '#src/calls/in-call/perform-request.ts';
import { collectKeys, pressKeys, say } from '#src/calls/in-call/speak-for-agent.ts';
import { createWriteBriefing } from '#src/calls/in-call/summarized-briefing.ts';
import { createTransferOwnCall } from '#src/calls/in-call/transfer-own-call.ts';
import { cancelTransfer, transfer } from '#src/calls/in-call/transfer.ts';
import type { SummarizeSoFar } from '#src/calls/summaries/summaries.ts';
import { createLiveCalls } from '#src/calls/live/live-calls.ts';
import type { Pressure } from '#src/domain/capacity.ts';
import { steadyClock } from '#src/clocks.ts';
import type { CallAct, InCallRequest } from '#src/domain/in-call-request.ts';
import { NodeUnreachable } from '#src/domain/node-unreachable.ts';
import { Refusal, type RefusalCode } from '#src/domain/refusal.ts';
import { facts } from '#src/persistence/calls/call-facts.ts';
import { type HangupAction, storeHangup, pendingHangupsOf } from '#src/persistence/calls/pending-hangups.ts';
import { patchNumber } from '#src/persistence/numbers/numbers.ts';
import { callInput, createCallWorld } from '#test/helpers/call-world.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { scriptedDatabase, scriptedStatements } from '#test/helpers/scripted-database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { takenOver } from '#test/helpers/taken-over-call.ts';
import { asked as askedTransfer } from '#test/machines/call/asked-transfer.ts';
import { type CallControlWorld, createCallControlWorld } from './call-control-world.ts';

// Call control

test.serial('counts calls of both directions together against the limit of a number', async (t) => {
  const world = await createCallControlWorld(t);
  await patchNumber(world.database, world.stored, { maxConcurrentCalls: 2 });
  await world.place();
  t.like(await world.receive(), { verdict: { accepted: true } });
  await t.throwsAsync(world.place(), { code: 'concurrency_limit' });
  t.like(await world.receive(), { verdict: { because: 'concurrency_limit' } });
});

test.serial('rejects new calls in both directions while load is shed', async (t) => {
  let pressure: Pressure | null = 'event_loop';
  const world = await createCallControlWorld(t, {
    load: { pressure: () => pressure, share: () => 1, hasRoom: () => true, take: () => {} },
  });
  await t.throwsAsync(world.place(), { code: 'over_capacity' });
  t.like(await world.receive(), { verdict: { because: 'over_capacity' } });
  t.is(await world.rows(), 0);
  pressure = null;
  await t.notThrowsAsync(world.place());
  t.like(await world.receive(), { verdict: { accepted: true } });
});

test.serial('rejects outbound and inbound calls on a gateway without lines', async (t) => {
  const world = await createCallControlWorld(t, { hasLines: false });
  await t.throwsAsync(world.place(), { instanceOf: Error });
  t.is(await world.rows(), 0);
  t.is(world.lines.size, 0);
});

test.serial('sends DTMF digits in an active call and records a fact', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await world.place();
  await t.throwsAsync(world.callControl.pressOwnKeys(callId, '1'), { code: 'call_not_active' });
  world.answer(callId);
  await world.callControl.pressOwnKeys(callId, '1w2');
  t.deepEqual(world.lineOf(callId).commands.at(-1), { type: 'press', keys: '1w2' });
  world.lineOf(callId).tell({ type: 'line.pressed', at: Date.now(), keys: '1w2' });
  await world.journal.settled();
  t.like((await facts(world.database, callId)).at(-1), { type: 'keys.pressed', data: { keys: '1w2' } });
});

test.serial('pauses and resumes a recording', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await world.place();
  world.answer(callId);
  await world.callControl.pauseRecording(world.mine(callId));
  await world.callControl.resumeRecording(world.mine(callId));
  t.deepEqual(
    world.lineOf(callId).commands.map(({ type }) => type),
    ['pauseRecording', 'resumeRecording'],
  );
});

test.serial(
  'notifies a subscriber of the beginning of a call before its end, and releases the call once',
  async (t) => {
    const told: string[] = [];
    const world = await createCallControlWorld(t);
    world.bus.subscribe('began', ({ callId }) => told.push(callId));
    const callId = await world.place();
    t.deepEqual(told, [callId]);
    world.answer(callId);
    t.true(world.agentCalls.has(callId));
    world.hangUp(callId);
    world.clock.increment(5_000);
    t.false(world.agentCalls.has(callId));
    t.deepEqual(world.released, [callId]);
    t.deepEqual(world.ends, [`${callId} completed counterparty_hangup`]);
  },
);

// Hang up

const talking = async (world: CallControlWorld): Promise<string> => {
  const callId = await world.place();
  world.answer(callId);
  return callId;
};

const hangUp = (world: CallControlWorld, callId: string, immediate = false) =>
  world.callControl.requestHangup({ ...world.mine(callId), immediate });

const typesOf = async (world: CallControlWorld, callId: string): Promise<string[]> => {
  await world.journal.settled();
  return (await facts(world.database, callId)).map(({ type }) => type);
};

/** Only the row of a call, as another gateway or a dead process left it. */
const rowAlone = async (
  { database, stored }: CallControlWorld,
  status: string,
  node: string,
): Promise<string> => {
  const callId = await storedCall(database, stored, { node });
  await database.execute('update call set status = $2 where id = $1', [callId, status]);
  return callId;
};

test.serial(
  'a hangup waits until the agent has spoken (here it is silent) and is attributed to the agent',
  async (t) => {
    const world = await createCallControlWorld(t);
    const callId = await talking(world);
    await hangUp(world, callId);
    t.is(world.stateOf(callId), 'active.talking.hangup-pending');
    t.deepEqual(world.lineOf(callId).commands.at(-1), { type: 'expectHangup' });
    t.deepEqual(await typesOf(world, callId), ['call.answered', 'call.hangup_requested']);
    world.clock.increment(29_999);
    t.is(world.stateOf(callId), 'active.talking.hangup-pending');
    world.clock.increment(1);
    t.deepEqual(world.lineOf(callId).commands.at(-1), { type: 'hangUp' });
    world.hangUp(callId);
    world.clock.increment(5_000);
    t.like(await world.rowOf(callId), { status: 'completed', endReason: 'agent_hangup' });
  },
);

test.serial('an immediate hangup does not wait, even if it follows one that waits', async (t) => {
  const world = await createCallControlWorld(t);
  const [first, second] = [await talking(world), await talking(world)];
  await hangUp(world, first, true);
  await hangUp(world, second);
  await hangUp(world, second);
  t.is(world.stateOf(second), 'active.talking.hangup-pending');
  await hangUp(world, second, true);
  for (const callId of [first, second]) {
    t.is(world.stateOf(callId), 'active.ending');
    t.deepEqual(world.lineOf(callId).commands.at(-1), { type: 'hangUp' });
  }
});

test.serial(
  'speech of the other party that is not a backchannel cancels a hangup, which may be requested again',
  async (t) => {
    const world = await createCallControlWorld(t);
    const callId = await talking(world);
    await hangUp(world, callId);
    world.lineOf(callId).tell({ type: 'line.speech', at: 1 });
    t.is(world.stateOf(callId), 'active.talking.conversing');
    t.is((await typesOf(world, callId)).at(-1), 'call.hangup_cancelled');
    await hangUp(world, callId);
    t.is(world.stateOf(callId), 'active.talking.hangup-pending');
  },
);

test.serial('rejects a hangup of a ringing call, on this gateway and on another one', async (t) => {
  const world = await createCallControlWorld(t);
  for (const callId of [await world.place(), await rowAlone(world, 'ringing', 'another')])
    for (const immediate of [false, true])
      await t.throwsAsync(hangUp(world, callId, immediate), { code: 'call_not_active' });
  t.is(world.liveCalls.count.get(), 1);
});

test.serial('rejects a hangup of an ended call', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await talking(world);
  world.hangUp(callId);
  world.clock.increment(5_000);
  await world.journal.settled();
  await t.throwsAsync(hangUp(world, callId), { code: 'call_not_active' });
  for (const status of ['completed', 'no_answer', 'failed'])
    await t.throwsAsync(hangUp(world, await rowAlone(world, status, 'another')), { code: 'call_not_active' });
});

test.serial(
  'responds with call_not_found for a call of another number and for an unknown call',
  async (t) => {
    const world = await createCallControlWorld(t);
    const callId = await talking(world);
    const elsewhere = await createCallControlWorld(t);
    for (const foreign of [
      { callId, numberId: elsewhere.stored.numberId },
      world.mine(randomUUID()),
      elsewhere.mine(callId),
    ]) {
      await t.throwsAsync(world.callControl.requestHangup({ ...foreign, immediate: true }), {
        code: 'call_not_found',
      });
      await t.throwsAsync(world.callControl.requestCancel(foreign), { code: 'call_not_found' });
    }
    t.is(world.stateOf(callId), 'active.talking.conversing');
  },
);

test.serial(
  'responds with room_unknown for an active call of this node that is not in its memory',
  async (t) => {
    const world = await createCallControlWorld(t);
    const callId = await rowAlone(world, 'active', 'test');
    await t.throwsAsync(hangUp(world, callId), { code: 'room_unknown' });
    await t.throwsAsync(world.callControl.requestCancel(world.mine(callId)), { code: 'call_not_active' });
  },
);

test.serial('rejects a hangup of an active call as unavailable on a gateway without lines', async (t) => {
  const world = await createCallControlWorld(t, { hasLines: false });
  const active = await rowAlone(world, 'active', 'another');
  await t.throwsAsync(hangUp(world, active), { code: 'hangup_unavailable' });
  await t.throwsAsync(hangUp(world, await rowAlone(world, 'completed', 'another')), {
    code: 'call_not_active',
  });
  await t.throwsAsync(hangUp(world, randomUUID()), { code: 'call_not_found' });
  await t.throwsAsync(
    world.callControl.requestCancel(world.mine(await rowAlone(world, 'ringing', 'another'))),
    {
      code: 'hangup_unavailable',
    },
  );
});

const elsewhere = test.macro<[Error | null, string | null]>({
  async exec(t, answer, code) {
    const asked: [string, InCallRequest][] = [];
    const askNode: AskNode = (node, signal) => {
      asked.push([node, signal]);
      return answer === null ? Promise.resolve() : Promise.reject(answer);
    };
    const world = await createCallControlWorld(t, { askNode });
    const callId = await rowAlone(world, 'active', 'another');
    if (code === null) await t.notThrowsAsync(hangUp(world, callId, true));
    else await t.throwsAsync(hangUp(world, callId, true), { code });
    t.is(asked.length, 1);
    t.like(asked[0]?.[1], { ...world.mine(callId), action: 'hangup_immediately' });
    t.is(asked[0]?.[0], 'another');
  },
  title: (_, answer, code) =>
    `forwards a hangup to the gateway that holds the call; ${answer === null ? 'accepted' : `"${answer.message}"`}: ${code ?? 'accepted'}`,
});
test.serial(elsewhere, null, null);
test.serial(elsewhere, new Error('It does not answer'), 'hangup_failed');
test.serial(elsewhere, new Refusal('room_unknown', 'It is not here.'), 'room_unknown');
test.serial(elsewhere, new Refusal('call_not_active', 'It is over.'), 'call_not_active');

const moving = test.macro<[Error]>({
  async exec(t, answer) {
    const asked: string[] = [];
    const world = await createCallControlWorld(t, {
      underway: { forMs: 60_000, lookMs: 100 },
      clock: steadyClock,
      askNode: async (node) => {
        asked.push(node);
        if (node !== 'leaving') return;
        // Another gateway takes the call over while the request is sent to the gateway that releases the call.
        await world.database.execute(`update call set node = 'taking' where id = $1`, [callId]);
        throw answer;
      },
    });
    const callId = await rowAlone(world, 'active', 'leaving');
    await hangUp(world, callId);
    t.deepEqual(asked, ['leaving', 'taking']);
  },
  title: (_, answer) => `hangs up a call on the gateway to which it is moving, after "${answer.message}"`,
});
test.serial(moving, new Refusal('room_unknown', 'It is not here.'));
test.serial(moving, new Error('It has ended'));

const transferred = (sentences: readonly string[]): CallAct => {
  const { type: _type, ...asked } = { ...askedTransfer, sentences };
  return { action: 'transfer', summarize: false, ...asked };
};

/** Requests that act twice when they are performed twice. */
const onceOnly: readonly CallAct[] = [
  { action: 'press_keys', keys: '12' },
  { action: 'say', sentences: ['One moment.'], interrupt: false },
  { action: 'collect', wanted: { digits: 4, finish: null, timeoutSec: 10, secret: false } },
  transferred([]),
];

/**
 * Sends a request for a call of another gateway, which fails like this, and returns the gateways that were asked. The
 * call moves to a third gateway meanwhile, if `isMoving`.
 */
const sendElsewhere = async (act: CallAct, failure: Error, { isMoving = true } = {}) => {
  const database = await testDatabase();
  const stored = await storedNumber(database);
  const callId = await storedCall(database, stored, { node: 'leaving' });
  await database.execute(`update call set status = 'active' where id = $1`, [callId]);
  const asked: string[] = [];
  const requests = createInCallRequests(
    {
      storage: { database },
      live: { liveCalls: createLiveCalls(), switchboard: { find: () => undefined } },
      cluster: {
        node: 'test',
        async askNode(node) {
          asked.push(node);
          if (node !== 'leaving') return;
          if (isMoving) await database.execute(`update call set node = 'taking' where id = $1`, [callId]);
          throw failure;
        },
        underway: { forMs: 60_000, lookMs: 1 },
      },
      telephony: { hasLines: true },
      clock: steadyClock,
    },
    () => undefined,
  );
  const sent = requests.send({ callId, numberId: stored.numberId, ...act });
  const refused = await sent.then(
    () => null,
    (error: unknown) => (error instanceof Refusal ? error.code : error),
  );
  return { asked, refused };
};

for (const act of onceOnly) {
  const { action } = act;

  test.serial(`sends no gateway a request that another one may have performed: ${action}`, async (t) => {
    for (const failure of [
      new NodeUnreachable('No answer', { isWithdrawn: false }),
      new Error('The database is away'),
    ])
      t.deepEqual(await sendElsewhere(act, failure), { asked: ['leaving'], refused: 'outcome_unknown' });
  });

  test.serial(`sends a withdrawn request to the next gateway: ${action}`, async (t) => {
    const withdrawn = new NodeUnreachable('No answer', { isWithdrawn: true });
    t.deepEqual(await sendElsewhere(act, withdrawn), { asked: ['leaving', 'taking'], refused: null });
    t.deepEqual(await sendElsewhere(act, withdrawn, { isMoving: false }), {
      asked: ['leaving'],
      refused: 'service_unavailable',
    });
  });
}

test.serial('sends a recording pause to the next gateway, even if it may be paused already', async (t) => {
  const unanswered = new NodeUnreachable('No answer', { isWithdrawn: false });
  t.deepEqual(await sendElsewhere({ action: 'pause_recording' }, unanswered), {
    asked: ['leaving', 'taking'],
    refused: null,
  });
});

test.serial('handles a request from another gateway like a local one', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await talking(world);
  await t.throwsAsync(world.callControl.performHere({ ...world.mine(randomUUID()), action: 'hangup' }), {
    code: 'room_unknown',
  });
  await t.throwsAsync(world.callControl.performHere({ callId, numberId: randomUUID(), action: 'hangup' }), {
    code: 'room_unknown',
  });
  await t.throwsAsync(world.callControl.performHere({ ...world.mine(callId), action: 'cancel' }), {
    code: 'call_not_active',
  });
  await world.callControl.performHere({ ...world.mine(callId), action: 'hangup' });
  t.is(world.stateOf(callId), 'active.talking.hangup-pending');
});

test.serial('hangs up a call of this gateway while the database is unreachable', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await talking(world);
  const away = await createCallControlWorld(t, {
    database: {
      ...world.database,
      ...scriptedStatements(() => Promise.reject(new Error('The database is away'))),
    },
    liveCalls: world.liveCalls,
    switchboard: world.switchboard,
  });
  await away.callControl.requestHangup({ ...world.mine(callId), immediate: true });
  t.is(world.stateOf(callId), 'active.ending');
});

test.serial('cancels a ringing call and rejects the cancellation of an answered one', async (t) => {
  const world = await createCallControlWorld(t);
  const [ringing, active] = [await world.place(), await talking(world)];
  await world.callControl.requestCancel(world.mine(ringing));
  t.deepEqual(world.lineOf(ringing).commands, [{ type: 'hangUp' }]);
  world.confirmCancel(ringing);
  t.like(await world.rowOf(ringing), { status: 'no_answer', endReason: 'cancelled', durationSec: 0 });
  await t.throwsAsync(world.callControl.requestCancel(world.mine(active)), { code: 'call_not_active' });
  t.is(world.stateOf(active), 'active.talking.conversing');
  await t.throwsAsync(world.callControl.requestCancel(world.mine(ringing)), { code: 'call_not_active' });
});

test.serial('lets the built-in agent hang up only its own, existing call', async (t) => {
  const world = await createCallControlWorld(t);
  const callId = await talking(world);
  await world.callControl.hangUpOwnCall(callId, { immediate: true });
  t.is(world.stateOf(callId), 'active.ending');
  await t.throwsAsync(world.callControl.hangUpOwnCall(randomUUID(), { immediate: true }), {
    code: 'call_not_active',
  });
});

// Stored hangups

/** An answered call of a gateway without a database session. */
const setUpPendingHangUps = async () => {
  const database = await testDatabase();
  const { numberId, ...number } = await storedNumber(database);
  const node = `node ${randomUUID()}`;
  const callId = await storedCall(database, { numberId, ...number }, { node });
  await database.execute(
    `insert into call_checkpoint (call_id, node, form, settings) values ($1, $2, 1, '{}')`,
    [callId, node],
  );
  const leave = (action: HangupAction, changes: { numberId?: string; holder?: string } = {}) =>
    storeHangup(database, { callId, numberId, holder: node, action, ...changes });
  const asked: InCallRequest[] = [];
  const written: string[] = [];
  const performing = (answer?: RefusalCode) =>
    createPendingHangUps({
      database,
      node,
      performHere: async (request) => {
        asked.push(request);
        if (answer !== undefined) throw new Refusal(answer, 'No.');
      },
      journal: { written: async (id) => void written.push(id) },
      logger: pino({ level: 'silent' }),
    }).perform();
  const left = async () => (await pendingHangupsOf(database, node)).map(({ action }) => action);
  return { database, callId, numberId, leave, left, performing, asked, written };
};

test.serial(
  'stores a hangup for a call of a dead gateway, and keeps an immediate hangup immediate',
  async (t) => {
    const { leave, left, performing, asked, written, callId, numberId } = await setUpPendingHangUps();
    t.true(await leave('hangup'));
    t.deepEqual(await left(), ['hangup']);
    t.true(await leave('hangup_immediately'));
    t.true(await leave('hangup'));
    t.deepEqual(await left(), ['hangup_immediately']);
    await performing();
    t.deepEqual(asked, [{ callId, numberId, action: 'hangup_immediately' }]);
    t.deepEqual(written, [callId], 'it is forgotten behind its fact alone');
    t.deepEqual(await left(), []);
    await performing();
    t.is(asked.length, 1);
  },
);

test.serial('stores no hangup for a call of another number or gateway, or for an ended call', async (t) => {
  const { database, callId, leave, left } = await setUpPendingHangUps();
  t.false(await leave('hangup', { numberId: randomUUID() }));
  t.false(await leave('hangup', { holder: 'another' }));
  await database.execute(
    `update call set status = 'failed', ended_at = now(), end_reason = 'system_error' where id = $1`,
    [callId],
  );
  t.false(await leave('hangup'));
  t.deepEqual(await left(), []);
});

test.serial('stores no hangup for a call of a connected gateway', async (t) => {
  const { database, callId, leave } = await setUpPendingHangUps();
  // Holds the advisory lock of a gateway's name, as src/persistence/database/advisory-locks.ts does.
  await database.transaction(async ({ execute }) => {
    await execute(
      `select pg_advisory_xact_lock(hashtextextended('trunkline node ' || (select node from call where id = $1), 0))`,
      [callId],
    );
    t.false(await leave('hangup'));
  });
  t.true(await leave('hangup'));
});

for (const code of ['room_unknown', 'hangup_failed'] as const)
  test.serial(`keeps a stored hangup that cannot be executed yet: ${code}`, async (t) => {
    const { leave, left, performing } = await setUpPendingHangUps();
    await leave('hangup');
    await performing(code);
    t.deepEqual(await left(), ['hangup']);
  });

test.serial('removes a stored hangup when the call is no longer active', async (t) => {
  const { leave, left, performing } = await setUpPendingHangUps();
  await leave('hangup');
  await performing('call_not_active');
  t.deepEqual(await left(), []);
});

// Pause recording

const setUpPauseRecording = async (options: { recording?: boolean } = {}) => {
  const database = await testDatabase();
  const number = await storedNumber(database);
  const callId = await storedCall(database, number);
  const world = createCallWorld({ callId, recording: options.recording ?? true });
  const liveCalls = createLiveCalls();
  const { numberId, workspaceId } = number;
  liveCalls.add({ callId, numberId, workspaceId, direction: 'outbound', status: 'ringing' });
  const requests = createRecordingRequests(
    createInCallRequests(
      {
        storage: { database },
        live: { liveCalls, switchboard: { find: (id) => (id === callId ? world.actor : undefined) } },
        cluster: {
          node: 'test',
          askNode: () => Promise.reject(new Error('There is no other gateway')),
          underway: { forMs: 0, lookMs: 100 },
        },
        telephony: { hasLines: true },
        clock: steadyClock,
      },
      createPerformRequest({
        database,
        journal: { waitingOf: () => 0 },
        queueLimits,
        writeBriefing: () => undefined,
        clock: steadyClock,
      }),
    ),
  );
  const mine = { callId, numberId: number.numberId };
  return { database, world, requests, mine };
};

test.serial('pauses the recording on the line before responding, and ignores a second pause', async (t) => {
  const { world, requests, mine } = await setUpPauseRecording();
  world.answer();
  await requests.pauseRecording(mine);
  await requests.pauseRecording(mine);
  t.is(world.commands.filter(({ type }) => type === 'pauseRecording').length, 1);
  await requests.resumeRecording(mine);
  t.is(world.commands.at(-1)?.type, 'resumeRecording');
  t.deepEqual(world.story().slice(-2), ['recording.paused', 'recording.resumed']);
});

test.serial('rejects a recording pause in a ringing or ended call', async (t) => {
  const { database, world, requests, mine } = await setUpPauseRecording();
  await t.throwsAsync(requests.pauseRecording(mine), { code: 'call_not_active' });
  await database.execute(`update call set status = 'completed' where id = $1`, [mine.callId]);
  await t.throwsAsync(requests.pauseRecording(mine), { code: 'call_not_active' });
  t.false(world.commands.some(({ type }) => type === 'pauseRecording'));
});

test.serial('responds with call_not_found for a call of another number', async (t) => {
  const { world, requests, mine } = await setUpPauseRecording();
  world.answer();
  for (const foreign of [
    { ...mine, numberId: randomUUID() },
    { ...mine, callId: randomUUID() },
  ])
    await t.throwsAsync(requests.pauseRecording(foreign), { code: 'call_not_found' });
  t.false(world.commands.some(({ type }) => type === 'pauseRecording'));
});

test.serial('rejects a pause of a recording that does not exist or has ended', async (t) => {
  const unrecorded = await setUpPauseRecording({ recording: false });
  unrecorded.world.answer();
  t.like(await t.throwsAsync(unrecorded.requests.pauseRecording(unrecorded.mine)), {
    code: 'recording_not_available',
    extras: { reason: 'none' },
  });
  const failed = await setUpPauseRecording();
  failed.world.answer();
  await failed.database.execute(
    `insert into recording (call_id, status, created_at) values ($1, 'failed', now())`,
    [failed.mine.callId],
  );
  t.like(await t.throwsAsync(failed.requests.pauseRecording(failed.mine)), {
    code: 'recording_not_available',
    extras: { reason: 'failed' },
  });
});

// Briefing

const turns = [
  { role: 'user', text: 'Where is my order?' },
  { role: 'assistant', text: 'I connect you.' },
] as const;

test('speaks the given briefing and explains how to accept the call', (t) => {
  const given = 'It is about an order.';
  t.is(briefingOf({ language: 'en', given, acceptKey: null, turns }), given);
  t.is(briefingOf({ language: 'en', given, acceptKey: '1', turns }), `${given} To take the call, press 1.`);
  t.true(briefingOf({ language: 'en', given, acceptKey: '#', turns }).endsWith('press hash.'));
});

test('speaks the known facts of the call if no briefing is given', (t) => {
  const known = briefingOf({ language: 'en-US', given: null, acceptKey: null, turns });
  t.true(known.endsWith('other party: Where is my order?'));
  t.false(briefingOf({ language: 'en', given: null, acceptKey: null, turns: [] }).includes('other party'));
});

test('speaks the briefing in the language of the call', (t) => {
  t.regex(briefingOf({ language: 'ko', given: null, acceptKey: '*', turns }), /별표 버튼을 눌러 주세요/);
  t.regex(briefingOf({ language: 'ja', given: null, acceptKey: '1', turns }), /1を押してください/);
});

test('replaces the last words in the briefing by a summary of limited length', (t) => {
  const summary = 'They want to know where their order is.';
  const brief = (changes: object) =>
    briefingOf({ language: 'en', given: null, summary, acceptKey: '1', turns, ...changes });
  t.is(
    brief({}),
    `A call that an automated agent has answered so far is for you. ${summary} To take the call, press 1.`,
  );
  t.true(brief({ summary: 'a'.repeat(2_000) }).length < 800);
  t.is(brief({ given: 'It is about an order.' }), 'It is about an order. To take the call, press 1.');
});

/** A call in which a person is ringing; `summarize` replaces the model. */
const ringingWithSummary = (summarize: SummarizeSoFar | null) => {
  const world = answered();
  const database = scriptedDatabase(() => Promise.resolve(turns));
  const logged: string[] = [];
  const logger = pino({}, { write: (line: string) => void logged.push(line) });
  const writeBriefing = createWriteBriefing({ database, summarizeSoFar: summarize, logger });
  const request = { ...askedTransfer, mode: 'warm', acceptKey: '1' } as const;
  transfer(world.actor, request, noLimit);
  writeBriefing(world.actor, request);
  return { world, logged, told: () => world.commands.at(-1) };
};

test('speaks a summary of the call so far to the transfer target', async (t) => {
  const asked = Promise.withResolvers<Parameters<SummarizeSoFar>>();
  const { world, told } = ringingWithSummary((...call) => {
    asked.resolve(call);
    return Promise.resolve('They want to know where their order is.');
  });
  const [callId, call] = await asked.promise;
  t.is(callId, callInput.callId);
  t.like(call, { language: callInput.language, turns });
  await setImmediate();
  world.onLine({ type: 'line.transfer_answered' });
  const briefing = told();
  t.like(briefing, { type: 'brief', acceptKey: '1' });
  t.regex(JSON.stringify(briefing), /where their order is/);
});

test('does not delay answering for the summary, and cancels the model request', async (t) => {
  const asked = Promise.withResolvers<AbortSignal>();
  const late = Promise.withResolvers<string>();
  const { world, told, logged } = ringingWithSummary((_callId, _call, signal) => {
    asked.resolve(signal);
    return late.promise;
  });
  const signal = await asked.promise;
  t.false(signal.aborted);
  world.onLine({ type: 'line.transfer_answered' });
  t.true(signal.aborted);
  t.like(told(), { type: 'brief', text: askedTransfer.briefing });
  const commands = world.commands.length;
  late.resolve('They want to know where their order is.');
  await setImmediate();
  t.is(world.commands.length, commands);
  t.deepEqual(logged, []);
});

test('uses the known facts as briefing without a model or a summary', async (t) => {
  for (const summarize of [null, () => Promise.resolve(undefined)]) {
    const { world, told } = ringingWithSummary(summarize);
    await setImmediate();
    world.onLine({ type: 'line.transfer_answered' });
    t.like(told(), { type: 'brief', text: askedTransfer.briefing });
  }
});

test('logs a failed summary without words of the call', async (t) => {
  const { world, told, logged } = ringingWithSummary(() => Promise.reject(new Error('no summary')));
  await setImmediate();
  await setImmediate();
  world.onLine({ type: 'line.transfer_answered' });
  t.like(told(), { type: 'brief', text: askedTransfer.briefing });
  t.is(logged.length, 1);
});

// Speak for agent

const answered = (options: Parameters<typeof createCallWorld>[0] = {}) => {
  const world = createCallWorld(options);
  world.onLine({ type: 'line.answered' });
  return world;
};

const words = { sentences: ['One moment.'], interrupt: false };
const noLimit = (): void => undefined;

test('sends DTMF digits in an answered call', (t) => {
  const world = answered();
  pressKeys(world.actor, '1w2#', noLimit);
  t.deepEqual(world.commands.at(-1), { type: 'press', keys: '1w2#' });
});

test('rejects DTMF digits until the line can send them', (t) => {
  const world = answered();
  world.onLine({ type: 'line.dtmf', means: { sent: 'none', received: 'inband' } });
  const before = world.commands.length;
  t.throws(() => pressKeys(world.actor, '1', noLimit), { code: 'keys_not_available' });
  t.is(world.commands.length, before);
  t.notThrows(() => say(world.actor, words, noLimit));
  world.onLine({ type: 'line.dtmf', means: { sent: 'info', received: 'inband' } });
  t.notThrows(() => pressKeys(world.actor, '1', noLimit));
});

test('rejects DTMF digits and words in a ringing or ending call', (t) => {
  const ringing = createCallWorld();
  const ending = answered();
  ending.ask({ type: 'hangup.requested', immediate: true });
  for (const { actor, commands } of [ringing, ending]) {
    const before = commands.length;
    t.throws(() => pressKeys(actor, '1', noLimit), { code: 'call_not_active' });
    t.throws(() => say(actor, words, noLimit), { code: 'call_not_active' });
    t.is(commands.length, before);
  }
});

test('accepts only a hangup while a voicemail message is spoken', (t) => {
  const world = answered({ voicemail: 'leave_message' });
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  t.is(world.state(), 'active.talking.leaving-message');
  t.throws(() => say(world.actor, words, noLimit), { code: 'call_not_active' });
  t.throws(() => pressKeys(world.actor, '1', noLimit), { code: 'call_not_active' });
});

test('repeats a request to a call that is being taken over once its line exists', (t) => {
  const world = createCallWorld({ takenOver: takenOver() });
  t.throws(() => say(world.actor, words, noLimit), { code: 'room_unknown' });
  world.onLine({ type: 'line.adopted' });
  say(world.actor, words, noLimit);
  t.deepEqual(world.said(), words.sentences);
});

// Queues of a call

const queued = () => {
  const world = answered();
  const clock = new SimulatedClock();
  let facts = 0;
  const perform = createPerformRequest({
    database: scriptedDatabase(() => Promise.reject(new Error('Nothing is looked up'))),
    journal: { waitingOf: () => facts },
    queueLimits,
    writeBriefing: () => undefined,
    clock,
  });
  const mine = { callId: callInput.callId, numberId: randomUUID() };
  return {
    world,
    clock,
    /** Performs an action that completes at once. */
    ask(act: CallAct): void {
      if (perform(world.actor, { ...mine, ...act }) !== undefined) throw new Error('It takes a while');
    },
    storeLate: (count: number) => (facts = count),
    asked: () => world.actor.getSnapshot().children.conversation?.getSnapshot().context.asked ?? [],
  };
};

const sayText = (length: number): CallAct => ({
  action: 'say',
  sentences: ['a'.repeat(length)],
  interrupt: false,
});

const isFull = { code: 'queue_full' } as const;

test('limits queued words by characters and number', (t) => {
  const { ask, asked, world } = queued();
  for (let text = 0; text < 4; text += 1) ask(sayText(2_000));
  t.throws(() => ask(sayText(1)), isFull);
  t.is(asked().length, 4);
  const few = queued();
  for (let text = 0; text < mostAsked.sentences; text += 1) few.ask(sayText(1));
  t.throws(() => few.ask(sayText(1)), isFull);
  t.is(few.asked().length, mostAsked.sentences);
  // Once these words are being spoken, others may wait.
  world.onReply({ type: 'reply.finished' });
  t.is(asked().length, 0);
  ask(sayText(2_000));
  t.is(asked().length, 1);
});

test('accepts one long text if no other is queued, also as an interruption', (t) => {
  const { ask, asked } = queued();
  ask({ action: 'say', sentences: Array.from({ length: 700 }, () => 'A.'), interrupt: false });
  t.is(asked().length, 700);
  t.throws(() => ask({ action: 'say', sentences: ['Stop.'], interrupt: true }), isFull);
});

test('limits queued sentences in the statechart as well', (t) => {
  const { world, asked } = queued();
  for (let text = 0; text < 500; text += 1)
    world.ask({ type: 'say.requested', sentences: ['One moment.'], interrupt: false });
  t.is(asked().length, mostAsked.sentences);
});

test('limits queued DTMF digits by their duration', (t) => {
  const { ask, clock, world } = queued();
  const press = () => ask({ action: 'press_keys', keys: 'w'.repeat(60) });
  press();
  press();
  t.throws(press, isFull);
  t.is(world.commands.filter(({ type }) => type === 'press').length, 2);
  clock.increment(30_000);
  press();
  t.throws(press, isFull);
});

test('while events cannot be stored, rejects requests that create events but accepts a hangup', (t) => {
  const { ask, storeLate, world } = queued();
  storeLate(queueLimits.facts);
  const before = world.facts.length;
  const wanted = { digits: 4, finish: null, timeoutSec: 10, secret: false };
  for (const act of [
    sayText(1),
    { action: 'press_keys', keys: '1' },
    { action: 'collect', wanted },
    transferred([]),
  ] satisfies CallAct[])
    t.throws(() => ask(act), isFull);
  t.is(world.facts.length, before);
  ask({ action: 'hangup' });
  t.is(world.state(), 'active.talking.hangup-pending');
});

test('rejects further transfers after several cancelled ones until the other party speaks', (t) => {
  const { ask, world } = queued();
  const announced = transferred(['One moment.']);
  for (let transfer = 0; transfer < queueLimits.transfersInVain; transfer += 1) {
    ask(announced);
    ask({ action: 'cancel_transfer' });
  }
  t.throws(() => ask(announced), isFull);
  world.onLine({ type: 'line.heard', text: 'Who is there?', backchannel: false });
  t.notThrows(() => ask(announced));
});

// Transfers

test("rejects a transfer to one of the call's own two numbers", (t) => {
  for (const changes of [{}, { direction: 'inbound', from: callInput.to, to: callInput.from }] as const) {
    const world = answered(changes);
    for (const to of [callInput.from, callInput.to])
      t.throws(() => transfer(world.actor, { ...askedTransfer, to }, noLimit), {
        code: 'transfer_not_allowed',
        message: /number of the call itself/,
      });
    t.is(world.state(), 'active.talking.conversing');
    t.notThrows(() => transfer(world.actor, askedTransfer, noLimit));
  }
});

test('rejects agent requests while caller and transfer target talk, with the reason', (t) => {
  const world = answered();
  world.ask(askedTransfer);
  t.throws(() => transfer(world.actor, askedTransfer, noLimit), { message: /is rung/ });
  world.onLine({ type: 'line.transferred' });
  const [commands, facts] = [world.commands.length, world.facts.length];
  const wanted = { digits: 4, finish: null, timeoutSec: 10, secret: false };
  for (const [ask, code] of [
    [() => transfer(world.actor, askedTransfer, noLimit), 'transfer_in_progress'],
    [() => cancelTransfer(world.actor), 'call_not_active'],
    [() => say(world.actor, words, noLimit), 'call_not_active'],
    [() => pressKeys(world.actor, '1', noLimit), 'call_not_active'],
    [() => collectKeys(world.actor, wanted, noLimit), 'call_not_active'],
  ] as const)
    t.throws(ask, { code, message: /talks with (a|the) person/ });
  t.deepEqual([world.commands.length, world.facts.length], [commands, facts]);
});

test('rejects the cancellation of a transfer that the trunk performs', (t) => {
  const world = answered();
  transfer(world.actor, askedTransfer, noLimit);
  world.onLine({ type: 'line.referring' });
  const commands = world.commands.length;
  t.throws(() => cancelTransfer(world.actor), { code: 'transfer_not_cancellable' });
  t.is(world.commands.length, commands);
  world.onLine({ type: 'line.refer_refused' });
  t.notThrows(() => cancelTransfer(world.actor));
});

test('declines a transfer to a forbidden target requested by the other party', async (t) => {
  const world = answered();
  const { to } = askedTransfer;
  const callId = randomUUID();
  const liveCalls = createLiveCalls();
  const ids = { callId, numberId: randomUUID(), workspaceId: randomUUID() };
  liveCalls.add({ ...ids, direction: 'outbound', status: 'active' });
  const asked: unknown[] = [];
  const transferOwn = createTransferOwnCall({
    async transfer(request) {
      asked.push(request);
      throw new Refusal('transfer_not_allowed', 'Not there.');
    },
    liveCalls,
    switchboard: { find: () => world.actor },
    country: 'KR',
    logger: pino({ level: 'silent' }),
  });
  world.onLine({ type: 'line.refer_received', to });
  const [wanted] = world.wantedTransfers;
  if (wanted === undefined) return t.fail('no transfer was wanted');
  const requests = world.requests.length;
  transferOwn(callId, wanted);
  await setImmediate();
  t.like(asked, [{ callId, numberId: ids.numberId, to, mode: 'cold' }]);
  t.deepEqual(world.commands.at(-1), { type: 'refuseRefer' });
  t.is(world.requests.length, requests);
  return undefined;
});
