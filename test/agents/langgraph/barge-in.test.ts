/** A run that nobody wants any more: the server would go on with it, and the thread takes no other meanwhile. */
import test from 'ava';
import { SimulatedClock } from 'xstate';
import { sendBody, stayQuiet } from '#test/helpers/agent-server.ts';
import {
  cancelPath,
  event,
  firstWords,
  keepSpeaking,
  located,
  metadata,
  onDemand,
  partial,
  speak,
  startGraph,
  stream,
} from './graph-server.ts';

test('aborting in the midst of a reply closes the stream and cancels the run', async (t) => {
  const graph = await startGraph(t, { runs: keepSpeaking('네'), changes: { bearerToken: 'secret-token' } });
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
  });
  t.regex(String(traceparent), /^00-7f9c2f6e4f0e4b7e9b1c2d1d5a1e0c11-/);
});

test('without a token the cancel has no authorization', async (t) => {
  const graph = await startGraph(t, { runs: keepSpeaking('네') });
  (await firstWords(graph, '하나')).abort.abort();
  await graph.server.received(3);
  t.false('authorization' in (graph.server.requests[2]?.headers ?? {}));
});

test('aborting cancels the run also while nobody takes its next piece', async (t) => {
  const graph = await startGraph(t, { runs: keepSpeaking('네') });
  const { abort } = await firstWords(graph, '하나');
  const closed = graph.server.responseClosed();
  abort.abort();
  await closed;
  await graph.server.received(3);
  t.is(graph.server.requests[2]?.path, cancelPath);
});

test('leaving the reply early cancels the run, and once', async (t) => {
  const graph = await startGraph(t, { runs: [keepSpeaking('네'), speak('그럼요.', 'run-2')] });
  const { abort, pieces } = await firstWords(graph, '하나');
  await pieces.return?.();
  abort.abort();
  graph.agent.close?.();
  t.is((await graph.say('둘')).text, '그럼요.');
  t.deepEqual(graph.asked(), ['thread', 'run', 'cancel', 'run']);
});

test('the next turn waits for the cancel and is given the new words only', async (t) => {
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

test('the next turn does not wait for ever', async (t) => {
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

test('a turn that is itself interrupted while it waits for the cancel is never sent', async (t) => {
  const graph = await startGraph(t, { runs: keepSpeaking('네'), cancels: stayQuiet });
  (await firstWords(graph, '하나')).abort.abort();
  const abort = new AbortController();
  const said = graph.say('둘', abort.signal);
  await graph.server.received(3);
  abort.abort();
  t.like((await said).error, { name: 'AbortError' });
  t.deepEqual(graph.asked(), ['thread', 'run', 'cancel']);
});

test('a request that is given up before its headers is left to arrive, then its run is cancelled', async (t) => {
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

test('a request whose headers do not come is given up in the end', async (t) => {
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

test('a request that is refused after it was given up leaves nothing to cancel', async (t) => {
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

test('a run that has ended is not cancelled', async (t) => {
  const graph = await startGraph(t);
  const abort = new AbortController();
  await graph.say('하나', abort.signal);
  abort.abort();
  await graph.say('둘');
  graph.agent.close?.();
  await graph.say('셋');
  t.deepEqual(graph.asked(), ['thread', 'run', 'run', 'run']);
});

test('a run that has failed is not cancelled', async (t) => {
  const error = event('error', { error: 'Error', message: 'boom' });
  const graph = await startGraph(t, {
    runs: [sendBody(metadata('run-1') + error, 200, { ...stream, ...located('run-1') }), speak('네.')],
  });
  t.like((await graph.say('하나')).error, { serverSays: 'boom' });
  t.is((await graph.say('둘')).text, '네.');
  t.deepEqual(graph.asked(), ['thread', 'run', 'run']);
});

test('a run whose connection has broken is cancelled', async (t) => {
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

test('the end of the call cancels a run that is still going', async (t) => {
  const graph = await startGraph(t, { runs: keepSpeaking('네') });
  await firstWords(graph, '하나');
  graph.agent.close?.();
  await graph.server.received(3);
  t.is(graph.server.requests[2]?.path, cancelPath);
});

test('a reply that nobody wants from the start asks for nothing', async (t) => {
  const graph = await startGraph(t);
  t.like((await graph.say('하나', AbortSignal.abort())).error, { name: 'AbortError' });
  t.deepEqual(graph.asked(), []);
});
