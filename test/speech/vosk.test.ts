import test from 'ava';
import * as fc from 'fast-check';
import { bytesOf } from '#src/domain/sample-bytes.ts';
import { vosk } from '#src/speech/vosk.ts';
import { until } from '#test/helpers/until.ts';
import { engineWorld } from './doubles/engine-world.ts';
import { listen, numbered } from './doubles/heard-events.ts';
import { startSocketEngine, voskFinal } from './doubles/socket-engine.ts';

test('it is told the rate, given sound in tenths of a second, and told the end to the letter', async (t) => {
  const server = await startSocketEngine(t, (connection) => {
    connection.onSound = () => connection.send({ partial: '' });
  });
  const { recognition, events } = listen(vosk(engineWorld(t), { url: server.url }));
  recognition.write(numbered(1_700));
  const connection = await until('a connection', () => server.connections[0]);
  await until('sound', () => (connection.messages.length === 3 ? true : undefined));
  recognition.speechBegan();
  recognition.speechEnded();
  recognition.close();
  await until('a goodbye', () => (connection.messages.length === 4 ? true : undefined));
  t.deepEqual(connection.messages, ['{"config":{"sample_rate":8000}}', 1_600, 1_600, '{"eof" : 1}']);
  t.deepEqual(connection.sound(), bytesOf(numbered(1_600)));
  t.deepEqual(events, []);
});

test('words come as they are spoken, then settled, with alternatives or without', async (t) => {
  const server = await startSocketEngine(t, (connection) => {
    let count = 0;
    connection.onSound = () => {
      const answers = [
        { partial: '' },
        { partial: '안녕' },
        { partial: '안녕' },
        voskFinal('안녕하세요'),
        { result: [], text: '' },
        { alternatives: [{ confidence: 231.5, text: ' 네 ' }, { text: '내' }] },
      ];
      connection.send(answers[count]);
      count += 1;
    };
  });
  const { recognition, events } = listen(vosk(engineWorld(t), { url: server.url }));
  for (let index = 0; index < 6; index += 1) {
    recognition.write(numbered(800));
    await until('sound', () =>
      (server.connections[0]?.messages.length ?? 0) >= index + 2 ? true : undefined,
    );
  }
  await until('the last words', () => (events.length >= 6 ? true : undefined));
  t.deepEqual(
    events.filter(({ type }) => type !== 'settled'),
    [
      { type: 'partial', text: '안녕' },
      { type: 'final', text: '안녕하세요' },
      { type: 'final', text: '네' },
    ],
  );
  t.deepEqual(events.at(-1), { type: 'settled', samples: 4_800 });
  recognition.close();
});

test('nonsense is dropped with one line in the log', async (t) => {
  const server = await startSocketEngine(t, ({ socket, send }) => {
    for (const text of ['{"partial": 1}', '[]', 'a secret', '{"alternatives": []}']) socket.send(text);
    send(voskFinal('네'));
  });
  const world = engineWorld(t);
  const { recognition, words, count } = listen(vosk(world, { url: server.url }));
  await count(1);
  t.deepEqual(words(), ['final: 네']);
  t.is(world.lines.length, 1);
  t.notRegex(world.lines.join(''), /secret/);
  recognition.close();
});

test('any chunking of the sound gives the engine the same messages', async (t) => {
  const server = await startSocketEngine(t);
  const engine = vosk(engineWorld(t), { url: server.url });
  const sound = numbered(2_400);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 10 }), async (sizes) => {
      const index = server.connections.length;
      const { recognition } = listen(engine);
      let at = 0;
      for (const size of sizes) recognition.write(sound.subarray(at, (at += size)));
      recognition.write(sound.subarray(at));
      const connection = await until('a connection', () => server.connections[index]);
      await until('all sound', () => (connection.sound().length >= 4_800 ? true : undefined));
      t.deepEqual(connection.messages.slice(1), [1_600, 1_600, 1_600]);
      t.deepEqual(connection.sound(), bytesOf(sound));
      recognition.close();
    }),
    { numRuns: 25 },
  );
});
