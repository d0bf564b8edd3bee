/** Recordings: download, byte ranges. */
import { randomBytes, randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import type { ApiServices } from '#src/api/api-services.ts';
import { byteRangeOf } from '#src/api/http/byte-range.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { addNumber, fakeGateway } from './fake-gateway.ts';
import { recordingsOf, storeCall, storeRecording } from './stored-calls.ts';

// Get recording

const content = randomBytes(100);

const recorded = async <Recordings extends ApiServices['calls']['recordings']>(
  t: ExecutionContext,
  recordings: Recordings,
) => {
  const gateway = await fakeGateway(t, { recordings });
  const { id } = await storeCall(gateway);
  await storeRecording(gateway.database, id, {
    status: 'completed',
    file: 'a.ogg',
    contentType: 'audio/ogg',
  });
  return { ...gateway, id, recordings, path: `/api/v1/calls/${id}/recording` };
};

test.serial('returns the complete recording as audio instead of a link', async (t) => {
  const { client, path, recordings } = await recorded(t, recordingsOf(content));
  const { status, headers, bytes } = await client.get(path);
  t.is(status, 200);
  t.is(headers.get('content-type'), 'audio/ogg');
  t.is(headers.get('accept-ranges'), 'bytes');
  t.is(headers.get('content-length'), '100');
  t.deepEqual(bytes, content);
  t.is(recordings.isOpen(), 0);
});

test.serial('responds to a range with 206 and Content-Range', async (t) => {
  const { client, path } = await recorded(t, recordingsOf(content));
  const parts: [string, number, number][] = [
    ['bytes=0-9', 0, 9],
    ['bytes=90-', 90, 99],
    ['bytes=90-5000', 90, 99],
    ['bytes=-5', 95, 99],
    ['bytes=-5000', 0, 99],
  ];
  for (const [range, start, end] of parts) {
    const { status, headers, bytes } = await client.get(path, { range });
    t.is(status, 206, range);
    t.is(headers.get('content-range'), `bytes ${start}-${end}/100`);
    t.is(headers.get('content-length'), String(end - start + 1));
    t.deepEqual(bytes, content.subarray(start, end + 1));
  }
});

test.serial('returns exactly the bytes of a range', async (t) => {
  const { client, path, recordings } = await recorded(t, recordingsOf(content));
  await fc.assert(
    fc.asyncProperty(fc.nat(99), fc.nat(99), async (a, b) => {
      const [start, end] = a < b ? [a, b] : [b, a];
      const { bytes } = await client.get(path, { range: `bytes=${start}-${end}` });
      t.deepEqual(bytes, content.subarray(start, end + 1));
    }),
    { numRuns: 20 },
  );
  t.is(recordings.isOpen(), 0);
});

test.serial('responds with 416 to a range outside the file', async (t) => {
  const { client, path, recordings } = await recorded(t, recordingsOf(content));
  for (const range of ['bytes=100-', 'bytes=5-2', 'bytes=x-y', 'bytes=-0', 'bytes=']) {
    const { status, headers, body } = await client.get(path, { range });
    t.is(status, 416, range);
    t.is(body.code, 'range_not_satisfiable');
    t.is(headers.get('content-range'), 'bytes */100');
  }
  t.is(recordings.isOpen(), 0);
});

test.serial('returns the whole file for several ranges or an unknown range unit', async (t) => {
  const { client, path } = await recorded(t, recordingsOf(content));
  for (const range of ['bytes=0-1,5-6', 'seconds=0-1']) t.is((await client.get(path, { range })).status, 200);
});

test.serial('responds with 304 to a client that already has the file', async (t) => {
  const { client, path, recordings } = await recorded(t, recordingsOf(content));
  const etag = (await client.get(path)).headers.get('etag') ?? '';
  t.regex(etag, /^"[^"]+"$/);
  for (const known of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
    const { status, headers, bytes } = await client.get(path, { 'if-none-match': known, range: 'bytes=0-1' });
    t.deepEqual([status, bytes.length, headers.get('etag')], [304, 0, etag], known);
  }
  t.is((await client.send('HEAD', path, { headers: { 'if-none-match': etag } })).status, 304);
  for (const other of ['"another"', '', etag.slice(1)])
    t.is((await client.get(path, { 'if-none-match': other })).status, 200, other);
  t.is(recordings.isOpen(), 0);
});

test.serial('returns a range for If-Range only if the file is unchanged', async (t) => {
  const { client, path } = await recorded(t, recordingsOf(content));
  const etag = (await client.get(path)).headers.get('etag') ?? '';
  t.is((await client.get(path, { range: 'bytes=0-1', 'if-range': etag })).status, 206);
  t.is((await client.get(path, { range: 'bytes=0-1', 'if-range': '"another"' })).status, 200);
});

test.serial('a recording that is made again with a missing part has another ETag', async (t) => {
  const { client, path, database, id } = await recorded(t, recordingsOf(content));
  await database.execute('update recording set truncated = true where call_id = $1', [id]);
  const before = (await client.get(path)).headers.get('etag') ?? '';
  await database.execute(`update recording set finished_at = '2026-11-21' where call_id = $1`, [id]);
  t.is((await client.get(path, { 'if-none-match': before })).status, 200);
  const truncated = (await client.get(path)).headers.get('etag') ?? '';
  await database.execute('update recording set truncated = false where call_id = $1', [id]);
  t.is((await client.get(path, { 'if-none-match': truncated })).status, 200);
  t.is((await client.get(path, { range: 'bytes=0-1', 'if-range': truncated })).status, 200);
});

test.serial('returns the length without a body for HEAD', async (t) => {
  const { client, path, recordings } = await recorded(t, recordingsOf(content));
  for (const headers of [{}, { range: 'bytes=0-9' }]) {
    const answer = await client.send('HEAD', path, { headers });
    t.is(answer.status, 200);
    t.is(answer.headers.get('content-length'), '100');
    t.is(answer.headers.get('content-type'), 'audio/ogg');
    t.is(answer.bytes.length, 0);
  }
  t.is(recordings.isOpen(), 0);
});

test.serial('returns the reason for a missing recording', async (t) => {
  const gateway = await fakeGateway(t);
  const reasonOf = async (status?: 'pending' | 'failed' | 'completed') => {
    const { id } = await storeCall(gateway);
    if (status !== undefined) {
      await storeRecording(gateway.database, id, { status, file: 'a.ogg', contentType: 'audio/ogg' });
    }
    const answer = await gateway.client.get(`/api/v1/calls/${id}/recording`);
    t.is(answer.status, 409);
    t.is(answer.body.code, 'recording_not_available');
    return answer.body.reason;
  };
  t.is(await reasonOf(), 'none');
  t.is(await reasonOf('pending'), 'pending');
  t.is(await reasonOf('failed'), 'failed');
  t.is(await reasonOf('completed'), 'failed', 'the file has gone');
});

test.serial('aborts the connection when the file breaks off', async (t) => {
  const gateway = await fakeGateway(t, {
    recordings: {
      async open() {
        const { Readable } = await import('node:stream');
        return {
          bytes: 100,
          read: async () =>
            Readable.from(
              (async function* broken() {
                yield content.subarray(0, 10);
                await Promise.resolve();
                throw new Error('the disk is gone');
              })(),
            ),
          close: async () => {},
        };
      },
    },
  });
  const { id } = await storeCall(gateway);
  await storeRecording(gateway.database, id, {
    status: 'completed',
    file: 'a.ogg',
    contentType: 'audio/ogg',
  });
  await t.throwsAsync(gateway.client.get(`/api/v1/calls/${id}/recording`));
  t.truthy(gateway.logged.find(({ msg }) => msg === 'a request failed'));
});

test.serial("responds with 404 for the recording of another number's call", async (t) => {
  const gateway = await fakeGateway(t);
  const foreign = await storeCall({ ...gateway, number: await addNumber(gateway) });
  for (const id of [foreign.id, randomUUID(), 'x']) {
    const { status, body } = await gateway.client.get(`/api/v1/calls/${id}/recording`);
    t.is(status, 404);
    t.is(body.code, 'call_not_found');
  }
});

test.serial('responds with 503 when the storage is unreachable during look-up or read', async (t) => {
  const refusal = new Refusal('service_unavailable', 'The store is away.', {
    headers: { 'Retry-After': '10' },
  });
  const away = () => Promise.reject(refusal);
  const stores: ApiServices['calls']['recordings'][] = [
    { open: away },
    { open: async () => ({ bytes: 100, read: away, close: async () => {} }) },
  ];
  for (const recordings of stores) {
    const { client, path } = await recorded(t, recordings);
    for (const asked of [{}, { range: 'bytes=0-9' }]) {
      const { status, headers, body } = await client.get(path, asked);
      t.is(status, 503);
      t.is(body.code, 'service_unavailable');
      t.is(headers.get('retry-after'), '10');
      t.is(headers.get('content-range'), null);
    }
  }
});

// Byte range

const understood = test.macro({
  exec(t, header: string | undefined, size: number, expected: ReturnType<typeof byteRangeOf>) {
    t.deepEqual(byteRangeOf(header, size), expected);
  },
  title: (_, header: string | undefined, size: number) =>
    `parses ${header ?? 'no Range header'} for a file of ${size} bytes`,
});

test(understood, undefined, 100, 'whole');
test(understood, 'bytes=0-9', 100, { start: 0, end: 9 });
test(understood, 'bytes=0-0', 100, { start: 0, end: 0 });
test(understood, 'bytes=90-', 100, { start: 90, end: 99 });
test(understood, 'bytes=90-1000', 100, { start: 90, end: 99 });
test(understood, 'bytes=-5', 100, { start: 95, end: 99 });
test(understood, 'bytes=-1000', 100, { start: 0, end: 99 });
test(understood, 'Bytes = 1-2', 100, { start: 1, end: 2 });
test(understood, 'bytes=200-300,0-4', 100, { start: 0, end: 4 });
test(understood, 'bytes=0-1,5-6', 100, 'whole');
test(understood, 'lines=0-9', 100, 'whole');
test(understood, 'bytes=100-', 100, 'invalid');
test(understood, 'bytes=-0', 100, 'invalid');
test(understood, 'bytes=5-2', 100, 'invalid');
test(understood, 'bytes=a-b', 100, 'invalid');
test(understood, 'bytes=1-2-3', 100, 'invalid');
test(understood, 'bytes=-', 100, 'invalid');
test(understood, 'bytes=', 100, 'invalid');
test(understood, 'bytes', 100, 'invalid');
test(understood, 'bytes=0-0', 0, 'invalid');
test(understood, 'bytes=-1', 0, 'invalid');

test('every accepted range lies within the file', (t) => {
  const part = fc.oneof(fc.nat({ max: 300 }).map(String), fc.constant(''), fc.string({ maxLength: 3 }));
  const spec = fc.tuple(part, part).map(([first, last]) => `${first}-${last}`);
  const header = fc.array(spec, { maxLength: 3 }).map((specs) => `bytes=${specs.join(',')}`);
  fc.assert(
    fc.property(header, fc.nat({ max: 200 }), (text, size) => {
      const range = byteRangeOf(text, size);
      if (typeof range === 'string') return true;
      return range.start >= 0 && range.start <= range.end && range.end < size;
    }),
  );
  t.pass();
});

test('parses every valid range within a file unchanged', (t) => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(10_000), fc.nat(10_000), (a, b, more) => {
      const [start, end] = a < b ? [a, b] : [b, a];
      t.deepEqual(byteRangeOf(`bytes=${start}-${end}`, end + 1 + more), { start, end });
    }),
  );
});
