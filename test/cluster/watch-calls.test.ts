/** Calls and recordings that another gateway holds. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { steadyClock } from '#src/clocks.ts';
import { createCallNewsHandler } from '#src/cluster/call-news-handler.ts';
import type { HeldNews, ToldState } from '#src/cluster/call-news.ts';
import { type HeldCalls, progressOf } from '#src/cluster/call-progress.ts';
import { createRecordingFetcher } from '#src/cluster/fetch-recording.ts';
import { createCallFollowing } from '#src/cluster/follow-calls.ts';
import {
  createProofJudge,
  judgeProof,
  proofOf,
  type ProofVerdict,
  type ProvenRequest,
} from '#src/cluster/node-proof.ts';
import { createRecordingHandler } from '#src/cluster/recording-handler.ts';
import { createCallWatches } from '#src/cluster/watch-calls.ts';
import { joinNodes } from '#src/persistence/nodes/nodes.ts';
import { createSealing } from '#src/persistence/database/sealing.ts';
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
});

/** The calls of one gateway, as the test adds, moves and removes them. */
const heldCalls = () => {
  const states = new Map<string, ToldState>();
  const onState = new Set<() => void>();
  const onFact = new Set<() => void>();
  const onRemoved = new Set<(callId: string) => void>();
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

// Fetch recording

const fetchRecordingNow = 1_800_000_000_000;
const fetchRecordingKeys = createSealing(Buffer.alloc(32, 1));
const file = '2026-11/7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11.ogg';
const sound = Buffer.from('0123456789');

/** A gateway that stores this file, and another one that requests it; each has a clock of its own. */
const twoGateways = async (
  t: ExecutionContext,
  { keeperNow = fetchRecordingNow }: { keeperNow?: number } = {},
) => {
  const handler = createRecordingHandler({
    open: async (name) =>
      name === file
        ? {
            bytes: sound.length,
            read: async (range) => Readable.from([sound.subarray(range?.start, range && range.end + 1)]),
            close: async () => {},
          }
        : undefined,
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
  const handler = createRecordingHandler({
    async open(name) {
      asked.push(name);
      return {
        bytes: sound.length,
        read: async (range) => Readable.from([sound.subarray(range?.start, range && range.end + 1)]),
        close: async () => {},
      };
    },
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
