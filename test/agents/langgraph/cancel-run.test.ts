/** Cancelling a run: how it is named, and a cancel that fails. */
import test from 'ava';
import { SimulatedClock } from 'xstate';
import { hangUpConnection, sendBody, stayQuiet, type Answer } from '#test/helpers/agent-server.ts';
import {
  busy,
  callId,
  cancelPath,
  firstWords,
  keepSpeaking,
  metadata,
  onDemand,
  partial,
  speak,
  startGraph,
  stream,
} from './graph-server.ts';

test('the first event names the run where the header is missing', async (t) => {
  const graph = await startGraph(t, { runs: [keepSpeaking('네', 'run-1', {}), speak('그럼요.')] });
  (await firstWords(graph, '하나')).abort.abort();
  t.is((await graph.say('둘')).text, '그럼요.');
  t.is(graph.server.requests[2]?.path, cancelPath);
});

test('the first event is awaited where only it can name the run', async (t) => {
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
  ['a whole URL', { 'content-location': `https://example.com/threads/${callId}/runs/run-1?x=1` }, 'run-1'],
  ['Location', { location: `/threads/${callId}/runs/run-1/stream` }, 'run-1'],
  ['an ID that is a path', { 'content-location': '/runs/..%2F..%2Fadmin' }, 'run-0'],
];
for (const [title, headers, id] of locations) {
  test(`the run is named by a header: ${title}`, async (t) => {
    const graph = await startGraph(t, { runs: keepSpeaking('네', 'run-0', headers) });
    (await firstWords(graph, '하나')).abort.abort();
    await graph.server.received(3);
    t.is(graph.server.requests[2]?.path, `/threads/${callId}/runs/${id}/cancel`);
  });
}

test('a run that nothing names cannot be cancelled, and the log says so', async (t) => {
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
  test(`a cancel that fails is a remark: ${title}`, async (t) => {
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

test('a cancel has its own time limit', async (t) => {
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

test('a thread that is busy all the same: the run that was left is cancelled again', async (t) => {
  const graph = await startGraph(t, {
    runs: [keepSpeaking('네'), busy, speak('그럼요.', 'run-2')],
    cancels: [sendBody('', 500), sendBody('', 202)],
  });
  (await firstWords(graph, '하나')).abort.abort();
  t.like(await graph.say('둘'), { text: '그럼요.', error: undefined });
  t.deepEqual(graph.asked(), ['thread', 'run', 'cancel', 'run', 'thread', 'cancel', 'run']);
  t.deepEqual(graph.given(), [['하나'], ['둘'], ['둘']]);
});

test('the run that was left is not forgotten when the turn after it is refused', async (t) => {
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
