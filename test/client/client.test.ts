/** The client library: requests, schema, server-sent events and silence. */
import { readFile } from 'node:fs/promises';
import { mock } from 'node:test';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { openApiDocument } from '#src/api/openapi.ts';
import { routes } from '#src/api/routes.ts';
import { clientSchema, generatedSchema, schemaFile, typeText } from '#src/client-generator/client-schema.ts';
import {
  type CallNews,
  type ClientOptions,
  createClient,
  pagesOf,
  TrunklineProblem,
  TrunklineUnreachable,
} from '#src/client/client.ts';
import { operations } from '#src/client/schema.ts';
import { longestSilenceMs, type ServerSentEvent, serverSentEvents } from '#src/client/server-sent-events.ts';

// Client

type Sent = { url: string; method: string; headers: Record<string, string>; body: unknown };

/** A client whose requests are recorded and answered one after the other as the test decides. */
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

test.serial('sends a metadata filter as one query parameter per metadata key', async (t) => {
  const { client, sent } = clientAnswered([json({ calls: [] })]);
  await client.listCalls({ metadata: { 'crm.deal': '7 & 8', order: 'A-1' }, limit: 5 });
  t.deepEqual(
    sent.map(({ url }) => url),
    ['http://gateway.test/api/v1/calls?metadata.crm.deal=7+%26+8&metadata.order=A-1&limit=5'],
  );
});

test.serial('sends parameters in the path, query, headers or body as the operation declares', async (t) => {
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

test.serial('rejects a path parameter that would change the URL', async (t) => {
  const { client, sent } = clientAnswered([]);
  for (const callId of ['', '.', '..'])
    await t.throwsAsync(client.getCall({ call_id: callId }), { instanceOf: TypeError });
  t.deepEqual(sent, []);
});

test.serial('uses a different API key for each request, or none', async (t) => {
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

test.serial('returns JSON, a file, or no body', async (t) => {
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

test.serial('returns the requested type if an operation offers JSON and files', async (t) => {
  const ladder = { call_id: 'x', messages: [], empty_because: 'none' };
  const text = new Response('INVITE', { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  const { client } = clientAnswered([json(ladder), text]);
  t.deepEqual(await client.getCallSip({ call_id: 'x' }), ladder);
  t.is(await client.getCallSip({ call_id: 'x', format: 'text' }), text);
});

test.serial('throws an error with all fields of the problem document', async (t) => {
  const errors = [{ path: 'to', message: 'This is required.' }];
  const document = { code: 'invalid_request', title: 'Not valid', detail: 'No.', errors, request_id: 'r1' };
  const headers = { 'content-type': 'application/problem+json; charset=utf-8', 'retry-after': '7' };
  const { client } = clientAnswered([new Response(JSON.stringify(document), { status: 400, headers })]);
  const problem = await t.throwsAsync(client.listCalls(), { instanceOf: TrunklineProblem, message: 'No.' });
  t.like(problem, { status: 400, code: 'invalid_request', detail: 'No.', title: 'Not valid', errors });
  t.like(problem, { requestId: 'r1', retryAfterSec: 7, maximum: undefined, reason: undefined });
});

test.serial('throws a problem without a code for a response from another server', async (t) => {
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

/** The error of Node's `fetch` when it cannot connect. */
const refusedConnection = (): TypeError =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' }),
  });

test.serial('throws "unreachable" with the reason if the gateway sends no complete response', async (t) => {
  const cutOff = new ReadableStream({
    pull: (controller) => controller.error(new TypeError('terminated')),
  });
  const headers = { 'content-type': 'application/json' };
  const { client } = clientAnswered([refusedConnection(), new Response(cutOff, { headers })]);
  const refused = await t.throwsAsync(client.listCalls(), { instanceOf: TrunklineUnreachable });
  t.is(refused.message, 'The gateway at http://gateway.test does not answer: ECONNREFUSED');
  t.true(refused.cause instanceof TypeError);
  const cut = await t.throwsAsync(client.listCalls(), { instanceOf: TrunklineUnreachable });
  t.is(cut.message, 'The answer of the gateway broke off: terminated');
  const { client: withoutScheme } = clientAnswered([refusedConnection()], { baseUrl: 'localhost:8080' });
  await t.throwsAsync(withoutScheme.listCalls(), { message: 'The gateway does not answer: ECONNREFUSED' });
});

test.serial('reports the names of fields that the gateway ignored', async (t) => {
  const ignored: unknown[] = [];
  const onIgnoredFields = (names: string[], operation: string) => ignored.push([operation, names]);
  const answer = new Response('{}', {
    headers: { 'content-type': 'application/json', 'x-ignored-fields': 'max_duration_secs, a.b' },
  });
  const { client } = clientAnswered([answer, json({ calls: [] })], { onIgnoredFields });
  await client.createCall({ body: { to: '01000000001' } });
  await client.listCalls();
  t.deepEqual(ignored, [['createCall', ['max_duration_secs', 'a.b']]]);
});

test.serial('does not report a key that is invalid in a header as a network failure', async (t) => {
  const { client, sent } = clientAnswered([], { key: 'gw\n_live_1' });
  const error = await t.throwsAsync(client.listCalls(), { instanceOf: TypeError });
  t.false(error instanceof TrunklineUnreachable);
  t.deepEqual(sent, []);
});

test.serial('reads all pages of a list', async (t) => {
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

test.serial('watches a call until its end', async (t) => {
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

test.serial('resumes an interrupted stream at its last position', async (t) => {
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

test.serial('does not reopen a stream that was aborted, rejected or failed repeatedly', async (t) => {
  const unwanted = await watched(t, [eventStream(fact(1))], { reconnect: false });
  t.like(unwanted, { news: ['1'], failure: { message: 'The stream ended before the call was over.' } });

  const noAnswer = await watched(t, [new TypeError('fetch failed')]);
  t.true(noAnswer.failure instanceof TrunklineUnreachable);

  const refused = await watched(t, [eventStream(fact(1)), new Response('', { status: 401 })]);
  t.like(refused.failure, { status: 401 });

  const unreadable = await watched(t, [eventStream('event: fact\ndata: {\n\n')]);
  t.true(unreadable.failure instanceof SyntaxError);

  const gone = Array.from({ length: 5 }, () => new TypeError('fetch failed'));
  const inVain = await watched(t, [eventStream(fact(1)), ...gone]);
  t.deepEqual(inVain.news, ['1']);
  t.true(inVain.failure instanceof TrunklineUnreachable);
  t.is(inVain.asked.length, 6);
});

test.serial('notifies the watcher when a stream breaks and when it is reopened', async (t) => {
  const { client } = clientAnswered([
    eventStream(fact(1), new TypeError('terminated')),
    refusedConnection(),
    eventStream(end),
  ]);
  const told: [string, number][] = [];
  const onInterrupted = (failure: Error, retryInMs: number) => told.push([failure.message, retryInMs]);
  for await (const _ of client.watchCall({ call_id: 'c' }, { retryMs: 1, onInterrupted }));
  t.deepEqual(told, [
    ['The stream of the call broke off: terminated', 1],
    ['The gateway at http://gateway.test does not answer: ECONNREFUSED', 2],
  ]);
});

test.serial('ends a stream when its signal aborts, even while it waits to reopen', async (t) => {
  const { client } = clientAnswered([eventStream(fact(1))]);
  const leaving = new AbortController();
  const news = client.watchCall({ call_id: 'c' }, { signal: leaving.signal, retryMs: 1e9 });
  await news.next();
  const next = news.next();
  leaving.abort(new Error('Enough'));
  await t.throwsAsync(next, { message: 'Enough' });
});

// Client schema

test.serial('the generated client is up to date (else run `npm run generate-client`)', async (t) => {
  const generated = await generatedSchema(openApiDocument(routes, '0.0.0'));
  const committed = await readFile(schemaFile, 'utf8');
  t.true(generated === committed, 'src/client/schema.ts is older than the routes');
});

test.serial('generates every operation of the API at its path in the client', (t) => {
  t.deepEqual(
    Object.entries(operations)
      .map(([id, { method, path }]) => `${id} ${method} ${path}`)
      .toSorted(),
    routes
      .map(({ operationId, method, path }) => `${operationId} ${method.toUpperCase()} ${path}`)
      .toSorted(),
  );
});

const becomes = test.macro<[Parameters<typeof typeText>[0], string]>({
  exec: (t, schema, text) => t.is(typeText(schema).replaceAll(/\s+/g, ' '), text),
  title: (_, schema, text) => `generates the type ${text} for ${JSON.stringify(schema)}`,
});

test.serial(becomes, { type: 'integer' }, 'number');
test.serial(becomes, { type: ['string', 'null'] }, 'string | null');
test.serial(becomes, { type: 'string', const: 'ringing' }, '"ringing"');
test.serial(becomes, { type: 'string', enum: ['a', 'b'] }, '"a" | "b"');
test.serial(becomes, { $ref: '#/components/schemas/Call', description: 'One.' }, 'Call');
test.serial(
  becomes,
  { anyOf: [{ $ref: '#/components/schemas/EndReason' }, { type: 'null' }] },
  'EndReason | null',
);
test.serial(becomes, { type: 'array', items: { type: ['number', 'null'] } }, '(number | null)[]');
test.serial(becomes, { type: 'object', additionalProperties: { type: 'string' } }, 'Record<string, string>');
test.serial(becomes, { type: 'object' }, 'Record<string, unknown>');
test.serial(becomes, {}, 'unknown');
test.serial(
  becomes,
  {
    type: 'object',
    properties: { a: { type: 'boolean', description: 'Ends */ no comment.' }, 'b-c': { type: 'string' } },
    required: ['a'],
  },
  '{ /** Ends *\\/ no comment. */ a: boolean; "b-c"?: string | undefined; }',
);

test.serial('rejects an operation with two parameters of the same name', (t) => {
  const parameters = [
    { in: 'path', name: 'id', required: true, schema: { type: 'string' } },
    { in: 'query', name: 'id', schema: { type: 'string' } },
  ] as const;
  const get = { operationId: 'getOne', parameters: [...parameters], responses: {} };
  t.throws(
    () => clientSchema({ openapi: '3.1.1', info: { title: 't', version: '1' }, paths: { '/{id}': { get } } }),
    { message: 'getOne has a name twice' },
  );
});

// Server sent events

/** The events of a body in these chunks. */
const eventsIn = async (pieces: readonly Uint8Array[]): Promise<ServerSentEvent[]> => {
  const waiting = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = waiting.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
  const events: ServerSentEvent[] = [];
  for await (const event of serverSentEvents(body)) events.push(event);
  return events;
};

const lines = [
  'retry: 2000',
  '',
  ': a comment',
  'id: 7',
  'event: fact',
  'data: {"text":',
  'data:"네"}',
  '',
  'data',
  '',
  'id: 8',
  '',
];
const expected: ServerSentEvent[] = [
  { event: 'fact', id: '7', data: '{"text":\n"네"}' },
  { event: 'message', id: undefined, data: '' },
];

test.serial('reads the same events for any line ends and chunking', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('\n', '\r', '\r\n'),
      fc.array(fc.nat({ max: 120 }), { maxLength: 6 }),
      async (lineEnd, places) => {
        const bytes = new TextEncoder().encode(lines.map((line) => `${line}${lineEnd}`).join(''));
        const cuts = [0, ...places.filter((place) => place < bytes.length).toSorted((a, b) => a - b)];
        const pieces = cuts.map((cut, index) => bytes.slice(cut, cuts[index + 1]));
        t.deepEqual(await eventsIn(pieces), expected);
      },
    ),
  );
});

test.serial('drops a truncated event at the end of a stream', async (t) => {
  t.deepEqual(await eventsIn([new TextEncoder().encode('data: 1\n\ndata: 2\n')]), [
    { event: 'message', id: undefined, data: '1' },
  ]);
});

test.serial('closes the stream when the reader stops early', async (t) => {
  const left = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
    cancel: () => left.resolve(),
  });
  for await (const { data } of serverSentEvents(body)) {
    t.is(data, '1');
    break;
  }
  await left.promise;
});

// Silence
// A connection whose other side vanished, on a clock that the test controls.

const state = 'event: state\ndata: {"call":"ringing","conversation":null,"voicemail":null}\n\n';

/** A gateway whose stream sends what the test decides, and never ends by itself. */
const openStream = () => {
  const { readable, writable } = new TransformStream<string, string>();
  const writer = writable.getWriter();
  const body = readable.pipeThrough(new TextEncoderStream());
  const client = createClient({
    baseUrl: 'http://gateway',
    fetch: () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
  });
  return { say: (text: string) => writer.write(text), watch: client.watchWorkspaceCall };
};

/** Everything that does not wait for a timer has happened. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test.serial('treats a silent stream as broken, and comments as activity', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const { say, watch } = openStream();
  const news: CallNews['type'][] = [];
  let broken: unknown;
  const watching = (async () => {
    try {
      for await (const one of watch({ call_id: 'c' }, { reconnect: false })) news.push(one.type);
    } catch (error) {
      broken = error;
    }
  })();
  await settled();
  await say(state);
  await settled();
  for (let comments = 0; comments < 3; comments += 1) {
    mock.timers.tick(longestSilenceMs - 1);
    await say(': still here\n\n');
    await settled();
  }
  t.deepEqual([news, broken], [['state'], undefined]);
  mock.timers.tick(longestSilenceMs - 1);
  await settled();
  t.is(broken, undefined);
  mock.timers.tick(1);
  await watching;
  t.regex(String(broken), /Nothing came for 40000 milliseconds/);
});
