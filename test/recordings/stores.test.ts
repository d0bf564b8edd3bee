/** Stores of recordings: S3, uploads, erased and abandoned files. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import type { ByteRange, OpenRecording } from '#src/domain/open-recording.ts';
import { eraseRecordings } from '#src/persistence/calls/erasing.ts';
import { joinNodes } from '#src/persistence/nodes/nodes.ts';
import { findRecording } from '#src/persistence/calls/recordings.ts';
import { createS3Store } from '#src/recordings/s3-store.ts';
import { createUploads } from '#src/recordings/uploads.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { noServer } from '#test/helpers/no-server.ts';
import { until } from '#test/helpers/until.ts';
import { secondsOf } from './pieces.ts';
import { record, recordingsWorld } from './recordings-world.ts';
import { type Misbehaviour, type S3Server, startS3Server } from './s3-server.ts';
import { tone } from './tone.ts';

// S3 store

const partBytes = 100_000;
const key = 'recordings/2026-11/a call+1.ogg';

/** A long time limit, because a busy machine may delay a working store. */
const patientMs = 60_000;

const setUpS3Store = async (t: ExecutionContext, changes: Partial<S3Server> = {}, stallMs = patientMs) => {
  const server = await startS3Server(t);
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-store-'));
  const open = (ms: number) =>
    createS3Store({ ...server, ...changes }, { connectMs: patientMs, stallMs: ms, partBytes });
  const store = open(stallMs);
  /** A short time limit for a store that certainly does not respond. */
  const impatient = open(300);
  t.teardown(async () => {
    await store.close();
    await impatient.close();
    await rm(folder, { recursive: true, force: true });
  });
  const file = async (bytes: Buffer) => {
    const path = join(folder, 'file');
    await writeFile(path, bytes);
    return { path, contentType: 'audio/ogg' };
  };
  return { server, store, impatient, file };
};

const stored = async (t: ExecutionContext, bytes = randomBytes(1_000)) => {
  const world = await setUpS3Store(t);
  await world.store.put(key, await world.file(bytes));
  return { ...world, bytes };
};

test.serial('uploads a small file in one signed request with its content type', async (t) => {
  const { server, bytes } = await stored(t);
  t.deepEqual([...server.objects.keys()], [key]);
  t.deepEqual(server.objects.get(key), { bytes, contentType: 'audio/ogg' });
  t.deepEqual(server.seen, ['PUT', 'HEAD']);
});

test.serial('uploads a large file in parts, unchanged', async (t) => {
  const { server, store, bytes } = await stored(t, randomBytes(2.5 * partBytes));
  t.deepEqual(server.seen, ['POST begin', 'PUT part 1', 'PUT part 2', 'PUT part 3', 'POST complete', 'HEAD']);
  t.is(server.objects.get(key)?.contentType, 'audio/ogg');
  t.is(server.uploads.size, 0);
  t.deepEqual(await buffer(await store.read(key)), bytes);
});

test.serial('uploads a file of exactly one part, and an empty file', async (t) => {
  for (const size of [partBytes, 0]) {
    const { server, store } = await stored(t, randomBytes(size));
    t.deepEqual(server.seen, ['PUT', 'HEAD']);
    t.is(await store.size(key), size);
  }
});

test.serial('requests and returns only the given range', async (t) => {
  const { store, bytes } = await stored(t);
  for (const [start, end] of [
    [0, 0],
    [10, 19],
    [990, 999],
    [0, 999],
  ] as const)
    t.deepEqual(await buffer(await store.read(key, { start, end })), bytes.subarray(start, end + 1));
});

test.serial('returns no size for a missing object', async (t) => {
  const { store } = await setUpS3Store(t);
  t.is(await store.size(key), undefined);
});

const failures: [string, Misbehaviour, RegExp][] = [
  ['answers 500', { status: 500, body: 'hush-hush' }, /HTTP 500$/],
  ['answers 503', { status: 503 }, /HTTP 503$/],
  ['forbids', { status: 403, body: '<Error><Code>AccessDenied hush-hush</Code></Error>' }, /HTTP 403$/],
  ['redirects its clients', { status: 307 }, /HTTP 307$/],
  ['stalls', 'stalls', /UND_ERR_HEADERS_TIMEOUT$/],
  ['disconnects', 'disconnects', /(UND_ERR_SOCKET|ECONNRESET)$/],
];

for (const [name, how, message] of failures)
  test.serial(`fails when a store ${name}, without exposing its text`, async (t) => {
    const { server, file, ...stores } = await stored(t);
    const store = how === 'stalls' ? stores.impatient : stores.store;
    server.misbehave(() => how);
    const small = await file(randomBytes(10));
    for (const ask of [() => store.put(key, small), () => store.size(key), () => store.read(key)]) {
      const error = await t.throwsAsync(ask, { name: 'StoreFailure', message });
      t.notRegex(JSON.stringify([error, error?.message, error?.cause, error?.stack]), /hush|AKTEST/);
    }
  });

test.serial('rejects wrong keys without repeating them', async (t) => {
  const { store } = await setUpS3Store(t, { secretKey: 'hush-hush-wrong' });
  const error = await t.throwsAsync(store.size(key), { name: 'StoreFailure', message: /HTTP 403$/ });
  t.notRegex(String(error?.stack), /hush/);
});

test.serial('rejects with ECONNREFUSED when the store is unreachable', async (t) => {
  const { store, file } = await setUpS3Store(t, { endpoint: noServer });
  await t.throwsAsync(store.put(key, await file(randomBytes(10))), { message: /ECONNREFUSED$/ });
});

for (const step of ['PUT part', 'POST complete'])
  for (const how of ['stalls', 'disconnects', { status: 500 }, { status: 200, body: '<Error/>' }] as const)
    test.serial(
      `aborts an upload whose ${step} fails (${JSON.stringify(how)}) and leaves no parts`,
      async (t) => {
        const { server, store, file } = await setUpS3Store(t, {}, how === 'stalls' ? 10_000 : patientMs);
        server.misbehave(({ method, query }) => {
          const isIt =
            step === 'PUT part'
              ? query.get('partNumber') === '2'
              : method === 'POST' && query.has('uploadId');
          return isIt ? how : undefined;
        });
        await t.throwsAsync(store.put(key, await file(randomBytes(3 * partBytes))), { name: 'StoreFailure' });
        t.is(server.objects.size, 0);
        t.is(server.uploads.size, 0);
      },
    );

test.serial('detects a store that loses an uploaded object', async (t) => {
  const { server, store, file } = await setUpS3Store(t);
  server.misbehave(({ method }) => (method === 'PUT' ? 'forgets' : undefined));
  await t.throwsAsync(store.put(key, await file(randomBytes(10))), { message: /lost a recording$/ });
});

test.serial('rejects another range than the requested one', async (t) => {
  const { server, store } = await stored(t);
  server.misbehave(() => 'ignores ranges');
  await t.throwsAsync(store.read(key, { start: 1, end: 5 }), { name: 'StoreFailure' });
});

for (const how of ['stalls half-way', 'breaks off'] as const)
  test.serial(
    `ends a stream with an error if the store ${how}, so that it does not look complete`,
    async (t) => {
      const { server, store, impatient } = await stored(t);
      server.misbehave(() => how);
      await t.throwsAsync(async () =>
        buffer(await (how === 'stalls half-way' ? impatient : store).read(key)),
      );
    },
  );

test.serial('closes the request to the store when the reader leaves', async (t) => {
  const { server, store } = await stored(t, randomBytes(10_000_000));
  const stream = await store.read(key);
  stream.destroy();
  await store.close();
  t.is(server.seen.at(-1), 'GET');
});

// Store keeper

const objectOf = (server: S3Server, callId: string): Buffer | undefined =>
  [...server.objects].find(([key]) => key.includes(callId))?.[1].bytes;

const read = async (opened: OpenRecording<Readable> | undefined, range?: ByteRange) => {
  if (opened === undefined) throw new Error('The recording is not where it should be');
  return buffer(await opened.read(range));
};

test.serial('keeps a recording pending and in the folder until it is in the store', async (t) => {
  const server = await startS3Server(t);
  const world = await recordingsWorld(t);
  const recordings = await world.start(server);
  const callId = await world.call();
  server.misbehave(() => ({ status: 503 }));
  record(recordings, callId, 10);
  await until('the store was asked often', () => (server.seen.length > 3 ? true : undefined));
  t.is(await world.statusOf(callId), 'pending');
  t.deepEqual(world.facts, []);
  server.misbehave(() => undefined);
  await until('the folder is empty', async () => ((await world.files()).length === 0 ? true : undefined));
  t.is(await world.statusOf(callId), 'completed');
  t.deepEqual(world.typesOf(callId), ['recording.completed']);
  const [fact] = world.facts;
  if (fact?.type !== 'recording.completed') throw new Error('It is not complete');
  t.is(server.objects.get(`kept/${fact.file}`)?.contentType, 'audio/ogg');
  t.true(server.seen.includes('POST complete'), 'it was large enough to go in parts');
  const bytes = objectOf(server, callId);
  t.is(bytes?.length, fact.bytes);
  const opened = await recordings.open({ callId, file: fact.file });
  t.is(opened?.bytes, fact.bytes);
  t.deepEqual(await read(opened, { start: 2, end: 9 }), bytes?.subarray(2, 10));
});

test.serial('keeps a recording in the folder until the database records its upload', async (t) => {
  const server = await startS3Server(t);
  const world = await recordingsWorld(t);
  const recordings = await world.start(server, { isJournalAway: true });
  const callId = await world.call();
  record(recordings, callId);
  await until('it is published', () => world.facts[0]);
  await recordings.close();
  t.is((await world.files()).length, 1);

  // After a crash the database says `pending`: the file is found, uploaded again, and reported again.
  await world.start(server);
  await until('the folder is empty', async () => ((await world.files()).length === 0 ? true : undefined));
  t.is(await world.statusOf(callId), 'completed');
});

test.serial('uploads recordings at the next start that waited for an unreachable store', async (t) => {
  const server = await startS3Server(t);
  const world = await recordingsWorld(t);
  server.misbehave(() => 'disconnects');
  const before = await world.start(server);
  const callIds = [await world.call(), await world.call()];
  for (const callId of callIds) record(before, callId);
  await until('both are written', async () => ((await world.files()).length === 2 ? true : undefined));
  await before.close();
  t.deepEqual(world.facts, [], 'closing says nothing of what can still be had');
  server.misbehave(() => undefined);
  await world.start(server);
  await until('both are there', () => (world.facts.length === 2 ? true : undefined));
  for (const callId of callIds) t.deepEqual(world.typesOf(callId), ['recording.completed']);
  for (const fact of world.facts) t.like(fact, { durationSec: 3, contentType: 'audio/ogg' });
});

test.serial('completes a recording in the folder after a long outage and uploads it later', async (t) => {
  const server = await startS3Server(t);
  const world = await recordingsWorld(t);
  server.misbehave(() => 'disconnects');
  const recordings = await world.start(server, { pendingMs: 0 });
  const callId = await world.call();
  record(recordings, callId);
  const fact = await until('it is completed', () => world.facts[0]);
  if (fact.type !== 'recording.completed') throw new Error('It is not complete');
  const opened = await recordings.open({ callId, file: fact.file });
  t.is(opened?.bytes, fact.bytes);
  server.misbehave(() => undefined);
  await until('the folder is empty', async () => ((await world.files()).length === 0 ? true : undefined));
  t.is((await read(opened)).length, fact.bytes, 'what was opened is read to its end');
  t.is((await recordings.open({ callId, file: fact.file }))?.bytes, fact.bytes);
  t.is(world.facts.length, 1, 'it is said once');
});

test.serial('uploads recordings from before the store was configured, and no other files', async (t) => {
  const world = await recordingsWorld(t);
  const before = await world.start(null);
  const callId = await world.call();
  record(before, callId);
  await until('it is completed', async () =>
    (await world.statusOf(callId)) === 'completed' ? true : undefined,
  );
  await before.close();
  await world.leave('notes.txt', Buffer.from('mine'));
  await world.leave('00000000-0000-4000-8000-000000000000.ogg', Buffer.from('of no call'));
  const server = await startS3Server(t);
  const recordings = await world.start(server);
  await until('it is brought there', async () => ((await world.files()).length === 2 ? true : undefined));
  t.truthy(objectOf(server, callId));
  t.is(server.objects.size, 1);
  t.is(world.facts.length, 1);
  await recordings.close();
});

test.serial('fails a recording once if its file is lost before the upload', async (t) => {
  const server = await startS3Server(t);
  const world = await recordingsWorld(t);
  server.misbehave(() => 'disconnects');
  const recordings = await world.start(server);
  const callId = await world.call();
  record(recordings, callId);
  await until('it is tried', () => (server.seen.length > 0 ? true : undefined));
  const [file = ''] = await world.files();
  await rm(join(world.folder, file));
  await until('it is given up', () => world.facts[0]);
  t.deepEqual(world.typesOf(callId), ['recording.failed']);
});

test.serial(
  'returns an error without text for an unresponsive store, and not found for a missing file',
  async (t) => {
    const server = await startS3Server(t);
    const world = await recordingsWorld(t);
    const recordings = await world.start(server);
    const callId = await world.call();
    record(recordings, callId);
    const fact = await until('it is published', () => world.facts[0]);
    await until('it is there', async () => ((await world.files()).length === 0 ? true : undefined));
    if (fact.type !== 'recording.completed') throw new Error('It is not complete');
    const opened = await recordings.open({ callId, file: fact.file });
    server.misbehave(() => ({ status: 500, body: 'hush-hush' }));
    const refusal = { code: 'service_unavailable', message: /not available right now/ };
    t.notRegex(
      String((await t.throwsAsync(recordings.open({ callId, file: fact.file }), refusal))?.cause),
      /hush/,
    );
    await t.throwsAsync(async () => opened?.read(), refusal);
    server.misbehave(() => undefined);
    server.objects.clear();
    t.is(await recordings.open({ callId, file: fact.file }), undefined);
  },
);

test.serial('close does not wait for a stalled store', async (t) => {
  const server = await startS3Server(t);
  const world = await recordingsWorld(t);
  server.misbehave(() => 'stalls');
  const recordings = await world.start(server);
  const callId = await world.call();
  record(recordings, callId);
  await until('it is tried', () => (server.seen.length > 0 ? true : undefined));
  await recordings.close();
  t.is((await world.files()).length, 1);
  t.is(await world.statusOf(callId), 'pending');
});

test.serial('uploads all recordings to a store that fails sometimes, and reports each once', async (t) => {
  const server = await startS3Server(t);
  const world = await recordingsWorld(t);
  let asked = 0;
  server.misbehave(() => ((asked += 1) % 11 === 0 ? { status: 500 } : undefined));
  const recordings = await world.start(server);
  const callIds = await Promise.all(Array.from({ length: 12 }, () => world.call()));
  for (const callId of callIds) record(recordings, callId, 1);
  await until('the folder is empty', async () =>
    world.facts.length === 12 && (await world.files()).length === 0 ? true : undefined,
  );
  t.is(server.objects.size, 12);
  t.is(server.uploads.size, 0);
  for (const callId of callIds) t.deepEqual(world.typesOf(callId), ['recording.completed']);
});

// Uploads

/** A store that accepts files or fails as the test decides. */
const uploadsWorld = () => {
  const clock = createOrderedClock();
  const underWay = new Map<string, PromiseWithResolvers<void>>();
  const begun: string[] = [];
  const stored: string[] = [];
  const delayed: string[][] = [];
  const uploads = createUploads<string>({
    upload(file) {
      begun.push(file);
      const upload = Promise.withResolvers<void>();
      underWay.set(file, upload);
      return upload.promise;
    },
    onStored: (file) => stored.push(file),
    onDelayed: (waiting) => delayed.push([...waiting]),
    numbers: { atOnce: 2, retryFirstMs: 1_000, retryLongestMs: 4_000 },
    clock,
    logger: pino({ level: 'silent' }),
  });
  return {
    clock,
    uploads,
    begun,
    stored,
    delayed,
    async take(file: string): Promise<void> {
      underWay.get(file)?.resolve();
      await turn();
    },
    async fail(file: string): Promise<void> {
      underWay.get(file)?.reject(new Error('It is away'));
      await turn();
    },
  };
};

test.serial('limits simultaneous uploads and keeps the order of the others', async (t) => {
  const { uploads, begun, stored, take } = uploadsWorld();
  for (const file of ['a', 'b', 'c', 'd']) uploads.add(file);
  t.deepEqual(begun, ['a', 'b']);
  await take('b');
  t.deepEqual(begun, ['a', 'b', 'c']);
  await take('a');
  await take('c');
  await take('d');
  t.deepEqual(stored, ['b', 'a', 'c', 'd']);
});

test.serial('pauses after a store failure and reports waiting uploads', async (t) => {
  const { uploads, begun, delayed, fail, clock } = uploadsWorld();
  for (const file of ['a', 'b', 'c']) uploads.add(file);
  await fail('a');
  await fail('b');
  uploads.add('d');
  t.deepEqual(begun, ['a', 'b']);
  t.deepEqual(delayed, [
    ['c', 'a'],
    ['c', 'a', 'b'],
  ]);
  t.is(clock.pending(), 1, 'two that fail together are one failure');
  clock.advance(1_000);
  t.deepEqual(begun.slice(2), ['c', 'a']);
});

test.serial('lengthens the pause each time and resets it after a success', async (t) => {
  const { uploads, begun, fail, take, clock } = uploadsWorld();
  uploads.add('a');
  for (const backoffMs of [1_000, 2_000, 4_000, 4_000]) {
    const before = begun.length;
    await fail('a');
    clock.advance(backoffMs - 1);
    t.is(begun.length, before);
    clock.advance(1);
    t.is(begun.length, before + 1);
  }
  await take('a');
  uploads.add('b');
  await fail('b');
  clock.advance(1_000);
  t.is(begun.at(-1), 'b');
  t.is(begun.length, 7);
});

test.serial('close waits for current uploads and starts no others', async (t) => {
  const { uploads, begun, fail, take, clock } = uploadsWorld();
  for (const file of ['a', 'b', 'c']) uploads.add(file);
  let isClosed = false;
  const closing = uploads.close().then(() => (isClosed = true));
  await take('a');
  t.false(isClosed);
  await fail('b');
  await closing;
  t.deepEqual(begun, ['a', 'b']);
  t.is(clock.pending(), 0);
});

test.serial('close during a pause clears its timer', async (t) => {
  const { uploads, fail, clock } = uploadsWorld();
  uploads.add('a');
  await fail('a');
  await uploads.close();
  t.is(clock.pending(), 0);
});

// Erased files
// The files of erased recordings are deleted from the folder and from the store, regardless of outages.

type World = Awaited<ReturnType<typeof recordingsWorld>>;

const often = { erased: { everyMs: 50, atOnce: 2 } };

const untilCompleted = ({ statusOf }: World, callId: string) =>
  until('it is completed', async () => ((await statusOf(callId)) === 'completed' ? true : undefined));

const untilForgotten = ({ database }: World, callId: string) =>
  until('its file is gone', async () =>
    (await findRecording(database, callId))?.file === null ? true : undefined,
  );

test.serial('deletes one file from the folder and keeps the others', async (t) => {
  const world = await recordingsWorld(t);
  const recordings = await world.start(null, often);
  const [erased, kept] = [await world.call(), await world.call()];
  for (const callId of [erased, kept]) record(recordings, callId);
  for (const callId of [erased, kept]) await untilCompleted(world, callId);
  await eraseRecordings(world.database, [erased]);
  await untilForgotten(world, erased);
  t.deepEqual(
    (await world.files()).map((name) => name.includes(kept)),
    [true],
  );
});

test.serial('deletes an erased recording when it is completely written', async (t) => {
  const world = await recordingsWorld(t);
  const recordings = await world.start(null, often);
  const callId = await world.call();
  await eraseRecordings(world.database, [callId]);
  record(recordings, callId);
  await untilCompleted(world, callId);
  await untilForgotten(world, callId);
  t.deepEqual(await world.files(), []);
});

test.serial('deletes an erased recording from the store when the store is reachable again', async (t) => {
  const world = await recordingsWorld(t);
  const server = await startS3Server(t);
  const recordings = await world.start(server, often);
  const [erased, kept] = [await world.call(), await world.call()];
  for (const callId of [erased, kept]) record(recordings, callId);
  for (const callId of [erased, kept]) await untilCompleted(world, callId);
  server.misbehave(({ method }) => (method === 'DELETE' ? { status: 503 } : undefined));
  await eraseRecordings(world.database, [erased]);
  await until('the store was asked in vain', () => server.seen.includes('DELETE') || undefined);
  t.is(server.objects.size, 2);
  server.misbehave(() => undefined);
  await untilForgotten(world, erased);
  t.deepEqual(
    [...server.objects.keys()].map((key) => key.includes(kept)),
    [true],
  );
});

test.serial('deletes other files although the store cannot delete one', async (t) => {
  const world = await recordingsWorld(t);
  const server = await startS3Server(t);
  const recordings = await world.start(server, { erased: { everyMs: 50, atOnce: 1 } });
  const calls = [await world.call(), await world.call(), await world.call()].toSorted();
  for (const callId of calls) record(recordings, callId);
  for (const callId of calls) await untilCompleted(world, callId);
  const kept = [...server.objects.keys()].find((key) => key.includes(calls[0] ?? '')) ?? '';
  server.misbehave(({ method, key }) => (method === 'DELETE' && key === kept ? { status: 403 } : undefined));
  await eraseRecordings(world.database, calls);
  await until('the others are gone', () => server.objects.size === 1 || undefined);
  t.deepEqual([...server.objects.keys()], [kept]);
});

test.serial('uploads a file once that is reported again during its upload', async (t) => {
  const world = await recordingsWorld(t);
  const server = await startS3Server(t);
  const gate = Promise.withResolvers<void>();
  server.misbehave(({ method }) => (method === 'PUT' ? { after: gate.promise } : undefined));
  const recordings = await world.start(server, { assembly: { overdueMs: 20 } });
  const callId = await world.call('active');
  record(recordings, callId, 1);
  await world.end(callId);
  await until('the upload has begun', () => server.seen.includes('PUT part 1') || undefined);
  // Another recording that becomes overdue after this one.
  const silent = await world.call('active');
  await world.end(silent);
  await until('it has failed', async () => (await world.statusOf(silent)) === 'failed' || undefined);
  // Pieces of a call may be removed meanwhile.
  const uploads = server.seen.filter((request) => request !== 'DELETE');
  t.deepEqual(uploads, ['POST begin', 'PUT part 1']);
  gate.resolve();
  await untilCompleted(world, callId);
  t.deepEqual(world.typesOf(callId), ['recording.completed']);
});

/** A recording that was completed without a store, and is being uploaded slowly into one. */
const uploading = async (t: ExecutionContext, node?: string) => {
  const world = await recordingsWorld(t);
  const first = await world.start(null);
  const callId = await world.call('completed', node);
  record(first, callId);
  await untilCompleted(world, callId);
  await first.close();
  const server = await startS3Server(t);
  const gate = Promise.withResolvers<void>();
  server.misbehave(({ method, query }) =>
    method === 'POST' && query.has('uploadId') ? { after: gate.promise } : undefined,
  );
  await world.start(server, often);
  await until('all of it was sent', () => server.seen.includes('POST complete') || undefined);
  const isStored = () => until('the upload is over', () => server.seen.includes('HEAD') || undefined);
  return { world, callId, server, finishUpload: gate.resolve, isStored };
};

const untilStoreIsEmpty = ({ objects }: { objects: ReadonlyMap<string, unknown> }) =>
  until('the store is empty', () => objects.size === 0 || undefined);

test.serial('deletes a recording that is erased during its upload', async (t) => {
  const { world, callId, server, finishUpload, isStored } = await uploading(t);
  await eraseRecordings(world.database, [callId]);
  await until('it is gone here', async () => (await world.files()).length === 0 || undefined);
  finishUpload();
  await isStored();
  await untilStoreIsEmpty(server);
  await untilForgotten(world, callId);
  t.pass();
});

test.serial('deletes a recording that another gateway erased from a shared folder', async (t) => {
  const other = randomUUID();
  const { world, callId, server, finishUpload, isStored } = await uploading(t, other);
  await joinNodes(world.database, { name: other, instance: randomUUID(), address: null });
  await eraseRecordings(world.database, [callId]);
  await world.database.execute('update recording set file = null where call_id = $1', [callId]);
  finishUpload();
  await isStored();
  await untilStoreIsEmpty(server);
  t.pass();
});

test.serial('deletes the files of a stopped gateway, but not those of a running one', async (t) => {
  const world = await recordingsWorld(t);
  const running = randomUUID();
  await joinNodes(world.database, { name: running, instance: randomUUID(), address: null });
  const [gone, other] = [await world.call('completed', randomUUID()), await world.call('completed', running)];
  const recordings = await world.start(null, often);
  for (const callId of [gone, other]) record(recordings, callId);
  for (const callId of [gone, other]) await untilCompleted(world, callId);
  await eraseRecordings(world.database, [gone, other]);
  await untilForgotten(world, gone);
  t.not((await findRecording(world.database, other))?.file, null);
});

test.serial('deletes recordings after a restart that were erased in the meantime', async (t) => {
  const world = await recordingsWorld(t);
  const first = await world.start(null, often);
  const callId = await world.call();
  record(first, callId);
  await untilCompleted(world, callId);
  await first.close();
  await eraseRecordings(world.database, [callId]);
  // Another gateway considered the file lost.
  await world.database.execute('update recording set file = null where call_id = $1', [callId]);
  await world.start(null, often);
  await until('it is gone', async () => ((await world.files()).length === 0 ? true : undefined));
  t.pass();
});

test.serial('deletes recordings that were erased while the gateway was considered dead', async (t) => {
  const world = await recordingsWorld(t);
  const recordings = await world.start(null, often);
  const [erased, kept] = [await world.call(), await world.call()];
  for (const callId of [erased, kept]) record(recordings, callId);
  for (const callId of [erased, kept]) await untilCompleted(world, callId);
  await world.database.transaction(async (statements) => {
    await eraseRecordings(statements, [erased]);
    // Another gateway considered the file lost.
    await statements.execute('update recording set file = null where call_id = $1', [erased]);
  });
  recordings.checkErased();
  await until('it is gone', async () => (await world.files()).length === 1 || undefined);
  t.true((await world.files())[0]?.includes(kept));
});

// Abandoned

const hour = 3_600_000;

test.serial('fails exactly the recordings of a lost gateway after their time limit', async (t) => {
  const world = await recordingsWorld(t);
  const running = randomUUID();
  await joinNodes(world.database, { name: running, instance: randomUUID(), address: null });
  const before = Date.now() - 2 * hour;
  const gone = await world.call('completed', randomUUID(), before);
  const others = [
    await world.call('completed', randomUUID()),
    await world.call('completed', running, before),
    await world.call('active', randomUUID()),
  ];
  await world.start(null, { abandoned: { everyMs: hour, afterMs: hour } });
  await until('it is given up', async () => ((await world.statusOf(gone)) === 'failed' ? true : undefined));
  t.deepEqual(
    world.facts.map(({ callId, type }) => [callId, type]),
    [[gone, 'recording.failed']],
  );
  for (const callId of others) t.is(await world.statusOf(callId), 'pending');
});

test.serial('retries regularly, also for a gateway that others declared dead', async (t) => {
  const world = await recordingsWorld(t);
  const recordings = await world.start(null, { abandoned: { everyMs: 20, afterMs: hour } });
  const lost = { name: randomUUID(), instance: randomUUID(), address: null };
  await joinNodes(world.database, lost);
  const callId = await world.call('completed', lost.name, Date.now() - 2 * hour);
  await world.database.execute('update node set lost_at = now() where name = $1', [lost.name]);
  await until('it is given up', async () => ((await world.statusOf(callId)) === 'failed' ? true : undefined));
  await recordings.close();
  const [event] = await world.database.execute<{ count: number }>(
    `select count(*)::int as count from event where call_id = $1 and type = 'recording.failed'`,
    [callId],
  );
  t.deepEqual(event, { count: 1 });
});

// Left behind

/** The bytes of a complete recording. */
const recorded = async (
  world: Awaited<ReturnType<typeof recordingsWorld>>,
  format: 'ogg' | 'mp3',
  seconds: number,
) => {
  const recordings = await world.start(null, { format });
  const callId = await world.call();
  record(recordings, callId, seconds);
  const fact = await until('it is completed', () => world.facts[0]);
  if (fact.type !== 'recording.completed') throw new Error('It is not complete');
  await until('it is filed', async () => ((await world.statusOf(callId)) === 'completed' ? true : undefined));
  await recordings.close();
  world.facts.length = 0;
  return readFile(join(world.folder, fact.file));
};

for (const format of ['ogg', 'mp3'] as const)
  test.serial(`keeps a complete ${format} file of a pending recording after a crash`, async (t) => {
    const world = await recordingsWorld(t);
    const bytes = await recorded(world, format, 3);
    const callId = await world.call();
    await world.leave(`${callId}.${format}`, bytes);
    await world.start(null);
    const [fact, ...noMore] = world.facts;
    if (fact?.type !== 'recording.completed') throw new Error(`It is ${fact?.type}`);
    t.deepEqual(noMore, []);
    t.is(fact.callId, callId);
    t.is(fact.bytes, bytes.length);
    t.is(fact.contentType, format === 'ogg' ? 'audio/ogg' : 'audio/mpeg');
    t.true(format === 'ogg' ? fact.durationSec === 3 : Math.abs(fact.durationSec - 3) < 0.15);
  });

test.serial('makes the recording of an ended call after a crash, wherever its part breaks off', async (t) => {
  const world = await recordingsWorld(t);
  const part = Buffer.alloc(2 * 16_000 * 3 + 1, 0x40);
  const [whole, broken] = [await world.call(), await world.call()];
  await world.leavePart(`${whole}+0+${world.node}+end.ulaw`, part);
  await world.leavePart(`${broken}+0+${world.node}+open.ulaw`, part);
  await world.leave(`${whole}.ogg.part`, Buffer.from('OggS'));
  await world.start(null);
  await until('both are told', () => (world.facts.length === 2 ? true : undefined));
  for (const [callId, truncated] of [
    [whole, false],
    [broken, true],
  ] as const) {
    const fact = world.facts.find((each) => each.callId === callId);
    if (fact?.type !== 'recording.completed') throw new Error(`It is ${fact?.type}`);
    t.is(fact.truncated, truncated);
    t.is(fact.durationSec, 3);
    t.is(await secondsOf('ogg', await readFile(join(world.folder, fact.file))), 3);
  }
  await until('only the files are left', async () => ((await world.files()).length === 2 ? true : undefined));
});

test.serial('keeps a recording marked as truncated if a crash precedes its completion', async (t) => {
  const world = await recordingsWorld(t);
  const bytes = await recorded(world, 'ogg', 12);
  const callId = await world.call();
  await world.leave(`${callId}.truncated.ogg`, bytes);
  await world.start(null);
  t.like(
    world.facts.find((each) => each.callId === callId),
    { type: 'recording.completed', truncated: true },
  );
});

test.serial('a shutdown keeps the written part of current recordings', async (t) => {
  const world = await recordingsWorld(t);
  const recordings = await world.start(null);
  const [begun, silent] = [await world.call(), await world.call()];
  const sink = recordings.begin(begun);
  recordings.begin(silent);
  for (let second = 0; second < 5; second += 1) sink.write(tone(1, 440), tone(1, 880));
  await until('its file is there', async () => ((await world.files()).length > 0 ? true : undefined));
  await recordings.close();
  const fact = world.facts.find((each) => each.callId === begun);
  if (fact?.type !== 'recording.completed') throw new Error(`It is ${fact?.type}`);
  t.true(fact.truncated);
  t.is(await secondsOf('ogg', await readFile(join(world.folder, fact.file))), fact.durationSec);
  t.deepEqual(world.typesOf(silent), ['recording.failed']);
});

test.serial(
  'after a crash, fails and deletes partial files without audio and recordings that did not start',
  async (t) => {
    const world = await recordingsWorld(t);
    const half = await world.call();
    const never = await world.call();
    await world.leave(`${half}.ogg.part`, Buffer.from('OggS'));
    await world.start(null);
    await until('both have failed', () => (world.facts.length === 2 ? true : undefined));
    t.deepEqual(world.typesOf(half), ['recording.failed']);
    t.deepEqual(world.typesOf(never), ['recording.failed']);
    t.deepEqual(await world.files(), []);
  },
);

test.serial('keeps recordings of active calls and of other gateways unchanged', async (t) => {
  const world = await recordingsWorld(t);
  const active = await world.call('active');
  const foreign = await world.call('completed', 'another');
  await world.start(null);
  t.deepEqual(world.facts, []);
  t.is(await world.statusOf(active), 'pending');
  t.is(await world.statusOf(foreign), 'pending');
});

test.serial('starts despite a damaged file that is marked as complete', async (t) => {
  const world = await recordingsWorld(t);
  for (const bytes of ['', 'OggS', 'no sound at all'])
    await world.leave(`${await world.call()}.ogg`, Buffer.from(bytes));
  await world.start(null);
  t.is(world.facts.length, 3);
});
