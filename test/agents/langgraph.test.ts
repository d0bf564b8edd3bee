/** LangGraph agents: requests, barge-in, cancelled runs and the contents of the thread. */
import test from 'ava';
import * as fc from 'fast-check';
import { SimulatedClock } from 'xstate';
import { createSaidWords } from '#src/agents/langgraph/said-messages.ts';
import { createEmittedMessages } from '#src/agents/langgraph/runs.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { type Answer, hangUpConnection, sendBody, sendJson, stayQuiet } from '#test/helpers/agent-server.ts';
import { heardParts } from '#test/helpers/heard-reply.ts';
import { everyCut, recordedReplies, repliesWithControls } from '#test/helpers/recorded-replies.ts';
import {
  busy,
  callId,
  cancelPath,
  event,
  firstWords,
  keepSpeaking,
  kindOf,
  located,
  metadata,
  onDemand,
  partial,
  speak,
  startGraph,
  stream,
} from './langgraph/graph-server.ts';
import { hearRun, runOf } from './langgraph/hear-run.ts';

// LangGraph

const gw = `{"call_id":"${callId}","direction":"outbound","from":"0212345678","to":"01000000001","language":"ko"}`;

test.serial('sends requests that match the documentation byte for byte', async (t) => {
  const { server, say } = await startGraph(t, { changes: { bearerToken: 'secret-token' } });
  t.like(await say('네, "누구"세요?'), { text: '네.', error: undefined, remarks: [] });
  const [thread, run] = server.requests;
  t.like(thread, {
    method: 'POST',
    path: '/threads',
    body: `{"thread_id":"${callId}","if_exists":"do_nothing"}`,
  });
  t.like(run, {
    method: 'POST',
    path: `/threads/${callId}/runs/stream`,
    body:
      '{"assistant_id":"support","input":{"messages":[{"role":"user","content":"네, \\"누구\\"세요?"}]},' +
      `"stream_mode":"messages","config":{"configurable":{"gw":${gw}}}}`,
  });
});

test.serial('fails without a request when the binding has no assistant ID', async (t) => {
  const { server, say } = await startGraph(t, {
    changes: {
      binding: {
        direction: 'outbound',
        agent: 'endpoint',
        agentType: 'langgraph',
        chatUrl: 'https://graph.example.com',
        assistantId: null,
        agentId: null,
        controls: 'off',
        model: null,
        prompt: null,
        tools: null,
      },
    },
  });
  const { text, error } = await say('여보세요?');
  t.is(text, '');
  t.like(error, { failure: 'no_reply', message: 'the binding has no assistant ID' });
  t.deepEqual(server.requests, []);
});

const bases: [title: string, base: string, thread: string, query: string][] = [
  ['a trailing slash', '/', '/threads', ''],
  ['a deep path', '/eu/graphs', '/eu/graphs/threads', ''],
  ['a deep path and slashes', '/eu/graphs//', '/eu/graphs/threads', ''],
  ['a query', '/eu/?key=a%2Fb', '/eu/threads', '?key=a%2Fb'],
];
for (const [title, base, thread, query] of bases) {
  test.serial(`accepts a chat URL with ${title}`, async (t) => {
    const { server, reply } = await startGraph(t, { base, runs: keepSpeaking('네') });
    for await (const _ of reply('여보세요?')) break;
    await server.received(3);
    t.deepEqual(
      server.requests.map(({ path }) => path),
      [
        `${thread}${query}`,
        `${thread}/${callId}/runs/stream${query}`,
        `${thread}/${callId}/runs/run-1/cancel${query}`,
      ],
    );
  });
}

test.serial('sends a run only the messages that its thread does not have yet', async (t) => {
  const { history, say, given } = await startGraph(t);
  history.push({ role: 'assistant', content: '안녕하세요.' });
  await say(kickoffFor('예약 확인'));
  history.push({ role: 'assistant', content: '네.' });
  await say('여보세요?');
  t.deepEqual(given(), [[kickoffFor('예약 확인')], ['여보세요?']]);
});

test.serial('sends messages of a failed run again with the next turn', async (t) => {
  const { say, given } = await startGraph(t, {
    runs: [sendBody('', 500), sendBody('', 429), speak('네.')],
  });
  await say('하나');
  await say('둘');
  await say('셋');
  await say('넷');
  t.deepEqual(given(), [['하나'], ['하나', '둘'], ['하나', '둘', '셋'], ['넷']]);
});

test.serial('creates the thread once per call, at its start', async (t) => {
  const { agent, server, say, asked } = await startGraph(t);
  agent.begin?.();
  await server.received(1);
  await say('하나');
  await say('둘');
  t.deepEqual(asked(), ['thread', 'run', 'run']);
});

test.serial('delays a turn until the thread is created', async (t) => {
  let answerThread = (): void => undefined;
  const { agent, server, say, asked } = await startGraph(t, {
    threads: (response) => {
      answerThread = () => void response.end('{}');
    },
  });
  agent.begin?.();
  const said = say('하나');
  await server.received(1);
  t.deepEqual(asked(), ['thread']);
  answerThread();
  t.is((await said).text, '네.');
  t.deepEqual(asked(), ['thread', 'run']);
});

test.serial('a failed thread creation fails the turn and is retried with the next one', async (t) => {
  const { agent, say, asked } = await startGraph(t, {
    threads: [sendJson({ detail: 'Not authenticated' }, 403), sendJson({})],
  });
  agent.begin?.();
  t.like((await say('하나')).error, {
    failure: 'http_error',
    status: 403,
    serverSays: '{"detail":"Not authenticated"}',
  });
  t.like(await say('둘'), { text: '네.', error: undefined });
  t.deepEqual(asked(), ['thread', 'thread', 'run']);
});

test.serial('a thread creation that times out fails the turn and is retried with the next one', async (t) => {
  const clock = new SimulatedClock();
  const { server, say } = await startGraph(t, { clock, threads: [stayQuiet, sendJson({})] });
  const said = say('하나');
  await server.received(1);
  clock.increment(8_000);
  t.like((await said).error, { failure: 'first_token_timeout' });
  t.is((await say('둘')).text, '네.');
});

test.serial('keeps a thread creation running when its turn is interrupted, for the next turn', async (t) => {
  let answerThread = (): void => undefined;
  const { server, say, asked, given } = await startGraph(t, {
    threads: (response) => {
      answerThread = () => void response.end('{}');
    },
  });
  const abort = new AbortController();
  const interrupted = say('하나', abort.signal);
  await server.received(1);
  abort.abort();
  t.like((await interrupted).error, { name: 'AbortError' });
  const said = say('둘');
  answerThread();
  t.is((await said).text, '네.');
  t.deepEqual(asked(), ['thread', 'run']);
  t.deepEqual(given(), [['하나', '둘']]);
});

test.serial('aborts a pending thread creation at the end of the call', async (t) => {
  const { agent, server } = await startGraph(t, { threads: stayQuiet });
  agent.begin?.();
  await server.received(1);
  const closed = server.responseClosed();
  agent.close?.();
  await closed;
  t.is(server.counts.aborted, 1);
});

for (const status of [404, 409, 422]) {
  test.serial(`creates the thread again and retries the turn after HTTP ${status} of a run`, async (t) => {
    const { say, asked, given } = await startGraph(t, { runs: [sendBody('no', status), speak('네.')] });
    t.like(await say('하나'), { text: '네.', error: undefined });
    t.deepEqual(asked(), ['thread', 'run', 'thread', 'run']);
    t.deepEqual(given(), [['하나'], ['하나']]);
  });

  test.serial(`fails the turn after a second HTTP ${status} of a run`, async (t) => {
    const { say, asked } = await startGraph(t, { runs: sendBody('no', status) });
    t.like((await say('하나')).error, { failure: 'http_error', status, serverSays: 'no' });
    t.deepEqual(asked(), ['thread', 'run', 'thread', 'run']);
  });
}

test.serial('interrupts a run that an earlier gateway of the call left on the thread', async (t) => {
  const isInterrupting = (body: string): boolean => JSON.parse(body).multitask_strategy === 'interrupt';
  const { say, server, given } = await startGraph(t, {
    threads: sendJson({ created_at: '2026-11-21T03:36:05Z' }),
    runs: (response, request) => (isInterrupting(request.body) ? speak('네.') : busy)(response, request),
    changes: { turnsReceived: 0 },
  });
  t.like(await say(kickoffFor('예약 확인')), { text: '네.', error: undefined });
  const runs = server.requests.filter((request) => kindOf(request) === 'run');
  t.deepEqual(
    runs.map(({ body }) => isInterrupting(body)),
    [false, true],
  );
  t.deepEqual(given(), [[kickoffFor('예약 확인')], [kickoffFor('예약 확인')]]);
});

test.serial('does not ask the server to interrupt runs after a run of its own', async (t) => {
  const { say, server } = await startGraph(t, { runs: [speak('네.'), busy, speak('그럼요.')] });
  await say('하나');
  t.is((await say('둘')).text, '그럼요.');
  t.false(server.requests.some(({ body }) => body.includes('multitask_strategy')));
});

test.serial('fails the turn when a lost thread cannot be created again', async (t) => {
  const { say, asked } = await startGraph(t, { runs: busy, threads: [sendJson({}), sendBody('', 503)] });
  t.like((await say('하나')).error, { failure: 'http_error', status: 503 });
  t.deepEqual(asked(), ['thread', 'run', 'thread']);
});

const failed = recordedReplies('langgraph').filter(({ response }) => response.status >= 400);
for (const { name, bytes, request, response, expect } of failed) {
  if (request?.path.endsWith('/cancel') === true) continue;
  const isRun = request?.path.endsWith('/runs/stream');
  test.serial(`fails without spoken text when the server sends the recorded error ${name}`, async (t) => {
    const answer = sendBody(bytes, response.status, { 'content-type': 'text/plain' });
    const { say, asked } = await startGraph(t, isRun === true ? { runs: answer } : { threads: answer });
    t.like(await say('hi'), {
      text: '',
      error: { failure: 'http_error', message: expect.failure, serverSays: bytes.toString().trim() },
    });
    const isRetried = isRun === true && response.status !== 400;
    t.is(asked().filter((kind) => kind === 'thread').length, isRetried ? 2 : 1);
  });
}

const runsPath = recordedReplies('langgraph').filter(
  ({ request, response }) => response.status === 200 && request?.path !== '/threads',
);
for (const { name, bytes, response, expect } of runsPath) {
  test.serial(`speaks the recorded response ${name} unchanged`, async (t) => {
    const { 'transfer-encoding': _, ...headers } = response.headers;
    const { say, asked } = await startGraph(t, { runs: sendBody(bytes, 200, headers) });
    const { text, error } = await say('hi');
    if (expect.spoken !== undefined) t.is(text, expect.spoken);
    t.is(error === undefined, expect.failure === undefined && expect.spoken !== '');
    await say('hi');
    t.deepEqual(asked(), ['thread', 'run', 'run'], 'nothing is left to cancel');
  });
}

test.serial('fails the reply when the response is empty', async (t) => {
  const { say } = await startGraph(t, { runs: sendBody('') });
  t.like((await say('hi')).error, { failure: 'no_reply' });
});

test.serial('fails when a stream is too large, and cancels its run', async (t) => {
  const { server, say, asked } = await startGraph(t, {
    runs: (response) => {
      response
        .writeHead(200, { 'content-location': '/runs/run-1' })
        .write(`event: x\ndata: ${'x'.repeat(3 * 1024 * 1024)}`);
    },
  });
  t.like((await say('hi')).error, { failure: 'reply_too_large' });
  await server.received(3);
  t.deepEqual(asked(), ['thread', 'run', 'cancel']);
});

test.serial('creates a lost thread again and sends it the whole conversation', async (t) => {
  const { say, history, asked, server } = await startGraph(t, {
    threads: [
      sendJson({ created_at: '2026-11-21T03:36:05Z' }),
      sendJson({ created_at: '2026-11-21T03:40:00Z' }),
    ],
    runs: [speak('네.'), busy, speak('그럼요.'), speak('끝.')],
  });
  await say('하나');
  history.push({ role: 'assistant', content: '네.' });
  t.is((await say('둘')).text, '그럼요.');
  history.push({ role: 'assistant', content: '그럼요.' });
  await say('셋');
  t.deepEqual(asked(), ['thread', 'run', 'run', 'thread', 'run', 'run']);
  const inputs = server.requests
    .filter((request) => kindOf(request) === 'run')
    .map(({ body }): unknown => JSON.parse(body).input.messages);
  const first = { role: 'user', content: '하나' };
  t.deepEqual(inputs, [
    [first],
    [{ role: 'user', content: '둘' }],
    [first, { role: 'assistant', content: '네.' }, { role: 'user', content: '둘' }],
    [{ role: 'user', content: '셋' }],
  ]);
});

for (const [title, again] of [
  ['returns the same creation time', sendJson({ created_at: '2026-11-21T03:36:05Z' })],
  ['returns no creation time', sendJson({ thread_id: 'x' })],
  ['returns something other than JSON', sendBody('OK')],
] as const) {
  test.serial(
    `does not send the history again to a busy thread whose repeated creation ${title}`,
    async (t) => {
      const { say, given } = await startGraph(t, {
        threads: [sendJson({ created_at: '2026-11-21T03:36:05Z' }), again],
        runs: [speak('네.'), busy, speak('그럼요.')],
      });
      await say('하나');
      t.is((await say('둘')).text, '그럼요.');
      t.deepEqual(given(), [['하나'], ['둘'], ['둘']]);
    },
  );
}

// Barge-in
// An abandoned run: the server would continue it, and the thread accepts no other meanwhile.

test.serial('an aborted reply closes the stream and cancels the run', async (t) => {
  const graph = await startGraph(t, {
    runs: keepSpeaking('네'),
    changes: { bearerToken: 'secret-token', headers: { 'x-api-key': 'key-of-the-server' } },
  });
  const { abort, pieces, words } = await firstWords(graph, '하나');
  t.is(words, '네');
  const next = pieces.next();
  const closed = graph.server.responseClosed();
  abort.abort();
  await t.throwsAsync(Promise.resolve(next), { name: 'AbortError' });
  await closed;
  await graph.server.received(3);
  const cancel = graph.server.requests[2];
  t.like(cancel, { method: 'POST', path: cancelPath, body: '' });
  const { traceparent, ...headers } = cancel?.headers ?? {};
  t.deepEqual(headers, {
    host: `127.0.0.1:${graph.server.port}`,
    connection: 'keep-alive',
    'content-length': '0',
    'accept-encoding': 'identity',
    'user-agent': 'Trunkline',
    authorization: 'Bearer secret-token',
    'x-api-key': 'key-of-the-server',
  });
  t.regex(String(traceparent), /^00-7f9c2f6e4f0e4b7e9b1c2d1d5a1e0c11-/);
});

test.serial('sends the cancel without authorization when there is no token', async (t) => {
  const graph = await startGraph(t, { runs: keepSpeaking('네') });
  (await firstWords(graph, '하나')).abort.abort();
  await graph.server.received(3);
  t.false('authorization' in (graph.server.requests[2]?.headers ?? {}));
});

test.serial('an aborted reply cancels the run even while no reader waits for data', async (t) => {
  const graph = await startGraph(t, { runs: keepSpeaking('네') });
  const { abort } = await firstWords(graph, '하나');
  const closed = graph.server.responseClosed();
  abort.abort();
  await closed;
  await graph.server.received(3);
  t.is(graph.server.requests[2]?.path, cancelPath);
});

test.serial('cancels the run once when the reader stops early', async (t) => {
  const graph = await startGraph(t, { runs: [keepSpeaking('네'), speak('그럼요.', 'run-2')] });
  const { abort, pieces } = await firstWords(graph, '하나');
  await pieces.return?.();
  abort.abort();
  graph.agent.close?.();
  t.is((await graph.say('둘')).text, '그럼요.');
  t.deepEqual(graph.asked(), ['thread', 'run', 'cancel', 'run']);
});

test.serial('delays the next turn until the run is cancelled, and sends only the new words', async (t) => {
  const { hold, release } = onDemand();
  const graph = await startGraph(t, {
    runs: [keepSpeaking('네'), speak('그럼요.', 'run-2')],
    cancels: hold(sendBody('', 202)),
  });
  (await firstWords(graph, '하나')).abort.abort();
  const said = graph.say('둘');
  await graph.server.received(3);
  t.deepEqual(graph.asked(), ['thread', 'run', 'cancel']);
  release();
  t.like(await said, { text: '그럼요.', remarks: [] });
  t.deepEqual(graph.given(), [['하나'], ['둘']]);
});

test.serial('delays the next turn for a cancel only up to a time limit', async (t) => {
  const clock = new SimulatedClock();
  const graph = await startGraph(t, {
    clock,
    runs: [keepSpeaking('네'), speak('그럼요.', 'run-2')],
    cancels: stayQuiet,
  });
  (await firstWords(graph, '하나')).abort.abort();
  const said = graph.say('둘');
  await graph.server.received(3);
  clock.increment(1_500);
  t.like(await said, {
    text: '그럼요.',
    remarks: ['the abandoned run was not cancelled before the next turn'],
  });
});

test.serial('never sends a turn that is interrupted while it waits for a cancel', async (t) => {
  const graph = await startGraph(t, { runs: keepSpeaking('네'), cancels: stayQuiet });
  (await firstWords(graph, '하나')).abort.abort();
  const abort = new AbortController();
  const said = graph.say('둘', abort.signal);
  await graph.server.received(3);
  abort.abort();
  t.like((await said).error, { name: 'AbortError' });
  t.deepEqual(graph.asked(), ['thread', 'run', 'cancel']);
});

test.serial('waits for the headers of an aborted request, then cancels its run', async (t) => {
  const { hold, release } = onDemand();
  const graph = await startGraph(t, {
    runs: [hold(keepSpeaking('네')), speak('그럼요.', 'run-2')],
  });
  const abort = new AbortController();
  const interrupted = graph.say('하나', abort.signal);
  await graph.server.received(2);
  abort.abort();
  t.like(await interrupted, { text: '', error: { name: 'AbortError' } });
  const said = graph.say('둘');
  t.is(graph.server.counts.aborted, 0);
  release();
  t.like(await said, { text: '그럼요.', remarks: [] });
  t.deepEqual(graph.asked(), ['thread', 'run', 'cancel', 'run']);
  t.is(graph.server.requests[2]?.path, cancelPath);
  t.deepEqual(graph.given(), [['하나'], ['하나', '둘']], 'a run that had not begun has taken nothing');
});

test.serial('aborts a request after a time limit when its headers never arrive', async (t) => {
  const clock = new SimulatedClock();
  const graph = await startGraph(t, { clock, runs: [stayQuiet, speak('그럼요.', 'run-2')] });
  const abort = new AbortController();
  const interrupted = graph.say('하나', abort.signal);
  await graph.server.received(2);
  abort.abort();
  await interrupted;
  const closed = graph.server.responseClosed();
  clock.increment(2_000);
  await closed;
  t.like(await graph.say('둘'), {
    text: '그럼요.',
    remarks: ['the abandoned run could not be cancelled: the server has not named it'],
  });
  t.deepEqual(graph.asked(), ['thread', 'run', 'run']);
});

test.serial('sends no cancel for an aborted request that the server rejected', async (t) => {
  const { hold, release } = onDemand();
  const graph = await startGraph(t, { runs: [hold(sendBody('', 500)), speak('그럼요.')] });
  const abort = new AbortController();
  const interrupted = graph.say('하나', abort.signal);
  await graph.server.received(2);
  abort.abort();
  await interrupted;
  release();
  t.like(await graph.say('둘'), { text: '그럼요.', remarks: [] });
  t.deepEqual(graph.asked(), ['thread', 'run', 'run']);
});

test.serial('does not cancel a finished run', async (t) => {
  const graph = await startGraph(t);
  const abort = new AbortController();
  await graph.say('하나', abort.signal);
  abort.abort();
  await graph.say('둘');
  graph.agent.close?.();
  await graph.say('셋');
  t.deepEqual(graph.asked(), ['thread', 'run', 'run', 'run']);
});

test.serial('does not cancel a failed run', async (t) => {
  const error = event('error', { error: 'Error', message: 'boom' });
  const graph = await startGraph(t, {
    runs: [sendBody(metadata('run-1') + error, 200, { ...stream, ...located('run-1') }), speak('네.')],
  });
  t.like((await graph.say('하나')).error, { serverSays: 'boom' });
  t.is((await graph.say('둘')).text, '네.');
  t.deepEqual(graph.asked(), ['thread', 'run', 'run']);
});

test.serial('cancels the run when its connection breaks', async (t) => {
  const graph = await startGraph(t, {
    runs: [
      (response) => {
        response.writeHead(200, { ...stream, ...located('run-1') });
        response.write(metadata('run-1') + partial('네'), () => response.destroy());
      },
      speak('그럼요.', 'run-2'),
    ],
  });
  t.like(await graph.say('하나'), { text: '네', error: { failure: 'connection_failed' } });
  t.is((await graph.say('둘')).text, '그럼요.');
  t.deepEqual(graph.asked(), ['thread', 'run', 'cancel', 'run']);
});

test.serial('cancels a running run at the end of the call', async (t) => {
  const graph = await startGraph(t, { runs: keepSpeaking('네') });
  await firstWords(graph, '하나');
  graph.agent.close?.();
  await graph.server.received(3);
  t.is(graph.server.requests[2]?.path, cancelPath);
});

test.serial('sends no request for a reply that is already aborted', async (t) => {
  const graph = await startGraph(t);
  t.like((await graph.say('하나', AbortSignal.abort())).error, { name: 'AbortError' });
  t.deepEqual(graph.asked(), []);
});

// Cancel run
// Cancelling a run: the source of its id, and a failed cancel.

test.serial('reads the run id from the first event when the header is missing', async (t) => {
  const graph = await startGraph(t, { runs: [keepSpeaking('네', 'run-1', {}), speak('그럼요.')] });
  (await firstWords(graph, '하나')).abort.abort();
  t.is((await graph.say('둘')).text, '그럼요.');
  t.is(graph.server.requests[2]?.path, cancelPath);
});

test.serial('waits for the first event before cancelling when no header contains the run id', async (t) => {
  const { hold, release } = onDemand();
  const graph = await startGraph(t, {
    runs: [
      (response, request) => {
        response.writeHead(200, stream).write(': heartbeat\n\n');
        return hold(() => void response.write(metadata('run-1')))(response, request);
      },
      speak('그럼요.', 'run-2'),
    ],
  });
  const abort = new AbortController();
  const interrupted = graph.say('하나', abort.signal);
  await graph.server.received(2);
  abort.abort();
  await interrupted;
  release();
  t.is((await graph.say('둘')).text, '그럼요.');
  t.is(graph.server.requests[2]?.path, cancelPath);
});

const locations: [title: string, headers: Record<string, string>, id: string][] = [
  [
    'Content-Location behind a proxy',
    { 'content-location': `/graphs/threads/${callId}/runs/run-1` },
    'run-1',
  ],
  ['a complete URL', { 'content-location': `https://example.com/threads/${callId}/runs/run-1?x=1` }, 'run-1'],
  ['Location', { location: `/threads/${callId}/runs/run-1/stream` }, 'run-1'],
  ['an ID that is a path', { 'content-location': '/runs/..%2F..%2Fadmin' }, 'run-0'],
];
for (const [title, headers, id] of locations) {
  test.serial(`reads the run id from response headers: ${title}`, async (t) => {
    const graph = await startGraph(t, { runs: keepSpeaking('네', 'run-0', headers) });
    (await firstWords(graph, '하나')).abort.abort();
    await graph.server.received(3);
    t.is(graph.server.requests[2]?.path, `/threads/${callId}/runs/${id}/cancel`);
  });
}

test.serial('logs that a run without an id cannot be cancelled', async (t) => {
  const graph = await startGraph(t, {
    runs: [(response) => void response.writeHead(200, stream).write(partial('네')), speak('그럼요.')],
  });
  (await firstWords(graph, '하나')).abort.abort();
  t.deepEqual((await graph.say('둘')).remarks, [
    'the abandoned run could not be cancelled: the server has not named it',
  ]);
  t.deepEqual(graph.asked(), ['thread', 'run', 'run']);
});

const failedCancels: [title: string, answer: Answer, reason: string][] = [
  ['404', sendBody('Run not found', 404), 'HTTP 404'],
  ['500', sendBody('', 500), 'HTTP 500'],
  ['a redirect', sendBody('', 302, { location: '/' }), 'redirect_refused, HTTP 302'],
  ['a connection that breaks', hangUpConnection, 'connection_failed, UND_ERR_SOCKET'],
];
for (const [title, answer, reason] of failedCancels) {
  test.serial(`logs the reason of a failed cancel: ${title}`, async (t) => {
    const graph = await startGraph(t, {
      runs: [keepSpeaking('네'), speak('그럼요.', 'run-2')],
      cancels: answer,
    });
    (await firstWords(graph, '하나')).abort.abort();
    t.like(await graph.say('둘'), {
      text: '그럼요.',
      error: undefined,
      remarks: [`the abandoned run could not be cancelled: ${reason}`],
    });
  });
}

test.serial('limits the time of a cancel independently of the reply', async (t) => {
  const clock = new SimulatedClock();
  const graph = await startGraph(t, {
    clock,
    runs: [keepSpeaking('네'), speak('그럼요.')],
    cancels: stayQuiet,
  });
  (await firstWords(graph, '하나')).abort.abort();
  await graph.server.received(3);
  const closed = graph.server.responseClosed();
  clock.increment(3_000);
  await closed;
  t.deepEqual((await graph.say('둘')).remarks, [
    'the abandoned run could not be cancelled: no answer within 3 s',
  ]);
});

test.serial('cancels the abandoned run again when the thread is still busy', async (t) => {
  const graph = await startGraph(t, {
    runs: [keepSpeaking('네'), busy, speak('그럼요.', 'run-2')],
    cancels: [sendBody('', 500), sendBody('', 202)],
  });
  (await firstWords(graph, '하나')).abort.abort();
  t.like(await graph.say('둘'), { text: '그럼요.', error: undefined });
  t.deepEqual(graph.asked(), ['thread', 'run', 'cancel', 'run', 'thread', 'cancel', 'run']);
  t.deepEqual(graph.given(), [['하나'], ['둘'], ['둘']]);
});

test.serial('remembers the abandoned run when the server rejects the next turn', async (t) => {
  const graph = await startGraph(t, {
    runs: [keepSpeaking('네'), sendBody('', 500), busy, speak('그럼요.', 'run-2')],
  });
  (await firstWords(graph, '하나')).abort.abort();
  t.like((await graph.say('둘')).error, { status: 500 });
  t.is((await graph.say('셋')).text, '그럼요.');
  const cancels = graph.server.requests.filter(({ path }) => path === cancelPath);
  t.is(cancels.length, 2);
  t.deepEqual(graph.given().at(-1), ['둘', '셋']);
});

// Chunking

const start = metadata('run-1');
const ai = (content: string) => ({ content, id: 'a', type: 'ai', tool_calls: [] });

const isRun = ({ request, response }: ReturnType<typeof recordedReplies>[number]): boolean =>
  response.status === 200 && request?.path !== '/threads';
const runsPerCut = recordedReplies('langgraph').filter(isRun);

/** Testing every split into two takes quadratic time; single bytes split a long body everywhere at once. */
const cutsOf = (bytes: Buffer): Iterable<Buffer[]> =>
  bytes.length <= 4_096
    ? everyCut(bytes)
    : [[bytes], Array.from(bytes, (_, place) => bytes.subarray(place, place + 1))];

for (const { name, bytes, expect } of runsPerCut) {
  test.serial(`speaks the expected text of the recorded reply ${name} for any chunking`, async (t) => {
    const whole = await hearRun([bytes]);
    if (expect.spoken !== undefined) t.is(whole.text, expect.spoken);
    if (expect.failure !== undefined) {
      t.like(whole.error, { failure: 'agent_reported_error', serverSays: expect.failure });
    } else if (expect.spoken === '') t.like(whole.error, { failure: 'no_reply' });
    else t.is(whole.error, undefined);
    if (expect.interrupt === true) t.regex(String(whole.error), /interrupt/);
    for (const pieces of cutsOf(bytes)) {
      const { text, sentences, remarks, error } = await hearRun(pieces);
      if (text !== whole.text || (error === undefined) !== (whole.error === undefined)) {
        t.fail(`cut into ${pieces.map(({ length }) => length).join('+')}: ${text}`);
      }
      t.deepEqual([sentences, remarks], [whole.sentences, whole.remarks]);
    }
  });
}

for (const { name, heard, cuts } of repliesWithControls('langgraph')) {
  test.serial(`returns the expected parts of the recorded reply ${name} for any chunking`, async (t) => {
    for (const pieces of cuts()) t.deepEqual(await heardParts(runOf(pieces)), heard);
  });
}

const noise = fc.constantFrom(
  ': heartbeat\n\n',
  ':\n',
  'id: 7\nretry: 10\n\n',
  'event: custom\ndata: {"content":"아니요","type":"ai"}\n\n',
  'event: messages/metadata\ndata: {"a":{"metadata":{}}}\n\n',
  'event: values\ndata: {"messages":[{"content":"아니요","type":"ai","id":"z"}]}\n\n',
  'event: messages/tool\ndata: [{"content":"아니요","type":"ai","id":"z"}]\n\n',
  'event: messages/complete\ndata: [{"content":"아니요","type":"tool","id":"z"}]\n\n',
  'color: blue\n\n',
  '\n',
);

test.serial('reads the same reply for any line ends, chunking, comments and unknown events', async (t) => {
  const reply = fc.record({
    words: fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 6,
    }),
    noise: fc.array(noise, { minLength: 8, maxLength: 8 }),
    mode: fc.constantFrom('partial', 'tuple', 'complete'),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    size: fc.integer({ min: 1, max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(reply, async ({ words, noise: between, mode, lineEnd, size }) => {
      const whole = words.join('');
      const events =
        mode === 'complete'
          ? [event('messages/complete', [{ content: '네?', id: 'h', type: 'human' }, ai(whole)])]
          : words.map((word, index) =>
              mode === 'tuple'
                ? event('messages', [{ ...ai(word), type: 'AIMessageChunk' }, { langgraph_node: 'say' }])
                : event('messages/partial', [ai(words.slice(0, index + 1).join(''))]),
            );
      const stream = [start, ...events].flatMap((text, index) => [between[index] ?? '', text]).join('');
      const bytes = Buffer.from(stream.replaceAll('\n', lineEnd));
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const { text, error } = await hearRun(pieces);
      return text === whole && error === undefined;
    }),
    { numRuns: 300 },
  );
  t.pass();
});

// Spoken words

test('accumulates the spoken text of a message', (t) => {
  const said = createSaidWords();
  t.is(said.of('a'), '');
  said.add('a', 'Good ');
  said.add('a', 'morning.');
  t.is(said.of('a'), 'Good morning.');
});

test('detects the same words under another message id as a repetition, regardless of spaces', (t) => {
  const said = createSaidWords();
  said.add('a', 'Good morning. ');
  t.true(said.repeats({ id: 'b', text: ' Good morning.' }));
  t.false(said.repeats({ id: 'b', text: 'Good evening.' }));
});

test('does not treat a message as a repetition of itself, nor one without an id', (t) => {
  const said = createSaidWords();
  said.add('a', 'Good morning.');
  t.false(said.repeats({ id: 'a', text: 'Good morning.' }));
  t.false(said.repeats({ id: '', text: 'Good morning.' }));
});

test('detects repetitions only of complete, still remembered messages', (t) => {
  const said = createSaidWords();
  said.add('a', 'Good');
  t.true(said.repeats({ id: 'b', text: 'Good' }));
  said.add('a', ' morning.');
  t.false(said.repeats({ id: 'b', text: 'Good' }));
  t.true(said.repeats({ id: 'b', text: 'Good morning.' }));
  said.remove('a');
  t.false(said.repeats({ id: 'b', text: 'Good morning.' }));
});

// Sent messages

const user = (content: string) => ({ role: 'user', content }) as const;
const agent = (content: string) => ({ role: 'assistant', content }) as const;

test("sends a thread only the user's messages that it does not have yet", (t) => {
  const told = createEmittedMessages();
  const first = [agent('Hello.'), user('One.')];
  t.deepEqual(told.unsent(first), [user('One.')]);
  told.hold(first);
  const second = [...first, agent('Yes?'), user('Two.'), user('Three.')];
  t.deepEqual(told.unsent(second), [user('Two.'), user('Three.')]);
});

test('sends messages that no run received with the next run', (t) => {
  const told = createEmittedMessages();
  told.hold([user('One.')]);
  t.deepEqual(told.unsent([user('One.'), user('Two.')]), [user('Two.')]);
  t.deepEqual(told.unsent([user('One.'), user('Two.'), user('Three.')]), [user('Two.'), user('Three.')]);
});

test('sends the newest user message again when a request is repeated', (t) => {
  const told = createEmittedMessages();
  told.hold([user('One.'), user('Two.')]);
  t.deepEqual(told.unsent([user('One.'), user('Two.')]), [user('Two.')]);
  told.hold([user('One.')]);
  t.deepEqual(told.unsent([user('One.'), user('Two.'), user('Three.')]), [user('Three.')]);
});
