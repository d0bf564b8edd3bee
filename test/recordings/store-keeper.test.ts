import { buffer } from 'node:stream/consumers';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import test from 'ava';
import type { Readable } from 'node:stream';
import type { ByteRange, OpenRecording } from '#src/domain/open-recording.ts';
import { until } from '#test/helpers/until.ts';
import { record, recordingsWorld } from './recordings-world.ts';
import { startS3Server, type S3Server } from './s3-server.ts';

const objectOf = (server: S3Server, callId: string): Buffer | undefined =>
  [...server.objects].find(([key]) => key.includes(callId))?.[1].bytes;

const read = async (opened: OpenRecording<Readable> | undefined, range?: ByteRange) => {
  if (opened === undefined) throw new Error('The recording is not where it should be');
  return buffer(await opened.read(range));
};

test('a recording is pending until it is in the store, then it leaves the folder', async (t) => {
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

test('while the database does not know of it, a recording stays in the folder as well', async (t) => {
  const server = await startS3Server(t);
  const world = await recordingsWorld(t);
  const recordings = await world.start(server, { isJournalAway: true });
  const callId = await world.call();
  record(recordings, callId);
  await until('it is published', () => world.facts[0]);
  await recordings.close();
  t.is((await world.files()).length, 1);

  // After a crash the database says `pending`: it is found, brought there again, and said again.
  await world.start(server);
  await until('the folder is empty', async () => ((await world.files()).length === 0 ? true : undefined));
  t.is(await world.statusOf(callId), 'completed');
});

test('what waits for an absent store is found by the next start', async (t) => {
  const server = await startS3Server(t);
  const world = await recordingsWorld(t);
  await server.close();
  const before = await world.start(server);
  const callIds = [await world.call(), await world.call()];
  for (const callId of callIds) record(before, callId);
  await until('both are written', async () => ((await world.files()).length === 2 ? true : undefined));
  await before.close();
  t.deepEqual(world.facts, [], 'closing says nothing of what can still be had');
  await startS3Server(t, Number(new URL(server.endpoint).port));
  await world.start(server);
  await until('both are there', () => (world.facts.length === 2 ? true : undefined));
  for (const callId of callIds) t.deepEqual(world.typesOf(callId), ['recording.completed']);
  for (const fact of world.facts) t.like(fact, { durationSec: 3, contentType: 'audio/ogg' });
});

test('a store that is away for too long: completed where it lies, and brought there later', async (t) => {
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

test('recordings from before there was a store go there, too, and nothing else of the folder', async (t) => {
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

test('a file that is gone before it was in the store is a failed recording, once', async (t) => {
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

test('a store that does not answer is a refusal without its words; a file that it has not is none', async (t) => {
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
});

test('closing does not wait for a store that stalls', async (t) => {
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

test('many recordings with a store that fails now and then all get there, each said once', async (t) => {
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
