/** Speech synthesis: engines, voices, failover and cached sentences. */
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { FormData } from 'undici';
import { SimulatedClock } from 'xstate';
import type { Audio, Synthesizer } from '#sip/audio/speech.ts';
import { createCircuitBreaker } from '#src/domain/circuit-breaker.ts';
import { unlessAborted } from '#src/domain/unless-aborted.ts';
import { reportHealth } from '#src/speech/report-health.ts';
import { chosenVoice, failOverSynthesizer } from '#src/speech/speech-engines.ts';
import { deepgramAura } from '#src/speech/deepgram-aura.ts';
import { createEngineClient } from '#src/speech/engine-client.ts';
import { EngineFailure, UnspokenLanguage, VoiceRefused } from '#src/speech/engine-failure.ts';
import { espeakNg } from '#src/speech/espeak-ng.ts';
import { espeakVoices } from '#src/speech/espeak-voices.ts';
import { findSynthesizer } from '#src/speech/find-synthesizer.ts';
import { flite } from '#src/speech/flite.ts';
import { isVoice } from '#src/speech/is-voice.ts';
import { createKeepAlive } from '#src/speech/socket-recognition.ts';
import { readWav } from '#src/speech/read-wav.ts';
import { rememberSentences } from '#src/speech/remember-sentences.ts';
import { runProgram } from '#src/speech/run-program.ts';
import { toneSynthesizer, withTones } from '#src/speech/tone-synthesizer.ts';
import { createVoiceSamples } from '#src/speech/voice-samples.ts';
import { whereInstalled } from '#test/helpers/where-installed.ts';
import { engineWorld, listeningLogger } from './doubles/engine-world.ts';
import { type EngineAnswer, formOf, sendJson, sendText, startHttpEngine } from './doubles/http-engine.ts';

// Engines
// The engines where they are installed, and their arguments where they are not.

const isSpeech = ({ sampleRate, samples }: Audio): boolean =>
  samples.length / sampleRate > 0.5 &&
  samples.length / sampleRate < 20 &&
  samples.some((sample) => sample > 1_000);

whereInstalled('espeak-ng')('espeak-ng speaks Korean, English and Japanese', async (t) => {
  t.true(isSpeech(await espeakNg().synthesize('안녕하세요, 반갑습니다.', 'ko')));
  t.true(isSpeech(await espeakNg().synthesize('Hello, how are you?', 'en-GB')));
  t.true(isSpeech(await espeakNg().synthesize('こんにちは、げんきですか。', 'ja')));
});

whereInstalled('espeak-ng')('espeak-ng fails without a voice, and the error omits the text', async (t) => {
  const error = await t.throwsAsync(espeakNg().synthesize('a secret', 'xx'));
  t.false(error.message.includes('secret'));
});

whereInstalled('espeak-ng')('espeak-ng treats every text as words', async (t) => {
  t.is((await espeakNg().synthesize('', 'en')).samples.length, 0);
  const { samples } = await espeakNg().synthesize('-w file', 'en');
  t.true(samples.length > 0);
  const whole = (await espeakNg().synthesize('one two three', 'en')).samples.length;
  t.true((await espeakNg().synthesize('one\0two three', 'en')).samples.length > whole * 0.8);
  const sounds = (await espeakNg().synthesize('[[h@l@U]]', 'en')).samples.length;
  t.true(sounds > (await espeakNg().synthesize('hello', 'en')).samples.length);
});

whereInstalled('flite')('flite speaks English and leaves no file behind', async (t) => {
  // Other tests run engines at the same time.
  const own = await mkdtemp(join(tmpdir(), 'trunkline-voices-'));
  const usual = process.env['TMPDIR'];
  process.env['TMPDIR'] = own;
  t.teardown(async () => {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
    await rm(own, { recursive: true, force: true });
  });
  const folders = async () => (await readdir(own)).filter((name) => name.startsWith('trunkline-speech-'));
  t.true(isSpeech(await flite().synthesize('Hello, how are you? I am well.', 'en')));
  t.deepEqual(await folders(), []);
});

/** A program that records its arguments and speaks nothing. */
const stub = async (t: ExecutionContext, program: string): Promise<() => Promise<string>> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-voices-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const seen = join(folder, 'arguments');
  await writeFile(join(folder, program), `#!/bin/sh\necho "$@" > ${seen}\n`);
  await chmod(join(folder, program), 0o755);
  const path = process.env['PATH'];
  process.env['PATH'] = `${folder}:${path}`;
  t.teardown(() => (process.env['PATH'] = path));
  return () => readFile(seen, 'utf8');
};

test.serial('passes the text by standard input, and only valid languages as arguments', async (t) => {
  const seen = await stub(t, 'espeak-ng');
  for (const language of ['en', '--path=/', '', 'ko-KR', 'e n'])
    await espeakNg().synthesize('secret', language);
  t.is((await seen()).trim(), '-v en-us -b 1 --stdin --stdout');
  await espeakNg().synthesize('secret', 'ko-KR');
  t.is((await seen()).trim(), '-v ko -b 1 --stdin --stdout');
});

whereInstalled('espeak-ng')('espeak-ng speaks with a chosen voice and rejects an invalid one', async (t) => {
  const usual = await espeakNg().synthesize('Hello, how are you?', 'en');
  const chosen = await espeakNg('en-us+f3').synthesize('Hello, how are you?', 'en');
  t.true(isSpeech(chosen));
  t.notDeepEqual(chosen.samples, usual.samples);
  await t.throwsAsync(espeakNg('nobody').synthesize('a secret', 'en'), {
    name: 'VoiceRefused',
    message: 'espeak-ng did not speak with a chosen voice: espeak-ng ended with code 1',
  });
});

test.serial('uses a chosen voice instead of that of the language', async (t) => {
  const seen = await stub(t, 'espeak-ng');
  await espeakNg('en-us+f3').synthesize('secret', 'ko');
  t.is((await seen()).trim(), '-v en-us+f3 -b 1 --stdin --stdout');
});

test.serial('does not pass the text to flite as an argument', async (t) => {
  const seen = await stub(t, 'flite');
  await t.throwsAsync(flite().synthesize('secret', 'en'));
  t.regex(await seen(), /^-voice kal16 -f - -o \S+\/speech\.wav$/m);
});

// Engine client
// Requests to speech engines, with fewer retries than other outgoing requests: a repeated sentence would be charged
// twice.

const hangUp: EngineAnswer = (response) => response.destroy();

const clientFor = (t: { teardown(end: () => Promise<void>): void }) => {
  const client = createEngineClient({ connectMs: 60_000 });
  t.teardown(() => client.close());
  return client;
};

const sentence = (url: string) => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: '{"text":"Hello."}',
  signal: new AbortController().signal,
});

const textOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const bytes of body) chunks.push(bytes);
  return Buffer.concat(chunks).toString('utf8');
};

test.serial('does not repeat a sentence whose new connection broke', async (t) => {
  const server = await startHttpEngine(t, hangUp, sendJson({}));
  const error = await t.throwsAsync(clientFor(t).post('engine', sentence(server.url)));
  t.is(error.message, 'engine could not be reached (UND_ERR_SOCKET)');
  t.is(server.requests.length, 1);
});

test.serial(
  'retries on a new connection if the engine was closing the reused one, also for a form',
  async (t) => {
    const server = await startHttpEngine(t, sendText('first'), hangUp, sendText('again'));
    const client = clientFor(t);
    t.is(await textOf((await client.post('engine', sentence(server.url))).body), 'first');
    // The connection can be reused shortly after its response was read.
    await setImmediate();
    const body = new FormData();
    body.set('model', 'small');
    const { url, signal } = sentence(server.url);
    const response = await client.post('engine', { url, headers: {}, body, signal });
    t.is(await textOf(response.body), 'again');
    const [, , last] = server.requests;
    t.is(last && (await formOf(last)).get('model'), 'small');
  },
);

test.serial('treats a redirect as a rejection with its status and does not follow it', async (t) => {
  const elsewhere = await startHttpEngine(t, sendJson({}));
  const server = await startHttpEngine(t, (response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  );
  const error = await t.throwsAsync(clientFor(t).post('engine', sentence(server.url)));
  t.is(error.message, 'engine answered with HTTP 307');
  t.is(elsewhere.requests.length, 0);
});

// Run program

const node = (script: string, changes: Partial<Parameters<typeof runProgram>[0]> = {}) =>
  runProgram({
    command: process.execPath,
    arguments: ['-e', script],
    input: 'a secret sentence',
    timeoutMs: 20_000,
    maxBytes: 1_000,
    ...changes,
  });

test.serial('passes the standard input to a program and returns its output', async (t) => {
  t.is((await node('process.stdin.pipe(process.stdout)')).toString(), 'a secret sentence');
});

test.serial('passes only search paths of the environment to a program', async (t) => {
  process.env['GW_TEST_SECRET'] = 'secret';
  t.teardown(() => delete process.env['GW_TEST_SECRET']);
  const names = (await node('console.log(Object.keys(process.env).join())')).toString().trim().split(',');
  t.true(names.includes('PATH'));
  t.deepEqual(
    names.filter((name) => !['PATH', 'HOME', 'ESPEAK_DATA_PATH', 'LC_ALL'].includes(name)),
    [],
  );
});

test.serial('the error of a failed program has its name, but not its input', async (t) => {
  const error = await t.throwsAsync(node('process.exit(3)'));
  t.regex(error.message, /ended with code 3$/);
  t.false(error.message.includes('secret'));
});

test.serial('the error for a missing program has its cause', async (t) => {
  const error = await t.throwsAsync(node('', { command: 'no-such-program-anywhere' }));
  t.is(error.message, 'no-such-program-anywhere could not be run');
  t.truthy(error.cause);
});

test.serial('ends a program that does not end by itself', async (t) => {
  await t.throwsAsync(node('setInterval(() => {}, 1000)', { timeoutMs: 300 }), {
    message: /did not finish within 0.3 s/,
  });
});

test.serial('ends a program with endless output', async (t) => {
  await t.throwsAsync(node('setInterval(() => process.stdout.write("x".repeat(600)), 1)'), {
    message: /wrote more than 1000 bytes/,
  });
});

test.serial('rejects an aborted run with the abort reason', async (t) => {
  const abort = new AbortController();
  const running = node('setInterval(() => {}, 1000)', { signal: abort.signal });
  abort.abort(new Error('nobody listens'));
  await t.throwsAsync(running, { message: 'nobody listens' });
});

// Chosen voice

/** Synthesizes its own sample, or fails. */
const voice = (sample: number, error: Error | null = null) => {
  const asked: string[] = [];
  const synthesizer: Synthesizer = {
    name: 'engine',
    async synthesize(text): Promise<Audio> {
      asked.push(text);
      if (error !== null) throw error;
      return { sampleRate: 8_000, samples: Int16Array.of(sample) };
    },
  };
  return { asked, synthesizer };
};

const setUpChosenVoice = (error: Error | null) => {
  const [chosen, usual] = [voice(1, error), voice(2)];
  const { lines, logger } = listeningLogger();
  const synthesizer = chosenVoice(chosen.synthesizer, usual.synthesizer, logger);
  const say = async (text: string) => [...(await synthesizer.synthesize(text, 'en')).samples];
  return { chosen, usual, lines, say };
};

test.serial('speaks with the chosen voice', async (t) => {
  const { say, usual, lines } = setUpChosenVoice(null);
  t.deepEqual([await say('a'), await say('b')], [[1], [1]]);
  t.deepEqual([usual.asked, lines], [[], []]);
});

for (const error of [new VoiceRefused('engine', new Error('no')), new UnspokenLanguage('engine', 'en')])
  test.serial(
    `after ${error.name}, speaks with the default voice from then on and logs it once`,
    async (t) => {
      const { say, chosen, lines } = setUpChosenVoice(error);
      t.deepEqual(await Promise.all([say('a'), say('b')]), [[2], [2]]);
      t.deepEqual(await say('c'), [2]);
      t.deepEqual(chosen.asked, ['a', 'b']);
      t.is(lines.length, 1);
    },
  );

test.serial('speaks with the chosen voice again after a language that it does not have', async (t) => {
  const [chosen, usual] = [voice(1), voice(2)];
  const { logger } = listeningLogger();
  const english: Synthesizer = {
    name: 'engine',
    async synthesize(text, language) {
      if (language !== 'en') throw new UnspokenLanguage('engine', language);
      return chosen.synthesizer.synthesize(text, language);
    },
  };
  const synthesizer = chosenVoice(english, usual.synthesizer, logger);
  const say = async (language: string) => [...(await synthesizer.synthesize('a', language)).samples];
  t.deepEqual([await say('en'), await say('ja'), await say('ja'), await say('en')], [[1], [2], [2], [1]]);
});

test.serial('does not retry a failing engine with another voice', async (t) => {
  const failure = new EngineFailure('engine could not be reached');
  const { say, usual } = setUpChosenVoice(failure);
  t.is(await t.throwsAsync(say('a')), failure);
  t.deepEqual(usual.asked, []);
});

// Is voice

const voices = {
  'deepgram-aura': ['aura-2-thalia-en', 'aura-asteria-en', 'aura-2-izanami-ja'],
  'openai-speech': ['alloy', 'af_bella+af_sky', 'af_bella(2)+af_sky(1)', 'ko-KR-SunHi.Neural'],
  elevenlabs: ['JBFqnCBsd6RMkjVDRZzb'],
  'espeak-ng': ['ko', 'en-us+f3', 'cmn-latn-pinyin'],
};

test('accepts valid names of voices', (t) => {
  for (const [engine, names] of Object.entries(voices))
    for (const name of names) t.true(isVoice(engine, name), `${engine} ${name}`);
});

test('returns no voices for a missing engine', (t) => {
  t.false(isVoice('flite', 'kal16'));
  t.false(isVoice('constructor', 'x'));
});

test('rejects names with special characters of URLs and command lines', (t) => {
  const strange = [
    '',
    '-w',
    '+x',
    '..',
    '../a',
    'a/b',
    'a?b',
    'a&b',
    'a#b',
    'a%2Fb',
    'a b',
    'a\n',
    'a\0',
    '음성',
    'a;b',
    '$a',
    'a'.repeat(101),
  ];
  for (const engine of Object.keys(voices))
    for (const name of strange) t.false(isVoice(engine, name), `${engine} ${JSON.stringify(name)}`);
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(voices)), fc.string({ unit: 'binary' }), (engine, name) => {
      if (isVoice(engine, name)) t.regex(name, /^[A-Za-z0-9_][A-Za-z0-9_.()+-]*$/);
    }),
  );
});

// Voice samples

const request = { synthesizer: null, voice: null, language: 'en', text: 'Good morning.' };

const samplesOf = (synthesize: Synthesizer['synthesize']) =>
  createVoiceSamples([{ name: 'engine', speakingWith: () => ({ name: 'engine', synthesize }) }]);

test.serial('logs a failure by its field or by the name of its engine', async (t) => {
  const failing = (error: Error) =>
    samplesOf(async () => {
      throw error;
    }).speak(request);
  await t.throwsAsync(failing(new VoiceRefused('engine', null)), {
    name: 'Refusal',
    code: 'invalid_request',
  });
  await t.throwsAsync(failing(new EngineFailure('engine answered with HTTP 500')), {
    name: 'Refusal',
    code: 'service_unavailable',
    message: 'engine answered with HTTP 500.',
  });
  await t.throwsAsync(failing(new Error('broken')), { name: 'Error', message: 'broken' });
});

test.serial('reports a rejected key as an unavailable engine, not as a wrong voice', async (t) => {
  const server = await startHttpEngine(t, sendJson({}, 401));
  const speakingWith = (name: string | null) =>
    deepgramAura(engineWorld(t), { url: server.url, key: 'wrong', voice: name });
  const { speak } = createVoiceSamples([{ name: 'deepgram-aura', speakingWith }]);
  await t.throwsAsync(speak({ ...request, voice: 'aura-2-zeus-en' }), { code: 'service_unavailable' });
});

test.serial('speaks two samples at the same time and rejects a third until one of them ends', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { speak } = samplesOf(async () => {
    await promise;
    return { sampleRate: 8_000, samples: new Int16Array(4) };
  });
  const both = [speak(request), speak(request)];
  await t.throwsAsync(speak(request), { name: 'Refusal', code: 'over_capacity' });
  resolve();
  t.deepEqual(
    (await Promise.all(both)).map((wav) => readWav(wav).samples.length),
    [4, 4],
  );
  t.is(readWav(await speak(request)).sampleRate, 8_000);
});

test.serial('returns null for an engine that does not list its voices', async (t) => {
  const { voicesOf } = samplesOf(() => Promise.reject(new Error('unused')));
  t.is(await voicesOf('engine'), null);
  t.is(await voicesOf('another'), null);
});

whereInstalled('espeak-ng')('every voice listed by espeak-ng can speak', async (t) => {
  const voices = await espeakVoices();
  t.true(voices.some(({ name, title }) => name === 'ko' && title === 'Korean'));
  t.true(voices.some(({ name }) => name === 'en-us'));
  t.deepEqual(
    voices.filter(({ language }) => !/^(ko|en|ja)(-|$)/.test(language)),
    [],
  );
  const { speak } = createVoiceSamples([{ name: 'espeak-ng', speakingWith: espeakNg, voices: espeakVoices }]);
  for (const { name, language } of voices) {
    const { samples } = readWav(await speak({ ...request, synthesizer: 'espeak-ng', voice: name, language }));
    t.true(
      samples.some((sample) => Math.abs(sample) > 1_000),
      name,
    );
  }
});

// Find synthesizer

const install = async (folder: string, program: string): Promise<void> => {
  await writeFile(join(folder, program), '#!/bin/sh\nexit 1\n');
  await chmod(join(folder, program), 0o755);
};

test.serial('prefers espeak-ng to flite, and finds none in an empty path', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-voices-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  t.is(await findSynthesizer(''), null);
  await install(folder, 'flite');
  t.is(await findSynthesizer(folder), 'flite');
  await install(folder, 'espeak-ng');
  t.is(await findSynthesizer(folder), 'espeak-ng');
});

test.serial('flite speaks no other language than English', async (t) => {
  await t.throwsAsync(flite().synthesize('안녕하세요', 'ko'), {
    name: 'UnspokenLanguage',
    message: 'flite has no voice for ko',
  });
});

test.serial('tones replace sentences that a synthesizer cannot speak, unless they are aborted', async (t) => {
  const spoken = { sampleRate: 8_000, samples: Int16Array.of(1) };
  const speaking = withTones({
    name: 'engine',
    async synthesize(text) {
      if (text === 'fails') throw new Error('It failed');
      return spoken;
    },
  });
  t.is(speaking.name, 'engine');
  t.is(await speaking.synthesize('works', 'en'), spoken);
  t.true((await speaking.synthesize('fails', 'en')).samples.length > 1_000);
  await t.throwsAsync(speaking.synthesize('fails', 'en', AbortSignal.abort()), { name: 'AbortError' });
});

// Fail over synthesizer

const coolDown = { firstMs: 5_000, longestMs: 20_000 };

/** Yields chunks of its own sample, and fails as the test decides. */
const failOverSynthesizerEngine = (name: string, sample: number, how: 'whole' | 'streamed' = 'streamed') => {
  const asked: string[] = [];
  const state: { failsAfter: number; error: Error } = {
    failsAfter: Infinity,
    error: new Error(`${name} failed`),
  };
  async function* stream(text: string): AsyncGenerator<Audio> {
    asked.push(text);
    for (let piece = 0; piece < 3; piece += 1) {
      if (piece >= state.failsAfter) throw state.error;
      yield { sampleRate: 8_000, samples: Int16Array.of(sample) };
    }
  }
  const synthesizer: Synthesizer = {
    name,
    ...(how === 'streamed' ? { stream } : {}),
    async synthesize(text) {
      asked.push(text);
      if (state.failsAfter < Infinity) throw state.error;
      return { sampleRate: 8_000, samples: Int16Array.of(sample) };
    },
  };
  return { synthesizer, asked, state };
};

/** Synthesizers with a cache as in a gateway; without any space, it only shares sentences. */
const setUpFailOverSynthesizer = (engines: { synthesizer: Synthesizer }[], cachedBytes = 0) => {
  const clock = new SimulatedClock();
  const { lines, logger } = listeningLogger();
  const synthesizer = failOverSynthesizer(
    engines.map((each) => {
      const breaker = createCircuitBreaker(clock, coolDown);
      const reporting = reportHealth(each.synthesizer, { voice: null, breaker, logger });
      return { breaker, engine: rememberSentences(cachedBytes)(reporting, null) };
    }),
  );
  const say = async (text = 'a secret', signal?: AbortSignal) => [
    ...(await synthesizer.synthesize(text, 'en', signal)).samples,
  ];
  return { clock, lines, synthesizer, say };
};

test.serial('uses the first available engine, streamed or not', async (t) => {
  const [a, b] = [failOverSynthesizerEngine('a', 1), failOverSynthesizerEngine('b', 2, 'whole')];
  const { say, synthesizer, lines } = setUpFailOverSynthesizer([a, b]);
  t.is(synthesizer.name, 'a, b');
  t.deepEqual(await say(), [1, 1, 1]);
  a.state.failsAfter = 0;
  t.deepEqual(await say(), [2]);
  t.is(lines.length, 1);
  t.regex(lines[0] ?? '', /a synthesizer failed/);
  t.notRegex(lines.join(''), /secret/);
});

test.serial('cools down a failed engine, longer each time, and retries it', async (t) => {
  const [a, b] = [failOverSynthesizerEngine('a', 1), failOverSynthesizerEngine('b', 2)];
  const { say, clock } = setUpFailOverSynthesizer([a, b]);
  a.state.failsAfter = 0;
  for (const [waitMs, asked] of [
    [0, 1],
    [4_999, 1],
    [1, 2],
    [9_999, 2],
    [1, 3],
    [20_000, 4],
    [20_000, 5],
  ] as const) {
    clock.increment(waitMs);
    t.deepEqual(await say(), [2, 2, 2]);
    t.is(a.asked.length, asked);
  }
  a.state.failsAfter = Infinity;
  clock.increment(20_000);
  t.deepEqual(await say(), [1, 1, 1]);
  t.deepEqual(await say(), [1, 1, 1]);
});

test.serial('retries all engines if all are in cool-down, with an error that omits the text', async (t) => {
  const [a, b] = [failOverSynthesizerEngine('a', 1), failOverSynthesizerEngine('b', 2)];
  const { say } = setUpFailOverSynthesizer([a, b]);
  a.state.failsAfter = 0;
  b.state.failsAfter = 0;
  const error = await t.throwsAsync(say());
  t.is(error.message, 'No synthesizer could speak a sentence');
  t.is(error.cause, b.state.error);
  await t.throwsAsync(say());
  t.deepEqual([a.asked.length, b.asked.length], [2, 2]);
  b.state.failsAfter = Infinity;
  t.deepEqual(await say(), [2, 2, 2]);
});

test.serial('does not repeat a half-spoken sentence with a second voice', async (t) => {
  const [a, b] = [failOverSynthesizerEngine('a', 1), failOverSynthesizerEngine('b', 2)];
  const { synthesizer, say } = setUpFailOverSynthesizer([a, b]);
  a.state.failsAfter = 2;
  const heard: number[] = [];
  await t.throwsAsync(
    async () => {
      for await (const { samples } of synthesizer.stream?.('one', 'en') ?? []) heard.push(...samples);
    },
    { is: a.state.error },
  );
  t.deepEqual(heard, [1, 1]);
  t.deepEqual(await say(), [2, 2, 2]);
});

test.serial('does not count an unsupported language as a failure of the engine', async (t) => {
  const [a, b] = [failOverSynthesizerEngine('a', 1), failOverSynthesizerEngine('b', 2)];
  const { say, lines } = setUpFailOverSynthesizer([a, b]);
  a.state.failsAfter = 0;
  a.state.error = new UnspokenLanguage('a', 'en');
  t.deepEqual(await say(), [2, 2, 2]);
  a.state.failsAfter = Infinity;
  t.deepEqual(await say(), [1, 1, 1]);
  t.deepEqual(lines, []);
});

test.serial('does not count an aborted sentence as a failure or pass it to another engine', async (t) => {
  const [a, b] = [failOverSynthesizerEngine('a', 1), failOverSynthesizerEngine('b', 2)];
  const { say, lines } = setUpFailOverSynthesizer([a, b]);
  const reason = new Error('interrupted');
  a.state.failsAfter = 0;
  t.is(await t.throwsAsync(say('x', AbortSignal.abort(reason))), reason);
  t.is(b.asked.length, 0);
  const { clock, logger } = { clock: new SimulatedClock(), ...listeningLogger() };
  const breaker = createCircuitBreaker(clock, coolDown);
  const alone = reportHealth(a.synthesizer, { voice: null, breaker, logger });
  await t.throwsAsync(alone.synthesize('x', 'en', AbortSignal.abort(reason)), { is: a.state.error });
  t.is(breaker.state(), 'closed');
  t.deepEqual(lines, []);
});

test.serial('a cached sentence does not end the cool-down of its engine', async (t) => {
  const [a, b] = [failOverSynthesizerEngine('a', 1), failOverSynthesizerEngine('b', 2)];
  const { say, clock } = setUpFailOverSynthesizer([a, b], 1_000);
  t.deepEqual(await say('cached'), [1, 1, 1]);
  a.state.failsAfter = 0;
  t.deepEqual(await say('first'), [2, 2, 2]);
  clock.increment(coolDown.firstMs);
  t.deepEqual(await say('second'), [2, 2, 2]);
  clock.increment(2 * coolDown.firstMs);
  t.deepEqual(await say('cached'), [1, 1, 1]);
  // The trial is left to the first sentence that is not cached. When it fails, the cool-down is doubled again.
  t.deepEqual(await say('third'), [2, 2, 2]);
  clock.increment(coolDown.firstMs);
  t.deepEqual(await say('fourth'), [2, 2, 2]);
  t.deepEqual(a.asked, ['cached', 'first', 'second', 'third']);
});

test.serial('logs the failure of a sentence once for all calls that share it', async (t) => {
  const [a, b] = [failOverSynthesizerEngine('a', 1), failOverSynthesizerEngine('b', 2)];
  const { say, lines } = setUpFailOverSynthesizer([a, b]);
  a.state.failsAfter = 0;
  t.deepEqual(await Promise.all([say(), say()]), [
    [2, 2, 2],
    [2, 2, 2],
  ]);
  t.is(lines.length, 1);
});

test.serial('does not count a refused voice as a failure of the engine', async (t) => {
  const { lines, logger } = listeningLogger();
  const breaker = createCircuitBreaker(new SimulatedClock(), coolDown);
  const a = failOverSynthesizerEngine('a', 1);
  a.state.failsAfter = 0;
  a.state.error = new VoiceRefused('a', 'anna');
  const say = (voice: string | null) =>
    reportHealth(a.synthesizer, { voice, breaker, logger }).synthesize('Hello.', 'en');
  await t.throwsAsync(say('anna'), { is: a.state.error });
  t.deepEqual([breaker.state(), lines], ['closed', []]);
  await t.throwsAsync(say(null), { is: a.state.error });
  t.is(breaker.state(), 'open', 'the default voice');
});

// Remember sentences

/** One sample per character; records its requests. */
const rememberSentencesEngine = () => {
  const asked: string[] = [];
  const synthesizer: Synthesizer = {
    name: 'engine',
    async synthesize(text, language) {
      asked.push(`${language} ${text}`);
      if (text === 'bad') throw new Error('failed');
      return { sampleRate: 8_000, samples: new Int16Array(text.length) };
    },
  };
  return { asked, synthesizer };
};

test.serial('synthesizes a sentence once per language', async (t) => {
  const { asked, synthesizer } = rememberSentencesEngine();
  const remembering = rememberSentences(1_000)(synthesizer, null);
  const first = await remembering.synthesize('a', 'en');
  t.is(await remembering.synthesize('a', 'en'), first);
  await remembering.synthesize('a', 'ko');
  t.deepEqual(asked, ['en a', 'ko a']);
});

test.serial('caches sentences per voice of an engine, all in the same space', async (t) => {
  const remember = rememberSentences(4);
  const [usual, anna, ben] = [
    rememberSentencesEngine(),
    rememberSentencesEngine(),
    rememberSentencesEngine(),
  ];
  const all = [
    remember(usual.synthesizer, null),
    remember(anna.synthesizer, 'anna'),
    remember(ben.synthesizer, 'ben'),
  ];
  for (const { synthesize } of all) await synthesize('a', 'en');
  const [first, second, third] = all;
  await third?.synthesize('a', 'en');
  await second?.synthesize('a', 'en');
  t.deepEqual([anna.asked, ben.asked], [['en a'], ['en a']]);
  await first?.synthesize('a', 'en');
  t.deepEqual(usual.asked, ['en a', 'en a']);
  // A different object for the same voice uses the same cached sentences.
  await remember(ben.synthesizer, 'ben').synthesize('b', 'en');
  await remember(ben.synthesizer, 'ben').synthesize('b', 'en');
  t.deepEqual(ben.asked, ['en a', 'en b']);
});

test.serial('keeps the most recently used sentences and drops older ones', async (t) => {
  const { asked, synthesizer } = rememberSentencesEngine();
  const remembering = rememberSentences(4)(synthesizer, null);
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await remembering.synthesize(text, 'en');
  t.deepEqual(asked, ['en a', 'en b', 'en c', 'en b']);
});

/** Two chunks per sentence; records its requests. */
const streaming = () => {
  const { asked, synthesizer } = rememberSentencesEngine();
  async function* stream(text: string, language: string) {
    const { sampleRate, samples } = await synthesizer.synthesize(text, language);
    for (const value of [1, 2]) yield { sampleRate, samples: samples.map(() => value) };
    if (text === 'broken') throw new Error('failed');
  }
  const remembering = rememberSentences(1_000)({ ...synthesizer, stream }, null);
  const say = async (text: string, mostPieces = Infinity) => {
    const heard: number[] = [];
    let pieces = 0;
    for await (const { samples } of remembering.stream?.(text, 'en') ?? []) {
      heard.push(...samples);
      if ((pieces += 1) === mostPieces) break;
    }
    return heard;
  };
  return { asked, remembering, say };
};

test.serial('caches a streamed sentence completely', async (t) => {
  const { asked, remembering, say } = streaming();
  t.is(rememberSentences(1_000)(rememberSentencesEngine().synthesizer, null).stream, undefined);
  t.deepEqual(await say('abc'), [1, 1, 1, 2, 2, 2]);
  t.deepEqual(await say('abc'), [1, 1, 1, 2, 2, 2]);
  t.is((await remembering.synthesize('abc', 'en')).samples.length, 6);
  t.deepEqual(asked, ['en abc']);
});

test.serial('does not cache an interrupted stream', async (t) => {
  const { asked, say } = streaming();
  t.deepEqual(await say('a', 1), [1]);
  t.deepEqual(await say('a'), [1, 2]);
  await t.throwsAsync(say('broken'), { message: 'failed' });
  await t.throwsAsync(say('broken'), { message: 'failed' });
  t.deepEqual(asked, ['en a', 'en a', 'en broken', 'en broken']);
});

test.serial('does not cache a failed sentence', async (t) => {
  const { asked, synthesizer } = rememberSentencesEngine();
  const remembering = rememberSentences(1_000)(synthesizer, null);
  await t.throwsAsync(remembering.synthesize('bad', 'en'), { message: 'failed' });
  await t.throwsAsync(remembering.synthesize('bad', 'en'), { message: 'failed' });
  t.is(asked.length, 2);
});

/** Sentences that are synthesized until `finish`; records how often each was begun and cancelled. */
const slowEngine = () => {
  const begun: string[] = [];
  const cancelled: unknown[] = [];
  const finish = Promise.withResolvers<void>();
  const synthesizer: Synthesizer = {
    name: 'engine',
    async synthesize(text, _language, signal) {
      begun.push(text);
      signal?.addEventListener('abort', () => cancelled.push(signal.reason));
      await unlessAborted(finish.promise, signal);
      return { sampleRate: 8_000, samples: new Int16Array(text.length) };
    },
    async *stream(text, _language, signal) {
      begun.push(text);
      signal?.addEventListener('abort', () => cancelled.push(signal.reason));
      yield { sampleRate: 8_000, samples: Int16Array.of(1) };
      await unlessAborted(finish.promise, signal);
      yield { sampleRate: 8_000, samples: Int16Array.of(2) };
    },
  };
  const remember = rememberSentences(1_000);
  // Each call has a synthesizer of its own.
  const synthesize: Synthesizer['synthesize'] = (...sentence) =>
    remember(synthesizer, 'anna').synthesize(...sentence);
  const heard = async (text: string, signal?: AbortSignal): Promise<number[]> => {
    const values: number[] = [];
    const pieces = remember(synthesizer, 'anna').stream?.(text, 'en', signal) ?? [];
    for await (const { samples } of pieces) values.push(...samples);
    return values;
  };
  return { begun, cancelled, finish: finish.resolve, fail: finish.reject, synthesize, heard };
};

test.serial('synthesizes a sentence once that several calls need at the same time', async (t) => {
  const { begun, cancelled, finish, synthesize, heard } = slowEngine();
  const whole = Promise.all(['en', 'en', 'ko'].map((language) => synthesize('sorry', language)));
  const streamed = Promise.all([heard('yes'), heard('yes')]);
  await setImmediate();
  const late = heard('yes');
  finish();
  const [first, second, other] = await whole;
  t.is(first, second);
  t.not(first, other);
  t.deepEqual(await streamed, [
    [1, 2],
    [1, 2],
  ]);
  t.deepEqual(await late, [1, 2], 'from its beginning');
  t.deepEqual(begun, ['sorry', 'sorry', 'yes']);
  t.deepEqual(await heard('yes'), [1, 2]);
  t.is(begun.length, 3, 'cached');
  t.deepEqual(cancelled, []);
});

test.serial('cancels a shared sentence when the last call that needs the sentence is over', async (t) => {
  for (const how of ['whole', 'streamed'] as const) {
    const { begun, cancelled, finish, synthesize, heard } = slowEngine();
    const say = (signal?: AbortSignal): Promise<unknown> =>
      how === 'whole' ? synthesize('a', 'en', signal) : heard('a', signal);
    const calls = [new AbortController(), new AbortController()];
    const [first, second] = calls.map(({ signal }) => t.throwsAsync(say(signal)));
    await setImmediate();
    calls[0]?.abort(new Error('first'));
    t.is((await first)?.message, 'first');
    t.deepEqual(cancelled, []);
    calls[1]?.abort(new Error('second'));
    t.is((await second)?.message, 'second');
    t.is(cancelled.length, 1);
    const again = say();
    finish();
    await again;
    t.deepEqual(begun, ['a', 'a'], 'the cancelled sentence is not cached');
  }
});

test.serial(
  'reports the failure of a shared sentence to each call, and tries again afterwards',
  async (t) => {
    const { begun, fail, synthesize, heard } = slowEngine();
    const failing = [synthesize('a', 'en'), synthesize('a', 'en'), heard('b'), heard('b')].map((saying) =>
      t.throwsAsync(saying, { message: 'no' }),
    );
    await setImmediate();
    fail(new Error('no'));
    await Promise.all(failing);
    await t.throwsAsync(synthesize('a', 'en'), { message: 'no' });
    t.deepEqual(begun, ['a', 'b', 'a']);
  },
);

test.serial('does not speak an aborted sentence, cached or not', async (t) => {
  const remembering = rememberSentences(1_000)(rememberSentencesEngine().synthesizer, null);
  await remembering.synthesize('a', 'en');
  await t.throwsAsync(remembering.synthesize('a', 'en', AbortSignal.abort(new Error('over'))), {
    message: 'over',
  });
});

test.serial('keeps exactly the most recently used sentences that fit', async (t) => {
  const sentence = fc.integer({ min: 1, max: 8 }).map((length) => 'x'.repeat(length));
  await fc.assert(
    fc.asyncProperty(fc.array(sentence, { maxLength: 40 }), fc.nat(30), async (texts, maxBytes) => {
      const { asked, synthesizer } = rememberSentencesEngine();
      const remembering = rememberSentences(maxBytes)(synthesizer, null);
      let kept: string[] = [];
      const expected: string[] = [];
      for (const text of texts) {
        if (!kept.includes(text)) expected.push(`en ${text}`);
        kept = kept.filter((other) => other !== text);
        if (text.length * 2 <= maxBytes) kept.push(text);
        while (kept.join('').length * 2 > maxBytes) kept.shift();
        t.is((await remembering.synthesize(text, 'en')).samples.length, text.length);
      }
      t.deepEqual(asked, expected);
    }),
  );
});

// Keep alive

test('sends a keep-alive in each interval without other messages', (t) => {
  const clock = new SimulatedClock();
  const said: number[] = [];
  const keepAlive = createKeepAlive(clock, 1_000, () => said.push(clock.now()));
  clock.increment(5_000);
  t.deepEqual(said, [], 'it has not begun');
  keepAlive.begin();
  clock.increment(1_000);
  keepAlive.said();
  clock.increment(1_000);
  clock.increment(1_000);
  t.deepEqual(said, [6_000, 8_000]);
  keepAlive.stop();
  clock.increment(5_000);
  t.deepEqual(said, [6_000, 8_000]);
});

// Read wav

const wav = (
  samples: readonly number[],
  { rate = 16_000, channels = 1, bits = 16, dataLength = samples.length * 2 } = {},
) => {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length * 2, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt16LE(bits, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataLength, 40);
  const body = Buffer.alloc(samples.length * 2);
  for (const [index, sample] of samples.entries()) body.writeInt16LE(sample, index * 2);
  return Buffer.concat([header, body]);
};

test('reads every sample of a WAV file unchanged', (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -32_768, max: 32_767 })), (samples) => {
      const audio = readWav(wav(samples, { rate: 22_050 }));
      t.is(audio.sampleRate, 22_050);
      t.deepEqual([...audio.samples], samples);
    }),
  );
});

test('ignores the length in the header of a piped file', (t) => {
  t.deepEqual([...readWav(wav([1, 2, 3], { dataLength: 0x7f_ff_f0_00 })).samples], [1, 2, 3]);
});

test('mixes the channels of a WAV file', (t) => {
  t.deepEqual([...readWav(wav([100, 300, -5, -7], { channels: 2 })).samples], [200, -6]);
});

test('rejects anything but WAV files with 16-bit linear audio', (t) => {
  t.throws(() => readWav(Buffer.from('nothing of the kind')), { message: 'This is no WAV file' });
  t.throws(() => readWav(wav([1], { bits: 24 })), { message: 'This WAV file is not 16-bit linear' });
  t.throws(() => readWav(wav([]).subarray(0, 36)), { message: 'This WAV file has no audio' });
});

test('rejects random bytes instead of a WAV file without crashing', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const broken = Buffer.concat([wav([1, 2]).subarray(0, 20), bytes]);
      try {
        t.true(readWav(broken).samples.length <= 120);
      } catch (error) {
        t.regex(String(error), /WAV file/);
      }
    }),
  );
});

// Tone synthesizer

const say = (text: string) => toneSynthesizer().synthesize(text, 'ko');

/** Intervals of audio, each a syllable. */
const bursts = (samples: Int16Array): number => {
  let count = 0;
  let quiet = 1_000;
  for (const sample of samples) {
    if (Math.abs(sample) < 200) quiet += 1;
    else {
      if (quiet > 300) count += 1;
      quiet = 0;
    }
  }
  return count;
};

test.serial('the tone synthesizer makes each Korean syllable audible', async (t) => {
  t.is(bursts((await say('안녕하세요')).samples), 5);
});

test.serial('audio takes longer for a longer sentence, and longer still with a pause', async (t) => {
  const short = (await say('네')).samples.length;
  const long = (await say('네 알겠습니다')).samples.length;
  const paused = (await say('네, 알겠습니다')).samples.length;
  t.true(short < long && long < paused);
});

test.serial('audio is audible and never distorted', async (t) => {
  const { samples } = await say('Hello, this is a test of the voice.');
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  t.true(loudest > 3_000 && loudest < 32_767);
});

test.serial('returns the same audio for the same words', async (t) => {
  t.deepEqual((await say('Hello')).samples, (await say('Hello')).samples);
});

test.serial('returns no audio for an empty text', async (t) => {
  t.is((await say(' ')).samples.length, 0);
});

test.serial('does not speak an aborted sentence', async (t) => {
  await t.throwsAsync(toneSynthesizer().synthesize('Hello', 'en', AbortSignal.abort(new Error('over'))), {
    message: 'over',
  });
});
