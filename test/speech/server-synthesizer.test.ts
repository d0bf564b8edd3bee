/** Synthesizers of the operator's own servers. */
import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { SimulatedClock } from 'xstate';
import type { Synthesizer } from '#sip/audio/speech.ts';
import { bytesOf, joinSamples } from '#src/domain/sample-bytes.ts';
import { deepgramAura } from '#src/speech/deepgram-aura.ts';
import { failOverSynthesizer } from '#src/speech/speech-engines.ts';
import { elevenLabs } from '#src/speech/elevenlabs.ts';
import type { EngineWorld } from '#src/speech/engine-world.ts';
import { openaiSpeech } from '#src/speech/openai-speech.ts';
import { createAudioReader } from '#src/speech/audio-reader.ts';
import { writeWav } from '#src/speech/write-wav.ts';
import { until } from '#test/helpers/until.ts';
import { engineWorld } from './doubles/engine-world.ts';
import { numbered } from './doubles/heard-events.ts';
import {
  type EngineAnswer,
  engineErrors,
  sendJson,
  sendSound,
  sendText,
  startHttpEngine,
  staySilent,
} from './doubles/http-engine.ts';

// Requests
// Requests of each synthesizer to its server.

const key = 'hush-hush';

const requestedSound = bytesOf(numbered(4_000));

test.serial('requests raw samples in a voice of the language from Deepgram', async (t) => {
  const server = await startHttpEngine(t, sendSound([requestedSound]));
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

test.serial('rejects Korean for Deepgram, which has no Korean voice', async (t) => {
  const server = await startHttpEngine(t, sendSound([requestedSound]));
  const synthesizer = deepgramAura(engineWorld(t), { url: server.url, key, voice: null });
  await t.throwsAsync(synthesizer.synthesize('안녕하세요.', 'ko-KR'), {
    name: 'UnspokenLanguage',
    message: 'deepgram-aura has no voice for ko-KR',
  });
  t.is(server.requests.length, 0);
});

test.serial('requests pcm from an OpenAI-compatible server, with or without a key', async (t) => {
  const server = await startHttpEngine(t, sendSound([requestedSound]));
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

test.serial('requests streamed samples in the language from ElevenLabs', async (t) => {
  const server = await startHttpEngine(t, sendSound([requestedSound]));
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

test.serial('uses a chosen voice instead of the default one', async (t) => {
  const server = await startHttpEngine(t, sendSound([requestedSound]));
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

test.serial('uses a Deepgram voice only for its own language', async (t) => {
  const server = await startHttpEngine(t, sendSound([requestedSound]));
  const synthesizer = deepgramAura(engineWorld(t), { url: server.url, key, voice: 'aura-2-zeus-en' });
  await t.throwsAsync(synthesizer.synthesize('こんにちは。', 'ja'), { name: 'UnspokenLanguage' });
  t.is(server.requests.length, 0);
});

for (const [name, create] of Object.entries(chosen))
  test.serial(`reports whether a rejection by ${name} may concern only the chosen voice`, async (t) => {
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

for (const [name, create] of Object.entries(chosen))
  for (const status of [401, 429, 500, 503])
    test.serial(
      `reports HTTP ${status} of ${name} as a failure of the engine, not of the voice`,
      async (t) => {
        const server = await startHttpEngine(t, sendJson({}, status));
        await t.throwsAsync(create(engineWorld(t), server.url).synthesize('One.', 'en'), {
          name: 'EngineFailure',
          message: `${name} answered with HTTP ${status}`,
        });
      },
    );

// Responses
// Responses of a server, including those that must not disable a synthesizer.

const engines: Readonly<Record<string, (world: EngineWorld, url: string) => Synthesizer>> = {
  'deepgram-aura': (world, url) => deepgramAura(world, { url, key, voice: null }),
  'openai-speech': (world, url) =>
    openaiSpeech(world, { url, key, model: 'gpt-4o-mini-tts', usualVoice: 'alloy', voice: null }),
  elevenlabs: (world, url) =>
    elevenLabs(world, { url, key, usualVoice: 'JBFqnCBsd6RMkjVDRZzb', voice: null }),
};

const answeredSound = bytesOf(numbered(4_000));

const start = async (t: ExecutionContext, world: EngineWorld, ...answers: EngineAnswer[]) => {
  const server = await startHttpEngine(t, ...answers);
  return { server, synthesizer: elevenLabs(world, { url: server.url, key, usualVoice: 'v', voice: null }) };
};

/** Asserts that the synthesis fails with this message, which contains no secret. */
const failsWith = async (
  t: ExecutionContext,
  message: string,
  answer: EngineAnswer,
  limits: Parameters<typeof engineWorld>[1] = {},
) => {
  const { synthesizer } = await start(t, engineWorld(t, limits), answer);
  const error = await t.throwsAsync(synthesizer.synthesize('a secret', 'en'));
  t.is(error.message, message);
  t.notRegex(`${error.stack}${String(error.cause)}`, /hush-hush|secret/);
};

for (const [name, create] of Object.entries(engines)) {
  test.serial(`${name} returns audio while it is being synthesized`, async (t) => {
    const { promise: more, resolve: goOn } = Promise.withResolvers<void>();
    const server = await startHttpEngine(t, async (response) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' }).write(answeredSound);
      await more;
      response.end(answeredSound);
    });
    let count = 0;
    for await (const { samples } of create(engineWorld(t), server.url).stream?.('Hello.', 'en') ?? []) {
      if (count === 0) goOn();
      count += samples.length;
    }
    t.is(count, 8_000);
  });

  test.serial(`a rejection by ${name} names the engine and the status, but no secrets`, async (t) => {
    for (const status of [400, 401, 404, 429, 500, 503, 302]) {
      const server = await startHttpEngine(t, sendJson(engineErrors.openai, status));
      const error = await t.throwsAsync(create(engineWorld(t), server.url).synthesize('a secret', 'en'));
      t.is(error.message, `${name} answered with HTTP ${status}`);
      t.notRegex(String(error.stack), /hush-hush|secret/);
    }
  });

  test.serial(`fails without the address if ${name} is unreachable`, async (t) => {
    const error = await t.throwsAsync(create(engineWorld(t), 'http://127.0.0.1:1').synthesize('x', 'en'));
    t.is(error.message, `${name} could not be reached (ECONNREFUSED)`);
    t.is(error.cause, undefined);
  });
}

test.serial('joins samples from any chunking', async (t) => {
  const world = engineWorld(t);
  const few = numbered(40);
  let pieces: Uint8Array[] = [];
  const { synthesizer } = await start(t, world, (response, request) => sendSound(pieces)(response, request));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 11 }), { maxLength: 12 }), async (sizes) => {
      const bytes = bytesOf(few);
      pieces = [];
      let at = 0;
      for (const size of sizes) pieces.push(bytes.subarray(at, (at += size)));
      pieces.push(bytes.subarray(at));
      t.deepEqual((await synthesizer.synthesize('Hello.', 'en')).samples, few);
    }),
    { numRuns: 60 },
  );
});

test.serial('drops an incomplete sample at the end', async (t) => {
  const { synthesizer } = await start(t, engineWorld(t), sendSound([answeredSound, Uint8Array.of(7)]));
  t.is((await synthesizer.synthesize('Hello.', 'en')).samples.length, 4_000);
});

test.serial('sends no request for text without words', async (t) => {
  const { server, synthesizer } = await start(t, engineWorld(t), sendSound([answeredSound]));
  t.is((await synthesizer.synthesize(' … !', 'en')).samples.length, 0);
  t.is(server.requests.length, 0);
});

test.serial('returns no audio for an error with a success status', async (t) => {
  const message = 'elevenlabs answered with something else than linear sound';
  await failsWith(t, message, sendJson(engineErrors.elevenlabs));
  await failsWith(t, message, sendText('<html>hush-hush</html>'));
  await failsWith(t, message, sendSound([Buffer.from('RIFF....WAVEfmt ')], 'application/octet-stream'));
  await failsWith(t, message, sendSound([Buffer.from('ID3\u0004secret')], 'audio/mpeg'));
});

// Formats
// The format of a response, by its type and its first bytes.

const bigEndian = (samples: Int16Array): Buffer => bytesOf(samples).swap16();

/** Repeats each sample, so that all channels have identical audio. */
const inChannels = (samples: Int16Array, channels: number): Int16Array =>
  Int16Array.from({ length: samples.length * channels }, (_, at) => samples[Math.floor(at / channels)] ?? 0);

/** A tone, which sounds wrong in any other byte order. */
const second = (rate: number): Int16Array =>
  Int16Array.from({ length: rate }, (_, at) => Math.round(9_000 * Math.sin((2 * Math.PI * 300 * at) / rate)));

const wavOf = (samples: Int16Array, { rate = 16_000, channels = 1, bits = 16, length = -1 } = {}): Buffer => {
  const file = Buffer.concat([writeWav({ sampleRate: rate, samples }), Buffer.from('LIST....')]);
  file.writeUInt16LE(channels, 22);
  file.writeUInt16LE(bits, 34);
  file.writeUInt32LE(length === -1 ? samples.length * 2 : length, 40);
  return length === -1 ? file : file.subarray(0, -8);
};

const frames = (...first: number[]): Buffer => Buffer.concat([Buffer.from(first), Buffer.alloc(9_000, 0x55)]);

/** MP3 frames of 417 bytes. */
const mp3 = Buffer.concat(
  Array.from({ length: 20 }, () =>
    Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413, 0x55)]),
  ),
);

/** The type of a response, its body, and the resulting rate and samples. */
const sounds: readonly [string, Buffer, number, Int16Array][] = [
  ['audio/pcm;rate=16000', bytesOf(second(16_000)), 16_000, second(16_000)],
  ['audio/pcm; rate="22050"', bytesOf(second(22_050)), 22_050, second(22_050)],
  ['Audio/PCM; Sample_Rate=8000; bits=16', bytesOf(second(8_000)), 8_000, second(8_000)],
  ['audio/pcm;rate=8000;encoding=pcm_s16be', bigEndian(second(8_000)), 8_000, second(8_000)],
  ['audio/L16;rate=16000;channels=1', bigEndian(second(16_000)), 16_000, second(16_000)],
  ['audio/L16;rate=44100;channels=2', bigEndian(inChannels(second(44_100), 2)), 44_100, second(44_100)],
  ['audio/L16;codec=pcm;rate=24000', bytesOf(second(24_000)), 24_000, second(24_000)],
  ['audio/wav', wavOf(second(22_050), { rate: 22_050 }), 22_050, second(22_050)],
  ['audio/x-wav', wavOf(second(8_000), { rate: 8_000, length: 0 }), 8_000, second(8_000)],
  ['audio/wav', wavOf(second(8_000), { rate: 8_000, length: 0xff_ff_ff_ff }), 8_000, second(8_000)],
  [
    'application/octet-stream',
    wavOf(inChannels(second(8_000), 2), { rate: 8_000, channels: 2 }),
    8_000,
    second(8_000),
  ],
];

for (const [type, body, sampleRate, samples] of sounds)
  test.serial(`plays ${type} of ${body.length} bytes at ${sampleRate} Hz`, async (t) => {
    const { synthesizer } = await start(t, engineWorld(t), sendSound([body], type));
    const audio = await synthesizer.synthesize('Hello.', 'en');
    t.is(audio.sampleRate, sampleRate);
    t.deepEqual(audio.samples, samples);
    const reader = createAudioReader(type, 16_000);
    const pieces: Int16Array[] = [];
    for (let at = 0; at < body.length; at += 7) pieces.push(reader.take(body.subarray(at, at + 7)));
    t.deepEqual(joinSamples([...pieces, reader.end()]), samples, 'cut anywhere');
  });

const noises: readonly [string, string, Buffer][] = [
  ['MP3', 'audio/mpeg', frames(0xff, 0xfb, 0x90, 0x64)],
  ['MP3 of MPEG-2', 'audio/mpeg', frames(0xff, 0xf3, 0x90, 0x64)],
  ['AAC', 'audio/aac', frames(0xff, 0xf1, 0x50, 0x80)],
  ['MP4', 'audio/mp4', frames(0, 0, 0, 0x20, 0x66, 0x74, 0x79, 0x70)],
  ['undescribed MP3', 'application/octet-stream', frames(0xff, 0xfb)],
  ['MP3 declared as samples', 'audio/pcm', mp3],
  ['an Ogg file declared as samples', 'audio/pcm', Buffer.concat([Buffer.from('OggS'), mp3])],
  ['undescribed MP4', 'application/octet-stream', frames(0, 0, 0, 0x20, 0x66, 0x74, 0x79, 0x70)],
  ['G.711', 'audio/PCMU;rate=8000', frames(0xff, 0xff)],
  ['Opus', 'audio/ogg', Buffer.concat([Buffer.from('OggS'), mp3])],
  ['samples of 24 bits', 'audio/L24;rate=8000', frames(0, 0)],
  ['samples of 8 bits', 'audio/pcm;bits=8', frames(0, 0)],
  ['floating-point samples', 'audio/pcm;encoding=f32le', frames(0, 0)],
  ['an invalid rate', 'audio/pcm;rate=fast', frames(0, 0)],
  ['a rate of zero', 'audio/pcm;rate=0', frames(0, 0)],
  ['no channels', 'audio/L16;rate=8000;channels=0', frames(0, 0)],
  ['a WAV file of 8 bits', 'audio/wav', wavOf(second(8_000), { bits: 8 })],
  ['a WAV file without its header', 'audio/wav', frames(0, 0)],
  ['a WAV file that ends in its header', 'audio/wav', wavOf(second(8_000)).subarray(0, 30)],
];

for (const [what, type, body] of noises)
  test.serial(`rejects ${what} (${type}), and the next engine speaks`, async (t) => {
    const other = { sampleRate: 8_000, samples: Int16Array.of(1, 2) };
    for (const create of Object.values(engines)) {
      const world = engineWorld(t);
      const server = await startHttpEngine(t, sendSound([body], type));
      const candidates = [
        create(world, server.url),
        { name: 'other', synthesize: () => Promise.resolve(other) },
      ].map((engine) => ({ engine, breaker: { remainingMs: () => 0 } }));
      t.deepEqual(await failOverSynthesizer(candidates).synthesize('Hello.', 'en'), other);
      t.is(server.requests.length, 1);
    }
  });

test.serial('rejects a text response without a content type', async (t) => {
  const message = 'elevenlabs answered with something else than linear sound';
  const bodies = ['<html>hush-hush</html>', '{}', '{"error":"죄송합니다"}'];
  for (const body of bodies)
    await failsWith(t, message, (response) => {
      response.writeHead(200).end(body);
    });
});

test.serial('stops reading a rejected response', async (t) => {
  const { server, synthesizer } = await start(t, engineWorld(t), (response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' }).write(mp3);
  });
  await t.throwsAsync(synthesizer.synthesize('Hello.', 'en'));
  await until('the end of the request', () => (server.counts.brokenOff === 1 ? true : undefined));
});

test.serial('fails on an empty response', async (t) => {
  await failsWith(t, 'elevenlabs answered without sound', sendSound([]));
  await failsWith(t, 'elevenlabs answered without sound', sendSound([Uint8Array.of(1)]));
});

test.serial('fails on an interrupted connection after the audio before it', async (t) => {
  const { synthesizer } = await start(t, engineWorld(t), (response) => {
    response.writeHead(200).write(answeredSound, () => response.destroy());
  });
  let count = 0;
  const error = await t.throwsAsync(async () => {
    for await (const { samples } of synthesizer.stream?.('Hello.', 'en') ?? []) count += samples.length;
  });
  t.regex(error.message, /^the connection to elevenlabs broke/);
  t.is(count, 4_000);
});

test.serial('aborts the request to an engine that does not start in time', async (t) => {
  const clock = new SimulatedClock();
  const { server, synthesizer } = await start(t, engineWorld(t, {}, clock), staySilent);
  const spoken = synthesizer.synthesize('Hello.', 'en');
  await until('a request', () => server.requests[0]);
  clock.increment(3_000);
  await t.throwsAsync(spoken, { message: 'elevenlabs made no sound in time' });
  await until('the end of the request', () => (server.counts.brokenOff === 1 ? true : undefined));
});

test.serial('aborts the request to an engine that sends too slowly, after a total time limit', async (t) => {
  const clock = new SimulatedClock();
  const { synthesizer } = await start(t, engineWorld(t, {}, clock), (response) => {
    response.writeHead(200).write(answeredSound);
  });
  const error = await t.throwsAsync(async () => {
    for await (const _ of synthesizer.stream?.('Hello.', 'en') ?? []) {
      void setImmediate().then(() => clock.increment(5_000));
    }
  });
  t.is(error.message, 'elevenlabs did not finish a sentence in time');
});

test.serial('aborts a response with endless audio', async (t) => {
  const { server, synthesizer } = await start(t, engineWorld(t, { longestSpeechMs: 1_000 }), (response) => {
    response.writeHead(200);
    const pump = (): void => {
      while (!response.destroyed && response.write(answeredSound));
      if (!response.destroyed) response.once('drain', pump);
    };
    pump();
  });
  await t.throwsAsync(synthesizer.synthesize('Hello.', 'en'), {
    message: 'elevenlabs made more sound than a sentence can have',
  });
  await until('the end of the request', () => (server.counts.brokenOff === 1 ? true : undefined));
});

test.serial('rejects with the abort reason at once, before and within the audio', async (t) => {
  const { server, synthesizer } = await start(t, engineWorld(t), staySilent, (response) => {
    response.writeHead(200).write(answeredSound);
  });
  const reason = new Error('interrupted');
  const before = new AbortController();
  const waiting = synthesizer.synthesize('Hello.', 'en', before.signal);
  await until('a request', () => server.requests[0]);
  before.abort(reason);
  t.is(await t.throwsAsync(waiting), reason);

  const amid = new AbortController();
  const error = await t.throwsAsync(async () => {
    for await (const _ of synthesizer.stream?.('Hello.', 'en', amid.signal) ?? []) amid.abort(reason);
  });
  t.is(error, reason);
  await until('the end of both requests', () => (server.counts.brokenOff === 2 ? true : undefined));
  t.is(await t.throwsAsync(synthesizer.synthesize('Hello.', 'en', AbortSignal.abort(reason))), reason);
  t.is(server.requests.length, 2);
});

test.serial('ends the request when the reader leaves the audio early', async (t) => {
  const { server, synthesizer } = await start(t, engineWorld(t), (response) => {
    response.writeHead(200).write(answeredSound);
  });
  for await (const _ of synthesizer.stream?.('Hello.', 'en') ?? []) break;
  await until('the end of the request', () => (server.counts.brokenOff === 1 ? true : undefined));
  t.pass();
});

test.serial('retries when a reused connection was closed meanwhile', async (t) => {
  const { synthesizer } = await start(
    t,
    engineWorld(t),
    sendSound([answeredSound]),
    (response) => response.socket?.destroy(),
    sendSound([answeredSound]),
  );
  await synthesizer.synthesize('Hello.', 'en');
  // The connection can be reused once the response has been read to its end; before, another would be opened.
  await setImmediate();
  t.is((await synthesizer.synthesize('Hello.', 'en')).samples.length, 4_000);
});
