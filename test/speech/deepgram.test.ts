import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { SimulatedClock } from 'xstate';
import { deepgram } from '#src/speech/deepgram.ts';
import { bytesOf } from '#src/domain/sample-bytes.ts';
import { until } from '#test/helpers/until.ts';
import { engineWorld } from './doubles/engine-world.ts';
import { listen, numbered } from './doubles/heard-events.ts';
import {
  deepgramMessages,
  deepgramResults,
  startSocketEngine,
  type EngineConnection,
} from './doubles/socket-engine.ts';

const key = 'hush-hush';

const start = async (
  t: ExecutionContext,
  behave: (connection: EngineConnection, index: number) => void = () => undefined,
  world = engineWorld(t),
) => {
  const server = await startSocketEngine(t, behave);
  const engine = deepgram(world, { url: `http://127.0.0.1:${server.port}`, key });
  return { server, engine, world };
};

const firstOf = (server: { connections: EngineConnection[] }): Promise<EngineConnection> =>
  until('a connection', () => server.connections[0]);

test('it is asked for what a telephone call needs', async (t) => {
  const { server, engine } = await start(t);
  const { recognition } = listen(engine);
  const { path, headers } = await firstOf(server);
  const url = new URL(path, 'ws://x');
  t.is(url.pathname, '/v1/listen');
  t.deepEqual(Object.fromEntries(url.searchParams), {
    model: 'nova-3',
    language: 'ko',
    encoding: 'linear16',
    sample_rate: '8000',
    channels: '1',
    interim_results: 'true',
    smart_format: 'true',
    vad_events: 'true',
    endpointing: '300',
    utterance_end_ms: '1000',
  });
  t.is(headers.authorization, 'Token hush-hush');
  recognition.close();
});

test('words come as they are spoken, then settled, then the end of the turn', async (t) => {
  const { server, engine } = await start(t, ({ send }) => {
    send(deepgramMessages.speechStarted);
    send(deepgramResults(''));
    send(deepgramResults('안녕'));
    send(deepgramResults('안녕'));
    send(deepgramResults('안녕하세요.', { duration: 1.25, isFinal: true, speechFinal: true }));
    send(deepgramResults('예', { start: 1.25 }));
    send(deepgramResults('', { start: 1.25, duration: 0.5, isFinal: true, fromFinalize: true }));
    send(deepgramMessages.utteranceEnd);
  });
  const { recognition, events } = listen(engine);
  await until('the end of the turn', () => events.find(({ type }) => type === 'turn-complete'));
  t.deepEqual(events, [
    { type: 'partial', text: '안녕' },
    { type: 'final', text: '안녕하세요.' },
    { type: 'settled', samples: 10_000 },
    { type: 'partial', text: '예' },
    { type: 'partial', text: '' },
    { type: 'settled', samples: 14_000 },
    { type: 'turn-complete' },
  ]);
  recognition.close();
  t.is(server.connections.length, 1);
});

test('what cannot be read is dropped with one line in the log, and the rest is heard', async (t) => {
  const { engine, world } = await start(t, ({ send, socket }) => {
    socket.send('{"type": "Results", "chan');
    socket.send('null');
    socket.send('"a secret"');
    socket.send(Buffer.from('{"type":"Error"}'), { binary: true });
    send({ type: 'Results', is_final: true, channel: { alternatives: 'a secret' } });
    send({ type: 'Results', start: -1, duration: 1, is_final: true, channel: { alternatives: [] } });
    send({ type: 'FromTheFuture', transcript: 'a secret' });
    send({ ...deepgramResults('', { isFinal: true }), channel: { alternatives: [] } });
    send(deepgramMessages.metadata);
    send(deepgramResults('네.', { isFinal: true }));
  });
  const { recognition, words, count } = listen(engine);
  await count(1);
  t.deepEqual(words(), ['final: 네.']);
  t.is(world.lines.length, 1);
  t.notRegex(world.lines.join(''), /secret/);
  recognition.close();
});

test('any chunking of the sound gives the engine the same messages', async (t) => {
  const { server, engine } = await start(t);
  const sound = numbered(1_700);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 20 }), async (sizes) => {
      const index = server.connections.length;
      const { recognition } = listen(engine);
      let at = 0;
      for (const size of sizes) recognition.write(sound.subarray(at, (at += size)));
      recognition.write(sound.subarray(at));
      const connection = await until('a connection', () => server.connections[index]);
      await until('all sound', () => (connection.sound().length >= 3_200 ? true : undefined));
      t.deepEqual(
        connection.messages,
        Array.from({ length: 10 }, () => 320),
      );
      t.deepEqual(connection.sound(), bytesOf(sound.subarray(0, 1_600)));
      recognition.close();
    }),
    { numRuns: 25 },
  );
});

test('a pause settles what was said, and the end says goodbye', async (t) => {
  const { server, engine } = await start(t);
  const { recognition, events } = listen(engine);
  const connection = await firstOf(server);
  recognition.write(numbered(160));
  recognition.speechBegan();
  await until('sound', () => (connection.sound().length > 0 ? true : undefined));
  recognition.speechEnded();
  recognition.close();
  recognition.close();
  await until('a goodbye', () => (connection.messages.length === 3 ? true : undefined));
  t.deepEqual(connection.messages, [320, '{"type":"Finalize"}', '{"type":"CloseStream"}']);
  recognition.write(numbered(160));
  connection.send(deepgramMessages.metadata);
  connection.send(deepgramResults('늦은 말', { isFinal: true }));
  connection.socket.close(1000);
  await until('the end', () => (connection.socket.readyState === 3 ? true : undefined));
  t.deepEqual(events, []);
});

test('the connection is kept while there is no sound', async (t) => {
  const clock = new SimulatedClock();
  const { server, engine } = await start(t, undefined, engineWorld(t, {}, clock));
  const { recognition, count } = listen(engine);
  const connection = await firstOf(server);
  recognition.write(numbered(160));
  await until('sound', () => (connection.messages.length === 1 ? true : undefined));
  connection.send(deepgramResults('네'));
  await count(1);
  clock.increment(2_000);
  clock.increment(2_000);
  clock.increment(4_000);
  clock.increment(4_000);
  await until('keep-alives', () => (connection.messages.length >= 3 ? true : undefined));
  t.deepEqual(connection.messages, [320, '{"type":"KeepAlive"}', '{"type":"KeepAlive"}']);
  recognition.close();
});

test('a refusal, an error and a lost connection are failures without secrets, and the last event', async (t) => {
  const failures: [string, (connection: EngineConnection) => void][] = [
    ['deepgram reported an error', ({ send }) => send(deepgramMessages.error)],
    ['deepgram ended the connection (1011)', ({ socket }) => socket.close(1011, 'NET-0001 hush-hush')],
    ['deepgram ended the connection (1006)', ({ socket }) => socket.terminate()],
    [
      'the connection to deepgram broke (WS_ERR_UNSUPPORTED_MESSAGE_LENGTH)',
      ({ socket }) => socket.send('x'.repeat(1_100_000)),
    ],
  ];
  for (const [message, behave] of failures) {
    const { engine } = await start(t, behave);
    const { failure, events, recognition } = listen(engine);
    const error = await failure();
    t.is(error.message, message);
    t.is(error.cause, undefined);
    recognition.write(numbered(160));
    recognition.speechEnded();
    recognition.close();
    t.is(events.length, 1);
  }
  for (const status of [400, 401, 402, 429, 503]) {
    const server = await startSocketEngine(t, undefined, { refuseWith: status });
    const { failure } = listen(deepgram(engineWorld(t), { url: server.url, key }));
    t.is((await failure()).message, `deepgram answered with HTTP ${status}`);
  }
  const { failure } = listen(deepgram(engineWorld(t), { url: 'http://127.0.0.1:1', key }));
  t.is((await failure()).message, 'deepgram could not be reached (ECONNREFUSED)');
});

test('a server that never answers, or takes no sound, is given up', async (t) => {
  const clock = new SimulatedClock();
  const { server, engine } = await start(t, undefined, engineWorld(t, {}, clock));
  const silent = listen(engine);
  silent.recognition.write(numbered(160));
  await until('sound', () => (server.connections[0]?.messages.length === 1 ? true : undefined));
  clock.increment(3_000);
  t.is((await silent.failure()).message, 'deepgram gave no answer in time');

  const closed = listen(engine);
  clock.increment(3_000);
  t.is((await closed.failure()).message, 'deepgram could not be reached in time');

  const full = listen(engine);
  full.recognition.write(new Int16Array(30_001 * 8));
  t.deepEqual(full.events, []);
  clock.increment(0);
  t.is((await full.failure()).message, 'deepgram does not take sound as fast as it comes');
});

test('a recognition that is closed before it is connected is nothing', async (t) => {
  const { server, engine } = await start(t);
  const { recognition, events } = listen(engine);
  recognition.write(numbered(160));
  recognition.close();
  const second = listen(engine);
  await until('the second connection', () => server.connections.at(-1));
  second.recognition.close();
  t.deepEqual(events, []);
});
