/** Audio to sentences: queues, segmentation and recognition. */
import { setImmediate as nextTask } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { SimulatedClock } from 'xstate';
import { bytesOf, joinSamples } from '#src/domain/sample-bytes.ts';
import { openaiTranscription } from '#src/speech/openai-transcription.ts';
import { readWav } from '#src/speech/read-wav.ts';
import {
  type SpokenSentence,
  createSampleQueue,
  createSentenceSegmenter,
} from '#src/speech/sentence-segmenter.ts';
import { createSampleReader, wholeAudio } from '#src/speech/sample-reader.ts';
import {
  type Transcribe,
  createSentenceQueue,
  openSentenceRecognition,
} from '#src/speech/sentence-recognition.ts';
import { whisperCpp } from '#src/speech/whisper-cpp.ts';
import { writeWav } from '#src/speech/write-wav.ts';
import {
  around,
  chanceOf,
  inTurn,
  levelled,
  noise,
  rest,
  shaped,
} from '#test/barge-in-sounds/sound-making.ts';
import { bargeInSounds } from '#test/barge-in-sounds/sounds.ts';
import { until } from '#test/helpers/until.ts';
import { engineWorld } from './doubles/engine-world.ts';
import { listen, numbered } from './doubles/heard-events.ts';
import {
  type EngineAnswer,
  engineErrors,
  formOf,
  sendJson,
  sendText,
  startHttpEngine,
  staySilent,
} from './doubles/http-engine.ts';

// Sample queue

test('reads appended audio in order, in any amounts', (t) => {
  const step = fc.oneof(
    fc.record({ add: fc.nat(5_000) }),
    fc.record({ take: fc.nat(6_000) }),
    fc.record({ drop: fc.integer({ min: -10, max: 6_000 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const queue = createSampleQueue();
      let from = 0;
      let to = 0;
      for (const one of steps) {
        if ('add' in one) {
          const buffer = numbered(one.add, to);
          queue.add(buffer);
          buffer.fill(0);
          to += one.add;
        } else if ('take' in one) {
          const taken = queue.take(one.take);
          t.deepEqual(taken, numbered(Math.min(one.take, to - from), from));
          from += taken.length;
        } else {
          queue.drop(one.drop);
          from = Math.min(to, from + Math.max(0, one.drop));
        }
        t.is(queue.length(), to - from);
      }
    }),
    { numRuns: 50 },
  );
});

// Sample reader

const samples = fc.int16Array({ maxLength: 60 });

test.serial('reads bytes as little-endian samples, equal for any chunking', (t) => {
  t.deepEqual([...bytesOf(Int16Array.of(1, -2, 0x1234))], [1, 0, 0xfe, 0xff, 0x34, 0x12]);
  fc.assert(
    fc.property(samples, fc.array(fc.integer({ min: 0, max: 9 })), (sound, sizes) => {
      const read = createSampleReader();
      const bytes = bytesOf(sound);
      const pieces: Int16Array[] = [];
      let at = 0;
      for (const size of sizes) pieces.push(read(bytes.subarray(at, (at += size))));
      pieces.push(read(bytes.subarray(at)));
      t.deepEqual(joinSamples(pieces), sound);
    }),
  );
});

test.serial('writes a WAV file with the given samples', (t) => {
  fc.assert(
    fc.property(samples, fc.integer({ min: 1, max: 48_000 }), (sound, sampleRate) => {
      const file = writeWav({ sampleRate, samples: sound });
      t.deepEqual(readWav(file), { sampleRate, samples: sound });
      t.is(file.readUInt32LE(4), file.length - 8);
    }),
  );
});

test.serial('joins audio that arrives in chunks', async (t) => {
  async function* pieces() {
    yield { sampleRate: 16_000, samples: Int16Array.of(1, 2) };
    yield { sampleRate: 16_000, samples: Int16Array.of(3) };
  }
  t.deepEqual(await wholeAudio(pieces()), { sampleRate: 16_000, samples: Int16Array.of(1, 2, 3) });
});

// Sentence queue

const sentence = (endsAt: number): SpokenSentence => ({ samples: new Int16Array(100), endsAt });

/** A queue for 200 samples, and its current work. */
const setUpSentenceQueue = () => {
  const begun: number[] = [];
  const failures: unknown[] = [];
  const answers: PromiseWithResolvers<void>[] = [];
  const queue = createSentenceQueue(
    200,
    ({ endsAt }) => {
      begun.push(endsAt);
      const answer = Promise.withResolvers<void>();
      answers.push(answer);
      return answer.promise;
    },
    (error) => failures.push(error),
  );
  return { queue, begun, failures, answers };
};

test.serial('recognizes one sentence at a time, in order', async (t) => {
  const { queue, begun, answers } = setUpSentenceQueue();
  t.false(queue.isBusy());
  t.true(queue.add(sentence(1)));
  t.true(queue.add(sentence(2)));
  t.deepEqual(begun, [1]);
  t.true(queue.isBusy());
  answers[0]?.resolve();
  await nextTask();
  t.deepEqual(begun, [1, 2]);
  answers[1]?.resolve();
  await nextTask();
  t.false(queue.isBusy());
});

test.serial('drops waiting sentences when the queue is full', async (t) => {
  const { queue, begun, answers } = setUpSentenceQueue();
  t.deepEqual(
    [1, 2, 3, 4].map((endsAt) => queue.add(sentence(endsAt))),
    [true, true, true, false],
  );
  answers[0]?.resolve();
  await nextTask();
  t.deepEqual(begun, [1]);
});

test.serial('reports a failure and recognizes the next sentence', async (t) => {
  const { queue, begun, answers, failures } = setUpSentenceQueue();
  queue.add(sentence(1));
  const error = new Error('No engine');
  answers[0]?.reject(error);
  await nextTask();
  t.deepEqual(failures, [error]);
  t.false(queue.isBusy());
  queue.add(sentence(2));
  t.deepEqual(begun, [1, 2]);
});

// Sentence segmenter

const sound = numbered(1_000);

test('begins a sentence just before its voice was detected and ends it with the pause', (t) => {
  const segmenter = createSentenceSegmenter({ preRoll: 50, longest: 500 });
  t.deepEqual(segmenter.write(sound.subarray(0, 200)), []);
  t.is(segmenter.passed(), 150);
  segmenter.speechBegan();
  t.deepEqual(segmenter.write(sound.subarray(200, 300)), []);
  t.is(segmenter.passed(), null);
  t.deepEqual(segmenter.speechEnded(), [{ samples: sound.slice(150, 300), endsAt: 300 }]);
  t.is(segmenter.passed(), 300);
});

test('splits long speech without a gap', (t) => {
  const segmenter = createSentenceSegmenter({ preRoll: 0, longest: 100 });
  segmenter.speechBegan();
  t.deepEqual(segmenter.write(sound.subarray(0, 250)), [
    { samples: sound.slice(0, 100), endsAt: 100 },
    { samples: sound.slice(100, 200), endsAt: 200 },
  ]);
  t.deepEqual(segmenter.speechEnded(), [{ samples: sound.slice(200, 250), endsAt: 250 }]);
});

test('makes no sentence of a pause without speech or audio', (t) => {
  const segmenter = createSentenceSegmenter({ preRoll: 50, longest: 500 });
  segmenter.write(sound);
  t.deepEqual(segmenter.speechEnded(), []);
  segmenter.clear();
  segmenter.speechBegan();
  t.deepEqual(segmenter.speechEnded(), []);
});

// Sentence recognition
// The recognizers that receive whole sentences.

const key = 'hush-hush';

/** An engine in this process: its result for each sentence names the received samples. */
const inProcess = (
  world: ReturnType<typeof engineWorld>,
  transcribe: Transcribe = async (wav) => {
    const { samples } = readWav(wav);
    return `${samples[0]} to ${samples.at(-1)}`;
  },
) => ({
  open: (...[options, emit]: Parameters<Parameters<typeof listen>[0]['open']>) =>
    openSentenceRecognition(world, { name: 'engine', transcribe }, options, emit),
});

const fields = (form: FormData): Record<string, unknown> =>
  Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'));

const wavIn = async (form: FormData) => {
  const file = form.get('file');
  if (!(file instanceof Blob)) throw new Error('There is no file');
  return { type: file.type, audio: readWav(Buffer.from(await file.arrayBuffer())) };
};

/** Sends one sentence of one second to an engine that responds like this. */
const sayTo = async (
  t: ExecutionContext,
  answer: EngineAnswer,
  create: typeof whisperCpp = (world, { url }) =>
    openaiTranscription(world, { url: `${url}/v1`, key, model: 'whisper-1' }),
  world = engineWorld(t),
) => {
  const server = await startHttpEngine(t, answer);
  const heard = listen(create(world, { url: server.url }));
  heard.recognition.speechBegan();
  heard.recognition.write(numbered(8_000));
  heard.recognition.speechEnded();
  return { server, ...heard };
};

test.serial('sends each sentence as a file to an OpenAI-compatible server', async (t) => {
  const { server, words, count } = await sayTo(
    t,
    sendJson({ text: ' 안녕하세요.\n', usage: { seconds: 1 } }),
  );
  await count(1);
  t.deepEqual(words(), ['final: 안녕하세요.']);
  const request = await until('a request', () => server.requests[0]);
  t.is(request.path, '/v1/audio/transcriptions');
  t.is(request.headers.authorization, 'Bearer hush-hush');
  const form = await formOf(request);
  t.deepEqual(fields(form), { model: 'whisper-1', language: 'ko', response_format: 'verbose_json' });
  t.deepEqual(await wavIn(form), {
    type: 'audio/wav',
    audio: { sampleRate: 8_000, samples: numbered(8_000) },
  });
});

test.serial('sends no key to a server without one', async (t) => {
  const { server } = await sayTo(t, sendJson({ text: '' }), (world, { url }) =>
    openaiTranscription(world, { url, key: null, model: 'm' }),
  );
  const request = await until('a request', () => server.requests[0]);
  t.is(request.headers.authorization, undefined);
});

test.serial('sends whisper.cpp the sample rate and ignores its annotations', async (t) => {
  const text = ' 안녕하세요.\n [MUSIC] (박수 소리)\n 네.\n';
  const { server, words, count } = await sayTo(t, sendJson({ text }), whisperCpp);
  await count(1);
  t.deepEqual(words(), ['final: 안녕하세요. 네.']);
  const request = await until('a request', () => server.requests[0]);
  t.is(request.path, '/inference');
  const form = await formOf(request);
  t.deepEqual(fields(form), { language: 'ko', temperature: '0.0', response_format: 'verbose_json' });
  const { audio } = await wavIn(form);
  t.is(audio.sampleRate, 16_000);
  t.deepEqual(audio.samples.slice(0, 5), Int16Array.of(-30_000, -29_999, -29_999, -29_998, -29_998));
  t.is(audio.samples.length, 16_000);
});

test.serial("ignores whisper.cpp's annotations of silence", async (t) => {
  const { events, words } = await sayTo(t, sendJson({ text: ' [BLANK_AUDIO]\n' }), whisperCpp);
  await until('an answer', () => events.find((event) => event.type === 'settled'));
  t.deepEqual(words(), []);
});

// Phantom sentences
// Text that engines of Whisper's family write for audio without speech.

const family: readonly [string, typeof whisperCpp][] = [
  [
    'openai-transcription',
    (world, { url }) => openaiTranscription(world, { url: `${url}/v1`, key, model: 'whisper-1' }),
  ],
  ['whisper-cpp', whisperCpp],
];

/** 400 ms of it, with silence around it as in a sentence. */
const inSilence = (sound: Float64Array, loudness = 9_000): Int16Array =>
  Int16Array.from([...rest(300), ...sound, ...rest(460)], (sample) => Math.round(sample * loudness));

const chance = chanceOf(7);
const soundsOfNobody: Readonly<Record<string, Int16Array>> = {
  'white noise': inSilence(noise(chance, 400)),
  'a cough': inSilence(levelled(around(noise(chance, 400), 600, 200))),
  clatter: inSilence(levelled(inTurn([1, 2, 3, 4].map(() => shaped(noise(chance, 100), 1, 12))))),
};
const voices = bargeInSounds().filter(({ isInterruption }) => isInterruption);

/** The resulting words for audio that the engine transcribes in this way. */
const wordsOf = async (
  t: ExecutionContext,
  create: typeof whisperCpp,
  reply: object,
  samples: Int16Array,
): Promise<string[]> => {
  const server = await startHttpEngine(t, sendJson(reply));
  const { recognition, events, words } = listen(create(engineWorld(t), { url: server.url }));
  recognition.speechBegan();
  recognition.write(samples);
  recognition.speechEnded();
  await until('an answer', () => events.find((event) => event.type === 'settled'));
  recognition.close();
  server.close();
  return words();
};

const phantoms = [
  '시청해주셔서 감사합니다.',
  '시청해 주셔서 감사합니다! 구독과 좋아요 부탁드립니다.',
  'MBC 뉴스 이덕영입니다.',
  'ご視聴ありがとうございました',
  'Thanks for watching!',
  'Thank you.',
  'Subtitles by the Amara.org community',
  '[Music]',
  '(applause)',
  '♪',
  '♪ la la la ♪',
  '*coughs*',
];

for (const [name, create] of family) {
  for (const [what, samples] of Object.entries(soundsOfNobody))
    test.serial(`${name}: ignores invented sentences for ${what}`, async (t) => {
      for (const text of phantoms) t.deepEqual(await wordsOf(t, create, { text }, samples), [], text);
    });

  test.serial(`${name}: accepts the same words if a voice says them`, async (t) => {
    const said = voices.filter(({ samples }) => samples.length > 8_000).slice(0, 12);
    t.true(said.length > 4);
    for (const { samples } of said)
      for (const text of ['Thanks for watching!', 'Thank you.', '시청해주셔서 감사합니다.'])
        t.deepEqual(await wordsOf(t, create, { text }, samples), [`final: ${text}`]);
  });

  test.serial(`${name}: accepts a number in brackets`, async (t) => {
    const [voice] = voices.toSorted((one, other) => other.samples.length - one.samples.length);
    const reply = { text: 'Call (555) 0123 [laughs].' };
    t.deepEqual(await wordsOf(t, create, reply, voice?.samples ?? new Int16Array()), [
      'final: Call (555) 0123 .',
    ]);
  });

  test.serial(`${name}: omits segments that the engine considers silence`, async (t) => {
    const [voice] = voices.toSorted((one, other) => other.samples.length - one.samples.length);
    const samples = voice?.samples ?? new Int16Array();
    const segments = [
      { text: ' Hello.', no_speech_prob: 0.01, avg_logprob: -0.2, compression_ratio: 0.9 },
      { text: ' Good night.', no_speech_prob: 0.9, avg_logprob: -1.4, compression_ratio: 0.9 },
    ];
    const all = { text: ' Hello. Good night.', segments };
    t.deepEqual(await wordsOf(t, create, all, samples), ['final: Hello.']);
    t.deepEqual(await wordsOf(t, create, { ...all, segments: segments.slice(1) }, samples), []);
    const unsure = [{ text: 'Thanks for watching.', no_speech_prob: 0.7, avg_logprob: -0.3 }];
    t.deepEqual(await wordsOf(t, create, { text: 'Thanks for watching.', segments: unsure }, samples), []);
    t.deepEqual(await wordsOf(t, create, { text: 'Hello.', segments: 'none' }, samples), ['final: Hello.']);
  });

  test.serial(`${name}: rejects more words than can be said in the time`, async (t) => {
    const cough = soundsOfNobody['a cough'] ?? new Int16Array();
    const text = '그래서 제가 어제 그 사람한테 전화를 걸어서 이야기를 해 봤는데요';
    t.deepEqual(await wordsOf(t, create, { text }, cough), []);
    const looping = {
      text: '상담원 '.repeat(3),
      segments: [{ text: '상담원 '.repeat(3), compression_ratio: 3 }],
    };
    t.deepEqual(await wordsOf(t, create, looping, cough), []);
  });

  test.serial(`${name}: requests plain text from a server that rejected verbose_json`, async (t) => {
    const server = await startHttpEngine(
      t,
      sendJson({ error: 'response_format' }, 400),
      sendJson({ text: 'One.' }),
      sendJson({ text: 'Two.' }),
    );
    const { recognition, words, count } = listen(create(engineWorld(t), { url: server.url }));
    for (let sentence = 0; sentence < 2; sentence += 1) {
      recognition.speechBegan();
      recognition.write(numbered(8_000));
      recognition.speechEnded();
    }
    await count(2);
    t.deepEqual(words(), ['final: One.', 'final: Two.']);
    const formats = await Promise.all(
      server.requests.map(async (request) => (await formOf(request)).get('response_format')),
    );
    t.deepEqual(formats, ['verbose_json', 'json', 'json']);
  });
}

test.serial(
  'sends a sentence with the audio just before its voice was detected, for any chunking',
  async (t) => {
    const world = engineWorld(t);
    const sound = numbered(12_000);
    const says = async (sizes: readonly number[]): Promise<string[]> => {
      const { recognition, words, count } = listen(inProcess(world));
      const marks = new Map([
        [5_000, () => recognition.speechBegan()],
        [8_000, () => recognition.speechEnded()],
        [9_000, () => recognition.speechBegan()],
        [11_000, () => recognition.speechEnded()],
      ]);
      const cuts = new Set([...marks.keys(), sound.length]);
      for (let at = 0, index = 0; index < sizes.length; index += 1) cuts.add((at += sizes[index] ?? 0));
      let from = 0;
      for (const cut of [...cuts].sort((a, b) => a - b)) {
        recognition.write(sound.subarray(from, cut));
        marks.get(cut)?.();
        from = cut;
      }
      await count(2);
      recognition.close();
      return words();
    };
    const expected = ['final: -27400 to -22001', 'final: -22000 to -19001'];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 2_000 }), { maxLength: 30 }), async (sizes) => {
        t.deepEqual(await says(sizes), expected);
      }),
      { numRuns: 25 },
    );
  },
);

test.serial('splits an endless sentence without a gap', async (t) => {
  const { recognition, words, count } = listen(inProcess(engineWorld(t, { longestSentenceMs: 1_000 })));
  recognition.speechBegan();
  recognition.write(numbered(17_000));
  recognition.speechBegan();
  recognition.speechEnded();
  recognition.speechEnded();
  await count(3);
  t.deepEqual(words(), ['final: -30000 to -22001', 'final: -22000 to -14001', 'final: -14000 to -13001']);
});

test.serial('requests sentences one after the other and emits their words in order', async (t) => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let asked = 0;
  const { recognition, events, words, count } = listen(
    inProcess(engineWorld(t), async () => {
      asked += 1;
      return (await answers[asked - 1]?.promise) ?? '';
    }),
  );
  for (let sentence = 0; sentence < 2; sentence += 1) {
    recognition.speechBegan();
    recognition.write(numbered(1_000));
    recognition.speechEnded();
  }
  t.is(asked, 1);
  answers[0]?.resolve('one');
  await count(1);
  t.deepEqual(events, [
    { type: 'final', text: 'one' },
    { type: 'settled', samples: 1_000 },
  ]);
  answers[1]?.resolve('two');
  await count(2);
  t.is(asked, 2);
  t.deepEqual(words(), ['final: one', 'final: two']);
});

test.serial('finalizes all audio but the pre-roll in silence, and none during a recognition', async (t) => {
  const answer = Promise.withResolvers<string>();
  const { recognition, events } = listen(inProcess(engineWorld(t), () => answer.promise));
  recognition.write(numbered(1_000));
  recognition.write(numbered(3_000));
  t.deepEqual(events, [
    { type: 'settled', samples: 0 },
    { type: 'settled', samples: 1_600 },
  ]);
  recognition.speechBegan();
  recognition.write(numbered(1_000));
  recognition.speechEnded();
  recognition.write(numbered(1_000));
  t.is(events.length, 2);
  answer.resolve('');
  await until('an answer', () => (events.length > 2 ? true : undefined));
  t.deepEqual(events.at(-1), { type: 'settled', samples: 5_000 });
});

test.serial(
  'reports errors and malformed responses as failures without secrets, and emits no event after them',
  async (t) => {
    const name = 'openai-transcription';
    const nonsense = `${name} answered with something else than a transcript`;
    const failures: [EngineAnswer, string][] = [
      [sendJson(engineErrors.openai, 401), `${name} answered with HTTP 401`],
      [sendJson({ text: 'a secret' }, 500), `${name} answered with HTTP 500`],
      [sendJson(engineErrors.whisper), nonsense],
      [sendJson({ text: 1 }), nonsense],
      [sendText('{"text": "a sec'), nonsense],
      [sendText('a secret'), nonsense],
      [
        sendJson({ text: 'a secret'.repeat(40_000) }),
        `${name} answered with more than a transcript can have`,
      ],
      [(response) => response.destroy(), `${name} could not be reached (UND_ERR_SOCKET)`],
    ];
    for (const [answer, message] of failures) {
      const { failure, events, recognition } = await sayTo(t, answer);
      const error = await failure();
      t.is(error.message, message);
      t.notRegex(`${error.stack}${String(error.cause)}`, /hush-hush|secret/);
      recognition.write(numbered(8_000));
      recognition.speechEnded();
      t.is(events.length, 1);
    }
  },
);

test.serial('fails when a response times out, and aborts its request', async (t) => {
  const clock = new SimulatedClock();
  const { server, failure } = await sayTo(t, staySilent, undefined, engineWorld(t, {}, clock));
  await until('a request', () => server.requests[0]);
  clock.increment(3_000);
  t.is((await failure()).message, 'openai-transcription gave no answer in time');
  await until('the end of the request', () => (server.counts.brokenOff === 1 ? true : undefined));
});

test.serial('fails if the engine is slower than the speaker, before audio accumulates', async (t) => {
  const clock = new SimulatedClock();
  const stuck: Transcribe = (_wav, _language, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const world = engineWorld(t, { longestWaitingMs: 2_000, answerMs: 60_000 }, clock);
  const { recognition, events, failure } = listen(inProcess(world, stuck));
  for (let sentence = 0; sentence < 4; sentence += 1) {
    recognition.speechBegan();
    recognition.write(numbered(8_000));
    recognition.speechEnded();
  }
  t.deepEqual(events, []);
  clock.increment(0);
  t.is((await failure()).message, 'engine does not take sentences as fast as they are said');
});

test.serial('aborts the request on close and emits no more events', async (t) => {
  const { server, events, recognition } = await sayTo(t, staySilent);
  await until('a request', () => server.requests[0]);
  recognition.close();
  recognition.close();
  await until('the end of the request', () => (server.counts.brokenOff === 1 ? true : undefined));
  t.deepEqual(events, []);
});
