/** Streams of events: for how long they are kept open, and for whom. */
import { request as sendRequest } from 'node:http';
import { once } from 'node:events';
import test from 'ava';
import * as z from 'zod';
import { createStreamPermits } from '#src/api/stream-permits.ts';
import { openEventStream } from '#test/helpers/event-stream.ts';
import { until } from '#test/helpers/until.ts';
import { browserOf, byConsole, sessionPath } from '../console-browser.ts';
import { fakeGateway, testLimits } from '../fake-gateway.ts';
import { callWith, story, streaming } from './written-call.ts';

test('a comment keeps a silent stream open', async (t) => {
  const gateway = await fakeGateway(t, {
    limits: { ...testLimits, eventStream: { ...testLimits.eventStream, keepAliveMs: 20 } },
    isHeldHere: () => true,
  });
  const { path } = await callWith(gateway, 1);
  const stream = await openEventStream(`${gateway.baseUrl}${path}`, gateway.number.key);
  await until('three comments', () => (stream.comments.length >= 3 ? true : undefined));
  t.is(stream.events.length, 1);
  stream.close();
});

test('a key may have so many streams open, and gets a place back from each that ends', async (t) => {
  const gateway = await fakeGateway(t, { streams: createStreamPermits({ perKey: 2 }) });
  const { path } = await callWith(gateway, 1);
  const url = `${gateway.baseUrl}${path}`;
  const first = await openEventStream(url, gateway.number.key);
  const second = await openEventStream(url, gateway.number.key);
  const refused = await gateway.client.get(path, streaming);
  t.is(refused.status, 429);
  t.like(refused.body, { code: 'stream_limit', maximum: 2 });
  t.is((await gateway.client.get(path)).status, 200, 'the list is no stream');
  const ofAdmin = await openEventStream(url.replace('/v1/', '/v1/admin/'), gateway.adminToken);
  t.is(ofAdmin.status, 200, 'another key has its own');

  first.close();
  const third = await until('a place is free', async () => {
    const stream = await openEventStream(url, gateway.number.key);
    return stream.status === 200 ? stream : undefined;
  });
  for (const stream of [second, third, ofAdmin]) stream.close();
});

test('when the gateway drains, streams end without an end, and no new one begins', async (t) => {
  const streams = createStreamPermits({ perKey: 2 });
  const gateway = await fakeGateway(t, { streams, isHeldHere: () => true });
  const { path, write } = await callWith(gateway, 1);
  const stream = await openEventStream(`${gateway.baseUrl}${path}`, gateway.number.key);
  await stream.until('the answer', ({ id }) => id === '1');
  // Nobody tells the stream of the rest: it would find it at its next look.
  await write(1, story.length);
  streams.close();
  await until('the stream has ended', () => stream.isOver() || undefined);
  t.deepEqual(
    stream.events.map(({ event }) => event),
    ['fact'],
  );
  const refused = await gateway.client.get(path, streaming);
  t.is(refused.status, 503);
  t.is(refused.body['code'], 'draining');
});

test('a reader that takes nothing any more is dropped, and what it held is let go of', async (t) => {
  let isWatching = false;
  let tell: () => void = () => {};
  const gateway = await fakeGateway(t, {
    limits: { ...testLimits, eventStream: { ...testLimits.eventStream, slowReaderMs: 100 } },
    isHeldHere: () => true,
    watchCall: (_, { onState }) => {
      isWatching = true;
      // Far longer than any real state, so that all buffers on the way are full soon.
      tell = () => onState({ call: 'x'.repeat(100_000), conversation: null, voicemail: null });
      return () => {
        isWatching = false;
      };
    },
  });
  const { path } = await callWith(gateway, 1);
  const request = sendRequest(`${gateway.baseUrl}${path}`, {
    headers: { ...streaming, authorization: `Bearer ${gateway.number.key}` },
  }).end();
  const [response] = await once(request, 'response');
  response.pause();
  t.true(isWatching);
  await until('the slow reader was dropped', () => {
    tell();
    return isWatching ? undefined : true;
  });
  response.destroy();
  t.false(isWatching);
});

test('a stream ends when its key or token is good no longer, and the others go on', async (t) => {
  const gateway = await fakeGateway(t, {
    limits: { ...testLimits, eventStream: { ...testLimits.eventStream, revalidateMs: 50 } },
    isHeldHere: () => true,
  });
  const { id, path } = await callWith(gateway, 1);
  const url = `${gateway.baseUrl}${path}`;
  const openAsAdmin = async (token: string) => {
    const stream = await openEventStream(`${gateway.baseUrl}/api/v1/admin/calls/${id}/events`, token);
    t.is(stream.status, 200);
    return stream;
  };
  const made = async (changes: object) => {
    const { body } = await gateway.admin.post('/api/v1/admin/tokens', { name: 'short', ...changes });
    return z.object({ id: z.string(), token: z.string() }).parse(body);
  };
  const revoked = await made({ role: 'viewer' });
  const expired = await made({ role: 'viewer' });
  const ofRevoked = await openAsAdmin(revoked.token);
  const ofExpired = await openAsAdmin(expired.token);
  const ofAdmin = await openAsAdmin(gateway.adminToken);
  const ofKey = await openEventStream(url, gateway.number.key);
  for (const stream of [ofRevoked, ofExpired, ofAdmin, ofKey])
    await stream.until('the answer', (event) => event.id === '1');

  await gateway.admin.delete(`/api/v1/admin/tokens/${revoked.id}`);
  await until('the stream of the revoked token has ended', () => ofRevoked.isOver() || undefined);
  await gateway.database.execute('update admin_token set expires_at = now() where id = $1', [expired.id]);
  await until('the stream of the expired token has ended', () => ofExpired.isOver() || undefined);
  t.false(ofKey.isOver());
  await gateway.admin.post(`/api/v1/admin/numbers/${gateway.number.id}/key`, {});
  await until('the stream of the reissued key has ended', () => ofKey.isOver() || undefined);
  t.false(ofAdmin.isOver());
  ofAdmin.close();
});

test('a stream of the console ends with its session, and no page from elsewhere opens one', async (t) => {
  const gateway = await fakeGateway(t, {
    limits: { ...testLimits, eventStream: { ...testLimits.eventStream, revalidateMs: 50 } },
    isHeldHere: () => true,
  });
  const { id } = await callWith(gateway, 1);
  const [browser, other] = [await browserOf(gateway), await browserOf(gateway)];
  const openBy = (cookie: string, headers: Record<string, string>) =>
    openEventStream(`${gateway.baseUrl}/api/v1/admin/calls/${id}/events`, null, { cookie, ...headers });
  const elsewhere = await openBy(browser.cookie, { ...byConsole, 'sec-fetch-site': 'same-site' });
  t.is(elsewhere.status, 403);
  const [stream, ofOther] = [await openBy(browser.cookie, byConsole), await openBy(other.cookie, byConsole)];
  for (const one of [stream, ofOther]) await one.until('the answer', (event) => event.id === '1');
  t.is((await browser.send('DELETE', sessionPath)).status, 204);
  await until('the stream of the ended session is over', () => stream.isOver() || undefined);
  t.false(ofOther.isOver());
  ofOther.close();
});
