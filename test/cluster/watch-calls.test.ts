/** Calls and recordings that another gateway holds. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { WebSocketServer } from 'ws';
import { steadyClock } from '#src/clocks.ts';
import {
  createCallNewsHandler,
  type CountHeld,
  type ShowHeldCharts,
} from '#src/cluster/call-news-handler.ts';
import type { HeldNews, InspectionMessage, ToldState, WantedCharts } from '#src/cluster/call-news.ts';
import { type HeldCalls, progressOf } from '#src/cluster/call-progress.ts';
import { createWorkspaceFollowing } from '#src/cluster/follow-workspace.ts';
import { createRecordingFetcher } from '#src/cluster/fetch-recording.ts';
import { createCallFollowing } from '#src/cluster/follow-calls.ts';
import {
  createProofJudge,
  judgeProof,
  proofOf,
  type ProofVerdict,
  type ProvenRequest,
} from '#src/cluster/node-proof.ts';
import { createOtherGateways, type ConnectionEnd } from '#src/cluster/other-gateways.ts';
import { createLinkPhone, phoneLinksPath } from '#src/cluster/phone-links.ts';
import { createRecordingHandler } from '#src/cluster/recording-handler.ts';
import { createCallWatches } from '#src/cluster/watch-calls.ts';
import { createFleetWatches, createHeldFleet, type FleetReader } from '#src/cluster/watch-fleet.ts';
import type { FleetCounts } from '#src/domain/fleet-counts.ts';
import type { PhoneLink } from '#src/domain/linked-phone.ts';
import type { ByteRange } from '#src/domain/open-recording.ts';
import { webPhoneReplaced } from '#src/domain/web-phone.ts';
import { joinNodes, type ReachableNode } from '#src/persistence/nodes/nodes.ts';
import { createSealing } from '#src/persistence/database/sealing.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { openTestDatabase, ownDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';

// Watch calls
// A call is watched from another gateway, wherever it moves.

const watchCallsKeys = createSealing(Buffer.alloc(32, 1));
const strangers = createSealing(Buffer.alloc(32, 9));
const watchCallsNow = (): number => 1_800_000_000_000;

const talking = (conversation: string): ToldState => ({
  call: 'active.talking.conversing',
  conversation,
  voicemail: null,
  saying: null,
  hearing: null,
});

/** The calls of one gateway, as the test adds, moves and removes them. */
const heldCalls = () => {
  const states = new Map<string, ToldState>();
  const onState = new Set<() => void>();
  const onFact = new Set<() => void>();
  const onRemoved = new Set<(callId: string) => void>();
  const chartReaders = new Set<{ wanted: WantedCharts; show(message: InspectionMessage): void }>();
  const countReaders = new Set<{ counted: string; tell(counts: FleetCounts, json: string): void }>();
  const watching = <Callback>(all: Set<Callback>, each: Callback) => {
    all.add(each);
    return () => void all.delete(each);
  };
  const calls: HeldCalls = {
    watchChart(callId, tell) {
      const look = (): void => {
        const state = states.get(callId);
        if (state !== undefined) tell(state);
      };
      if (!states.has(callId)) return undefined;
      look();
      return watching(onState, look);
    },
    watchFacts: (_, tell) => watching(onFact, tell),
    onRemoved: (callback) => watching(onRemoved, callback),
  };
  return {
    calls,
    has(callId: string, state: ToldState) {
      states.set(callId, state);
      for (const tell of onState) tell();
    },
    fact: () => onFact.forEach((tell) => tell()),
    leave(callId: string) {
      states.delete(callId);
      onRemoved.forEach((tell) => tell(callId));
    },
    showCharts: ((wanted, { show }) => watching(chartReaders, { wanted, show })) satisfies ShowHeldCharts,
    chartReaders,
    countCalls: ((counted, tell) => watching(countReaders, { counted, tell })) satisfies CountHeld,
    countReaders,
    watchers: () => onState.size + onFact.size + onRemoved.size,
  };
};

const onlyProgress = (calls: HeldCalls): HeldNews => ({
  progress: progressOf(calls),
  charts: () => undefined,
  sound: () => undefined,
  'announced-sound': () => undefined,
});

const listening = async (
  t: ExecutionContext,
  limits = { readers: 2, waitingBytes: 64_000, beatMs: 1_000 },
) => {
  const held = heldCalls();
  const handler = createCallNewsHandler({
    held: onlyProgress(held.calls),
    judge: (asked, proof) => judgeProof(asked, proof, watchCallsKeys, watchCallsNow()),
    showHeldCharts: held.showCharts,
    countHeld: held.countCalls,
    limits: {
      progress: limits,
      charts: limits,
      sound: limits,
      'announced-sound': limits,
      'all-charts': limits,
      fleet: limits,
    },
    beatMs: limits.beatMs,
    clock: steadyClock,
  });
  const server = createServer((asking, answer) => handler.answer(asking, answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  t.teardown(() => {
    handler.close();
    server.close();
  });
  return { ...held, url: `http://127.0.0.1:${address.port}` };
};

/** Two gateways of one database, and a third one from which the call of the first is watched. */
const threeGateways = async (t: ExecutionContext) => {
  const databaseUrl = await testDatabaseUrl(t);
  const database = await openTestDatabase(t, databaseUrl, 'own');
  const [one, two] = [await listening(t), await listening(t)];
  for (const [name, { url }] of Object.entries({ one, two }))
    await joinNodes(database, { name, instance: randomUUID(), address: url });
  const callId = await storedCall(database, await storedNumber(database), { node: 'one' });
  const own = heldCalls();
  const following = createCallFollowing({
    database,
    held: onlyProgress(own.calls),
    keys: watchCallsKeys,
    numbers: { connectMs: 10_000, stallMs: 60_000, lookMs: 20 },
    now: watchCallsNow,
    clock: steadyClock,
    logger: pino({ level: 'silent' }),
  });
  t.teardown(following.close);
  const watchCall = createCallWatches(following);
  const told = { states: [] as (string | null)[], facts: 0 };
  const watch = () =>
    watchCall(callId, {
      onState: ({ conversation }) => told.states.push(conversation),
      onFact: () => (told.facts += 1),
    });
  const goesTo = (node: string) =>
    runStatement(databaseUrl, `update call set node = '${node}' where id = '${callId}'`);
  return { one, two, own, callId, told, watch, goesTo };
};

test.serial(
  'watches a call at its gateway and at the gateway that takes it over, without repeated states',
  async (t) => {
    const { one, two, callId, told, watch, goesTo } = await threeGateways(t);
    one.has(callId, talking('listening'));
    const stop = watch();
    await until('the first state', () => told.states.length === 1 || undefined);
    one.has(callId, talking('replying'));
    one.fact();
    await until('what happens', () => (told.states.length === 2 && told.facts === 1) || undefined);

    await goesTo('two');
    two.has(callId, talking('replying'));
    one.leave(callId);
    await until('the next gateway tells', () => two.watchers() === 3 || undefined);
    t.is(one.watchers(), 0);
    two.has(callId, talking('listening'));
    await until('its state', () => told.states.length === 3 || undefined);
    t.deepEqual(told.states, ['listening', 'replying', 'listening']);

    stop();
    await until('nobody watches any more', () => two.watchers() === 0 || undefined);
  },
);

test.serial('watches a call locally after it moved to the watching gateway', async (t) => {
  const { one, own, callId, told, watch, goesTo } = await threeGateways(t);
  one.has(callId, talking('listening'));
  const stop = watch();
  await until('the first state', () => told.states.length === 1 || undefined);
  await goesTo('own');
  own.has(callId, talking('replying'));
  one.leave(callId);
  await until('the state here', () => told.states.length === 2 || undefined);
  stop();
  t.deepEqual([one.watchers(), own.watchers()], [0, 0]);
});

test.serial(
  "shares one connection to a call's gateway between its watchers, and returns the owner to each",
  async (t) => {
    const { one, callId, told, watch } = await threeGateways(t);
    one.has(callId, talking('listening'));
    const stops = [watch()];
    await until('the first state', () => told.states.length === 1 || undefined);
    stops.push(watch(), watch());
    t.deepEqual(told.states, ['listening', 'listening', 'listening']);
    one.has(callId, talking('replying'));
    await until('each is told', () => told.states.length === 6 || undefined);
    t.is(one.watchers(), 3, 'the states, the facts and the end of the call, of one reader');
    stops.pop()?.();
    one.fact();
    await until('the others are told', () => told.facts === 2 || undefined);
    for (const stop of stops) stop();
    await until('nobody watches any more', () => one.watchers() === 0 || undefined);
  },
);

test.serial('looks up a call again when it leaves the gateway of a local watcher', async (t) => {
  const { one, own, callId, told, watch, goesTo } = await threeGateways(t);
  own.has(callId, talking('listening'));
  const stop = watch();
  t.deepEqual([told.states, told.facts], [['listening'], 0]);
  await goesTo('one');
  one.has(callId, talking('replying'));
  own.leave(callId);
  t.is(told.facts, 1);
  await until('the next holder tells', () => told.states.length === 2 || undefined);
  stop();
});

test.serial('retries a gateway that does not know a call yet, until it does', async (t) => {
  const { one, callId, told, watch } = await threeGateways(t);
  watch();
  one.has(callId, talking('listening'));
  await until('the state', () => told.states.length === 1 || undefined);
  t.pass();
});

const held = '24d5d2f2-31f3-454f-bb98-2ca4c6c373a4';

test.serial('rejects requests without a cluster signature, and readers above the limit', async (t) => {
  const { url, has, watchers } = await listening(t);
  has(held, talking('listening'));
  const get = async (path: string, by = watchCallsKeys, at = watchCallsNow(), method = 'GET') => {
    const authorization = proofOf({ method, path, range: undefined }, by, at);
    const leaving = new AbortController();
    t.teardown(() => leaving.abort());
    return (await fetch(`${url}${path}`, { method, headers: { authorization }, signal: leaving.signal }))
      .status;
  };
  const path = `/internal/calls/${held}`;
  t.is((await fetch(`${url}${path}`)).status, 404);
  t.is(await get(path, strangers), 404);
  t.is(await get(path, watchCallsKeys, watchCallsNow() - 121_000), 403);
  t.is(await get(path, watchCallsKeys, watchCallsNow(), 'POST'), 404);
  t.is(await get('/internal/calls/x'), 404);
  t.is(await get(`/internal/calls/${randomUUID()}`), 404);
  t.is(watchers(), 0);
  t.deepEqual([await get(path), await get(path), await get(path)], [200, 200, 503]);
});

test.serial('disconnects a reader that stops reading', async (t) => {
  const { url, has, fact, watchers } = await listening(t, {
    readers: 1,
    waitingBytes: 10_000,
    beatMs: 60_000,
  });
  has(held, talking('listening'));
  const path = `/internal/calls/${held}`;
  const authorization = proofOf({ method: 'GET', path, range: undefined }, watchCallsKeys, watchCallsNow());
  const { body } = await fetch(`${url}${path}`, { headers: { authorization } });
  const reading = text(body ?? new ReadableStream()).catch(() => 'cut off');
  await until('it is sent away', () => {
    for (let news = 0; news < 10_000; news += 1) fact();
    return watchers() === 0 || undefined;
  });
  t.is(await reading, 'cut off');
});

// All other gateways

const silentLogger = pino({ level: 'silent' });

/** The other gateways of a gateway, on a simulated clock. */
const otherGateways = (t: ExecutionContext, known: ReachableNode[]) => {
  const clock = createOrderedClock();
  const gateways = createOtherGateways({
    read: async () => known,
    lookMs: 1_000,
    clock,
    logger: silentLogger,
  });
  t.teardown(gateways.close);
  const look = async (): Promise<void> => {
    clock.advance(1_000);
    await setImmediate();
  };
  return { gateways, look, clock };
};

const gatewayAt = (name: string, address = 'http://127.0.0.1:9'): ReachableNode => ({
  name,
  instance: randomUUID(),
  address,
});

test.serial('connects to every other gateway, also to later ones, until it is gone', async (t) => {
  const [one, two] = [gatewayAt('one'), gatewayAt('two')];
  const known = [one];
  const { gateways, look, clock } = otherGateways(t, known);
  const connected: string[] = [];
  const end = gateways.connect(
    ({ name }, stopped) =>
      new Promise((resolve) => {
        connected.push(name);
        stopped.addEventListener('abort', () => {
          connected.splice(connected.indexOf(name), 1);
          resolve('ended');
        });
      }),
  );
  await setImmediate();
  t.deepEqual(connected, ['one']);
  known.push(two);
  await look();
  t.deepEqual(connected, ['one', 'two']);
  known.splice(0, 1, gatewayAt('one'));
  await look();
  t.deepEqual(connected, ['two', 'one'], 'the next run of a gateway is another one');
  end();
  t.deepEqual(connected, []);
  await look();
  t.deepEqual([connected, clock.pending()], [[], 0]);
});

test.serial('connects again after the end of a connection, but not after a refusal', async (t) => {
  const known = [gatewayAt('one'), gatewayAt('two')];
  const { gateways, look } = otherGateways(t, known);
  const tries: string[] = [];
  t.teardown(
    gateways.connect(async ({ name }): Promise<ConnectionEnd> => {
      tries.push(name);
      return name === 'one' ? 'ended' : 'refused';
    }),
  );
  await setImmediate();
  await look();
  t.deepEqual(tries, ['one', 'two', 'one']);
  known[1] = gatewayAt('two');
  await look();
  t.deepEqual(tries, ['one', 'two', 'one', 'one', 'two']);
});

test.serial('keeps its connections while the database cannot be read', async (t) => {
  const clock = createOrderedClock();
  const gateways = createOtherGateways({
    read: () =>
      clock.now() > begun ? Promise.reject(new Error('away')) : Promise.resolve([gatewayAt('one')]),
    lookMs: 1_000,
    clock,
    logger: silentLogger,
  });
  const begun = clock.now();
  let isStopped = false;
  gateways.connect((_, stopped) => {
    stopped.addEventListener('abort', () => (isStopped = true));
    return new Promise(() => {});
  });
  await setImmediate();
  clock.advance(1_000);
  await setImmediate();
  t.false(isStopped);
  t.is(clock.pending(), 1, 'it looks again');
  await gateways.close();
  t.true(isStopped);
  t.is(clock.pending(), 0);
});

const workspaceId = randomUUID();

/** Follows the charts of a workspace at this gateway. */
const followCharts = (t: ExecutionContext, url: string, hasRoom = async (): Promise<void> => {}) => {
  const { gateways, look } = otherGateways(t, [gatewayAt('one', url)]);
  const following = createWorkspaceFollowing({
    gateways,
    keys: watchCallsKeys,
    numbers: { connectMs: 10_000, stallMs: 60_000 },
    now: watchCallsNow,
    logger: silentLogger,
  });
  t.teardown(following.close);
  const shown: string[] = [];
  const ends: boolean[] = [];
  const stop = following.followCharts({ workspaceId, hasDefinitions: false }, () => ({
    show: ({ sessionId }) => shown.push(sessionId),
    hasRoom,
    over: (isTooSlow) => ends.push(isTooSlow),
  }));
  return { shown, ends, stop, look };
};

const inspection = (sessionId: string): InspectionMessage => ({
  type: '@xstate.event',
  rootId: 'x:1',
  sessionId,
});

test.serial('reads the charts of a workspace from another gateway until the viewer leaves', async (t) => {
  const { url, chartReaders } = await listening(t);
  const { shown, ends, stop } = followCharts(t, url);
  const reader = await until('it is connected', () => [...chartReaders][0]);
  t.deepEqual(reader.wanted, { workspaceId, hasDefinitions: false });
  reader.show(inspection('x:2'));
  await until('it is shown', () => shown.length === 1 || undefined);
  stop();
  await until('it is disconnected', () => chartReaders.size === 0 || undefined);
  t.deepEqual([shown, ends], [['x:2'], [false]]);
});

test.serial('tells a reader of charts that it has read too slowly', async (t) => {
  const { url, chartReaders } = await listening(t, { readers: 1, waitingBytes: 10_000, beatMs: 60_000 });
  const room = Promise.withResolvers<void>();
  const { ends } = followCharts(t, url, () => room.promise);
  const reader = await until('it is connected', () => [...chartReaders][0]);
  const long = 'x'.repeat(100_000);
  for (let turn = 0; turn < 30; turn += 1) {
    for (let message = 0; message < 10; message += 1) reader.show(inspection(long));
    await setImmediate();
  }
  room.resolve();
  await until('it is told', () => ends.length > 0 || undefined);
  t.deepEqual(ends, [true]);
});

// Calls by state

const inState = (state: string, calls: number): FleetCounts => ({
  calls,
  states: { call: { [state]: calls }, conversation: {}, voicemail: {} },
});

test.serial('adds up the calls of all gateways by state while somebody watches', async (t) => {
  const { url, countReaders } = await listening(t);
  const { gateways } = otherGateways(t, [gatewayAt('one', url)]);
  const following = createWorkspaceFollowing({
    gateways,
    keys: watchCallsKeys,
    numbers: { connectMs: 10_000, stallMs: 60_000 },
    now: watchCallsNow,
    logger: silentLogger,
  });
  t.teardown(following.close);
  const clock = createOrderedClock();
  let here = inState('ringing', 1);
  let counted = 0;
  const watchFleet = createFleetWatches({
    countHere(id) {
      t.is(id, workspaceId);
      counted += 1;
      return here;
    },
    followOthers: following.followFleet,
    everyMs: 1_000,
    clock,
  });
  const seen: object[] = [];
  const stops = [1, 2].map(() => watchFleet(workspaceId, (counts) => seen.push(counts)));
  const alone = { ...inState('ringing', 1), gateways: 1 };
  t.deepEqual(seen, [alone, alone], 'each begins with the known counts');

  const reader = await until('it is connected', () => [...countReaders][0]);
  t.is(reader.counted, workspaceId);
  t.is(countReaders.size, 1, 'two watchers share a connection');
  const atOne = { ...inState('active', 2), calls: 2 };
  reader.tell(atOne, JSON.stringify(atOne));
  here = {
    calls: 2,
    states: { call: { ringing: 1, active: 1 }, conversation: { opening: 1 }, voicemail: {} },
  };
  const both = await until('both are counted', () => {
    clock.advance(1_000);
    return seen.find((counts) => 'gateways' in counts && counts.gateways === 2);
  });
  t.deepEqual(both, {
    calls: 4,
    states: { call: { ringing: 1, active: 3 }, conversation: { opening: 1 }, voicemail: {} },
    gateways: 2,
  });
  const before = seen.length;
  clock.advance(1_000);
  t.is(seen.length, before, 'the same counts are not sent again');

  for (const stop of stops) stop();
  await until('it is disconnected', () => countReaders.size === 0 || undefined);
  const last = counted;
  clock.advance(10_000);
  t.is(counted, last, 'nobody watches, so nothing is counted');
  t.is(clock.pending(), 0);
});

test('serializes counts once for all watchers, and only when they have changed', (t) => {
  const clock = createOrderedClock();
  let serialized = 0;
  const countsOf = (calls: number): FleetCounts => ({
    calls,
    get states() {
      serialized += 1;
      return { call: { ringing: calls }, conversation: {}, voicemail: {} };
    },
  });
  let here = countsOf(1);
  let asked = 0;
  const watch = createHeldFleet({
    countHere() {
      asked += 1;
      return here;
    },
    everyMs: 1_000,
    clock,
  });
  const lines: string[] = [];
  const stops = ['a', 'b', 'c'].map((name) =>
    watch(workspaceId, ({ calls }, json) => lines.push(`${name} ${calls} ${json.length > 0}`)),
  );
  t.is(clock.pending(), 1, 'the watchers share a timer');
  clock.advance(60_000);
  t.is(serialized, 1);
  t.is(asked, 61);
  here = countsOf(2);
  clock.advance(1_000);
  t.is(serialized, 2);
  t.deepEqual(lines, ['a 1 true', 'b 1 true', 'c 1 true', 'a 2 true', 'b 2 true', 'c 2 true']);
  for (const stop of stops) stop();
  t.is(clock.pending(), 0);
});

test('sends the counts of all gateways again when one of them is lost', (t) => {
  const clock = createOrderedClock();
  const here = inState('ringing', 1);
  const opened: FleetReader[] = [];
  const seen: string[] = [];
  const watchFleet = createFleetWatches({
    countHere: () => here,
    followOthers(_, open) {
      opened.push(open(), open());
      return () => {};
    },
    everyMs: 1_000,
    clock,
  });
  const stop = watchFleet(workspaceId, ({ calls, gateways }) => seen.push(`${calls} at ${gateways}`));
  opened[0]?.show(inState('active', 2));
  opened[1]?.show(inState('active', 4));
  clock.advance(1_000);
  opened[0]?.show(inState('active', 3));
  clock.advance(1_000);
  opened[1]?.over();
  clock.advance(2_000);
  stop();
  t.deepEqual(seen, ['1 at 1', '7 at 3', '8 at 3', '4 at 2']);
});

test('tells another gateway the counts of this one when they have changed', (t) => {
  const clock = createOrderedClock();
  let here = inState('ringing', 1);
  const told: FleetCounts[] = [];
  const stop = createHeldFleet({ countHere: () => here, everyMs: 1_000, clock })(workspaceId, (counts) =>
    told.push(counts),
  );
  clock.advance(5_000);
  here = inState('active', 1);
  clock.advance(1_000);
  stop();
  here = inState('ringing', 3);
  clock.advance(5_000);
  t.deepEqual(told, [inState('ringing', 1), inState('active', 1)]);
  t.is(clock.pending(), 0);
});

// Phones

/** A gateway that accepts links of phones. */
const phoneGateway = async (t: ExecutionContext, status = 101) => {
  const links = new WebSocketServer({ noServer: true });
  const asked: URLSearchParams[] = [];
  const server = createServer().listen(0, '127.0.0.1');
  server.on('upgrade', (request, socket, head) => {
    const { url = '', headers } = request;
    const verdict = judgeProof(
      { method: 'GET', path: url, range: undefined },
      headers.authorization,
      watchCallsKeys,
      watchCallsNow(),
    );
    const { pathname, searchParams } = new URL(url, 'http://gateway');
    asked.push(searchParams);
    if (verdict !== 'valid' || pathname !== phoneLinksPath || status !== 101)
      return void socket.end(`HTTP/1.1 ${status === 101 ? 404 : status} No\r\nContent-Length: 0\r\n\r\n`);
    links.handleUpgrade(request, socket, head, (link) => links.emit('connection', link));
    return undefined;
  });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  t.teardown(() => {
    for (const link of links.clients) link.terminate();
    server.close();
    server.closeAllConnections();
  });
  return { links, asked, url: `http://127.0.0.1:${address.port}` };
};

const linkedPhone = (t: ExecutionContext, url: string) => {
  const { gateways, look } = otherGateways(t, [gatewayAt('one', url)]);
  const link = createLinkPhone({
    gateways,
    keys: watchCallsKeys,
    numbers: { connectMs: 10_000, stallMs: 60_000, messageBytes: 10_000, waitingBytes: 10_000 },
    now: watchCallsNow,
    clock: steadyClock,
    logger: silentLogger,
  });
  const seen: unknown[] = [];
  let opened: PhoneLink | undefined;
  const phone = { workspaceId, name: 'phone-0001', since: 1_800_000_000_000.5 };
  const end = link(phone, {
    opened(gateway, to) {
      opened = to;
      seen.push(['opened', gateway]);
    },
    told: (gateway, message) => seen.push(['told', gateway, message]),
    played: (gateway, frame) => seen.push(['played', gateway, frame.length]),
    lost: (gateway) => seen.push(['lost', gateway]),
    replaced: () => seen.push(['replaced']),
  });
  t.teardown(end);
  return { seen, end, look, link: () => opened };
};

test.serial('links a web phone with another gateway, and again after the link was lost', async (t) => {
  const { links, asked, url } = await phoneGateway(t);
  const connecting = once(links, 'connection');
  const { seen, look, link } = linkedPhone(t, url);
  const [socket] = await connecting;
  t.deepEqual(Object.fromEntries(asked[0] ?? []), {
    workspace: workspaceId,
    phone: 'phone-0001',
    since: '1800000000000.5',
  });
  socket.send(JSON.stringify({ type: 'ring', call_id: 'a', more: 1 }));
  socket.send(Buffer.alloc(640));
  await until('it is told', () => seen.length === 3 || undefined);
  const received = once(socket, 'message');
  link()?.send({ type: 'hang_up' });
  t.is(String((await received)[0]), '{"type":"hang_up"}');
  const again = once(links, 'connection');
  socket.terminate();
  await until('it is lost', () => seen.length === 4 || undefined);
  await look();
  await again;
  await until('it is open again', () => seen.length === 5 || undefined);
  t.deepEqual(seen, [
    ['opened', 'one'],
    ['told', 'one', { type: 'ring', call_id: 'a', more: 1 }],
    ['played', 'one', 640],
    ['lost', 'one'],
    ['opened', 'one'],
  ]);
});

test.serial('reports a phone whose name a later page uses', async (t) => {
  const { links, url } = await phoneGateway(t);
  const connecting = once(links, 'connection');
  const { seen } = linkedPhone(t, url);
  const [socket] = await connecting;
  socket.close(webPhoneReplaced);
  await until('it is replaced', () => seen.length === 3 || undefined);
  t.deepEqual(seen, [['opened', 'one'], ['lost', 'one'], ['replaced']]);
});

test.serial('ends its links with its page, and asks a gateway without web phones only once', async (t) => {
  const { links, url } = await phoneGateway(t);
  const connecting = once(links, 'connection');
  const phone = linkedPhone(t, url);
  const [socket] = await connecting;
  phone.end();
  await once(socket, 'close');

  const without = await phoneGateway(t, 404);
  const { seen, look } = linkedPhone(t, without.url);
  await until('it is asked', () => without.asked.length === 1 || undefined);
  const busy = await phoneGateway(t, 503);
  const other = linkedPhone(t, busy.url);
  await until('it is asked twice', async () => {
    await look();
    await other.look();
    return busy.asked.length >= 2 || undefined;
  });
  t.deepEqual([seen, without.asked.length], [[], 1]);
});

// Fetch recording

const fetchRecordingNow = 1_800_000_000_000;
const fetchRecordingKeys = createSealing(Buffer.alloc(32, 1));
const file = '2026-11/7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11.ogg';
const partOf = '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11';
const part = `${partOf}+1500+keeper.one+open.ulaw`;
const sound = Buffer.from('0123456789');

/** A gateway that stores this file, and another one that requests it; each has a clock of its own. */
const twoGateways = async (
  t: ExecutionContext,
  { keeperNow = fetchRecordingNow }: { keeperNow?: number } = {},
) => {
  const open = async (name: string) =>
    name === file || name === part
      ? {
          bytes: sound.length,
          read: async (range?: ByteRange) =>
            Readable.from([sound.subarray(range?.start, range && range.end + 1)]),
          close: async () => {},
        }
      : undefined;
  const handler = createRecordingHandler({
    own: { open, openPart: open, parts: async (callId) => (callId === partOf ? [part] : []) },
    judge: (asked, proof) => judgeProof(asked, proof, fetchRecordingKeys, keeperNow),
    logger: pino({ level: 'silent' }),
  });
  const server = createServer((asking, answer) => void handler.answer(asking, answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  const database = await ownDatabase(t);
  await joinNodes(database, {
    name: 'keeper',
    instance: randomUUID(),
    address: `http://127.0.0.1:${address.port}`,
  });
  await joinNodes(database, { name: 'hidden', instance: randomUUID(), address: null });
  const fetcher = createRecordingFetcher({
    database,
    keys: fetchRecordingKeys,
    limits: { connectMs: 10_000, stallMs: 10_000, connections: 2 },
    openDispatcher: null,
    now: () => fetchRecordingNow,
  });
  t.teardown(async () => {
    await fetcher.close();
    server.close();
  });
  return { fetcher, stop: () => server.close() };
};

test.serial('reads a recording of another gateway completely and in ranges', async (t) => {
  const { fetcher } = await twoGateways(t);
  const kept = await fetcher.open('keeper', file);
  t.is(kept?.bytes, 10);
  t.is(kept && (await text(await kept.read())), '0123456789');
  t.is(kept && (await text(await kept.read({ start: 2, end: 4 }))), '234');
});

test.serial('lists and reads raw parts of a call at another gateway', async (t) => {
  const { fetcher, stop } = await twoGateways(t);
  t.deepEqual(await fetcher.listParts('keeper', partOf), [part]);
  t.deepEqual(await fetcher.listParts('keeper', partOf.replace('7f9c', '7f9d')), []);
  const kept = await fetcher.openPart('keeper', part);
  t.is(kept && (await text(await kept.read())), '0123456789');
  t.is(await fetcher.openPart('keeper', part.replace('1500', '1501')), undefined);
  await t.throwsAsync(fetcher.listParts('hidden', partOf), { message: /GW_NODE_URL/ });
  stop();
  await t.throwsAsync(fetcher.listParts('keeper', partOf), { message: /cannot be reached/ });
});

test.serial('reports a missing recording as not found', async (t) => {
  const { fetcher } = await twoGateways(t);
  t.is(await fetcher.open('keeper', file.replace('7f9c', '7f9d')), undefined);
});

test.serial(
  'reports a clock difference between gateways as an error with advice, not as a lost recording',
  async (t) => {
    const { fetcher } = await twoGateways(t, { keeperNow: fetchRecordingNow + 3_600_000 });
    await t.throwsAsync(fetcher.open('keeper', file), { message: /clock/ });
  },
);

test.serial(
  'names the reason when the gateway that stores a recording is unreachable or has no GW_NODE_URL',
  async (t) => {
    const { fetcher, stop } = await twoGateways(t);
    await t.throwsAsync(fetcher.open('hidden', file), { message: /GW_NODE_URL/ });
    stop();
    await t.throwsAsync(fetcher.open('keeper', file), { message: /cannot be reached/ });
  },
);

// Recording handler

const sealing = createSealing(Buffer.alloc(32, 1));
const path = `/internal/recordings/${file}`;
const request: ProvenRequest = { method: 'GET', path, range: undefined };

const openDoor = async (t: ExecutionContext) => {
  const asked: string[] = [];
  const open = async (name: string) => {
    asked.push(name);
    return {
      bytes: sound.length,
      read: async (range?: ByteRange) =>
        Readable.from([sound.subarray(range?.start, range && range.end + 1)]),
      close: async () => {},
    };
  };
  const handler = createRecordingHandler({
    own: { open, openPart: open, parts: async (callId) => [`parts of ${callId}`] },
    judge: (asked, proof) => judgeProof(asked, proof, sealing, fetchRecordingNow),
    logger: pino({ level: 'silent' }),
  });
  const server = createServer((asking, answer) => void handler.answer(asking, answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    asked,
    get: (to: string, headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${address.port}${to}`, { headers }),
  };
};

const proven = (asked: ProvenRequest): Record<string, string> => ({
  authorization: proofOf(asked, sealing, fetchRecordingNow),
  ...(asked.range === undefined ? {} : { range: asked.range }),
});

test.serial('returns the file or a range of it to a request with a cluster signature', async (t) => {
  const { get } = await openDoor(t);
  const whole = await get(path, proven(request));
  t.is(whole.status, 200);
  t.is(await whole.text(), '0123456789');
  const part = await get(path, proven({ ...request, range: 'bytes=2-4' }));
  t.is(part.status, 206);
  t.is(await part.text(), '234');
  t.is((await get(path, proven({ ...request, range: 'bytes=2-10' }))).status, 416);
});

test.serial('rejects every request without a signature', async (t) => {
  const { asked, get } = await openDoor(t);
  for (const authorization of ['', 'Bearer x', `Node ${fetchRecordingNow} ${'0'.repeat(64)}`, 'Node  ']) {
    t.is((await get(path, { authorization })).status, 404);
  }
  t.deepEqual(asked, []);
});

test.serial('accepts only file names of recordings', async (t) => {
  const { asked, get } = await openDoor(t);
  for (const name of ['..%2f..%2fmaster-key', '2026-11/..%2fx.ogg', `${file}.part`, '', `x/${file}`]) {
    const other = `/internal/recordings/${name}`;
    t.is((await get(other, proven({ ...request, path: other }))).status, 404, name);
  }
  t.deepEqual(asked, []);
});

const other = test.macro<[Partial<ProvenRequest>, ProofVerdict?, number?]>({
  exec(t, changes, verdict = 'invalid', at = fetchRecordingNow) {
    const proof = proofOf(request, sealing, fetchRecordingNow);
    t.is(judgeProof(request, proof, sealing, fetchRecordingNow), 'valid');
    t.is(judgeProof({ ...request, ...changes }, proof, sealing, at), verdict);
  },
  title: (title = '') => `rejects a cluster signature for ${title}`,
});

test.serial('another method', other, { method: 'HEAD' });
test.serial('another file', other, { path: `${path}x` });
test.serial('another range', other, { range: 'bytes=0-1' });
test.serial('a much later request', other, {}, 'expired', fetchRecordingNow + 121_000);
test.serial('another file, much later', other, { path: `${path}x` }, 'invalid', fetchRecordingNow + 121_000);
test.serial('a much earlier request', other, {}, 'expired', fetchRecordingNow - 121_000);

test.serial(
  'accepts a signature with an earlier master key while that is configured, and rejects unknown keys',
  (t) => {
    const earlier = proofOf(request, createSealing(Buffer.alloc(32, 9)), fetchRecordingNow);
    const knowing = createSealing(Buffer.alloc(32, 1), [Buffer.alloc(32, 9)]);
    t.is(judgeProof(request, earlier, knowing, fetchRecordingNow), 'valid');
    t.is(judgeProof(request, earlier, sealing, fetchRecordingNow), 'invalid');
  },
);

test.serial('logs a large clock difference between gateways once a minute, with its size', (t) => {
  const lines: string[] = [];
  let at = fetchRecordingNow;
  const judge = createProofJudge({
    keys: sealing,
    now: () => at,
    logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
  });
  const madeAt = (time: number): string => proofOf(request, sealing, time);
  t.is(judge(request, madeAt(fetchRecordingNow - 120_000)), 'valid');
  t.is(judge(request, 'Node 1 x'), 'invalid');
  t.is(
    judge(request, proofOf(request, createSealing(Buffer.alloc(32, 9)), fetchRecordingNow - 200_000)),
    'invalid',
  );
  t.deepEqual(lines, []);
  t.is(judge(request, madeAt(fetchRecordingNow - 200_000)), 'expired');
  t.is(judge(request, madeAt(fetchRecordingNow - 200_000)), 'expired');
  t.is(lines.length, 1);
  t.like(JSON.parse(lines[0] ?? ''), { level: 40, difference_ms: -200_000, tolerance_ms: 120_000 });
  t.regex(lines[0] ?? '', /200 s behind the clock of this one/);
  at += 60_000;
  t.is(judge(request, madeAt(at + 300_000)), 'expired');
  t.regex(lines[1] ?? '', /300 s ahead of the clock/);
});
