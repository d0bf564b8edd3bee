import test from 'ava';
import { SimulatedClock } from 'xstate';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { sendBody, sendJson, stayQuiet } from '#test/helpers/agent-server.ts';
import { recordedReplies } from '#test/helpers/recorded-replies.ts';
import { busy, callId, keepSpeaking, kindOf, speak, startGraph } from './langgraph/graph-server.ts';

const gw = `{"call_id":"${callId}","direction":"outbound","from":"0212345678","to":"01000000001","language":"ko"}`;

test('the requests are the documented ones, to the byte', async (t) => {
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

test('without an assistant ID nothing is asked of the server', async (t) => {
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
      },
    },
  });
  const { text, error } = await say('여보세요?');
  t.is(text, '');
  t.like(error, { failure: 'no_reply', message: 'the binding has no assistant ID' });
  t.deepEqual(server.requests, []);
});

const bases: [title: string, base: string, thread: string, query: string][] = [
  ['a slash at the end', '/', '/threads', ''],
  ['a deep path', '/eu/graphs', '/eu/graphs/threads', ''],
  ['a deep path and slashes', '/eu/graphs//', '/eu/graphs/threads', ''],
  ['a query', '/eu/?key=a%2Fb', '/eu/threads', '?key=a%2Fb'],
];
for (const [title, base, thread, query] of bases) {
  test(`the chat URL may have ${title}`, async (t) => {
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

test('a run is given only what its thread does not hold yet', async (t) => {
  const { history, say, given } = await startGraph(t);
  history.push({ role: 'assistant', content: '안녕하세요.' });
  await say(kickoffFor('예약 확인'));
  history.push({ role: 'assistant', content: '네.' });
  await say('여보세요?');
  t.deepEqual(given(), [[kickoffFor('예약 확인')], ['여보세요?']]);
});

test('what a server did not take is sent with the next turn', async (t) => {
  const { say, given } = await startGraph(t, {
    runs: [sendBody('', 500), sendBody('', 429), speak('네.')],
  });
  await say('하나');
  await say('둘');
  await say('셋');
  await say('넷');
  t.deepEqual(given(), [['하나'], ['하나', '둘'], ['하나', '둘', '셋'], ['넷']]);
});

test('the thread is made when the call begins, and once', async (t) => {
  const { agent, server, say, asked } = await startGraph(t);
  agent.begin?.();
  await server.received(1);
  await say('하나');
  await say('둘');
  t.deepEqual(asked(), ['thread', 'run', 'run']);
});

test('a turn waits until the thread is made', async (t) => {
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

test('a thread that could not be made fails the turn and is made with the next one', async (t) => {
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

test('a thread that is not made in time fails the turn and is made with the next one', async (t) => {
  const clock = new SimulatedClock();
  const { server, say } = await startGraph(t, { clock, threads: [stayQuiet, sendJson({})] });
  const said = say('하나');
  await server.received(1);
  clock.increment(8_000);
  t.like((await said).error, { failure: 'first_token_timeout' });
  t.is((await say('둘')).text, '네.');
});

test('an interrupted turn leaves the making of the thread to the next one', async (t) => {
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

test('the end of the call lets go of a thread that is still being made', async (t) => {
  const { agent, server } = await startGraph(t, { threads: stayQuiet });
  agent.begin?.();
  await server.received(1);
  const closed = server.responseClosed();
  agent.close?.();
  await closed;
  t.is(server.counts.aborted, 1);
});

for (const status of [404, 409, 422]) {
  test(`HTTP ${status} of a run: the thread is made again and the turn is tried once more`, async (t) => {
    const { say, asked, given } = await startGraph(t, { runs: [sendBody('no', status), speak('네.')] });
    t.like(await say('하나'), { text: '네.', error: undefined });
    t.deepEqual(asked(), ['thread', 'run', 'thread', 'run']);
    t.deepEqual(given(), [['하나'], ['하나']]);
  });

  test(`HTTP ${status} of a run, twice, is a failure`, async (t) => {
    const { say, asked } = await startGraph(t, { runs: sendBody('no', status) });
    t.like((await say('하나')).error, { failure: 'http_error', status, serverSays: 'no' });
    t.deepEqual(asked(), ['thread', 'run', 'thread', 'run']);
  });
}

test('a thread that cannot be made again fails the turn', async (t) => {
  const { say, asked } = await startGraph(t, { runs: busy, threads: [sendJson({}), sendBody('', 503)] });
  t.like((await say('하나')).error, { failure: 'http_error', status: 503 });
  t.deepEqual(asked(), ['thread', 'run', 'thread']);
});

const failed = recordedReplies('langgraph').filter(({ response }) => response.status >= 400);
for (const { name, bytes, request, response, expect } of failed) {
  if (request?.path.endsWith('/cancel') === true) continue;
  const isRun = request?.path.endsWith('/runs/stream');
  test(`${name} is a failure, and nothing of it is spoken`, async (t) => {
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

const runs = recordedReplies('langgraph').filter(
  ({ request, response }) => response.status === 200 && request?.path !== '/threads',
);
for (const { name, bytes, response, expect } of runs) {
  test(`${name} is spoken as it came from the server`, async (t) => {
    const { 'transfer-encoding': _, ...headers } = response.headers;
    const { say, asked } = await startGraph(t, { runs: sendBody(bytes, 200, headers) });
    const { text, error } = await say('hi');
    if (expect.spoken !== undefined) t.is(text, expect.spoken);
    t.is(error === undefined, expect.failure === undefined && expect.spoken !== '');
    await say('hi');
    t.deepEqual(asked(), ['thread', 'run', 'run'], 'nothing is left to cancel');
  });
}

test('an empty answer is no reply', async (t) => {
  const { say } = await startGraph(t, { runs: sendBody('') });
  t.like((await say('hi')).error, { failure: 'no_reply' });
});

test('a stream that is too large is a failure, and its run is cancelled', async (t) => {
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

test('a thread that was lost is made again with what was said in it', async (t) => {
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
  ['stands', sendJson({ created_at: '2026-11-21T03:36:05Z' })],
  ['does not tell when it was made', sendJson({ thread_id: 'x' })],
  ['is told of in no JSON', sendBody('OK')],
] as const) {
  test(`a busy thread that ${title} is not told its history twice`, async (t) => {
    const { say, given } = await startGraph(t, {
      threads: [sendJson({ created_at: '2026-11-21T03:36:05Z' }), again],
      runs: [speak('네.'), busy, speak('그럼요.')],
    });
    await say('하나');
    t.is((await say('둘')).text, '그럼요.');
    t.deepEqual(given(), [['하나'], ['둘'], ['둘']]);
  });
}
