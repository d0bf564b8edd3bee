import test, { type ExecutionContext } from 'ava';
import { SimulatedClock } from 'xstate';
import { deepgramFlux } from '#src/speech/deepgram-flux.ts';
import { until } from '#test/helpers/until.ts';
import { engineWorld } from './doubles/engine-world.ts';
import { listen, numbered } from './doubles/heard-events.ts';
import { fluxMessages, fluxTurn, startSocketEngine, type EngineConnection } from './doubles/socket-engine.ts';

const start = async (
  t: ExecutionContext,
  behave: (connection: EngineConnection, index: number) => void = () => undefined,
  world = engineWorld(t),
) => {
  const server = await startSocketEngine(t, behave);
  const engine = deepgramFlux(world, { url: `http://127.0.0.1:${server.port}`, key: 'hush-hush' });
  const connected = (index = 0): Promise<EngineConnection> =>
    until('a connection', () => server.connections[index]);
  return { engine, world, connected };
};

test('where its ends of turns are wanted it is asked for them, and for nothing at a pause', async (t) => {
  const { engine, connected } = await start(t);
  const { recognition } = listen(engine, 'en-US', true);
  const { path, headers, messages } = await connected();
  const url = new URL(path, 'ws://x');
  t.is(url.pathname, '/v2/listen');
  t.deepEqual(Object.fromEntries(url.searchParams), {
    model: 'flux-general-en',
    encoding: 'linear16',
    sample_rate: '8000',
    eot_threshold: '0.7',
    eot_timeout_ms: '30000',
  });
  t.is(headers.authorization, 'Token hush-hush');
  recognition.write(numbered(640));
  await until('sound', () => messages[0]);
  recognition.speechEnded();
  recognition.close();
  await until('a goodbye', () => (messages.length === 2 ? true : undefined));
  t.deepEqual(messages, [1_280, '{"type":"CloseStream"}']);
});

test('where others decide it finds no end of its own, and settles its words at each pause', async (t) => {
  const { engine, connected } = await start(t);
  const { recognition, events } = listen(engine, 'en-US');
  const { path, messages, send } = await connected();
  t.is(new URL(path, 'ws://x').searchParams.get('eot_threshold'), '1');
  recognition.write(numbered(640));
  await until('sound', () => messages[0]);
  recognition.speechEnded();
  await until('both messages', () => (messages.length === 2 ? true : undefined));
  t.deepEqual(messages, [1_280, '{"type":"ForceEndTurn"}']);
  send(fluxTurn('EndOfTurn', 'On Tuesday.', { heardSec: 0.5, trigger: 'manual' }));
  await until('settled words', () => events[1]);
  t.deepEqual(events, [
    { type: 'final', text: 'On Tuesday.' },
    { type: 'settled', samples: 4_000 },
  ]);
  recognition.close();
});

test('words come as they are spoken, then settled, then the end of the turn', async (t) => {
  const { engine } = await start(t, ({ send }) => {
    send(fluxMessages.connected);
    send(fluxTurn('Update', ''));
    send(fluxTurn('StartOfTurn', 'I would'));
    send(fluxTurn('Update', 'I would'));
    send(fluxTurn('EagerEndOfTurn', 'I would like a table.'));
    send(fluxTurn('TurnResumed', 'I would like a table.'));
    send(fluxTurn('EndOfTurn', 'I would like a table for two.', { heardSec: 2.25 }));
  });
  const { recognition, events } = listen(engine, 'en-US', true);
  await until('the end of the turn', () => events.find(({ type }) => type === 'turn-complete'));
  t.deepEqual(events, [
    { type: 'partial', text: 'I would' },
    { type: 'partial', text: 'I would like a table.' },
    { type: 'final', text: 'I would like a table for two.' },
    { type: 'settled', samples: 18_000 },
    { type: 'turn-complete' },
  ]);
  recognition.close();
});

test('it understands ten languages, and is told which', async (t) => {
  const { engine, connected } = await start(t);
  t.deepEqual(
    ['en-GB', 'ja', 'ko-KR'].map((language) => engine.hears?.(language)),
    [true, true, false],
  );
  for (const [index, [language, model, hint]] of [
    ['en-GB', 'flux-general-en', null],
    ['ja-JP', 'flux-general-multi', 'ja'],
    ['ko-KR', 'flux-general-multi', null],
  ].entries()) {
    listen(engine, language ?? undefined).recognition.speechBegan();
    const { searchParams } = new URL((await connected(index)).path, 'ws://x');
    t.deepEqual([searchParams.get('model'), searchParams.get('language_hint')], [model, hint]);
  }
});

test('an error is a failure without secrets, and what cannot be read is dropped', async (t) => {
  const { engine, world } = await start(t, ({ send, socket }) => {
    socket.send('{"type": "TurnInfo", "trans');
    send({ type: 'TurnInfo', event: 'Update', transcript: 5 });
    send({ type: 'ConfigureSuccess' });
    send(fluxMessages.error);
  });
  const { failure, events } = listen(engine, 'en-US', true);
  t.is((await failure()).message, 'deepgram-flux reported an error');
  t.is(events.length, 1);
  t.is(world.lines.length, 1);
  t.notRegex(world.lines.join(''), /hush-hush/);
});

test('the connection is kept while there is no sound', async (t) => {
  const clock = new SimulatedClock();
  const { engine, connected } = await start(t, undefined, engineWorld(t, {}, clock));
  const { recognition, count } = listen(engine, 'en-US', true);
  const { messages, send } = await connected();
  send(fluxTurn('Update', 'yes'));
  await count(1);
  clock.increment(4_000);
  await until('a keep-alive', () => messages[0]);
  t.deepEqual(messages, ['{"type":"KeepAlive"}']);
  recognition.close();
});
