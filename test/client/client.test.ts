import test, { type ExecutionContext } from 'ava';
import { createClient, pagesOf, TrunklineProblem, type ClientOptions } from '#src/client/client.ts';

type Sent = { url: string; method: string; headers: Record<string, string>; body: unknown };

/** A client whose requests are noted and answered one after the other as the test says. */
const clientAnswered = (answers: (Response | Error)[], options: Partial<ClientOptions> = {}) => {
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: 'http://gateway.test/',
    key: 'gw_live_1',
    ...options,
    fetch: (url, { method = '', headers, body }) => {
      sent.push({ url, method, headers: Object.fromEntries(new Headers(headers)), body });
      const answer = answers.shift();
      if (answer === undefined) return Promise.reject(new Error('One request too many'));
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
  return { client, sent };
};

const json = (body: unknown, status = 200): Response => Response.json(body, { status });

const eventStream = (...pieces: (string | Error)[]): Response =>
  new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else if (typeof piece === 'string') controller.enqueue(new TextEncoder().encode(piece));
        else controller.error(piece);
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  );

test('a filter by metadata is a parameter for each of its keys', async (t) => {
  const { client, sent } = clientAnswered([json({ calls: [] })]);
  await client.listCalls({ metadata: { 'crm.deal': '7 & 8', order: 'A-1' }, limit: 5 });
  t.deepEqual(
    sent.map(({ url }) => url),
    ['http://gateway.test/api/v1/calls?metadata.crm.deal=7+%26+8&metadata.order=A-1&limit=5'],
  );
});

test('members of a request go where the operation has them', async (t) => {
  const { client, sent } = clientAnswered([json({}), json({ calls: [] }), json({})]);
  await client.createCall({ body: { to: '01000000001' }, 'idempotency-key': 'once' });
  await client.listCalls({ limit: 5, since: '2026-11-21T12:00:00+09:00', status: undefined });
  await client.putAgent({ id: 'a/b?', direction: 'inbound', body: { agent: 'builtin' } });
  t.deepEqual(sent, [
    {
      url: 'http://gateway.test/api/v1/calls',
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: 'Bearer gw_live_1',
        'content-type': 'application/json',
        'idempotency-key': 'once',
      },
      body: '{"to":"01000000001"}',
    },
    {
      url: 'http://gateway.test/api/v1/calls?limit=5&since=2026-11-21T12%3A00%3A00%2B09%3A00',
      method: 'GET',
      headers: { accept: 'application/json', authorization: 'Bearer gw_live_1' },
      body: undefined,
    },
    {
      url: 'http://gateway.test/api/v1/admin/numbers/a%2Fb%3F/agents/inbound',
      method: 'PUT',
      headers: {
        accept: 'application/json',
        authorization: 'Bearer gw_live_1',
        'content-type': 'application/json',
      },
      body: '{"agent":"builtin"}',
    },
  ]);
});

test('a place that would lead to another address is not asked for', async (t) => {
  const { client, sent } = clientAnswered([]);
  for (const callId of ['', '.', '..'])
    await t.throwsAsync(client.getCall({ call_id: callId }), { instanceOf: TypeError });
  t.deepEqual(sent, []);
});

test('the key may be another for each request, or none', async (t) => {
  const keys = ['first', undefined, 'third'];
  const { client, sent } = clientAnswered([json({}), json({}), json({})], { key: () => keys.shift() });
  await client.listNumbers();
  await client.listNumbers();
  await client.listNumbers(undefined, { key: 'own' });
  t.deepEqual(
    sent.map(({ headers }) => headers['authorization']),
    ['Bearer first', undefined, 'Bearer own'],
  );
});

test('an answer is JSON, a file, or nothing', async (t) => {
  const { client } = clientAnswered([
    json({ numbers: [] }),
    new Response('OggS', { headers: { 'content-type': 'audio/ogg' } }),
    new Response(null, { status: 204 }),
  ]);
  t.deepEqual(await client.listNumbers(), { numbers: [] });
  const recording = await client.getRecording({ call_id: 'x', range: 'bytes=0-3' });
  t.is(recording.headers.get('content-type'), 'audio/ogg');
  t.is(await recording.text(), 'OggS');
  t.is(await client.deleteTrunk({ id: 'x' }), undefined);
});

test('where an operation has JSON and files, the answer is what the request asked for', async (t) => {
  const ladder = { call_id: 'x', messages: [], empty_because: 'none' };
  const text = new Response('INVITE', { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  const { client } = clientAnswered([json(ladder), text]);
  t.deepEqual(await client.getCallSip({ call_id: 'x' }), ladder);
  t.is(await client.getCallSip({ call_id: 'x', format: 'text' }), text);
});

test('a refusal is thrown with all that its document says', async (t) => {
  const errors = [{ path: 'to', message: 'This is required.' }];
  const document = { code: 'invalid_request', title: 'Not valid', detail: 'No.', errors, request_id: 'r1' };
  const headers = { 'content-type': 'application/problem+json; charset=utf-8', 'retry-after': '7' };
  const { client } = clientAnswered([new Response(JSON.stringify(document), { status: 400, headers })]);
  const problem = await t.throwsAsync(client.listCalls(), { instanceOf: TrunklineProblem, message: 'No.' });
  t.like(problem, { status: 400, code: 'invalid_request', detail: 'No.', title: 'Not valid', errors });
  t.like(problem, { requestId: 'r1', retryAfterSec: 7, maximum: undefined, reason: undefined });
});

test('what answers in place of the gateway is a problem without a code', async (t) => {
  const html = { 'content-type': 'text/html', 'x-request-id': 'p1' };
  const broken = { 'content-type': 'application/problem+json' };
  const { client } = clientAnswered([
    new Response('<h1>Bad Gateway</h1>', { status: 502, headers: html }),
    new Response('{"code": "inval', { status: 400, headers: broken }),
  ]);
  const proxy = await t.throwsAsync(client.listCalls(), { instanceOf: TrunklineProblem });
  t.like(proxy, { status: 502, code: undefined, errors: [], requestId: 'p1', retryAfterSec: undefined });
  const cut = await t.throwsAsync(client.listCalls(), { instanceOf: TrunklineProblem });
  t.like(cut, { status: 400, code: undefined, message: 'The answer was HTTP 400.' });
});

test('pages follow each other until the last one', async (t) => {
  const { client, sent } = clientAnswered([
    json({ calls: [1], next_cursor: 'two' }),
    json({ calls: [2], next_cursor: null }),
  ]);
  const seen: unknown[] = [];
  for await (const { calls } of pagesOf(client.listCalls, { status: 'completed' })) seen.push(...calls);
  t.deepEqual(seen, [1, 2]);
  t.deepEqual(
    sent.map(({ url }) => new URL(url).search),
    ['?status=completed', '?status=completed&cursor=two'],
  );
});

const watched = async (
  t: ExecutionContext,
  answers: (Response | Error)[],
  options: Parameters<ReturnType<typeof createClient>['watchCall']>[1] = {},
) => {
  const { client, sent } = clientAnswered(answers);
  const news: string[] = [];
  const failure = await (async () => {
    for await (const one of client.watchCall({ call_id: 'c' }, { retryMs: 1, ...options }))
      news.push(one.type === 'fact' ? String(one.event.sequence) : one.state.call);
  })().catch((error: unknown) => error);
  for (const { headers } of sent) t.is(headers['accept'], 'text/event-stream');
  return { news, failure, asked: sent.map(({ headers }) => headers['last-event-id']) };
};

const fact = (sequence: number): string => `id: ${sequence}\nevent: fact\ndata: {"sequence":${sequence}}\n\n`;
const end = 'event: end\ndata: {}\n\n';

test('a call is watched to its end', async (t) => {
  const stream = eventStream(
    'retry: 2000\n\n',
    fact(1),
    ': still here\n\n',
    'event: state\ndata: {"call":"active","conversation":null}\n\n',
    fact(2),
    end,
  );
  t.deepEqual(await watched(t, [stream]), {
    news: ['1', 'active', '2'],
    failure: undefined,
    asked: [undefined],
  });
});

test('a stream that breaks or ends too early goes on where it was', async (t) => {
  const answers = [
    eventStream(fact(1), fact(2), new TypeError('terminated')),
    new TypeError('fetch failed'),
    new Response('', { status: 503 }),
    eventStream(fact(3)),
    eventStream(end),
  ];
  t.deepEqual(await watched(t, answers), {
    news: ['1', '2', '3'],
    failure: undefined,
    asked: [undefined, '2', '2', '2', '3'],
  });
});

test('a stream is not opened again where nobody wants it, where it is refused, or for ever', async (t) => {
  const unwanted = await watched(t, [eventStream(fact(1))], { reconnect: false });
  t.like(unwanted, { news: ['1'], failure: { message: 'The stream ended before the call was over.' } });

  t.like(await watched(t, [new TypeError('fetch failed')]), { failure: { message: 'fetch failed' } });

  const refused = await watched(t, [eventStream(fact(1)), new Response('', { status: 401 })]);
  t.like(refused.failure, { status: 401 });

  const unreadable = await watched(t, [eventStream('event: fact\ndata: {\n\n')]);
  t.true(unreadable.failure instanceof SyntaxError);

  const gone = Array.from({ length: 5 }, () => new TypeError('fetch failed'));
  const inVain = await watched(t, [eventStream(fact(1)), ...gone]);
  t.like(inVain, { news: ['1'], failure: { message: 'fetch failed' } });
  t.is(inVain.asked.length, 6);
});

test('a stream ends with its signal, also while it waits to be opened again', async (t) => {
  const { client } = clientAnswered([eventStream(fact(1))]);
  const leaving = new AbortController();
  const news = client.watchCall({ call_id: 'c' }, { signal: leaving.signal, retryMs: 1e9 });
  await news.next();
  const next = news.next();
  leaving.abort(new Error('Enough'));
  await t.throwsAsync(next, { message: 'Enough' });
});
