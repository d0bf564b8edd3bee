import test, { type ExecutionContext } from 'ava';
import { speechEngines } from '#config/policy.ts';
import type { SpeechConfig } from '#config/speech-config.ts';
import { systemClock } from '#src/clocks.ts';
import { bytesOf } from '#src/domain/sample-bytes.ts';
import { startSpeech } from '#src/start/start-speech.ts';
import { usualSpeech } from '#test/helpers/usual-speech.ts';
import { until } from '#test/helpers/until.ts';
import { listeningLogger } from '#test/speech/doubles/engine-world.ts';
import { listen, numbered } from '#test/speech/doubles/heard-events.ts';
import { sendJson, sendSound, startHttpEngine, type EngineAnswer } from '#test/speech/doubles/http-engine.ts';
import { deepgramResults, startSocketEngine, voskFinal } from '#test/speech/doubles/socket-engine.ts';

const start = async (
  t: ExecutionContext,
  config: Partial<SpeechConfig>,
  path = process.env['PATH'] ?? '',
) => {
  const { lines, logger } = listeningLogger();
  const speech = await startSpeech(
    { recognizers: [], synthesizers: [], ...config },
    { ...speechEngines, clock: systemClock, path, logger },
  );
  t.teardown(() => speech.close());
  return { ...speech, lines };
};

test('without any setting what is installed speaks, and nobody hears', async (t) => {
  const { synthesizerFor, recognizerFor, engines } = await start(t, {}, '');
  t.is(synthesizerFor(usualSpeech).name, 'tones');
  t.true((await synthesizerFor(usualSpeech).synthesize('안녕하세요', 'ko')).samples.length > 1_000);
  t.is(recognizerFor(usualSpeech), null);
  t.deepEqual([engines.recognizers, engines.synthesizers, engines.tellTurnEnds], [[], [], []]);
});

test('a program that was chosen must be installed', async (t) => {
  await t.throwsAsync(start(t, { synthesizers: [{ engine: 'espeak-ng' }] }, ''), {
    name: 'StartError',
    message: 'GW_SYNTHESIZERS names espeak-ng, which is not installed on this machine',
  });
  await t.throwsAsync(start(t, { recognizers: [{ engine: 'pocketsphinx' }] }, ''), {
    name: 'StartError',
    message: 'GW_RECOGNIZERS names pocketsphinx, which is not installed on this machine',
  });
});

test('the next synthesizer speaks what the first cannot, and what was said is remembered', async (t) => {
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
});

test('a recognizer lost amid a sentence is followed by the next, which hears all that was not settled', async (t) => {
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
  const { recognition, words, count } = listen(recognizer);
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

/** Two servers that speak, each its own sound, and the configuration that names them in this order. */
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

test('the synthesizer that a number chose speaks with its voice, and the others stand behind it with theirs', async (t) => {
  const { config, second, voices } = await twoVoices(t);
  const { synthesizerFor } = await start(t, config);
  const chosen = synthesizerFor({ recognizer: null, synthesizer: 'openai-speech', voice: 'nova' });
  t.is(chosen.name, 'openai-speech, elevenlabs');
  t.deepEqual((await chosen.synthesize('One.', 'en')).samples, numbered(10, 2));
  t.deepEqual(voices(), [[], ['nova']]);
  // The same sentence of another number has the usual voice, and was not said yet.
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
});

test('an engine that failed in a call of one number cools down for all numbers', async (t) => {
  const { config, first } = await twoVoices(t, { first: sendJson({}, 503) });
  const { synthesizerFor } = await start(t, config);
  for (const text of ['One.', 'Two.', 'Three.']) {
    const { samples } = await synthesizerFor(usualSpeech).synthesize(text, 'en');
    t.deepEqual(samples, numbered(10, 2));
  }
  await synthesizerFor({ ...usualSpeech, synthesizer: 'elevenlabs', voice: 'own' }).synthesize('Four.', 'en');
  t.is(first.requests.length, 1);
});

test('a voice that its engine does not have is replaced by the usual one, and nobody else notices', async (t) => {
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
  t.regex(lines[0] ?? '', /a chosen voice is not used.*elevenlabs|elevenlabs.*a chosen voice is not used/);
});

test('an engine or a voice that is no longer possible leaves the usual order, and that is said once', async (t) => {
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
      ['vosk', 'a number chose a recognizer that is not configured any more: the usual order is kept'],
      [
        'deepgram-aura',
        'a number chose a synthesizer that is not configured any more: the usual order is kept',
      ],
    ],
  );
});

test('the recognizer that a number chose hears first, and its failure is known to all calls', async (t) => {
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
    const { recognition, count, words } = listen(recognizer);
    recognition.speechBegan();
    recognition.write(numbered(1_600));
    await count(1);
    opened.push(...words());
    recognition.close();
  }
  t.deepEqual(new Set(opened), new Set(['final: first']));
  t.is(broken.refused(), 1);
});
