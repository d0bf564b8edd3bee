/** Requests of each synthesizer to its server. */
import test from 'ava';
import type { Synthesizer } from '#sip/speech.ts';
import { deepgramAura } from '#src/speech/deepgram-aura.ts';
import { elevenLabs } from '#src/speech/elevenlabs.ts';
import type { EngineWorld } from '#src/speech/engine-world.ts';
import { openaiSpeech } from '#src/speech/openai-speech.ts';
import { bytesOf } from '#src/domain/sample-bytes.ts';
import { engineWorld } from '../doubles/engine-world.ts';
import { numbered } from '../doubles/heard-events.ts';
import { engineErrors, sendJson, sendSound, startHttpEngine } from '../doubles/http-engine.ts';

const key = 'hush-hush';

const sound = bytesOf(numbered(4_000));

test('Deepgram is asked for bare samples in a voice of the language', async (t) => {
  const server = await startHttpEngine(t, sendSound([sound]));
  const synthesizer = deepgramAura(engineWorld(t), { url: server.url, key, voice: null });
  const audio = await synthesizer.synthesize('Hello.', 'en-GB');
  await synthesizer.synthesize('こんにちは。', 'ja');
  t.deepEqual(audio, { sampleRate: 8_000, samples: numbered(4_000) });
  t.deepEqual(
    server.requests.map(({ path }) => path),
    ['aura-2-thalia-en', 'aura-2-izanami-ja'].map(
      (voice) => `/v1/speak?model=${voice}&encoding=linear16&container=none&sample_rate=8000`,
    ),
  );
  t.is(server.requests[0]?.headers.authorization, 'Token hush-hush');
  t.is(server.requests[0]?.headers['content-type'], 'application/json');
  t.is(server.requests[0]?.body.toString(), '{"text":"Hello."}');
});

test('Deepgram has no voice for Korean and is not asked', async (t) => {
  const server = await startHttpEngine(t, sendSound([sound]));
  const synthesizer = deepgramAura(engineWorld(t), { url: server.url, key, voice: null });
  await t.throwsAsync(synthesizer.synthesize('안녕하세요.', 'ko-KR'), {
    name: 'UnspokenLanguage',
    message: 'deepgram-aura has no voice for ko-KR',
  });
  t.is(server.requests.length, 0);
});

test('a server of the OpenAI kind is asked for pcm, with a key or without', async (t) => {
  const server = await startHttpEngine(t, sendSound([sound]));
  const options = { url: `${server.url}/v1`, model: 'kokoro', usualVoice: 'af_sky', voice: null };
  const audio = await openaiSpeech(engineWorld(t), { ...options, key }).synthesize('네.', 'ko');
  await openaiSpeech(engineWorld(t), { ...options, key: null }).synthesize('네.', 'ko');
  t.deepEqual(audio, { sampleRate: 24_000, samples: numbered(4_000) });
  const [withKey, without] = server.requests;
  t.is(withKey?.path, '/v1/audio/speech');
  t.is(withKey?.headers.authorization, 'Bearer hush-hush');
  t.is(without?.headers.authorization, undefined);
  t.deepEqual(JSON.parse(String(withKey?.body)), {
    model: 'kokoro',
    input: '네.',
    voice: 'af_sky',
    response_format: 'pcm',
  });
});

test('ElevenLabs is asked to stream samples in the language', async (t) => {
  const server = await startHttpEngine(t, sendSound([sound]));
  const synthesizer = elevenLabs(engineWorld(t), { url: server.url, key, usualVoice: 'a/b', voice: null });
  const audio = await synthesizer.synthesize('네.', 'ko-KR');
  t.deepEqual(audio, { sampleRate: 16_000, samples: numbered(4_000) });
  t.is(server.requests[0]?.path, '/v1/text-to-speech/a%2Fb/stream?output_format=pcm_16000');
  t.is(server.requests[0]?.headers['xi-api-key'], 'hush-hush');
  t.deepEqual(JSON.parse(String(server.requests[0]?.body)), {
    text: '네.',
    model_id: 'eleven_flash_v2_5',
    language_code: 'ko',
  });
});

const chosen: Readonly<Record<string, (world: EngineWorld, url: string) => Synthesizer>> = {
  'deepgram-aura': (world, url) => deepgramAura(world, { url, key, voice: 'aura-2-zeus-en' }),
  'openai-speech': (world, url) =>
    openaiSpeech(world, { url, key, model: 'm', usualVoice: 'alloy', voice: 'nova' }),
  elevenlabs: (world, url) => elevenLabs(world, { url, key, usualVoice: 'usual', voice: 'own' }),
};

test('a chosen voice takes the place of the usual one', async (t) => {
  const server = await startHttpEngine(t, sendSound([sound]));
  for (const create of Object.values(chosen))
    await create(engineWorld(t), server.url).synthesize('One.', 'en');
  t.deepEqual(
    server.requests.map(({ path }) => path),
    [
      '/v1/speak?model=aura-2-zeus-en&encoding=linear16&container=none&sample_rate=8000',
      '/audio/speech',
      '/v1/text-to-speech/own/stream?output_format=pcm_16000',
    ],
  );
  t.is(JSON.parse(String(server.requests[1]?.body)).voice, 'nova');
});

test('a voice of Deepgram is not asked for another language than its own', async (t) => {
  const server = await startHttpEngine(t, sendSound([sound]));
  const synthesizer = deepgramAura(engineWorld(t), { url: server.url, key, voice: 'aura-2-zeus-en' });
  await t.throwsAsync(synthesizer.synthesize('こんにちは。', 'ja'), { name: 'UnspokenLanguage' });
  t.is(server.requests.length, 0);
});

for (const [name, create] of Object.entries(chosen))
  test(`a refusal of ${name} may be one of the chosen voice alone`, async (t) => {
    const server = await startHttpEngine(t, sendJson(engineErrors.elevenlabs, 404));
    await t.throwsAsync(create(engineWorld(t), server.url).synthesize('One.', 'en'), {
      name: 'VoiceRefused',
      message: `${name} did not speak with a chosen voice: ${name} answered with HTTP 404`,
    });
    server.close();
    await t.throwsAsync(create(engineWorld(t), server.url).synthesize('One.', 'en'), {
      name: 'EngineFailure',
    });
  });
