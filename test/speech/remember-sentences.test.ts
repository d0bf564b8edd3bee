import test from 'ava';
import * as fc from 'fast-check';
import type { Synthesizer } from '#sip/speech.ts';
import { rememberSentences } from '#src/speech/remember-sentences.ts';

/** One sample a character; notes what it was asked. */
const engine = () => {
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

test('a sentence is spoken once a language', async (t) => {
  const { asked, synthesizer } = engine();
  const remembering = rememberSentences(1_000)(synthesizer, null);
  const first = await remembering.synthesize('a', 'en');
  t.is(await remembering.synthesize('a', 'en'), first);
  await remembering.synthesize('a', 'ko');
  t.deepEqual(asked, ['en a', 'ko a']);
});

test('each voice of an engine has its own sentences, and all share the room', async (t) => {
  const remember = rememberSentences(4);
  const [usual, anna, ben] = [engine(), engine(), engine()];
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
  // Another object for the same voice knows what it has said.
  await remember(ben.synthesizer, 'ben').synthesize('b', 'en');
  await remember(ben.synthesizer, 'ben').synthesize('b', 'en');
  t.deepEqual(ben.asked, ['en a', 'en b']);
});

test('what was asked for last is kept, what was asked for long ago is forgotten', async (t) => {
  const { asked, synthesizer } = engine();
  const remembering = rememberSentences(4)(synthesizer, null);
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await remembering.synthesize(text, 'en');
  t.deepEqual(asked, ['en a', 'en b', 'en c', 'en b']);
});

/** Two pieces a sentence; notes what it was asked. */
const streaming = () => {
  const { asked, synthesizer } = engine();
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

test('a sentence that was streamed is kept whole', async (t) => {
  const { asked, remembering, say } = streaming();
  t.is(rememberSentences(1_000)(engine().synthesizer, null).stream, undefined);
  t.deepEqual(await say('abc'), [1, 1, 1, 2, 2, 2]);
  t.deepEqual(await say('abc'), [1, 1, 1, 2, 2, 2]);
  t.is((await remembering.synthesize('abc', 'en')).samples.length, 6);
  t.deepEqual(asked, ['en abc']);
});

test('a stream that was left early or broke is not kept', async (t) => {
  const { asked, say } = streaming();
  t.deepEqual(await say('a', 1), [1]);
  t.deepEqual(await say('a'), [1, 2]);
  await t.throwsAsync(say('broken'), { message: 'failed' });
  await t.throwsAsync(say('broken'), { message: 'failed' });
  t.deepEqual(asked, ['en a', 'en a', 'en broken', 'en broken']);
});

test('a failure is not kept', async (t) => {
  const { asked, synthesizer } = engine();
  const remembering = rememberSentences(1_000)(synthesizer, null);
  await t.throwsAsync(remembering.synthesize('bad', 'en'), { message: 'failed' });
  await t.throwsAsync(remembering.synthesize('bad', 'en'), { message: 'failed' });
  t.is(asked.length, 2);
});

test('an aborted sentence is not spoken, known or not', async (t) => {
  const remembering = rememberSentences(1_000)(engine().synthesizer, null);
  await remembering.synthesize('a', 'en');
  await t.throwsAsync(remembering.synthesize('a', 'en', AbortSignal.abort(new Error('over'))), {
    message: 'over',
  });
});

test('it keeps exactly the sentences used last that fit', async (t) => {
  const sentence = fc.integer({ min: 1, max: 8 }).map((length) => 'x'.repeat(length));
  await fc.assert(
    fc.asyncProperty(fc.array(sentence, { maxLength: 40 }), fc.nat(30), async (texts, maxBytes) => {
      const { asked, synthesizer } = engine();
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
