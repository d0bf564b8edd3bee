import test, { type ExecutionContext } from 'ava';
import * as zlib from 'node:zlib';
import { createEndpointClient, type EndpointClientOptions } from '#src/outgoing/endpoint-client.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { sendBody, startAgentServer, type Answer } from '#test/helpers/agent-server.ts';

const { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } = zlib;

const clientFor = (t: ExecutionContext, changes: Partial<EndpointClientOptions> = {}) => {
  const client = createEndpointClient({
    rules: { allowedHosts: [], allowLoopback: true },
    connectMs: 60_000,
    maxBodyBytes: 1_000,
    connectionsPerHost: 4,
    ...changes,
  });
  t.teardown(() => client.close());
  return client;
};

const serverFor = async (t: ExecutionContext, answers: Answer) => {
  const server = await startAgentServer(answers);
  t.teardown(() => server.close());
  return server;
};

const request = (signal = new AbortController().signal) => ({
  headers: { 'content-type': 'application/json' },
  body: '{"message":"안녕"}',
  signal,
});

const textOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const bytes of body) chunks.push(bytes);
  return Buffer.concat(chunks).toString('utf8');
};

const words = JSON.stringify({ reply: '네, 알겠습니다. '.repeat(20) });

const compressed: [coding: string, body: Buffer][] = [
  ['gzip', gzipSync(words)],
  ['x-gzip', gzipSync(words)],
  ['deflate', deflateSync(words)],
  ['deflate', deflateRawSync(words)],
  ['br', brotliCompressSync(words)],
  ['Gzip', gzipSync(words)],
  ['identity', Buffer.from(words)],
  ['br, gzip', gzipSync(brotliCompressSync(words))],
  ...('zstdCompressSync' in zlib ? [['zstd', zlib.zstdCompressSync(words)] as [string, Buffer]] : []),
];

for (const [index, [coding, body]] of compressed.entries()) {
  test(`a reply in the coding ${coding} is read, whoever asked for it (${index})`, async (t) => {
    const server = await serverFor(t, sendBody(body, 200, { 'content-encoding': coding }));
    const response = await clientFor(t).post(server.url, request());
    t.is(await textOf(response.body), words);
  });
}

test('a compressed stream is read as it comes', async (t) => {
  const gzip = createGzip();
  const server = await serverFor(t, (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    gzip.pipe(response);
    gzip.write('data: 1\n\n');
    gzip.flush();
  });
  const { body } = await clientFor(t).post(server.url, request());
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  t.is(Buffer.from(first.value ?? []).toString(), 'data: 1\n\n', 'while the response is still open');
  gzip.end('data: 2\n\n');
  const second = await chunks.next();
  t.is(Buffer.from(second.value ?? []).toString(), 'data: 2\n\n');
});

test('what a compressed body becomes is counted, not what was sent of it', async (t) => {
  const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
  t.true(bomb.length < 10_000);
  const server = await serverFor(t, sendBody(bomb, 200, { 'content-encoding': 'gzip' }));
  const { body } = await clientFor(t, { maxBodyBytes: 20_000 }).post(server.url, request());
  await t.throwsAsync(textOf(body), { instanceOf: EndpointFailure, message: 'more than 20000 bytes' });
});

test('a compressed body that is left early lets go of its connection', async (t) => {
  const server = await serverFor(t, (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync(words));
  });
  const closed = server.responseClosed();
  const { body } = await clientFor(t).post(server.url, request());
  for await (const bytes of body) {
    t.true(bytes.byteLength > 0);
    break;
  }
  await closed;
  t.is(server.counts.aborted, 1);
});

const badlyCoded: [title: string, coding: string, body: Buffer][] = [
  ['plain text under the name of gzip', 'gzip', Buffer.from(words)],
  ['half of a gzip', 'gzip', gzipSync(words).subarray(0, 40)],
  ['plain text under the name of br', 'br', Buffer.from(words)],
  ['plain text under the name of deflate', 'deflate', Buffer.from(words)],
  ['a coding that nobody knows', 'squeeze', Buffer.from(words)],
  ['a coding of an object', 'constructor', Buffer.from(words)],
  ['coding upon coding', 'gzip, gzip, gzip', Buffer.from(words)],
];

for (const [title, coding, body] of badlyCoded) {
  test(`${title} is no readable reply, and nothing of it is quoted`, async (t) => {
    const server = await serverFor(t, sendBody(body, 200, { 'content-encoding': coding }));
    const error = await t.throwsAsync(
      clientFor(t)
        .post(server.url, request())
        .then((response) => textOf(response.body)),
      { instanceOf: EndpointFailure },
    );
    t.like(error, { failure: 'invalid_reply' });
    t.notRegex(String(error), /알겠/);
  });
}
