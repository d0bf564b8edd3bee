/**
 * Recordings of calls that several gateways held, each with a folder of its own and all with one store: the raw parts go
 * to the store while the calls run, and the last holder joins them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { eraseRecordings } from '#src/persistence/calls/erasing.ts';
import { recordFact } from '#src/persistence/calls/call-facts.ts';
import { findRecording } from '#src/persistence/calls/recordings.ts';
import { createPartPieces, pieceKey } from '#src/recordings/part-pieces.ts';
import { bytesPerSecond } from '#src/recordings/raw-part.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import { createS3Store } from '#src/recordings/s3-store.ts';
import { until } from '#test/helpers/until.ts';
import { heardIn } from './pieces.ts';
import { partNumbers, pieceSec } from './part-numbers.ts';
import { record, recordingsWorld } from './recordings-world.ts';
import { type S3Server, startS3Server } from './s3-server.ts';
import { tone } from './tone.ts';

type World = Awaited<ReturnType<typeof recordingsWorld>>;

const hour = 3_600_000;

const doomedUploader = fileURLToPath(new URL('doomed-uploader.ts', import.meta.url));

const partKeys = ({ objects }: S3Server): string[] =>
  [...objects.keys()].filter((key) => key.startsWith('kept/parts/'));

/** Seconds of all parts in the store. */
const storedSec = (server: S3Server): number =>
  partKeys(server).reduce((sum, key) => sum + (server.objects.get(key)?.bytes.length ?? 0), 0) /
  bytesPerSecond;

const fileKeys = ({ objects }: S3Server): string[] =>
  [...objects.keys()].filter((key) => !key.startsWith('kept/parts/'));

const speak = (sink: ReturnType<Recordings['begin']>, seconds: number): void => {
  for (let second = 0; second < seconds; second += 1) sink.write(tone(1, 440), tone(1, 880));
};

const isListed = ({ query }: { query: URLSearchParams }): boolean => query.has('list-type');

const away = () => Promise.reject(new Error('The gateway is away'));

/** Two gateways with folders of their own and one store; `reach.first`: the second one reaches the first. */
const twoGateways = async (t: ExecutionContext, { waitMs = 0 }: { waitMs?: number } = {}) => {
  const server = await startS3Server(t);
  const first = await recordingsWorld(t);
  const second = await recordingsWorld(t, first);
  const callId = await second.call('active');
  const reach: { first: Recordings | null } = { first: null };
  const own = (node: string): Recordings['own'] | null =>
    node === first.node ? (reach.first?.own ?? null) : null;
  return {
    server,
    first,
    second,
    callId,
    reach,
    startFirst: () => first.start(server, { parts: partNumbers }),
    /** The second gateway takes the call over 20 s after its answer. */
    async takeOver() {
      await recordFact(second.database, callId, 3, {
        type: 'call.taken_over',
        at: Date.now(),
        node: second.node,
        from: first.node,
      });
      const recordings = await second.start(server, {
        parts: partNumbers,
        assembly: { waitMs, askAgainMs: 20 },
        otherParts: {
          list: async (node, id) => own(node)?.parts(id) ?? away(),
          open: async (node, name) => own(node)?.openPart(name) ?? away(),
        },
      });
      recordings.expect(callId, { talkedMs: () => 20_000, node: first.node });
      return recordings;
    },
  };
};

/** Speaks for five seconds at the second gateway, and ends the call. */
const finish = async (
  { second, callId }: { second: World; callId: string },
  recordings: Recordings,
): Promise<void> => {
  record(recordings, callId, 5);
  await second.end(callId);
};

const completed = async ({ facts }: World, count = 1) => {
  const fact = await until('it is told', () => facts[count - 1]);
  if (fact.type !== 'recording.completed') throw new Error(`It is ${fact.type}`);
  return fact;
};

/** The only file in the store, besides parts. */
const storedFile = async (server: S3Server): Promise<Buffer> => {
  const [key = ''] = await until('one file is in the store', () => {
    const keys = fileKeys(server);
    return keys.length === 1 ? keys : undefined;
  });
  return server.objects.get(key)?.bytes ?? Buffer.alloc(0);
};

const untilNoPartIsLeft = (server: S3Server, ...worlds: World[]) =>
  until('no part is left', async () => {
    const files = await Promise.all(worlds.map((world) => world.files()));
    return (partKeys(server).length === 0 && files.flat().length === 0) || undefined;
  });

test.serial('a killed gateway loses the audio since its last piece, until it is back', async (t) => {
  const world = await twoGateways(t);
  const { server, first, second, callId } = world;
  const { endpoint, region, bucket, accessKey, secretKey } = server;
  const doomed = spawn(
    process.execPath,
    [
      doomedUploader,
      JSON.stringify({
        folder: first.folder,
        callId,
        node: first.node,
        account: { endpoint, region, bucket, accessKey, secretKey },
      }),
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const ended = once(doomed, 'exit');
  await until('some pieces are stored', () => partKeys(server).length >= 3 || undefined);
  doomed.kill('SIGKILL');
  await ended;

  await finish(world, await world.takeOver());
  const cut = await completed(second);
  t.true(cut.truncated);
  t.is(cut.durationSec, 25);
  const stretches = heardIn(await storedFile(server));
  t.is(stretches.length, 2);
  t.is(stretches[0]?.[0], 0);
  t.true((stretches[0]?.[1] ?? 0) >= 3 * pieceSec - 1);
  t.deepEqual(stretches[1], [20, 25]);

  // The process is back with its folder, which has all that the killed one wrote.
  const [part = ''] = (await first.files()).filter((name) => name.startsWith('parts'));
  t.regex(part, /open\.ulaw$/);
  await until('it is stored', async () => (await second.statusOf(callId)) === 'completed' || undefined);
  world.reach.first = await world.startFirst();
  t.false((await completed(second, 2)).truncated);
  await untilNoPartIsLeft(server, first, second);
  const whole = heardIn(await storedFile(server));
  t.true((whole[0]?.[1] ?? 0) >= (stretches[0]?.[1] ?? 0));
  t.deepEqual(whole.at(-1), [20, 25]);
});

/** The first gateway records nine seconds, hands the call over, and exits. */
const handedOver = async (t: ExecutionContext, options: { waitMs?: number } = {}) => {
  const world = await twoGateways(t, options);
  const leaving = await world.startFirst();
  const sink = leaving.begin(world.callId);
  speak(sink, 9);
  sink.leave();
  await leaving.leave(world.callId);
  return { world, leaving };
};

const isWhole = [
  [0, 9],
  [20, 25],
];

test.serial('a gateway that hands a call over uploads the rest of its part before it exits', async (t) => {
  // The recording does not wait for the gateway that is gone.
  const { world, leaving } = await handedOver(t, { waitMs: 3_600_000 });
  const { server, second } = world;
  await leaving.close();
  t.regex(partKeys(server).at(-1) ?? '', /\.last$/);
  await finish(world, await world.takeOver());
  const fact = await completed(second);
  t.false(fact.truncated);
  t.is(fact.durationSec, 25);
  t.deepEqual(heardIn(await storedFile(server)), isWhole);
  await untilNoPartIsLeft(server, second);
});

test.serial('a recording waits while the store and the first gateway are unavailable', async (t) => {
  const { world, leaving } = await handedOver(t);
  const { server, second, callId } = world;
  await leaving.close();
  const recordings = await world.takeOver();
  server.misbehave(() => ({ status: 503 }));
  const before = server.seen.length;
  await finish(world, recordings);
  await until(
    'the store is asked again',
    () => server.seen.slice(before).filter((seen) => seen === 'GET list').length > 1 || undefined,
  );
  t.deepEqual(second.facts, []);
  t.is(await second.statusOf(callId), 'pending');
  server.misbehave(() => undefined);
  t.false((await completed(second)).truncated);
  t.deepEqual(heardIn(await storedFile(server)), isWhole);
});

test.serial(
  'a restart of the last holder joins the parts while the recording waits for the store',
  async (t) => {
    const { world, leaving } = await handedOver(t);
    const { server, second } = world;
    await leaving.close();
    const recordings = await world.takeOver();
    server.misbehave((request) => (isListed(request) ? { status: 503 } : undefined));
    await finish(world, recordings);
    await until('the store is asked', () => server.seen.includes('GET list') || undefined);
    await recordings.close();
    t.deepEqual(second.facts, []);
    server.misbehave(() => undefined);
    await second.start(server, { parts: partNumbers });
    t.false((await completed(second)).truncated);
    t.deepEqual(heardIn(await storedFile(server)), isWhole);
  },
);

test.serial('audio waits on the disk while the store is unavailable, and is uploaded later', async (t) => {
  const world = await twoGateways(t);
  const { server, callId } = world;
  server.misbehave(() => ({ status: 503 }));
  const recordings = await world.startFirst();
  const sink = recordings.begin(callId);
  speak(sink, 9);
  await until('the store is asked again', () => server.seen.length > 2 || undefined);
  server.misbehave(() => undefined);
  await until('all full pieces are stored', () => storedSec(server) > 9 - pieceSec || undefined);
  t.true(
    partKeys(server).every((key) => (server.objects.get(key)?.bytes.length ?? 0) <= partNumbers.mostBytes),
  );
  sink.finish();
});

test.serial(
  'a part that the store did not take before the exit is joined when its gateway is back',
  async (t) => {
    const world = await twoGateways(t);
    const { server, first, second, callId } = world;
    const leaving = await first.start(server, { parts: { ...partNumbers, closeMs: 0 } });
    server.misbehave(({ method }) => (method === 'PUT' ? { status: 503 } : undefined));
    const sink = leaving.begin(callId);
    speak(sink, 9);
    sink.leave();
    await leaving.leave(callId);
    await leaving.close();
    t.deepEqual(partKeys(server), []);
    server.misbehave(() => undefined);
    await finish(world, await world.takeOver());
    t.true((await completed(second)).truncated);
    t.deepEqual(heardIn(await storedFile(server)), [[20, 25]]);
    world.reach.first = await world.startFirst();
    t.false((await completed(second, 2)).truncated);
    await untilNoPartIsLeft(server, first, second);
    t.deepEqual(heardIn(await storedFile(server)), isWhole);
  },
);

test.serial('a gateway that lost its folder makes the recording from the store', async (t) => {
  const server = await startS3Server(t);
  const world = await recordingsWorld(t);
  const callId = await world.call('active');
  const killed = await world.start(server, { parts: partNumbers });
  speak(killed.begin(callId), 9);
  await until('all full pieces are stored', () => storedSec(server) > 9 - pieceSec || undefined);
  await world.end(callId);
  await rm(join(world.folder, 'parts'), { recursive: true });
  await world.start(server, { parts: partNumbers });
  const fact = await completed(world);
  t.true(fact.truncated);
  t.true(fact.durationSec > 9 - pieceSec);
  t.deepEqual(heardIn(await storedFile(server)), [[0, Math.round(fact.durationSec)]]);
});

test.serial('makes the recording of a gateway that never returned of its pieces', async (t) => {
  const server = await startS3Server(t);
  const gone = await recordingsWorld(t);
  const callId = await gone.call('active');
  const killed = await gone.start(server, { parts: partNumbers });
  speak(killed.begin(callId), 9);
  await until('all full pieces are stored', () => storedSec(server) > 9 - pieceSec || undefined);
  await gone.end(callId, Date.now() - 2 * hour);
  const other = await recordingsWorld(t, gone);
  await other.start(server, { parts: partNumbers, abandoned: { everyMs: 20, afterMs: hour } });
  const fact = await completed(other);
  t.true(fact.truncated);
  t.true(fact.durationSec > 9 - pieceSec);
  t.deepEqual(heardIn(await storedFile(server)), [[0, Math.round(fact.durationSec)]]);
  await until('no piece is left', () => partKeys(server).length === 0 || undefined);
  await until('it is completed', async () => (await other.statusOf(callId)) === 'completed' || undefined);
  t.is((await findRecording(other.database, callId))?.node, other.node);
});

test.serial('keeps the pieces until the finished file is in the store', async (t) => {
  const server = await startS3Server(t);
  const lost = await recordingsWorld(t);
  const callId = await lost.call('active');
  const recordings = await lost.start(server, { parts: partNumbers });
  const sink = recordings.begin(callId);
  speak(sink, 9);
  await until('all full pieces are stored', () => storedSec(server) > 9 - pieceSec || undefined);
  let hasBegun = false;
  server.misbehave(({ method, key }) => {
    if (method !== 'PUT' || key.startsWith('kept/parts/')) return undefined;
    hasBegun = true;
    return 'stalls';
  });
  sink.finish();
  await lost.end(callId, Date.now() - 2 * hour);
  await until('the upload of the file has begun', () => hasBegun || undefined);
  // The machine is lost during the upload.
  await recordings.close();
  await rm(lost.folder, { recursive: true });
  t.deepEqual(lost.facts, []);
  t.true(storedSec(server) > 9 - pieceSec);
  server.misbehave(() => undefined);
  const other = await recordingsWorld(t, lost);
  await other.start(server, { parts: partNumbers, abandoned: { everyMs: 20, afterMs: hour } });
  t.true((await completed(other)).durationSec > 9 - pieceSec);
  await untilNoPartIsLeft(server, other);
});

test.serial('a gateway that lost a call does not replace the recording of its next holder', async (t) => {
  const world = await twoGateways(t);
  const { server, first, second, callId } = world;
  // The first gateway was cut off: both have the end of the call.
  const cutOff = await world.startFirst();
  const sink = cutOff.begin(callId);
  speak(sink, 9);
  const recordings = await world.takeOver();
  world.reach.first = cutOff;
  sink.finish();
  await finish(world, recordings);
  t.false((await completed(second)).truncated);
  await untilNoPartIsLeft(server, first, second);
  t.deepEqual(first.facts, []);
  t.deepEqual(heardIn(await storedFile(server)), isWhole);
});

test.serial('removes the pieces of a call that ends where it began', async (t) => {
  const server = await startS3Server(t);
  const world = await recordingsWorld(t);
  const recordings = await world.start(server, { parts: partNumbers });
  const callId = await world.call('active');
  const sink = recordings.begin(callId);
  speak(sink, 5);
  await until('all full pieces are stored', () => storedSec(server) > 5 - pieceSec || undefined);
  sink.finish();
  await world.end(callId);
  t.false((await completed(world)).truncated);
  await untilNoPartIsLeft(server, world);
  t.pass();
});

test.serial('a call without a full piece costs no request of its parts', async (t) => {
  const server = await startS3Server(t);
  const world = await recordingsWorld(t);
  const recordings = await world.start(server, { parts: partNumbers });
  const callId = await world.call('active');
  record(recordings, callId, 1);
  await world.end(callId);
  await completed(world);
  await untilNoPartIsLeft(server, world);
  t.deepEqual(
    server.seen.filter((seen) => /list|DELETE/.test(seen)),
    [],
  );
});

test.serial('removes the pieces of an erased recording', async (t) => {
  const { world, leaving } = await handedOver(t);
  const { server, second, callId } = world;
  await leaving.close();
  const recordings = await world.takeOver();
  server.misbehave((request) => (isListed(request) ? { status: 503 } : undefined));
  await finish(world, recordings);
  await until('the store is asked', () => server.seen.includes('GET list') || undefined);
  t.true(partKeys(server).length > 0);
  await eraseRecordings(second.database, [callId]);
  server.misbehave(() => undefined);
  await until('no piece is left', () => partKeys(server).length === 0 || undefined);
  t.pass();
});

// Pieces

const partOf = (callId: string) => ({ callId, fromMs: 1_500, node: 'one.example' });

const piecesWorld = async (t: ExecutionContext) => {
  const server = await startS3Server(t);
  const store = createS3Store(server, { connectMs: 60_000, stallMs: 60_000, partBytes: 5_000_000 });
  t.teardown(store.close);
  const callId = '00000000-0000-4000-8000-000000000001';
  const put = (from: number, isLast: boolean, text: string) =>
    store.putPiece(pieceKey('kept/', partOf(callId), { from, isLast }), new TextEncoder().encode(text));
  const pieces = createPartPieces(store, 'kept/');
  const read = async () => {
    const [part] = await pieces.list(callId);
    if (part === undefined) throw new Error('There is no part');
    const chunks: Uint8Array[] = [];
    for await (const chunk of pieces.read(part)) if (chunk instanceof Uint8Array) chunks.push(chunk);
    return { isWhole: part.isWhole, text: Buffer.concat(chunks).toString('latin1'), part };
  };
  return { server, store, callId, put, pieces, read };
};

test.serial('joins pieces in their order, over several pages of a list', async (t) => {
  const { put, read, pieces, callId, server } = await piecesWorld(t);
  for (const at of [4, 0, 3, 1, 2]) await put(2 * at, at === 4, `${at}.`);
  t.like(await read(), { isWhole: true, text: '0.1.2.3.4.' });
  const { part } = await read();
  t.like(part, partOf(callId));
  await pieces.remove(callId);
  t.is(server.objects.size, 0);
});

test.serial('replaces a missing piece by silence, and does not count such a part as whole', async (t) => {
  const { put, read } = await piecesWorld(t);
  await put(0, false, 'ab');
  await put(4, true, 'ef');
  t.like(await read(), { isWhole: false, text: 'abÿÿef' });
});

test.serial('a part without its last piece is not whole', async (t) => {
  const { put, read } = await piecesWorld(t);
  await put(0, false, 'ab');
  t.like(await read(), { isWhole: false, text: 'ab' });
});

test.serial('uses the longer one of two pieces from the same place', async (t) => {
  const { put, read } = await piecesWorld(t);
  await put(0, false, 'ab');
  await put(0, true, 'abcd');
  t.like(await read(), { isWhole: true, text: 'abcd' });
});
