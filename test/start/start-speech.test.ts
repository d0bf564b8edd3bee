import test, { type ExecutionContext } from 'ava';
import { speechEngines } from '#config/policy.ts';
import type { SpeechConfig } from '#config/speech-config.ts';
import { systemClock } from '#src/clock.ts';
import { bytesOf } from '#src/speech/samples.ts';
import { startSpeech } from '#src/start/start-speech.ts';
import { until } from '#test/helpers/until.ts';
import { listeningLogger } from '#test/speech/doubles/engine-world.ts';
import { listen, numbered } from '#test/speech/doubles/heard-events.ts';
import { sendJson, sendSound, startHttpEngine } from '#test/speech/doubles/http-engine.ts';
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
  const { synthesizer, recognizer } = await start(t, {}, '');
  t.is(synthesizer.name, 'stand-in');
  t.is(recognizer, null);
});

test('a program that was chosen must be installed', async (t) => {
  await t.throwsAsync(start(t, { synthesizers: [{ engine: 'espeak-ng' }] }, ''), {
    name: 'StartError',
    message: 'GW_SYNTHESIZERS names espeak-ng, which is not installed on this machine',
  });
});

test('the next synthesizer speaks what the first cannot, and what was said is remembered', async (t) => {
  const refusing = await startHttpEngine(t, sendJson({ detail: { status: 'quota_exceeded' } }, 401));
  const speaking = await startHttpEngine(t, sendSound([bytesOf(numbered(100))]));
  const { synthesizer, lines } = await start(t, {
    synthesizers: [
      { engine: 'deepgram-aura', url: refusing.url, key: 'hush-hush' },
      { engine: 'elevenlabs', url: refusing.url, key: 'hush-hush', voice: 'v' },
      { engine: 'openai-speech', url: speaking.url, key: null, model: 'm', voice: 'v' },
    ],
  });
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
  const { recognizer, lines } = await start(t, {
    recognizers: [
      { engine: 'deepgram', url: `http://127.0.0.1:${first.port}`, key: 'hush-hush' },
      { engine: 'vosk', url: second.url },
    ],
  });
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
