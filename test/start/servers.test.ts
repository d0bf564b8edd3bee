/** The parts of a start: the HTTP server, WebSockets, speech engines, SIP messages, and printed output. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type ServerResponse, createServer as createHttpServer, request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { z } from 'zod';
import type { Config } from '#config/config.ts';
import { speechEngines } from '#config/policy.ts';
import type { SpeechConfig } from '#config/speech-config.ts';
import { createReadBrowser } from '#src/api/http/browser.ts';
import { createCounter } from '#src/api/http/rate-limit.ts';
import type { Route } from '#src/api/http/route.ts';
import { routes } from '#src/api/routes.ts';
import { systemClock } from '#src/clocks.ts';
import { bytesOf } from '#src/domain/sample-bytes.ts';
import type { SipMessage } from '#src/domain/sip-message.ts';
import { StartError } from '#src/domain/start-error.ts';
import { keepSipMessages, sipMessagesOf } from '#src/persistence/calls/sip-messages.ts';
import { writeCredentials } from '#src/start/credentials.ts';
import { exposureWarning, welcome } from '#src/start/welcome.ts';
import { listen } from '#src/start/http-server.ts';
import { startSipTraces } from '#src/parts/telephony.ts';
import { startSpeech } from '#src/parts/speech.ts';
import { createWebSocketRoutes } from '#src/api/http/websocket-routes.ts';
import { type RawAnswer, rawRequest } from '#test/api/raw-http.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { silentSynthesizer } from '#test/helpers/silent-synthesizer.ts';
import { storedDocument } from '#test/helpers/stored-document.ts';
import { until } from '#test/helpers/until.ts';
import { usualSpeech } from '#test/helpers/usual-speech.ts';
import { serverSettings } from './gateway-process.ts';
import { type WatchedGateway, watchedGateway } from './watched-gateway.ts';
import { readHep } from '#test/sip/hep/read-hep.ts';
import { writeWav } from '#src/speech/write-wav.ts';
import { listeningLogger } from '#test/speech/doubles/engine-world.ts';
import { listen as listenTo, numbered } from '#test/speech/doubles/heard-events.ts';
import { type EngineAnswer, sendJson, sendSound, startHttpEngine } from '#test/speech/doubles/http-engine.ts';
import { deepgramResults, startSocketEngine, voskFinal } from '#test/speech/doubles/socket-engine.ts';

// HTTP server

const prepare = (): void => undefined;

test.serial('returns the address with the actual port', async (t) => {
  const server = await listen((_, response) => response.end('here'), { host: '0.0.0.0', port: 0, prepare });
  t.teardown(server.close);
  t.regex(server.url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  t.is(await (await fetch(server.url)).text(), 'here');
});

test.serial('accepts an upgrade to WebSocket and ignores any other', async (t) => {
  const upgraded: unknown[] = [];
  const server = await listen((_, response) => response.end('here'), {
    host: '127.0.0.1',
    port: 0,
    prepare: (http) =>
      http.on('upgrade', ({ headers }, socket) => {
        upgraded.push(headers.upgrade);
        socket.destroy();
      }),
  });
  t.teardown(() => server.close());
  const ask = (protocol: string) =>
    new Promise((resolve) => {
      const asking = request(server.url, { headers: { connection: 'upgrade', upgrade: protocol } });
      asking.on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asking.on('error', () => resolve('closed'));
      asking.end();
    });
  t.is(await ask('h2c'), 200);
  t.is(await ask('WebSocket'), 'closed');
  t.deepEqual(upgraded, ['WebSocket']);
});

test.serial('names the settings of a port in use and of an address of another machine', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await t.throwsAsync(
    listen(() => undefined, { host: '127.0.0.1', port, prepare }),
    {
      instanceOf: StartError,
      message: `port ${port} is in use; set GW_PORT to another one`,
    },
  );
  await t.throwsAsync(
    listen(() => undefined, { host: '192.0.2.1', port: 0, prepare }),
    {
      instanceOf: StartError,
      message: 'this machine has no address 192.0.2.1; set GW_HOST to one of its own',
    },
  );
});

test.serial('lets a current request finish on close', async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<ServerResponse>();
  const server = await listen((_, response) => resolve(response), { host: '127.0.0.1', port: 0, prepare });
  const asked = request(server.url).end();
  const response = await arrived;
  const closed = server.close();
  response.end('after all');
  const [answer] = await once(asked, 'response');
  t.is(Buffer.concat(await answer.toArray()).toString(), 'after all');
  await closed;
  await t.throwsAsync(fetch(server.url), { instanceOf: TypeError });
});

test.serial('disconnects websockets that stay open on close', async (t) => {
  const upgraded = Promise.withResolvers<void>();
  const server = await listen((_, response) => response.end(), {
    host: '127.0.0.1',
    port: 0,
    prepare: (http) => http.on('upgrade', () => upgraded.resolve()),
    closeMs: 50,
  });
  const client = connect(Number(new URL(server.url).port), '127.0.0.1');
  t.teardown(() => client.destroy());
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await upgraded.promise;
  const closed = once(client.resume(), 'close');
  await server.close();
  await closed;
  t.pass();
});

// WebSockets

/**
 * A WebSocket endpoint at `/inspect`; the token `good` belongs to an admin, and two attempts with invalid tokens are
 * permitted.
 */
const openDoor = async (t: ExecutionContext) => {
  const failures = createCounter(
    'failures',
    { points: 2, perSeconds: 60 },
    {
      operation: {
        countWithOthers: () => () => Promise.resolve(null),
        limits: { countingMs: 3_000 },
        clock: systemClock,
        logger: pino({ level: 'silent' }),
      },
    },
  );
  const logged: string[] = [];
  const tried: string[] = [];
  const good = new Set(['good', 'other']);
  const webSocketRoutes = createWebSocketRoutes({
    authenticate: (credential) => {
      const token = 'token' in credential ? credential.token : `session ${credential.session}`;
      tried.push(token);
      return Promise.resolve(
        good.has(token) ? { workspaceId: 'w', actor: 'admin:a', role: 'admin' as const } : undefined,
      );
    },
    readBrowser: createReadBrowser([]),
    judgeGateway: ({ headers: { authorization } }) => {
      if (authorization === 'Node late') return 'expired';
      return authorization === 'Node good' ? 'valid' : 'invalid';
    },
    async countFailure(request) {
      const counted = await failures.count(request.socket.remoteAddress ?? '');
      return counted?.isBeyond === true ? counted.seconds : null;
    },
    revalidateMs: 20,
    logger: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
  });
  webSocketRoutes.serve('/inspect', 'viewer', ({ refuse }) => refuse(418));
  webSocketRoutes.serveGateways('/internal/phones', ({ refuse }) => refuse(418));
  webSocketRoutes.serve('/stay', 'viewer', ({ socket }) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    // The test ends the socket as a WebSocket client does.
    socket.on('end', () => socket.end());
    socket.resume();
  });
  const server = createHttpServer();
  webSocketRoutes.attach(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const knock = (target: string, headers = ''): Promise<RawAnswer> =>
    rawRequest(
      port,
      `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`,
    );
  const stay = async (token: string, { target = `/stay?token=${token}`, headers = '' } = {}) => {
    const socket = connect(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`,
    );
    const [answer] = await once(socket, 'data');
    t.regex(String(answer), /^HTTP\/1\.1 101 /);
    return socket;
  };
  const clients = (): Promise<number> => promisify(server.getConnections.bind(server))();
  return { knock, stay, clients, port, logged, tried, good };
};

const refused = test.macro<[target: string, status: number]>({
  async exec(t, target, status) {
    const { knock, logged, tried } = await openDoor(t);
    t.is((await knock(target)).status, status);
    t.deepEqual([...logged, ...tried], []);
  },
  title: (_, target, status) => `responds to a WebSocket at ${target} with ${status} before authentication`,
});

test.serial(refused, '//', 400);
test.serial(refused, 'http://[', 400);
test.serial(refused, '/nothing', 404);
test.serial(refused, '*', 404);

test.serial('disconnects a refused client that keeps its side open and continues to send', async (t) => {
  const { port, clients } = await openDoor(t);
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => client.destroy());
  client.on('error', () => {});
  client.write('GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nmore');
  const [answer] = await once(client, 'data');
  t.regex(String(answer), /^HTTP\/1\.1 404 /);
  await until('the gateway has closed the connection', async () => (await clients()) === 0 || undefined);
  t.pass();
});

test.serial('opens WebSockets of other gateways only to gateways', async (t) => {
  const { knock, tried } = await openDoor(t);
  const statusOf = async (proof: string): Promise<number> =>
    (await knock('/internal/phones?token=good', `Authorization: Node ${proof}\r\n`)).status;
  t.deepEqual([await statusOf('good'), await statusOf('late'), await statusOf('bad')], [418, 403, 404]);
  t.is((await knock('/internal/phones?token=good')).status, 404);
  t.deepEqual(tried, []);
});

test.serial('limits invalid tokens by address, but accepts a valid one', async (t) => {
  const { knock } = await openDoor(t);
  const statuses = [];
  for (const token of ['one', 'two', 'three']) statuses.push((await knock(`/inspect?token=${token}`)).status);
  t.deepEqual(statuses, [401, 401, 429]);
  const { headers } = await knock('/inspect', 'Authorization: Bearer four\r\n');
  t.regex(headers.get('retry-after') ?? '', /^[1-6]?\d$/);
  t.is((await knock('/inspect?token=good')).status, 418);
});

test.serial('accepts a token in a header, as the second protocol, or in the URL', async (t) => {
  const { knock, tried } = await openDoor(t);
  await knock('/inspect', 'Authorization: Bearer one\r\n');
  await knock('/inspect', 'Sec-WebSocket-Protocol: trunkline.phone ,  two \r\n');
  await knock('/inspect?token=three');
  t.deepEqual(tried, ['one', 'two', 'three']);
});

test.serial('disconnects exactly the clients whose token became invalid', async (t) => {
  const { stay, tried, good } = await openDoor(t);
  const cutOff = await stay('good');
  const other = await stay('other');
  const closed = once(cutOff, 'close');
  good.delete('good');
  await closed;
  const asked = tried.length;
  await until('the other one is asked for again', () => tried.length > asked || undefined);
  t.false(other.destroyed);
  t.is(tried.at(-1), 'other');
});

const cookie = (session: string, origin: string): string =>
  `Cookie: other=1; trunkline_session=${session}\r\n${origin}`;

test.serial('accepts a page of this gateway by its browser session, and rejects other origins', async (t) => {
  const { knock, tried, good } = await openDoor(t);
  good.add('session s1');
  t.is((await knock('/inspect', cookie('s1', 'Origin: http://a\r\n'))).status, 418);
  t.is((await knock('/inspect', cookie('s1', 'Sec-Fetch-Site: same-origin\r\n'))).status, 418);
  const asked = tried.length;
  for (const origin of [
    '',
    'Origin: null\r\n',
    'Origin: http://a:8081\r\n',
    'Origin: http://a.example\r\n',
    'Origin: http://a\r\nSec-Fetch-Site: same-site\r\n',
  ])
    t.is((await knock('/inspect', cookie('s1', origin))).status, 403, origin);
  t.is(tried.length, asked, 'nobody looked whose session it is');
  t.is((await knock('/inspect', cookie('s2', 'Origin: http://a\r\n'))).status, 401);
  // A valid token is accepted from any origin.
  t.is((await knock('/inspect?token=good', cookie('s1', 'Origin: http://b\r\n'))).status, 418);
});

test.serial('disconnects a client whose session has ended', async (t) => {
  const { stay, good } = await openDoor(t);
  good.add('session s1');
  const inside = await stay('', { target: '/stay', headers: cookie('s1', 'Origin: http://a\r\n') });
  const closed = once(inside, 'close');
  good.delete('session s1');
  await closed;
  t.pass();
});

// Speech engines

const start = async (
  t: ExecutionContext,
  config: Partial<SpeechConfig>,
  path = process.env['PATH'] ?? '',
) => {
  const { lines, logger } = listeningLogger();
  const speech = await startSpeech(
    { recognizers: [], synthesizers: [], ...config },
    { ...speechEngines, clock: systemClock, path, synthesizer: null, logger },
  );
  t.teardown(() => speech.close());
  return { ...speech, lines };
};

test.serial('without settings, uses installed synthesizers and no recognizer', async (t) => {
  const { synthesizerFor, recognizerFor, engines } = await start(t, {}, '');
  t.is(synthesizerFor(usualSpeech).name, 'tones');
  t.true((await synthesizerFor(usualSpeech).synthesize('안녕하세요', 'ko')).samples.length > 1_000);
  t.is(recognizerFor(usualSpeech), null);
  t.deepEqual([engines.recognizers, engines.synthesizers, engines.reportTurnEnds], [[], [], []]);
});

test.serial(
  'without settings, uses the synthesizer of its environment instead of an installed one',
  async (t) => {
    const { logger } = listeningLogger();
    const { synthesizerFor, close } = await startSpeech(
      { recognizers: [], synthesizers: [] },
      { ...speechEngines, clock: systemClock, path: '', synthesizer: silentSynthesizer, logger },
    );
    t.teardown(() => close());
    t.is(synthesizerFor(usualSpeech).name, 'silence');
  },
);

test.serial('without settings, a number may choose an installed engine that has voices', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-voices-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const install = (program: string) =>
    writeFile(join(folder, program), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  await install('flite');
  t.deepEqual((await start(t, {}, folder)).engines.synthesizers, []);
  await install('espeak-ng');
  const { engines } = await start(t, {}, folder);
  t.deepEqual(engines.synthesizers, ['espeak-ng']);
});

test.serial(
  'without settings, synthesizes a repeated sentence once, and tones speak while the program fails',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-voices-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const sound = { sampleRate: 16_000, samples: new Int16Array(8).fill(5) };
    await writeFile(join(folder, 'sound.wav'), writeWav(sound));
    const program = `#!/bin/sh
/bin/cat > /dev/null
echo spoken >> ${folder}/runs
if [ -e ${folder}/is-broken ]; then exit 1; fi
/bin/cat ${folder}/sound.wav
`;
    await writeFile(join(folder, 'espeak-ng'), program, { mode: 0o755 });
    const path = process.env['PATH'];
    process.env['PATH'] = folder;
    t.teardown(() => (process.env['PATH'] = path));
    const runs = async () => (await readFile(join(folder, 'runs'), 'utf8')).split('\n').length - 1;

    const { synthesizerFor, voiceSamples, lines } = await start(t, {}, folder);
    const say = (text: string) => synthesizerFor(usualSpeech).synthesize(text, 'ko');
    await writeFile(join(folder, 'is-broken'), '');
    t.true((await say('안녕하세요')).samples.length > 1_000);
    t.true((await say('안녕하세요')).samples.length > 1_000);
    t.is(await runs(), 2);
    const failures = lines.filter((line) => line.includes('a synthesizer failed'));
    t.is(failures.length, 2);
    t.false(lines.join('').includes('안녕'));

    await rm(join(folder, 'is-broken'));
    t.deepEqual([...(await say('안녕하세요')).samples], [...sound.samples], 'tones were not kept');
    t.deepEqual([...(await say('안녕하세요')).samples], [...sound.samples]);
    t.is(await runs(), 3);
    const sample = { synthesizer: null, voice: null, language: 'ko', text: '안녕하세요' };
    await voiceSamples.speak(sample);
    t.is(await runs(), 3);
    // Sentences of a chosen voice are in the same cache, by the voice.
    await voiceSamples.speak({ ...sample, voice: 'ko' });
    await voiceSamples.speak({ ...sample, voice: 'ko' });
    t.is(await runs(), 4);
  },
);

test.serial('rejects the start if a chosen program is not installed', async (t) => {
  await t.throwsAsync(start(t, { synthesizers: [{ engine: 'espeak-ng' }] }, ''), {
    name: 'StartError',
    message: 'GW_SYNTHESIZERS names espeak-ng, which is not installed on this machine',
  });
  await t.throwsAsync(start(t, { recognizers: [{ engine: 'pocketsphinx' }] }, ''), {
    name: 'StartError',
    message: 'GW_RECOGNIZERS names pocketsphinx, which is not installed on this machine',
  });
});

test.serial(
  'uses the next synthesizer for text that the first cannot speak, and caches sentences',
  async (t) => {
    const refusing = await startHttpEngine(t, sendJson({ detail: { status: 'quota_exceeded' } }, 401));
    const speaking = await startHttpEngine(t, sendSound([bytesOf(numbered(100))]));
    const { synthesizerFor, lines } = await start(t, {
      synthesizers: [
        { engine: 'deepgram-aura', url: refusing.url, key: 'hush-hush' },
        { engine: 'elevenlabs', url: refusing.url, key: 'hush-hush', voice: 'v' },
        { engine: 'openai-speech', url: speaking.url, key: null, model: 'm', voice: 'v' },
      ],
    });
    const synthesizer = synthesizerFor(usualSpeech);
    t.is(synthesizer.name, 'deepgram-aura, elevenlabs, openai-speech');
    for (let time = 0; time < 2; time += 1) {
      const { samples } = await synthesizer.synthesize('안녕하세요.', 'ko');
      t.deepEqual(samples, numbered(100));
    }
    t.is(refusing.requests.length, 1);
    t.is(speaking.requests.length, 1);
    t.is(lines.length, 1);
    t.regex(lines[0] ?? '', /elevenlabs answered with HTTP 401/);
    t.notRegex(lines.join(''), /hush-hush|안녕/);
  },
);

test.serial('the next recognizer continues an interrupted sentence with all unfinalized audio', async (t) => {
  const first = await startSocketEngine(t, (connection) => {
    connection.onSound = () => {
      if (connection.sound().length < 1_600 * 2) return;
      connection.send(deepgramResults('첫 문장.', { duration: 0.1, isFinal: true, speechFinal: true }));
      connection.send(deepgramResults('둘째', { start: 0.1, duration: 0.1 }));
      connection.socket.close(1011, 'NET-0000');
    };
  });
  const second = await startSocketEngine(t, (connection) => {
    connection.onSound = () =>
      connection.send(connection.sound().length < 1_600 ? { partial: '둘' } : voskFinal('둘째 문장'));
  });
  const { recognizerFor, lines } = await start(t, {
    recognizers: [
      { engine: 'deepgram', url: `http://127.0.0.1:${first.port}`, key: 'hush-hush' },
      { engine: 'vosk', url: second.url },
    ],
  });
  const recognizer = recognizerFor(usualSpeech);
  if (recognizer === null) throw new Error('There is no recognizer');
  t.is(recognizer.name, 'deepgram, vosk');
  const { recognition, words, count } = listenTo(recognizer);
  recognition.speechBegan();
  for (let at = 0; at < 1_600; at += 160) recognition.write(numbered(160, at));
  await count(3);
  const connection = await until('the second engine', () => second.connections[0]);
  t.deepEqual(connection.sound(), bytesOf(numbered(800, 800)));
  t.deepEqual(words(), ['final: 첫 문장.', 'partial: 둘째', 'final: 둘째 문장']);
  t.true(lines.some((line) => line.includes('deepgram ended the connection (1011)')));
  t.notRegex(lines.join(''), /hush-hush|문장|둘째/);
  recognition.close();
  await until('a goodbye', () => connection.messages.find((message) => message === '{"eof" : 1}'));
});

/** Two speaking servers with different audio, and the configuration that names them in this order. */
const twoVoices = async (t: ExecutionContext, answers: { first?: EngineAnswer } = {}) => {
  const first = await startHttpEngine(t, answers.first ?? sendSound([bytesOf(numbered(10, 1))]));
  const second = await startHttpEngine(t, sendSound([bytesOf(numbered(10, 2))]));
  const config: Partial<SpeechConfig> = {
    synthesizers: [
      { engine: 'elevenlabs', url: first.url, key: 'hush-hush', voice: 'usual' },
      { engine: 'openai-speech', url: second.url, key: null, model: 'm', voice: 'alloy' },
    ],
  };
  const voicesOf = (server: typeof first) =>
    server.requests.map(
      ({ path, body }) => /text-to-speech\/(.*)\/stream/.exec(path)?.[1] ?? JSON.parse(String(body)).voice,
    );
  return { config, first, second, voices: () => [voicesOf(first), voicesOf(second)] };
};

test.serial(
  'speaks with the synthesizer and voice of a number, otherwise with the others and theirs',
  async (t) => {
    const { config, second, voices } = await twoVoices(t);
    const { synthesizerFor } = await start(t, config);
    const chosen = synthesizerFor({ recognizer: null, synthesizer: 'openai-speech', voice: 'nova' });
    t.is(chosen.name, 'openai-speech, elevenlabs');
    t.deepEqual((await chosen.synthesize('One.', 'en')).samples, numbered(10, 2));
    t.deepEqual(voices(), [[], ['nova']]);
    // The same sentence of another number has the default voice and is not cached yet.
    await synthesizerFor({ ...usualSpeech, synthesizer: 'openai-speech' }).synthesize('One.', 'en');
    await synthesizerFor({ recognizer: null, synthesizer: 'openai-speech', voice: 'nova' }).synthesize(
      'One.',
      'en',
    );
    t.deepEqual(voices(), [[], ['nova', 'alloy']]);
    t.deepEqual((await synthesizerFor(usualSpeech).synthesize('One.', 'en')).samples, numbered(10, 1));
    second.close();
    t.deepEqual((await chosen.synthesize('Two.', 'en')).samples, numbered(10, 1));
    t.deepEqual(voices(), [
      ['usual', 'usual'],
      ['nova', 'alloy'],
    ]);
  },
);

test.serial('cools down an engine for all numbers after it failed in a call of one', async (t) => {
  const { config, first } = await twoVoices(t, { first: sendJson({}, 503) });
  const { synthesizerFor } = await start(t, config);
  for (const text of ['One.', 'Two.', 'Three.']) {
    const { samples } = await synthesizerFor(usualSpeech).synthesize(text, 'en');
    t.deepEqual(samples, numbered(10, 2));
  }
  await synthesizerFor({ ...usualSpeech, synthesizer: 'elevenlabs', voice: 'own' }).synthesize('Four.', 'en');
  t.is(first.requests.length, 1);
});

test.serial('replaces a voice that its engine lacks by the default one, only for that number', async (t) => {
  const { config, voices } = await twoVoices(t, {
    first: (response, request) =>
      request.path.includes('/typo/')
        ? sendJson({ detail: { status: 'voice_not_found' } }, 404)(response, request)
        : sendSound([bytesOf(numbered(10, 1))])(response, request),
  });
  const { synthesizerFor, lines } = await start(t, config);
  const mistaken = synthesizerFor({ ...usualSpeech, synthesizer: 'elevenlabs', voice: 'typo' });
  for (const text of ['One.', 'Two.'])
    t.deepEqual((await mistaken.synthesize(text, 'en')).samples, numbered(10, 1));
  await synthesizerFor(usualSpeech).synthesize('Three.', 'en');
  t.deepEqual(voices(), [['typo', 'usual', 'usual', 'usual'], []]);
  t.is(lines.length, 1);
  t.regex(
    lines[0] ?? '',
    /the engine refused the chosen voice; its default voice speaks.*elevenlabs|elevenlabs.*the engine refused the chosen voice; its default voice speaks/,
  );
});

test.serial('skips an engine or voice that is no longer available and logs it once', async (t) => {
  const { config, voices } = await twoVoices(t);
  const { synthesizerFor, recognizerFor, lines } = await start(t, config);
  const gone = { recognizer: 'vosk', synthesizer: 'deepgram-aura', voice: 'aura-2-thalia-en' };
  for (const text of ['One.', 'Two.']) {
    t.is(recognizerFor(gone), null);
    t.is(synthesizerFor(gone).name, 'elevenlabs, openai-speech');
    await synthesizerFor(gone).synthesize(text, 'en');
  }
  await synthesizerFor({ ...usualSpeech, synthesizer: 'elevenlabs', voice: '../x?y=' }).synthesize(
    'Three.',
    'en',
  );
  t.deepEqual(voices(), [['usual', 'usual', 'usual'], []]);
  t.deepEqual(
    lines.map((line) => [JSON.parse(line).engine, JSON.parse(line).msg]),
    [
      ['vosk', 'a number chose a recognizer that is no longer configured: the default order applies'],
      [
        'deepgram-aura',
        'a number chose a synthesizer that is no longer configured: the default order applies',
      ],
    ],
  );
});

test.serial("tries a number's recognizer first, and counts its failure for all calls", async (t) => {
  const first = await startSocketEngine(t, (connection) => {
    connection.onSound = () => connection.send(voskFinal('first'));
  });
  const broken = await startSocketEngine(t, undefined, { refuseWith: 500 });
  const { recognizerFor } = await start(t, {
    recognizers: [
      { engine: 'vosk', url: first.url },
      { engine: 'deepgram', url: `http://127.0.0.1:${broken.port}`, key: 'hush-hush' },
    ],
  });
  const choice = { ...usualSpeech, recognizer: 'deepgram' };
  t.is(recognizerFor(choice)?.name, 'deepgram, vosk');
  t.is(recognizerFor(usualSpeech)?.name, 'vosk, deepgram');
  const opened: string[] = [];
  for (let call = 0; call < 2; call += 1) {
    const recognizer = recognizerFor(choice);
    if (recognizer === null) throw new Error('There is no recognizer');
    const { recognition, count, words } = listenTo(recognizer);
    recognition.speechBegan();
    recognition.write(numbered(1_600));
    await count(1);
    opened.push(...words());
    recognition.close();
  }
  t.deepEqual(new Set(opened), new Set(['final: first']));
  t.is(broken.refused(), 1);
});

// SIP messages

const message = (atMicros: number): SipMessage => ({
  atMicros,
  direction: 'out',
  transport: 'udp',
  local: '192.0.2.7:5060',
  remote: '198.51.100.9:5060',
  text: 'BYE sip:x SIP/2.0\r\nCall-ID: one\r\n\r\n',
  leftOut: 0,
});

const world = async (t: ExecutionContext, config: Pick<Config, 'sipTraceDays' | 'hep'>) => {
  const database = await testDatabase(t);
  const clock = createOrderedClock();
  const started = new AsyncDisposableStack();
  const logger = pino({ level: 'silent' });
  const { keep, lost } = startSipTraces({ config, database, clock, logger, started });
  return { database, clock, started, keep, lost, callId: randomUUID(), now: clock.now() * 1_000 };
};

test.serial('stores pending SIP messages before the gateway ends', async (t) => {
  const { database, started, keep, lost, callId, now } = await world(t, { sipTraceDays: 7, hep: null });
  t.true(keep?.(callId, message(now)));
  await started.disposeAsync();
  t.deepEqual(await sipMessagesOf(database, callId), [{ callId, ...message(now) }]);
  t.is(lost(), 0);
});

test.serial('with a retention of zero days, stores no SIP messages and deletes existing ones', async (t) => {
  const { database, clock, started, keep, callId, now } = await world(t, { sipTraceDays: 0, hep: null });
  t.is(keep, null);
  await keepSipMessages(database, [{ callId, ...message(now - 1) }]);
  clock.advance(1);
  await until('it is deleted', async () =>
    (await sipMessagesOf(database, callId)).length === 0 ? true : undefined,
  );
  await started.disposeAsync();
});

test.serial('sends SIP messages to a collector even if none are stored', async (t) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  const hep = { host: '127.0.0.1', port: socket.address().port, captureId: 7, password: 'hush' };
  const { database, started, keep, callId, now } = await world(t, { sipTraceDays: 0, hep });
  const heard = once(socket, 'message');
  t.true(keep?.(callId, message(now)));
  await started.disposeAsync();
  const [packet] = await heard;
  t.like(readHep(packet), {
    captureId: 7,
    password: 'hush',
    correlationId: 'one',
    payload: message(now).text,
  });
  t.deepEqual(await sipMessagesOf(database, callId), []);
});

// Welcome

const credentials = {
  base_url: 'http://127.0.0.1:8080',
  console_url: 'http://127.0.0.1:8080/',
  workspace_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
  number_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c12',
  number: '07000000000',
  number_key: 'gw_live_key',
  admin_token: 'gw_admin_token',
  file: '/a folder/dev-credentials.json',
};

const printed = welcome(credentials, 'simulator', 1_234, true);

/** Arguments that a shell passes for each printed command. `npm run credentials` sets the key, from the right folder. */
const argumentsOf = async (commands: string, folder = ''): Promise<string[][]> => {
  const tells = '{ for argument; do printf "%s\\0" "$argument"; done; printf "\\n"; }';
  const sets = `{ [ "$GW_DATA_DIR" != "$FOLDER" ] || echo export NUMBER_KEY=gw_live_key; }`;
  const programs = `curl() ${tells}\nnpm() { if [ "$3" = credentials ]; then ${sets}; else ${tells}; fi; }`;
  const { stdout } = await promisify(execFile)('sh', ['-c', `${programs}\n${commands}`], {
    env: { ...process.env, FOLDER: folder },
  });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\0').slice(0, -1));
};

test.serial('the printed commands are parsed by a shell as intended', async (t) => {
  const commands = printed
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .join('\n');
  const [calling, english, placing = [], reading, ...others] = await argumentsOf(commands);
  t.deepEqual(others, []);
  t.deepEqual(calling, ['run', 'call', '--', '01000000001', '내일 오후 3시 예약을 확인해 주세요']);
  t.deepEqual(english?.slice(-2), ['--language', 'en']);
  t.deepEqual(placing.slice(0, -1), [
    '-s',
    'http://127.0.0.1:8080/api/v1/calls',
    '-H',
    'Authorization: Bearer gw_live_key',
    '-H',
    'Content-Type: application/json',
    '-d',
  ]);
  t.deepEqual(JSON.parse(placing.at(-1) ?? ''), {
    to: '01000000001',
    instruction: '내일 오후 3시 예약을 확인해 주세요',
  });
  t.deepEqual(reading, [
    '-s',
    'http://127.0.0.1:8080/api/v1/calls/CALL_ID/transcript',
    '-H',
    'Authorization: Bearer gw_live_key',
  ]);
});

test.serial('prints a sign-in link on a terminal, otherwise the command that prints one', (t) => {
  const link = 'http://127.0.0.1:8080/#/sign-in/code';
  t.regex(welcome(credentials, 'simulator', 1_234, true, link), /\n  Sign in +http:\S+\/#\/sign-in\/code\n/);
  t.regex(printed, /\n  Sign in +npm run admin -- sign-in-link\n/);
});

test.serial('prints start time, number and file, but not the admin token', (t) => {
  t.regex(printed, /ready \(1\.2 s\)/);
  t.regex(printed, /Your number +07000000000\n/);
  t.regex(printed, /All of this +\/a folder\/dev-credentials\.json\n/);
  t.false(printed.includes('gw_admin_token'));
});

test.serial(
  'without a terminal, the commands take the key from the file instead of showing it',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "trunkline's welcome-"));
    t.teardown(() => rm(folder, { recursive: true }));
    const { file } = await writeCredentials(folder, credentials);
    const collected = welcome({ ...credentials, file }, 'simulator', 1_234, false);
    t.false(collected.includes(credentials.number_key));
    t.true(collected.includes(file));
    const commands = collected
      .split('\n')
      .filter((line) => line.startsWith('    '))
      .join('\n');
    const requests = (await argumentsOf(commands, folder)).filter(([first]) => first === '-s');
    t.is(requests.length, 2);
    for (const command of requests)
      t.true(command.includes('Authorization: Bearer gw_live_key'), command.join(' '));
  },
);

test.serial('with real lines, prints no example call, and no pasted command places a call', (t) => {
  const real = welcome(credentials, 'drachtio', 1_234, true);
  t.notRegex(real, /nothing is charged|simulated|01000000001/);
  t.regex(real, /which your trunk may charge for/);
  t.regex(real, /"to": "NUMBER"/);
  t.regex(real, /npm run call -- NUMBER "/);
  t.regex(printed, /nothing is charged/);
  t.regex(welcome(credentials, 'none', 1_234, true), /places no calls/);
});

// Exposure warning

for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1', '::ffff:127.0.0.1'])
  test.serial(`prints no warning for ${host}, which is local`, (t) => {
    t.is(exposureWarning({ host, databaseUrl: null }), undefined);
  });

for (const host of ['0.0.0.0', '::', '192.168.1.5', 'gateway.example.com', '127.example.com'])
  test.serial(`warns that others can reach a trial gateway on ${host}`, (t) => {
    const warning = exposureWarning({ host, databaseUrl: null }) ?? '';
    t.true(warning.includes(`${host} (GW_HOST)`));
    t.regex(warning, /dev-credentials\.json/);
  });

test.serial('prints no warning for a gateway with its own database server', (t) => {
  t.is(exposureWarning({ host: '0.0.0.0', databaseUrl: 'postgresql://db/trunkline' }), undefined);
});

// Stalls
// No request delays other calls, whatever its content, even as the first one of its kind.

/**
 * Longest turn of the event loop, in milliseconds of processor time. Code that runs for the first time takes up to half
 * of it on a slow machine; a request that should have been left to another thread takes several times as much.
 */
const longestTurnMs = 150;
/**
 * Duration of the work of `stall-probe.ts` on a usual machine; a slower one gets proportionally more time per request.
 */
const usualReferenceMs = 30;

/** Three hundred ended calls, one of them with a long conversation. Resolves to the id of that one. */
const storeCalls = async (databaseUrl: string, numberId: string): Promise<string> => {
  const [long] = await runStatement(
    databaseUrl,
    `insert into call (id, workspace_id, number_id, direction, own_number, counterparty, language, status, end_reason,
       max_duration_sec, recording_enabled, started_at, answered_at, ended_at, duration_sec, node)
     select gen_random_uuid(), workspace_id, id, 'outbound', number, '01000000001', 'ko', 'completed', 'agent_hangup',
       1800, false, now() - interval '1800 s', now() - interval '1795 s', now(), 1795, 'gone'
     from phone_number, generate_series(1, 300) where id = '${numberId}' returning id`,
  );
  const { id } = z.object({ id: z.string() }).parse(long);
  for (const rows of [
    `call_turn (call_id, sequence, role, text, t_offset_sec, spoken_at, whole)
     select '${id}', n, 'user', repeat('Where is my order? ', 5), n, now(), true from generate_series(1, 1500) n`,
    `call_fact (call_id, sequence, type, at, data)
     select '${id}', n, 'turn.digit', now(), '{"digit":"1"}' from generate_series(1, 1500) n`,
    `call_transition (call_id, sequence, at, machine, chart_version, event_type, state_after, facts_before)
     select '${id}', n, now(), 'call', 'v', 'line.digit', 'active.talking.conversing', n from generate_series(1, 3000) n`,
  ])
    await runStatement(databaseUrl, `insert into ${rows}`);
  return id;
};

/** Deletes objects that other requests use. */
const lastRequests = new Set(['deleteNumber', 'eraseCall', 'issueKey']);

const examples = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), z.object({ requestBody: z.unknown() }).partial())),
  })
  .parse(JSON.parse(storedDocument));

const exampleOf = ({ path, method }: Route): unknown =>
  z
    .object({ content: z.object({ 'application/json': z.object({ example: z.unknown() }) }) })
    .safeParse(examples.paths[path]?.[method]?.requestBody).data?.content['application/json'].example;

/** A port without a listener. */
const onLoopback = (json: string): string => json.replaceAll(/https?:\/\/[^/"]+/g, 'http://127.0.0.1:9');

/** Kinds of bodies of a hundred kilobytes. */
const hostileBodies = [
  `{"to":"${'0'.repeat(100_000)}","text":"${'a'.repeat(20_000)}"}`,
  `{${Array.from({ length: 10_000 }, (_, index) => `"a${index}":1`).join(',')}}`,
  `${'['.repeat(60_000)}${']'.repeat(60_000)}`,
];

type Request = { name: string; method: string; path: string; key: string | undefined; body?: string };

const everyRequest = ({ credentials }: WatchedGateway, callIds: readonly string[]): Request[] => {
  const { number_key, admin_token, number_id } = credentials;
  const filled = (path: string, callId: string): string =>
    path
      .replace('{call_id}', callId)
      .replace('/numbers/{id}', `/numbers/${number_id}`)
      .replace('{direction}', 'outbound')
      .replace('{name}', 'conversation')
      .replace('{number}', '01000000042')
      .replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
  const longQuery = `?limit=200&to=01000000042&${'a=b&'.repeat(3_000)}`;
  return routes
    .filter(({ operationId }) => !lastRequests.has(operationId))
    .flatMap((route) => {
      const { operationId: name, method, auth, body } = route;
      const key = auth === 'none' ? undefined : auth === 'number' ? number_key : admin_token;
      const bodies =
        body === undefined
          ? [undefined]
          : [onLoopback(JSON.stringify(exampleOf(route) ?? {})), ...hostileBodies];
      const paths = callIds.map((callId) => filled(route.path, callId));
      const queries = method === 'get' ? ['', longQuery] : [''];
      return [...new Set(paths)].flatMap((path) =>
        queries.flatMap((query) =>
          bodies.map((sent) => ({
            name: `${name} ${query.slice(0, 10)} ${sent?.slice(0, 20) ?? ''}`,
            method: method.toUpperCase(),
            path: `${path}${query}`,
            key,
            ...(sent === undefined ? {} : { body: sent }),
          })),
        ),
      );
    });
};

const sendRequest = async (baseUrl: string, { method, path, key, body }: Request): Promise<void> => {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
  });
  await response.arrayBuffer();
};

/** The requests that blocked the event loop too long, in a gateway that has answered none before. */
const stallingRequests = async (
  t: ExecutionContext,
  suspects?: ReadonlySet<string>,
): Promise<Map<string, number>> => {
  const settings = await serverSettings(t);
  // With a concurrent active call.
  const gateway = await watchedGateway(t, {
    ...settings,
    GW_INSPECT: '1',
    GW_SIMULATOR_SPEED: '1',
    GW_RATE_LIMIT: '0',
  });
  const { base_url, number_key, number_id } = gateway.credentials;
  const { body } = await apiClient(base_url, number_key).post('/api/v1/calls', { to: '01000000006' });
  const live = z.string().parse(body['call_id']);
  const ended = await storeCalls(settings['GW_DATABASE_URL'] ?? '', number_id);
  const atMost = longestTurnMs * Math.max(1, gateway.referenceMs / usualReferenceMs);
  const found = new Map<string, number>();
  for (const request of everyRequest(gateway, [live, ended])) {
    if (suspects?.has(request.name) === false) continue;
    if (suspects !== undefined) await gateway.collectGarbage();
    const turnMs = await gateway.longestTurn(() => sendRequest(base_url, request));
    if (turnMs > atMost) found.set(request.name, turnMs);
  }
  return found;
};

test.serial(
  'every route answers without stalling the event loop, on first use and with hostile bodies',
  async (t) => {
    let stalling = await stallingRequests(t);
    // A request must block three times, the last two times without garbage of anything before it.
    for (let tries = 1; tries < 3 && stalling.size > 0; tries += 1)
      stalling = await stallingRequests(t, new Set(stalling.keys()));
    t.deepEqual([...stalling], []);
  },
);
