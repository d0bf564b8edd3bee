/** Speech recognition: engines, failover and unsettled results. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { SimulatedClock } from 'xstate';
import type { Synthesizer } from '#sip/audio/speech.ts';
import { bytesOf, joinSamples } from '#src/domain/sample-bytes.ts';
import { atMost } from '#src/speech/at-most.ts';
import { deepgramFlux } from '#src/speech/deepgram-flux.ts';
import { deepgram } from '#src/speech/deepgram.ts';
import { flite } from '#src/speech/flite.ts';
import { pocketsphinxProgram } from '#src/speech/pocketsphinx-program.ts';
import { pocketsphinx } from '#src/speech/pocketsphinx.ts';
import type { EngineEvent, RecognitionEngine } from '#src/speech/recognition-engine.ts';
import { createSpeechEngines } from '#src/speech/speech-engines.ts';
import { createUnprocessedAudio } from '#src/speech/unprocessed-audio.ts';
import { vosk } from '#src/speech/vosk.ts';
import { createAudioMessages, withoutRepeatedPartials } from '#src/speech/socket-recognition.ts';
import { until } from '#test/helpers/until.ts';
import { whereInstalled } from '#test/helpers/where-installed.ts';
import { engineWorld, listeningLogger } from './doubles/engine-world.ts';
import { coolDown, engine, nth, numbers, setUp, setUpWith } from './doubles/failing-engines.ts';
import { listen, numbered } from './doubles/heard-events.ts';
import {
  deepgramMessages,
  deepgramResults,
  type EngineConnection,
  fluxMessages,
  fluxTurn,
  startSocketEngine,
  voskFinal,
} from './doubles/socket-engine.ts';

// Capable recognizers
// Capabilities of a call's engine: support of its language, and end-of-turn detection.

test('reports whether the current engine detects ends of turns', (t) => {
  const [a, b] = [engine('a', { reportsTurnEnds: true }), engine('b')];
  const { recognition } = listen(setUpWith(a, b).recognizer);
  t.true(recognition.reportsTurnEnds?.());
  a.fail();
  t.is(b.opened.length, 1);
  t.false(recognition.reportsTurnEnds?.());
});

test('removes NUL and lone surrogates from the words of an engine', (t) => {
  const a = engine('a');
  const { words } = listen(setUpWith(a).recognizer);
  a.last().emit({ type: 'partial', text: 'one\0two' });
  a.last().emit({ type: 'final', text: 'one\0two \ud800.' });
  t.deepEqual(words(), ['partial: one two', 'final: one two \ufffd.']);
});

test('uses an engine without support of the language if there is no other', (t) => {
  const [a, b] = [engine('a', { languages: ['en-US'] }), engine('b')];
  const { recognizer, clock } = setUpWith(a, b);
  listen(recognizer, 'ko-KR');
  t.deepEqual([a.opened.length, b.opened.length], [0, 1]);
  b.fail();
  clock.increment(coolDown.firstMs);
  t.deepEqual([a.opened.length, b.opened.length], [0, 2]);
  listen(recognizer, 'en-US');
  t.is(a.opened.length, 1);
  const alone = engine('c', { languages: ['en-US'] });
  listen(setUpWith(alone).recognizer, 'ko-KR');
  t.is(alone.opened.length, 1);
});

test('keeps an engine available for other languages that fails for an unsupported one', (t) => {
  const alone = engine('a', { languages: ['en-US'] });
  const { recognizer, clock, lostSeconds, warnings } = setUpWith(alone);
  const { recognition } = listen(recognizer, 'ko-KR');
  alone.fail();
  recognition.write(numbered(24_000));
  clock.increment(coolDown.longestMs);
  t.is(alone.opened.length, 1, 'it is not asked again');
  t.is(lostSeconds(), 1);
  t.deepEqual(
    warnings().map(({ msg }) => msg),
    ['a call continues without speech recognition', 'no recognizer answers: audio of a caller is dropped'],
  );
  const english = listen(recognizer, 'en-US');
  t.is(alone.opened.length, 2);
  alone.last().emit({ type: 'final', text: 'Hello.' });
  t.deepEqual(english.words(), ['final: Hello.']);
});

test('opens no recognizer for a call in a language that no engine supports, and logs it once', (t) => {
  const { clock, lines, logger } = { clock: new SimulatedClock(), ...listeningLogger() };
  const enginesOf = (...recognizers: RecognitionEngine[]) =>
    createSpeechEngines({
      recognizers,
      synthesizers: [],
      failOver: { ...numbers, coolDown },
      clock,
      logger,
    });
  const world = engineWorld(t);
  const choice = { recognizer: null, synthesizer: null, voice: null };
  const english = enginesOf(pocketsphinx(world));
  t.is(english.recognizerFor(choice, 'en-GB')?.name, 'pocketsphinx');
  t.is(english.recognizerFor(choice, 'ko'), null);
  t.is(english.recognizerFor({ ...choice, recognizer: 'pocketsphinx' }, 'ko'), null);
  t.is(english.recognizerFor(choice)?.name, 'pocketsphinx', 'in no language yet');
  t.is(lines.length, 1);
  t.like(JSON.parse(lines[0] ?? ''), { level: 40, language: 'ko', engines: ['pocketsphinx'] });
  const flux = deepgramFlux(world, { url: 'http://127.0.0.1:1', key: 'k' });
  t.is(enginesOf(flux).recognizerFor(choice, 'ko'), null);
  t.is(enginesOf(flux, engine('any').engine).recognizerFor(choice, 'ko')?.name, 'deepgram-flux, any');
});

// At most

test.serial('limits simultaneous sentences and speaks all of them eventually', async (t) => {
  let running = 0;
  let most = 0;
  const slow: Synthesizer = {
    name: 'slow',
    async synthesize(text) {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (text === 'bad') throw new Error('failed');
      return { sampleRate: 8_000, samples: new Int16Array(1) };
    },
  };
  const limited = atMost(2)(slow);
  const texts = ['a', 'bad', 'c', 'd', 'bad', 'f'];
  const results = await Promise.allSettled(texts.map((text) => limited.synthesize(text, 'en')));
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  t.is(most, 2);
});

test.serial('rejects an aborted waiting sentence at once, which takes no slot', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const spoken: string[] = [];
  const held: Synthesizer = {
    name: 'held',
    async synthesize(text) {
      spoken.push(text);
      await promise;
      return { sampleRate: 8_000, samples: new Int16Array(1) };
    },
  };
  const limited = atMost(1)(held);
  const first = limited.synthesize('a', 'en');
  const abort = new AbortController();
  const second = limited.synthesize('b', 'en', abort.signal);
  const third = limited.synthesize('c', 'en');
  abort.abort(new Error('gone'));
  await t.throwsAsync(second, { message: 'gone' });
  resolve();
  t.is((await first).samples.length, 1);
  t.is((await third).samples.length, 1);
  t.deepEqual(spoken, ['a', 'c']);
});

// Deepgram

const key = 'hush-hush';

const startDeepgram = async (
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

test.serial('requests the options that a telephone call needs', async (t) => {
  const { server, engine } = await startDeepgram(t);
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

test.serial('deepgram: emits interim words, then final words, then the end of the turn', async (t) => {
  const { server, engine } = await startDeepgram(t, ({ send }) => {
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

test.serial('drops unreadable messages with one log line and reads the rest', async (t) => {
  const { engine, world } = await startDeepgram(t, ({ send, socket }) => {
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

test.serial('deepgram: sends the same messages for any chunking of the audio', async (t) => {
  const { server, engine } = await startDeepgram(t);
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

test.serial('finalizes the words at a pause, and closes the stream at the end', async (t) => {
  const { server, engine } = await startDeepgram(t);
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

test.serial('deepgram: keeps the connection alive while no audio is sent', async (t) => {
  const clock = new SimulatedClock();
  const { server, engine } = await startDeepgram(t, undefined, engineWorld(t, {}, clock));
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

test.serial(
  'reports a rejection, an error or a lost connection as a failure without secrets, and emits no event after it',
  async (t) => {
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
      const { engine } = await startDeepgram(t, behave);
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
  },
);

test.serial('closes the connection to a server that never responds or stops accepting audio', async (t) => {
  const clock = new SimulatedClock();
  const { server, engine } = await startDeepgram(t, undefined, engineWorld(t, {}, clock));
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

test.serial('emits no events for a recognition that is closed before it is connected', async (t) => {
  const { server, engine } = await startDeepgram(t);
  const { recognition, events } = listen(engine);
  recognition.write(numbered(160));
  recognition.close();
  const second = listen(engine);
  await until('the second connection', () => server.connections.at(-1));
  second.recognition.close();
  t.deepEqual(events, []);
});

// Deepgram flux

const startFlux = async (
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

test.serial('requests end-of-turn detection if enabled, and sends no finalize at a pause', async (t) => {
  const { engine, connected } = await startFlux(t);
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

test.serial('detects no ends of turns if disabled, and finalizes its words at each pause', async (t) => {
  const { engine, connected } = await startFlux(t);
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

test.serial('deepgram flux: emits interim words, then final words, then the end of the turn', async (t) => {
  const { engine } = await startFlux(t, ({ send }) => {
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

test.serial('passes each of the ten supported languages to the engine', async (t) => {
  const { engine, connected } = await startFlux(t);
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

test.serial('reports an error as a failure without secrets, and drops unreadable messages', async (t) => {
  const { engine, world } = await startFlux(t, ({ send, socket }) => {
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

test.serial('deepgram flux: keeps the connection alive while no audio is sent', async (t) => {
  const clock = new SimulatedClock();
  const { engine, connected } = await startFlux(t, undefined, engineWorld(t, {}, clock));
  const { recognition, count } = listen(engine, 'en-US', true);
  const { messages, send } = await connected();
  send(fluxTurn('Update', 'yes'));
  await count(1);
  clock.increment(4_000);
  await until('a keep-alive', () => messages[0]);
  t.deepEqual(messages, ['{"type":"KeepAlive"}']);
  recognition.close();
});

// Vosk

test.serial('sends the sample rate, audio in tenths of a second, and the exact end message', async (t) => {
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

test.serial('emits interim words, then final words, with or without alternatives', async (t) => {
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

test.serial('drops malformed messages with one log line', async (t) => {
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

test.serial('vosk: sends the same messages for any chunking of the audio', async (t) => {
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

// PocketSphinx
// The engine itself, where it is installed.

whereInstalled(pocketsphinxProgram, 'flite')(
  'recognizes a sentence and leaves no files behind',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = folder;
    t.teardown(() =>
      before === undefined ? delete process.env['TMPDIR'] : (process.env['TMPDIR'] = before),
    );
    const { sampleRate, samples } = await flite().synthesize('Please call me back tomorrow.', 'en');
    const { recognition, words, count } = listen(pocketsphinx(engineWorld(t)), 'en-US', false, sampleRate);
    recognition.speechBegan();
    recognition.write(samples);
    recognition.speechEnded();
    await count(1);
    t.regex(words().join(' '), /call me back/);
    t.deepEqual(await readdir(folder), []);
  },
);

test.serial('rejects languages that the engine does not support', async (t) => {
  const { recognition, failure } = listen(pocketsphinx(engineWorld(t)), 'ko');
  recognition.speechBegan();
  recognition.write(new Int16Array(16_000).fill(1_000));
  recognition.speechEnded();
  t.is((await failure()).message, 'pocketsphinx understands English alone');
});

// Fail over recognizer

test('passes on the words of a working engine, but not its internal events', (t) => {
  const { engines, recognizer } = setUp('a', 'b');
  t.is(recognizer.name, 'a, b');
  const { events, recognition } = listen(recognizer);
  const { emit } = nth(engines, 0).last();
  const heard: EngineEvent[] = [
    { type: 'partial', text: '안' },
    { type: 'final', text: '안녕' },
    { type: 'turn-complete' },
  ];
  for (const event of heard) emit(event);
  emit({ type: 'settled', samples: 1 });
  t.deepEqual(events, heard);
  recognition.close();
  emit({ type: 'final', text: '늦은 말' });
  t.is(events.length, 3);
  t.true(nth(engines, 0).last().isClosed);
});

test('during a call, gives the next engine the unfinished sentence from its beginning', (t) => {
  const { engines, recognizer, warnings, lines } = setUp('a', 'b');
  const [a, b] = [nth(engines, 0), nth(engines, 1)];
  const { events, recognition } = listen(recognizer);
  recognition.write(numbered(1_000));
  recognition.speechBegan();
  recognition.write(numbered(1_000, 1_000));
  recognition.speechEnded();
  recognition.write(numbered(1_000, 2_000));
  a.last().emit({ type: 'final', text: 'a secret' });
  a.last().emit({ type: 'settled', samples: 2_000 });
  recognition.speechBegan();
  recognition.write(numbered(1_000, 3_000));
  a.fail();
  recognition.write(numbered(1_000, 4_000));
  recognition.speechEnded();
  t.deepEqual(
    b.last().given.map((entry) => (typeof entry === 'string' ? entry : [entry[0], entry.length])),
    [[-28_000, 1_000], 'began', [-27_000, 1_000], [-26_000, 1_000], 'ended'],
  );
  b.last().emit({ type: 'final', text: 'b' });
  a.last().emit({ type: 'final', text: 'late' });
  t.deepEqual(
    events.map((event) => (event.type === 'final' ? event.text : event.type)),
    ['a secret', 'b'],
  );
  t.deepEqual(
    warnings().map(({ msg, engine: name }) => [msg, name]),
    [['a recognizer failed', 'a']],
  );
  t.notRegex(lines.join(''), /secret/);
});

test('converts positions of an engine, which count from its start, to positions in the call', (t) => {
  const { engines, recognizer } = setUp('a', 'b', 'c');
  const { recognition } = listen(recognizer);
  recognition.write(numbered(1_000));
  nth(engines, 0).last().emit({ type: 'settled', samples: 600 });
  nth(engines, 0).fail();
  engines[1]?.last().emit({ type: 'settled', samples: 300 });
  engines[1]?.fail();
  t.deepEqual(engines[2]?.sound(), [...numbered(100, 900)]);
});

test('limits the stored audio and keeps the newest samples', (t) => {
  const { engines, recognizer } = setUp('a', 'b');
  const { recognition } = listen(recognizer);
  recognition.speechBegan();
  for (let second = 0; second < 6; second += 1) recognition.write(numbered(8_000, second * 8_000));
  nth(engines, 0).fail();
  t.deepEqual(engines[1]?.sound(), [...numbered(16_000, 32_000)]);
  t.is(engines[1]?.last().given[0], 'began');
});

test('copies audio, so that the caller can reuse its buffer', (t) => {
  const { engines, recognizer } = setUp('a', 'b');
  const { recognition } = listen(recognizer);
  const buffer = numbered(3);
  recognition.write(buffer);
  buffer.fill(0);
  nth(engines, 0).fail();
  t.deepEqual(nth(engines, 1).sound(), [...numbered(3)]);
});

test('counts audio dropped while no engine responds, and logs it once', (t) => {
  const { engines, recognizer, clock, warnings, lostSeconds } = setUp('a');
  const { recognition } = listen(recognizer);
  const say = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) recognition.write(numbered(8_000));
  };
  const told = (): number => warnings().filter(({ msg }) => msg.includes('is dropped')).length;

  // The engine's result finalizes audio, which is then not kept for another engine.
  nth(engines, 0).last().emit({ type: 'partial', text: 'so far' });
  say(5);
  t.is(lostSeconds(), 0);
  nth(engines, 0).last().emit({ type: 'settled', samples: 40_000 });
  nth(engines, 0).fail();
  say(2);
  t.deepEqual([lostSeconds(), told()], [0, 0]);
  say(3);
  t.deepEqual([lostSeconds(), told()], [3, 1]);

  // The next engine connects and never responds: it may have processed audio until its time-out.
  clock.increment(5_000);
  say(4);
  t.is(lostSeconds(), 3);
  nth(engines, 0).fail();
  t.deepEqual([lostSeconds(), told()], [7, 1]);

  clock.increment(10_000);
  say(1);
  nth(engines, 0).last().emit({ type: 'partial', text: 'here' });
  nth(engines, 0).fail();
  t.is(lostSeconds(), 7);
});

test('cools down a failed engine for all calls, longer each time, and lets one call retry it', (t) => {
  const { engines, recognizer, clock } = setUp('a', 'b');
  const [a, b] = [nth(engines, 0), nth(engines, 1)];
  const open = () => listen(recognizer);
  open();
  open();
  // Both calls lose the engine in one outage.
  for (const { emit } of a.opened) emit({ type: 'failed', error: new Error('gone') });
  t.deepEqual([a.opened.length, b.opened.length], [2, 2]);
  clock.increment(4_999);
  open();
  t.deepEqual([a.opened.length, b.opened.length], [2, 3]);
  clock.increment(1);
  open();
  open();
  t.deepEqual([a.opened.length, b.opened.length], [3, 4]);
  a.fail();
  clock.increment(9_999);
  open();
  t.deepEqual([a.opened.length, b.opened.length], [3, 6]);
  clock.increment(1);
  open();
  a.last().emit({ type: 'partial', text: 'it works' });
  open();
  t.deepEqual([a.opened.length, b.opened.length], [5, 6]);
});

test('reopens an engine at once that worked for long, and drops it if it fails soon again', (t) => {
  const { engines, recognizer, clock } = setUp('a', 'b');
  const { recognition } = listen(recognizer);
  clock.increment(10_000);
  recognition.write(numbered(100));
  nth(engines, 0).fail();
  t.is(nth(engines, 0).opened.length, 2);
  t.deepEqual(nth(engines, 0).sound(), [...numbered(100)]);
  clock.increment(9_999);
  nth(engines, 0).fail();
  t.deepEqual(engines[1]?.sound(), [...numbered(100)]);
});

test('a call waits for the first engine to leave its cool-down and continues to recognize', (t) => {
  const { engines, recognizer, clock, warnings } = setUp('a');
  const { recognition, events } = listen(recognizer);
  nth(engines, 0).fail();
  recognition.write(numbered(100));
  clock.increment(5_000);
  t.deepEqual(nth(engines, 0).sound(), [...numbered(100)]);
  nth(engines, 0).fail();
  clock.increment(9_999);
  t.is(nth(engines, 0).opened.length, 2);
  clock.increment(1);
  t.is(nth(engines, 0).opened.length, 3);
  nth(engines, 0).last().emit({ type: 'final', text: '네' });
  t.deepEqual(events, [{ type: 'final', text: '네' }]);
  t.is(warnings().length, 4);
  nth(engines, 0).fail();
  recognition.close();
  clock.increment(600_000);
  t.is(nth(engines, 0).opened.length, 3);
});

test('loses no audio and repeats no final words, wherever an engine fails', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(200), { maxLength: 30 }),
      fc.array(fc.record({ at: fc.nat(30), settled: fc.double({ min: 0, max: 1, noNaN: true }) }), {
        maxLength: 5,
      }),
      (sizes, failures) => {
        const { engines, recognizer } = setUp('a', 'b', 'c', 'd', 'e', 'f');
        const { recognition } = listen(recognizer);
        let written = 0;
        let settled = 0;
        let index = 0;
        for (const [step, size] of sizes.entries()) {
          recognition.write(numbered(size, written));
          written += size;
          for (const failure of failures.filter(({ at }) => at === step)) {
            const current = engines[index];
            const more = Math.floor((written - settled) * failure.settled);
            current?.last().emit({ type: 'settled', samples: more });
            settled += more;
            current?.fail();
            index += 1;
            t.deepEqual(engines[index]?.sound(), [...numbered(written - settled, settled)]);
          }
        }
      },
    ),
  );
});

// Unconfirmed audio

const replayed = (kept: ReturnType<typeof createUnprocessedAudio>) => {
  const given: unknown[] = [];
  kept.replay({
    write: (samples) => void given.push([...samples]),
    speechBegan: () => void given.push('began'),
    speechEnded: () => void given.push('ended'),
    close: () => undefined,
  });
  return given;
};

/** Two samples before a voice, four with it, two after it. */
const sentence = () => {
  const kept = createUnprocessedAudio(100);
  kept.write(numbered(2));
  kept.speechBegan();
  kept.write(numbered(4, 2));
  kept.speechEnded();
  kept.write(numbered(2, 6));
  return kept;
};

const samples = (from: number, to: number): number[] => [...numbered(to - from, from)];

test('does not repeat finalized audio before, within and after a voice', (t) => {
  const after: Record<number, unknown[]> = {
    0: [samples(0, 2), 'began', samples(2, 6), 'ended', samples(6, 8)],
    1: [samples(1, 2), 'began', samples(2, 6), 'ended', samples(6, 8)],
    2: ['began', samples(2, 6), 'ended', samples(6, 8)],
    3: ['began', samples(3, 6), 'ended', samples(6, 8)],
    6: [samples(6, 8)],
    7: [samples(7, 8)],
    8: [],
    9: [],
  };
  for (const [settled, expected] of Object.entries(after)) {
    const kept = sentence();
    kept.settle(Number(settled));
    t.deepEqual(replayed(kept), expected, settled);
    t.is(kept.settled(), Math.min(8, Number(settled)));
  }
});

test('repeats audio completely that becomes final during its repetition', (t) => {
  const kept = sentence();
  let count = 0;
  kept.replay({
    write(written) {
      count += written.length;
      kept.settle(count);
    },
    speechBegan: () => undefined,
    speechEnded: () => undefined,
    close: () => undefined,
  });
  t.is(count, 8);
  t.deepEqual(replayed(kept), []);
});

test('never stores more than the maximum number of samples', (t) => {
  const kept = createUnprocessedAudio(5);
  kept.speechBegan();
  for (let at = 0; at < 12; at += 3) kept.write(numbered(3, at));
  t.deepEqual(replayed(kept).flat(), ['began', ...samples(7, 12)]);
});

test('stores frames of 20 ms in hardly more memory than their samples', (t) => {
  const kept = createUnprocessedAudio(16_000);
  for (let frame = 0; frame < 500; frame += 1) kept.write(numbered(160));
  const held = new Set<ArrayBufferLike>();
  kept.replay({
    write: (written) => void held.add(written.buffer),
    speechBegan: () => undefined,
    speechEnded: () => undefined,
    close: () => undefined,
  });
  const bytes = [...held].reduce((sum, { byteLength }) => sum + byteLength, 0);
  t.true(held.size <= 10);
  t.true(bytes <= 1.25 * 32_000);
});

test('stores audio once that waits for a hanging engine', (t) => {
  const waiting: Int16Array[] = [];
  const hanging: RecognitionEngine = {
    name: 'hanging',
    reportsTurnEnds: false,
    open: () => ({
      write: (written) => void waiting.push(written),
      speechBegan: () => undefined,
      speechEnded: () => undefined,
      close: () => undefined,
    }),
  };
  const { recognition } = listen(setUpWith({ ...engine('hanging'), engine: hanging }).recognizer);
  for (let frame = 0; frame < 100; frame += 1) recognition.write(numbered(160, frame * 160));
  t.deepEqual([...joinSamples(waiting)], [...numbered(16_000)]);
  t.is(new Set(waiting.map(({ buffer }) => buffer)).size, 8, 'eight blocks instead of a hundred frames');
});

// Audio messages

/** Creates audio messages of four samples for a connection that accepts a limited number of messages. */
const audioMessages = () => {
  const sent: unknown[] = [];
  let room = 0;
  const messages = createAudioMessages(4, {
    hasRoom: () => room > 0,
    send(message) {
      room -= 1;
      sent.push([...message]);
    },
  });
  const makeRoom = (count: number): void => {
    room += count;
    messages.flush();
  };
  return { messages, sent, makeRoom };
};

test('sends audio only while the connection has room, in order', (t) => {
  const { messages, sent, makeRoom } = audioMessages();
  for (let at = 0; at < 15; at += 3) messages.write(numbered(3, at));
  t.deepEqual([sent, messages.waiting()], [[], 15]);
  makeRoom(2);
  t.deepEqual([sent, messages.sent(), messages.waiting()], [[samples(0, 4), samples(4, 8)], 8, 7]);
  makeRoom(5);
  t.deepEqual([sent.slice(2), messages.waiting()], [[samples(8, 12)], 3], 'an incomplete message waits');
  messages.write(numbered(1, 15));
  t.deepEqual(sent.slice(3), [samples(12, 16)]);
});

test('ends a sentence after the audio before it, also if that has to wait', (t) => {
  const { messages, sent, makeRoom } = audioMessages();
  messages.write(numbered(5));
  messages.whenSent(() => sent.push('pause'));
  messages.write(numbered(5, 5));
  t.deepEqual(sent, []);
  makeRoom(2);
  t.deepEqual(sent, [samples(0, 4), 'pause', samples(4, 8)]);
  messages.whenSent(() => sent.push('at once'));
  t.is(sent.at(-1), 'at once');
});

test('drops waiting audio with the ends of its sentences', (t) => {
  const { messages, sent, makeRoom } = audioMessages();
  messages.write(numbered(8));
  messages.whenSent(() => sent.push('pause'));
  messages.clear();
  makeRoom(2);
  t.deepEqual([sent, messages.waiting()], [[], 0]);
});

// Without repeated partials

const reported = (events: readonly EngineEvent[]): EngineEvent[] => {
  const heard: EngineEvent[] = [];
  const report = withoutRepeatedPartials((event) => heard.push(event));
  for (const event of events) report(event);
  return heard;
};

const partial = (text: string): EngineEvent => ({ type: 'partial', text });
const final = (text: string): EngineEvent => ({ type: 'final', text });

test('emits interim words only when they change', (t) => {
  t.deepEqual(reported([partial(''), partial('good'), partial('good'), partial('good morning')]), [
    partial('good'),
    partial('good morning'),
  ]);
});

test('withdraws interim words at a final result without words, and ignores that result without interim words', (t) => {
  t.deepEqual(reported([partial('good'), final(''), final('')]), [partial('good'), partial('')]);
});

test('emits the same interim words again after a final result', (t) => {
  const events = [partial('yes'), final('Yes.'), partial('yes')];
  t.deepEqual(reported(events), events);
});

test('emits all other events unchanged', (t) => {
  const events: EngineEvent[] = [{ type: 'settled', samples: 7 }, { type: 'turn-complete' }];
  t.deepEqual(reported(events), events);
});
