/** A call is watched from another gateway, wherever it goes. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { steadyClock } from '#src/clocks.ts';
import { createCallNewsHandler } from '#src/cluster/call-news-handler.ts';
import type { HeldNews, ToldState } from '#src/cluster/call-news.ts';
import { progressOf, type HeldCalls } from '#src/cluster/call-progress.ts';
import { createCallFollowing } from '#src/cluster/follow-calls.ts';
import { judgeProof, proofOf } from '#src/cluster/node-proof.ts';
import { createCallWatches } from '#src/cluster/watch-calls.ts';
import { joinNodes } from '#src/persistence/nodes.ts';
import { createSealing } from '#src/persistence/sealing.ts';
import { openTestDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';

const keys = createSealing(Buffer.alloc(32, 1));
const strangers = createSealing(Buffer.alloc(32, 9));
const now = (): number => 1_800_000_000_000;

const talking = (conversation: string): ToldState => ({
  call: 'active.talking.conversing',
  conversation,
  voicemail: null,
});

/** The calls of one gateway, as the test has them come, move and go. */
const heldCalls = () => {
  const states = new Map<string, ToldState>();
  const onState = new Set<() => void>();
  const onFact = new Set<() => void>();
  const onChange = new Set<() => void>();
  const watching = (all: Set<() => void>, each: () => void) => {
    all.add(each);
    return () => void all.delete(each);
  };
  const calls: HeldCalls = {
    isHeld: (callId) => states.has(callId),
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
    subscribe: (tell) => watching(onChange, tell),
  };
  return {
    calls,
    has(callId: string, state: ToldState) {
      states.set(callId, state);
      for (const tell of [...onState, ...onChange]) tell();
    },
    fact: () => onFact.forEach((tell) => tell()),
    leave(callId: string) {
      states.delete(callId);
      onChange.forEach((tell) => tell());
    },
    watchers: () => onState.size + onFact.size + onChange.size,
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
    judge: (asked, proof) => judgeProof(asked, proof, keys, now()),
    limits: { progress: limits, charts: limits, sound: limits, 'announced-sound': limits },
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
    keys,
    numbers: { connectMs: 10_000, stallMs: 60_000, lookMs: 20 },
    now,
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

test('a call is watched at the gateway that holds it, and at the next one, no state twice', async (t) => {
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
});

test('a call that comes to the gateway that is asked is watched there', async (t) => {
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

test('those who watch one call share one connection to its holder, and each is told where the call is', async (t) => {
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
});

test('who watches a call where it is held looks again when it leaves that gateway, which lives on', async (t) => {
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

test('a gateway that sends no news of a call is asked again, until the call is there', async (t) => {
  const { one, callId, told, watch } = await threeGateways(t);
  watch();
  one.has(callId, talking('listening'));
  await until('the state', () => told.states.length === 1 || undefined);
  t.pass();
});

const held = '24d5d2f2-31f3-454f-bb98-2ca4c6c373a4';

test('without the proof of a gateway of the house there is nothing, and no more readers than allowed', async (t) => {
  const { url, has, watchers } = await listening(t);
  has(held, talking('listening'));
  const get = async (path: string, by = keys, at = now(), method = 'GET') => {
    const authorization = proofOf({ method, path, range: undefined }, by, at);
    const leaving = new AbortController();
    t.teardown(() => leaving.abort());
    return (await fetch(`${url}${path}`, { method, headers: { authorization }, signal: leaving.signal }))
      .status;
  };
  const path = `/internal/calls/${held}`;
  t.is((await fetch(`${url}${path}`)).status, 404);
  t.is(await get(path, strangers), 404);
  t.is(await get(path, keys, now() - 121_000), 403);
  t.is(await get(path, keys, now(), 'POST'), 404);
  t.is(await get('/internal/calls/x'), 404);
  t.is(await get(`/internal/calls/${randomUUID()}`), 404);
  t.is(watchers(), 0);
  t.deepEqual([await get(path), await get(path), await get(path)], [200, 200, 503]);
});

test('a reader that takes nothing is sent away', async (t) => {
  const { url, has, fact, watchers } = await listening(t, {
    readers: 1,
    waitingBytes: 10_000,
    beatMs: 60_000,
  });
  has(held, talking('listening'));
  const path = `/internal/calls/${held}`;
  const authorization = proofOf({ method: 'GET', path, range: undefined }, keys, now());
  const { body } = await fetch(`${url}${path}`, { headers: { authorization } });
  const reading = text(body ?? new ReadableStream()).catch(() => 'cut off');
  await until('it is sent away', () => {
    for (let news = 0; news < 10_000; news += 1) fact();
    return watchers() === 0 || undefined;
  });
  t.is(await reading, 'cut off');
});
