import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { createS3Store } from '#src/recordings/s3-store.ts';
import { startS3Server, type Misbehaviour, type S3Server } from './s3-server.ts';

const partBytes = 100_000;
const key = 'recordings/2026-11/a call+1.ogg';

/** A store that does as it should is waited for, however busy the machine is. */
const patientMs = 60_000;

const setUp = async (t: ExecutionContext, changes: Partial<S3Server> = {}, stallMs = patientMs) => {
  const server = await startS3Server(t);
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-store-'));
  const open = (ms: number) =>
    createS3Store({ ...server, ...changes }, { connectMs: patientMs, stallMs: ms, partBytes });
  const store = open(stallMs);
  /** For what stalls for certain. */
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
  const world = await setUp(t);
  await world.store.put(key, await world.file(bytes));
  return { ...world, bytes };
};

test('a small file goes in one signed request, with its type', async (t) => {
  const { server, bytes } = await stored(t);
  t.deepEqual([...server.objects.keys()], [key]);
  t.deepEqual(server.objects.get(key), { bytes, contentType: 'audio/ogg' });
  t.deepEqual(server.seen, ['PUT', 'HEAD']);
});

test('a large file goes in parts, and comes out the same', async (t) => {
  const { server, store, bytes } = await stored(t, randomBytes(2.5 * partBytes));
  t.deepEqual(server.seen, ['POST begin', 'PUT part 1', 'PUT part 2', 'PUT part 3', 'POST complete', 'HEAD']);
  t.is(server.objects.get(key)?.contentType, 'audio/ogg');
  t.is(server.uploads.size, 0);
  t.deepEqual(await buffer(await store.read(key)), bytes);
});

test('a file of exactly one part, and an empty one', async (t) => {
  for (const size of [partBytes, 0]) {
    const { server, store } = await stored(t, randomBytes(size));
    t.deepEqual(server.seen, ['PUT', 'HEAD']);
    t.is(await store.size(key), size);
  }
});

test('a range is passed on, and nothing else comes', async (t) => {
  const { store, bytes } = await stored(t);
  for (const [start, end] of [
    [0, 0],
    [10, 19],
    [990, 999],
    [0, 999],
  ] as const)
    t.deepEqual(await buffer(await store.read(key, { start, end })), bytes.subarray(start, end + 1));
});

test('what is not there has no size', async (t) => {
  const { store } = await setUp(t);
  t.is(await store.size(key), undefined);
});

const failures: [string, Misbehaviour, RegExp][] = [
  ['answers 500', { status: 500, body: 'hush-hush' }, /HTTP 500$/],
  ['answers 503', { status: 503 }, /HTTP 503$/],
  ['forbids', { status: 403, body: '<Error><Code>AccessDenied hush-hush</Code></Error>' }, /HTTP 403$/],
  ['sends its clients elsewhere', { status: 307 }, /HTTP 307$/],
  ['stalls', 'stalls', /UND_ERR_HEADERS_TIMEOUT$/],
  ['disconnects', 'disconnects', /(UND_ERR_SOCKET|ECONNRESET)$/],
];

for (const [name, how, message] of failures)
  test(`a store that ${name} fails, and none of its words get out`, async (t) => {
    const { server, file, ...stores } = await stored(t);
    const store = how === 'stalls' ? stores.impatient : stores.store;
    server.misbehave(() => how);
    const small = await file(randomBytes(10));
    for (const ask of [() => store.put(key, small), () => store.size(key), () => store.read(key)]) {
      const error = await t.throwsAsync(ask, { name: 'StoreFailure', message });
      t.notRegex(JSON.stringify([error, error?.message, error?.cause, error?.stack]), /hush|AKTEST/);
    }
  });

test('wrong keys are refused without being repeated', async (t) => {
  const { store } = await setUp(t, { secretKey: 'hush-hush-wrong' });
  const error = await t.throwsAsync(store.size(key), { name: 'StoreFailure', message: /HTTP 403$/ });
  t.notRegex(String(error?.stack), /hush/);
});

test('a store that is not there', async (t) => {
  const { server, store, file } = await setUp(t);
  await server.close();
  await t.throwsAsync(store.put(key, await file(randomBytes(10))), { message: /ECONNREFUSED$/ });
});

for (const step of ['PUT part', 'POST complete'])
  for (const how of ['stalls', 'disconnects', { status: 500 }, { status: 200, body: '<Error/>' }] as const)
    test(`an upload whose ${step} goes wrong (${JSON.stringify(how)}) leaves nothing behind`, async (t) => {
      const { server, store, file } = await setUp(t, {}, how === 'stalls' ? 10_000 : patientMs);
      server.misbehave(({ method, query }) => {
        const isIt =
          step === 'PUT part' ? query.get('partNumber') === '2' : method === 'POST' && query.has('uploadId');
        return isIt ? how : undefined;
      });
      await t.throwsAsync(store.put(key, await file(randomBytes(3 * partBytes))), { name: 'StoreFailure' });
      t.is(server.objects.size, 0);
      t.is(server.uploads.size, 0);
    });

test('a store that forgets what it was given has not taken it', async (t) => {
  const { server, store, file } = await setUp(t);
  server.misbehave(({ method }) => (method === 'PUT' ? 'forgets' : undefined));
  await t.throwsAsync(store.put(key, await file(randomBytes(10))), { message: /lost a recording$/ });
});

test('a store that answers another part than was asked for is not believed', async (t) => {
  const { server, store } = await stored(t);
  server.misbehave(() => 'ignores ranges');
  await t.throwsAsync(store.read(key, { start: 1, end: 5 }), { name: 'StoreFailure' });
});

for (const how of ['stalls half-way', 'breaks off'] as const)
  test(`a stream whose store ${how} ends with an error, not as if it were whole`, async (t) => {
    const { server, store, impatient } = await stored(t);
    server.misbehave(() => how);
    await t.throwsAsync(async () => buffer(await (how === 'stalls half-way' ? impatient : store).read(key)));
  });

test('a reader that goes away lets go of the store', async (t) => {
  const { server, store } = await stored(t, randomBytes(10_000_000));
  const stream = await store.read(key);
  stream.destroy();
  await store.close();
  t.is(server.seen.at(-1), 'GET');
});
