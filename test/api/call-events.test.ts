/** Streams of call events and of call audio. */
import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import { setImmediate as nextTask } from 'node:timers/promises';
import test from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { z } from 'zod';
import { createPulledStream, createWakeUp } from '#src/api/calls/call-event-stream.ts';
import { createStreamPermits } from '#src/api/http/stream-permits.ts';
import { createCallBus } from '#src/calls/call-bus.ts';
import { createStoredCalls } from '#src/calls/stored-calls.ts';
import type { WatchedState } from '#src/calls/live/chart-watch.ts';
import { systemClock } from '#src/clocks.ts';
import { recordFact } from '#src/persistence/calls/call-facts.ts';
import type { CallRow } from '#src/persistence/calls/calls.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { openEventStream } from '#test/helpers/event-stream.ts';
import { readCsv } from '#test/helpers/read-csv.ts';
import { someRoute, someSound } from '#test/helpers/some-sound.ts';
import { until } from '#test/helpers/until.ts';
import { answeredAt, callWith, story, streaming } from './call-events/written-call.ts';
import { browserOf, byConsole, sessionPath } from './console-browser.ts';
import { addNumber, addWorkspace, fakeGateway, testLimits } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

// Streams
// Lifetime of event streams, and access to them.

test.serial('keeps a silent stream open by sending comments', async (t) => {
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

test.serial('limits open streams per key and allows another one when a stream ends', async (t) => {
  const gateway = await fakeGateway(t, { streams: createStreamPermits({ perKey: 2, clock: systemClock }) });
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

test.serial('on shutdown, sends written events, ends open streams and rejects new ones', async (t) => {
  const streams = createStreamPermits({ perKey: 2, clock: systemClock });
  const gateway = await fakeGateway(t, { streams, isHeldHere: () => true });
  const { path, write } = await callWith(gateway, 1);
  const stream = await openEventStream(`${gateway.baseUrl}${path}`, gateway.number.key);
  await stream.until('the answer', ({ id }) => id === '1');
  // Writes further facts without notifying the stream, which would find them at its next poll.
  await write(1, 3);
  await streams.close(0);
  await until('the stream has ended', () => stream.isOver() || undefined);
  t.deepEqual(
    stream.events.map(({ event, id }) => [event, id]),
    [
      ['fact', '1'],
      ['fact', '2'],
      ['fact', '3'],
    ],
  );
  const refused = await gateway.client.get(path, streaming);
  t.is(refused.status, 503);
  t.is(refused.body['code'], 'draining');
});

test.serial('disconnects a reader that stops reading and releases its memory', async (t) => {
  let isWatching = false;
  let tell: () => void = () => {};
  const gateway = await fakeGateway(t, {
    limits: { ...testLimits, eventStream: { ...testLimits.eventStream, slowReaderMs: 100 } },
    isHeldHere: () => true,
    watchCall: (_, { onState }) => {
      isWatching = true;
      // Far longer than any real state, so all buffers fill up soon.
      tell = () =>
        onState({
          call: 'x'.repeat(100_000),
          conversation: null,
          voicemail: null,
          saying: null,
          hearing: null,
        });
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

test.serial('ends a stream when its key or token becomes invalid, and continues others', async (t) => {
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

test.serial('ends a console stream with its session, and rejects streams from another origin', async (t) => {
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

// Events
// The events of a call, as a list and as a stream.

const listed = z.object({ events: z.array(z.record(z.string(), z.unknown())) });

test.serial('lists the events of a call in order, with the words of the transcript', async (t) => {
  const gateway = await fakeGateway(t);
  const { path } = await callWith(gateway);
  const { status, body } = await gateway.client.get(path);
  t.is(status, 200);
  const { events } = listed.parse(body);
  t.deepEqual(
    events.map(({ sequence, type, t_offset_sec }) => [sequence, type, t_offset_sec]),
    [
      [1, 'call.answered', 0],
      [2, 'turn.spoken', 1.25],
      [3, 'turn.spoken', 4],
      [4, 'reply.failed', 5],
      [5, 'call.ended', 9],
      [6, 'recording.completed', 9.5],
      [7, 'call.summarized', 9.6],
    ],
  );
  t.is(events[0]?.['at'], '2026-11-21T12:00:05.000+09:00');
  t.deepEqual(
    events.map(({ data }) => data),
    [
      {},
      {
        turn: 1,
        role: 'assistant',
        text: 'Good morning.',
        whole: true,
        ended_at: '2026-11-21T12:00:08.000+09:00',
      },
      {
        turn: 2,
        role: 'user',
        text: 'Who is this?',
        whole: true,
        ended_at: '2026-11-21T12:00:09.500+09:00',
      },
      { turn: 2, failure: 'http_error', detail: 'HTTP 500' },
      { end_reason: 'agent_hangup', status: 'completed', sip: { status: 200, reason: 'OK', call_id: 'abc' } },
      { content_type: 'audio/ogg', duration_sec: 9, bytes: 100, truncated: false },
      { summary: 'They said hello.' },
    ],
  );
});

test.serial('returns no offsets for an unanswered call and no events for a rejected one', async (t) => {
  const gateway = await fakeGateway(t);
  const { id, path } = await callWith(gateway, 0);
  await recordFact(gateway.database, id, 1, {
    type: 'call.ended',
    at: answeredAt,
    reason: 'busy',
    status: 'no_answer',
  });
  const { events } = listed.parse((await gateway.client.get(path)).body);
  t.like(events, [{ type: 'call.ended', t_offset_sec: null }]);

  const rejected = await storeCall(gateway, { status: 'failed', endReason: 'caller_rejected' });
  const rejectedPath = `/api/v1/calls/${rejected.id}/events`;
  t.deepEqual((await gateway.client.get(rejectedPath)).body, { events: [] });
  const stream = await gateway.client.get(rejectedPath, streaming);
  t.is(stream.bytes.toString(), 'retry: 2000\n\nevent: end\ndata: {}\n\n');
});

test.serial('shows events only to the number of the call and its workspace', async (t) => {
  const gateway = await fakeGateway(t);
  const { id, path } = await callWith(gateway);
  const admin = `/api/v1/admin/calls/${id}/events`;
  t.deepEqual((await gateway.admin.get(admin)).body, (await gateway.client.get(path)).body);

  const other = gateway.client.as((await addNumber(gateway)).key);
  const stranger = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  for (const headers of [{}, streaming]) {
    for (const refused of [await other.get(path, headers), await stranger.get(admin, headers)]) {
      t.is(refused.status, 404);
      t.is(refused.body['code'], 'call_not_found');
    }
  }
  t.is((await gateway.client.get('/api/v1/calls/nothing/events')).status, 404);
  t.is((await gateway.client.as(gateway.adminToken).get(path)).status, 401);
});

test.serial(
  'streams the same events until the call ends, or returns them as a list without Accept: text/event-stream',
  async (t) => {
    const gateway = await fakeGateway(t);
    const { path } = await callWith(gateway);
    const answer = await gateway.client.get(path, streaming);
    t.is(answer.headers.get('content-type'), 'text/event-stream');
    t.is(answer.headers.get('cache-control'), 'no-store');

    const stream = await openEventStream(`${gateway.baseUrl}${path}`, gateway.number.key);
    await until('the stream has ended', () => stream.isOver() || undefined);
    const { events } = listed.parse((await gateway.client.get(path)).body);
    t.deepEqual(stream.events, [
      ...events.map((data) => ({ event: 'fact', id: String(data['sequence']), data })),
      { event: 'end', id: null, data: {} },
    ]);
    t.is((await gateway.client.get(path, { accept: '*/*' })).headers.get('content-type'), 'application/json');
    const head = await gateway.client.send('HEAD', path, { headers: streaming });
    t.is(head.headers.get('content-type'), 'text/event-stream');
  },
);

test.serial("resumes a stream after the client's last event", async (t) => {
  const gateway = await fakeGateway(t);
  const { path } = await callWith(gateway);
  const ids = async (lastEventId: string): Promise<string[]> => {
    const { bytes } = await gateway.client.get(path, { ...streaming, 'last-event-id': lastEventId });
    return [...bytes.toString().matchAll(/^id: (\d+)$/gm)].map(([, id]) => String(id));
  };
  for (let last = 0; last <= story.length; last += 1) {
    t.deepEqual(
      await ids(String(last)),
      story.slice(last).map((_, index) => String(last + index + 1)),
    );
  }
  t.deepEqual(await ids('999'), []);
  const refused = await gateway.client.get(path, { ...streaming, 'last-event-id': 'x' });
  t.is(refused.body['code'], 'invalid_request');
});

test.serial('sends each fact exactly once after it is written, even to clients that reconnect', async (t) => {
  const news = createCallBus({ logger: pino({ level: 'silent' }) });
  const stored = (callId: string): void =>
    news.publish('stored', { callId, fact: { type: 'recording.failed', at: 1 }, ended: null });
  const gateway = await fakeGateway(t, {
    watchFacts: (callId, onFact) => news.subscribe('stored', onFact, callId),
    // This gateway owns the call, so the stream does not poll.
    isHeldHere: () => true,
  });
  const { id, path, write } = await callWith(gateway, 1);
  const url = `${gateway.baseUrl}${path}`;
  const first = await openEventStream(url, gateway.number.key);
  await first.until('the answer', ({ id: sequence }) => sequence === '1');
  await write(1, 3);
  stored(id);
  await first.until('the second turn', ({ id: sequence }) => sequence === '3');
  first.close();

  const second = await openEventStream(url, gateway.number.key, { 'last-event-id': '3' });
  for (let count = 3; count < story.length; count += 1) {
    await write(count, count + 1);
    stored(id);
    stored(id);
  }
  await until('the stream has ended', () => second.isOver() || undefined);
  t.deepEqual(
    second.events.map(({ event, id: sequence }) => sequence ?? event),
    ['4', '5', '6', '7', 'end'],
  );
});

test.serial('polls the database for events of a call on another gateway', async (t) => {
  const gateway = await fakeGateway(t);
  const { path, write } = await callWith(gateway, 1);
  const stream = await openEventStream(`${gateway.baseUrl}${path}`, gateway.number.key);
  await stream.until('the answer', ({ id }) => id === '1');
  await write(1, story.length);
  await until('the stream has ended', () => stream.isOver() || undefined);
  t.is(stream.events.at(-1)?.event, 'end');
});

test.serial('stops waiting for a recording or summary that does not arrive in time', async (t) => {
  const gateway = await fakeGateway(t, {
    limits: { ...testLimits, eventStream: { ...testLimits.eventStream, lateFactsMs: -Infinity } },
  });
  const { path } = await callWith(gateway, 5);
  const { bytes } = await gateway.client.get(path, streaming);
  t.regex(bytes.toString(), /call\.ended.*\n\nevent: end\n/);
});

test.serial('sends chart states, without an id, as they change', async (t) => {
  let tell: (state: WatchedState) => void = () => {};
  const gateway = await fakeGateway(t, {
    isHeldHere: () => true,
    watchCall: (_, { onState }) => {
      tell = onState;
      onState({
        call: 'active.talking.conversing',
        conversation: 'replying.thinking',
        voicemail: null,
        saying: null,
        hearing: null,
      });
      return () => {};
    },
  });
  const { path } = await callWith(gateway, 1);
  const stream = await openEventStream(`${gateway.baseUrl}${path}`, gateway.number.key);
  await stream.until('the first state', ({ event }) => event === 'state');
  tell({
    call: 'active.talking.conversing',
    conversation: 'replying.speaking',
    voicemail: null,
    saying: 'Hello.',
    hearing: null,
  });
  tell({
    call: 'active.talking.hangup-pending',
    conversation: 'replying.speaking',
    voicemail: null,
    saying: null,
    hearing: null,
  });
  await until('all states', () => (stream.events.length === 4 ? true : undefined));
  t.deepEqual(stream.events.slice(1), [
    {
      event: 'state',
      id: null,
      data: {
        call: 'active.talking.conversing',
        conversation: 'replying.thinking',
        voicemail: null,
        saying: null,
        hearing: null,
      },
    },
    {
      event: 'state',
      id: null,
      data: {
        call: 'active.talking.conversing',
        conversation: 'replying.speaking',
        voicemail: null,
        saying: 'Hello.',
        hearing: null,
      },
    },
    {
      event: 'state',
      id: null,
      data: {
        call: 'active.talking.hangup-pending',
        conversation: 'replying.speaking',
        voicemail: null,
        saying: null,
        hearing: null,
      },
    },
  ]);
  stream.close();
});

test.serial('sends the latest preliminary words, without a read of the journal', async (t) => {
  let tell: (hearing: string | null) => void = () => {};
  let reads = 0;
  const stored = createStoredCalls(await testDatabase(t));
  const gateway = await fakeGateway(t, {
    isHeldHere: () => true,
    watchCall: (_, { onState }) => {
      tell = (hearing) =>
        onState({
          call: 'active.talking.conversing',
          conversation: 'listening.hearing',
          voicemail: null,
          saying: null,
          hearing,
        });
      return () => {};
    },
    storedCalls: {
      ...stored,
      journal(...asked) {
        reads += 1;
        return stored.journal(...asked);
      },
    },
  });
  const { path } = await callWith(gateway, 1);
  const stream = await openEventStream(`${gateway.baseUrl}${path}`, gateway.number.key);
  tell(null);
  await stream.until('the state', ({ event }) => event === 'state');
  const before = reads;
  tell('Is');
  tell('Is the');
  tell('Is the table');
  await stream.until('the words', ({ data }) => data['hearing'] === 'Is the table');
  const words = stream.events.filter(({ event }) => event === 'state').map(({ data }) => data['hearing']);
  t.deepEqual([words[0], words.at(-1)], [null, 'Is the table']);
  t.false(words.includes('Is the'));
  t.is(reads, before);
  stream.close();
});

// Wake up

const setUpWakeUp = () => {
  const clock = new SimulatedClock();
  return { clock, wakeUp: createWakeUp(clock) };
};

/** True if the wait is over without advancing the clock. */
const isOver = async (wait: Promise<void>): Promise<boolean> =>
  Promise.race([wait.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);

test.serial('waits until a wake-up or the time-out', async (t) => {
  const { clock, wakeUp } = setUpWakeUp();
  const woken = wakeUp.wait(1_000);
  t.false(await isOver(woken));
  wakeUp.wake();
  t.true(await isOver(woken));
  const waited = wakeUp.wait(1_000);
  t.false(await isOver(waited));
  clock.increment(1_000);
  t.true(await isOver(waited));
});

test.serial('ends the next wait at once after a wake-up that found no waiter', async (t) => {
  const { wakeUp } = setUpWakeUp();
  wakeUp.wake();
  wakeUp.wake();
  t.true(await isOver(wakeUp.wait(1_000)));
  t.false(await isOver(wakeUp.wait(1_000)));
});

// Pulled stream

/** A stream of these messages, the number of generated ones, and how often it has ended. */
const setUpPulledStream = (messages: AsyncIterable<string>) => {
  const clock = new SimulatedClock();
  const seen = { made: 0, ends: 0 };
  async function* counted() {
    for await (const message of messages) {
      seen.made += 1;
      yield message;
    }
  }
  const stream = createPulledStream(counted(), {
    clock,
    slowReaderMs: 1_000,
    onEnd: () => (seen.ends += 1),
  });
  return { stream, seen, clock };
};

async function* count(to: number) {
  for (let number = 1; number <= to; number += 1) yield `${number} `;
}

test.serial('delivers every message to the reader and ends the stream once', async (t) => {
  const { stream, seen } = setUpPulledStream(count(100));
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  t.is(text.split(' ').length, 101);
  t.is(seen.ends, 1);
});

test.serial('disconnects a reader that stops reading and stops generating messages for it', async (t) => {
  const { stream, seen, clock } = setUpPulledStream(
    (async function* () {
      for (;;) yield 'x'.repeat(100_000);
    })(),
  );
  stream.read(0);
  while (seen.made === 0) await nextTask();
  await nextTask();
  clock.increment(999);
  t.false(stream.destroyed);
  clock.increment(1);
  t.true(stream.destroyed);
  await once(stream, 'close');
  t.is(seen.ends, 1);
  t.is(seen.made, 1);
});

test.serial('ends a stream that is closed while a message is generated, and clears its timer', async (t) => {
  const message = Promise.withResolvers<string>();
  const { stream, seen, clock } = setUpPulledStream(
    (async function* () {
      yield await message.promise;
    })(),
  );
  stream.read(0);
  stream.destroy();
  t.is(seen.ends, 1);
  message.resolve('late');
  await once(stream, 'close');
  clock.increment(10_000);
  t.is(seen.ends, 1);
});

test.serial('passes an error from generating a message to the stream', async (t) => {
  const { stream, seen } = setUpPulledStream(
    (async function* () {
      yield 'one';
      throw new Error('The database is away');
    })(),
  );
  await t.throwsAsync(
    async () => {
      for await (const chunk of stream) t.is(String(chunk), 'one');
    },
    { message: 'The database is away' },
  );
  t.is(seen.ends, 1);
});

// Call audio
// Trunk and audio statistics in the record of a call, for clients and for admins.

const carried: Partial<CallRow> = {
  trunkId: someRoute.trunk.id,
  trunkName: someRoute.trunk.name,
  failedTrunks: ['first', 'second'],
  postDialDelayMs: someRoute.postDialDelayMs,
  localSignalling: someRoute.localAddress,
  remoteSignalling: someRoute.remoteAddress,
  oneWay: 'nothing_delivered',
  sound: someSound,
};

const sound = {
  codec: 'PCMA',
  received: { packets: 2_410, loss: 0.0041, jitter_ms: 3.2, mos: 4.36 },
  sent: { packets: 2_412, loss: 0, jitter_ms: 1.5, mos: 4.4 },
  round_trip_ms: 38.5,
  one_way: 'nothing_delivered',
};

test.serial('returns audio statistics to a client without trunk and addresses', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, carried);
  const { body } = await gateway.client.get(`/api/v1/calls/${id}`);
  t.like(body, { post_dial_delay_ms: 1_830, sound });
  t.notRegex(JSON.stringify(body), /carrier|192\.0\.2|203\.0\.113/);
});

test.serial('returns trunk and addresses of the audio to an admin', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, carried);
  t.like((await gateway.admin.get(`/api/v1/admin/calls/${id}`)).body, {
    sound,
    trunk: someRoute.trunk,
    failed_trunks: ['first', 'second'],
    addresses: {
      local_signalling: '192.0.2.10:5060',
      remote_signalling: '203.0.113.5:5060',
      local_media: '192.0.2.10:25014',
      remote_media: '203.0.113.9:40120',
    },
  });
});

test.serial('returns no audio statistics if no packets were sent', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway);
  const nothing = { packets: null, loss: null, jitter_ms: null, mos: null };
  t.like((await gateway.admin.get(`/api/v1/admin/calls/${id}`)).body, {
    post_dial_delay_ms: null,
    sound: { codec: null, received: nothing, sent: nothing, dtmf: null, round_trip_ms: null, one_way: null },
    trunk: null,
    failed_trunks: [],
  });
});

test.serial('adds columns for audio statistics after the existing columns of call records', async (t) => {
  const gateway = await fakeGateway(t);
  await storeCall(gateway, carried);
  const { bytes } = await gateway.admin.get('/api/v1/admin/call-records');
  const [names = [], cells = []] = readCsv(bytes.toString());
  const more = names.indexOf('summary') + 1;
  t.like(Object.fromEntries(names.slice(more).map((name, at) => [name, cells[more + at]])), {
    trunk_id: someRoute.trunk.id,
    trunk_name: 'carrier',
    failed_trunks: 'first second',
    post_dial_delay_ms: '1830',
    codec: 'PCMA',
    received_packets: '2410',
    received_loss: '0.0041',
    received_jitter_ms: '3.2',
    received_mos: '4.36',
    sent_packets: '2412',
    sent_loss: '0',
    sent_jitter_ms: '1.5',
    sent_mos: '4.4',
    round_trip_ms: '38.5',
    one_way: 'nothing_delivered',
    local_signalling: '192.0.2.10:5060',
    remote_signalling: '203.0.113.5:5060',
    local_media: '192.0.2.10:25014',
    remote_media: '203.0.113.9:40120',
  });
});
