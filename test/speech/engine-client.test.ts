/** The way to speech engines, beyond the client of everything outgoing: a sentence costs its speaker once. */
import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { FormData } from 'undici';
import { createEngineClient } from '#src/speech/engine-client.ts';
import { formOf, sendJson, sendText, startHttpEngine, type EngineAnswer } from './doubles/http-engine.ts';

const hangUp: EngineAnswer = (response) => response.destroy();

const clientFor = (t: { teardown(end: () => Promise<void>): void }) => {
  const client = createEngineClient({ connectMs: 60_000 });
  t.teardown(() => client.close());
  return client;
};

const sentence = (url: string) => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: '{"text":"Hello."}',
  signal: new AbortController().signal,
});

const textOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const bytes of body) chunks.push(bytes);
  return Buffer.concat(chunks).toString('utf8');
};

test('a sentence that an engine had when its new connection broke is not posted twice', async (t) => {
  const server = await startHttpEngine(t, hangUp, sendJson({}));
  const error = await t.throwsAsync(clientFor(t).post('engine', sentence(server.url)));
  t.is(error.message, 'engine could not be reached (UND_ERR_SOCKET)');
  t.is(server.requests.length, 1);
});

test('a kept connection that an engine was just closing is replaced, also for a form', async (t) => {
  const server = await startHttpEngine(t, sendText('first'), hangUp, sendText('again'));
  const client = clientFor(t);
  t.is(await textOf((await client.post('engine', sentence(server.url))).body), 'first');
  // The connection is free a moment after its response was read.
  await setImmediate();
  const body = new FormData();
  body.set('model', 'small');
  const { url, signal } = sentence(server.url);
  const response = await client.post('engine', { url, headers: {}, body, signal });
  t.is(await textOf(response.body), 'again');
  const [, , last] = server.requests;
  t.is(last && (await formOf(last)).get('model'), 'small');
});

test('a redirect is a refusal by its status and is not followed', async (t) => {
  const elsewhere = await startHttpEngine(t, sendJson({}));
  const server = await startHttpEngine(t, (response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  );
  const error = await t.throwsAsync(clientFor(t).post('engine', sentence(server.url)));
  t.is(error.message, 'engine answered with HTTP 307');
  t.is(elsewhere.requests.length, 0);
});
