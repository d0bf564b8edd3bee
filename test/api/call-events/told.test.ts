/** The events of a call, as a list and as a stream. */
import test from 'ava';
import * as z from 'zod';
import type { ChartState } from '#src/calls/live/chart-watch.ts';
import { createFactNews } from '#src/calls/journal/fact-news.ts';
import { recordFact } from '#src/persistence/call-facts.ts';
import { openEventStream } from '#test/helpers/event-stream.ts';
import { until } from '#test/helpers/until.ts';
import { addNumber, addWorkspace, fakeGateway, testLimits } from '../fake-gateway.ts';
import { storeCall } from '../stored-calls.ts';
import { answeredAt, callWith, story, streaming } from './written-call.ts';

const listed = z.object({ events: z.array(z.record(z.string(), z.unknown())) });

test('what happened in a call is listed in order, with the words of the transcript', async (t) => {
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

test('a call that nobody answered has no offsets, one that was rejected has no events', async (t) => {
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

test('only the number of the call and its workspace see what happened', async (t) => {
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

test('as a stream the same is told, with the end; who asks for anything else gets the list', async (t) => {
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
});

test('a stream goes on behind the last event that its client knows', async (t) => {
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

test('a fact is told when it was written, once, also where a client comes back at any moment', async (t) => {
  const news = createFactNews();
  const gateway = await fakeGateway(t, {
    watchFacts: news.watch,
    // Held by this gateway: nothing is polled.
    isHeldHere: () => true,
  });
  const { id, path, write } = await callWith(gateway, 1);
  const url = `${gateway.baseUrl}${path}`;
  const first = await openEventStream(url, gateway.number.key);
  await first.until('the answer', ({ id: sequence }) => sequence === '1');
  await write(1, 3);
  news.tell(id);
  await first.until('the second turn', ({ id: sequence }) => sequence === '3');
  first.close();

  const second = await openEventStream(url, gateway.number.key, { 'last-event-id': '3' });
  for (let count = 3; count < story.length; count += 1) {
    await write(count, count + 1);
    news.tell(id);
    news.tell(id);
  }
  await until('the stream has ended', () => second.isOver() || undefined);
  t.deepEqual(
    second.events.map(({ event, id: sequence }) => sequence ?? event),
    ['4', '5', '6', '7', 'end'],
  );
});

test('a call of another gateway is looked at again and again', async (t) => {
  const gateway = await fakeGateway(t);
  const { path, write } = await callWith(gateway, 1);
  const stream = await openEventStream(`${gateway.baseUrl}${path}`, gateway.number.key);
  await stream.until('the answer', ({ id }) => id === '1');
  await write(1, story.length);
  await until('the stream has ended', () => stream.isOver() || undefined);
  t.is(stream.events.at(-1)?.event, 'end');
});

test('a recording or a summary that never comes is not waited for for ever', async (t) => {
  const gateway = await fakeGateway(t, {
    limits: { ...testLimits, eventStream: { ...testLimits.eventStream, lateFactsMs: -Infinity } },
  });
  const { path } = await callWith(gateway, 5);
  const { bytes } = await gateway.client.get(path, streaming);
  t.regex(bytes.toString(), /call\.ended.*\n\nevent: end\n/);
});

test('where the charts are is told as they move, without an id', async (t) => {
  let tell: (state: ChartState) => void = () => {};
  const gateway = await fakeGateway(t, {
    isHeldHere: () => true,
    watchCall: (_, { onState }) => {
      tell = onState;
      onState({ call: 'active.talking.conversing', conversation: 'replying.thinking', voicemail: null });
      return () => {};
    },
  });
  const { path } = await callWith(gateway, 1);
  const stream = await openEventStream(`${gateway.baseUrl}${path}`, gateway.number.key);
  await stream.until('the first state', ({ event }) => event === 'state');
  tell({ call: 'active.talking.conversing', conversation: 'replying.speaking', voicemail: null });
  tell({ call: 'active.talking.hangup-pending', conversation: 'replying.speaking', voicemail: null });
  await until('all states', () => (stream.events.length === 4 ? true : undefined));
  t.deepEqual(stream.events.slice(1), [
    {
      event: 'state',
      id: null,
      data: { call: 'active.talking.conversing', conversation: 'replying.thinking', voicemail: null },
    },
    {
      event: 'state',
      id: null,
      data: { call: 'active.talking.conversing', conversation: 'replying.speaking', voicemail: null },
    },
    {
      event: 'state',
      id: null,
      data: { call: 'active.talking.hangup-pending', conversation: 'replying.speaking', voicemail: null },
    },
  ]);
  stream.close();
});
