import test from 'ava';
import { toneSynthesizer } from '#src/speech/tone-synthesizer.ts';

const say = (text: string) => toneSynthesizer().synthesize(text, 'ko');

/** Stretches of sound, each a syllable. */
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

test('each Korean syllable sounds', async (t) => {
  t.is(bursts((await say('안녕하세요')).samples), 5);
});

test('a longer sentence takes longer, a pause longer still', async (t) => {
  const short = (await say('네')).samples.length;
  const long = (await say('네 알겠습니다')).samples.length;
  const paused = (await say('네, 알겠습니다')).samples.length;
  t.true(short < long && long < paused);
});

test('it can be heard, and is never distorted', async (t) => {
  const { samples } = await say('Hello, this is a test of the voice.');
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  t.true(loudest > 3_000 && loudest < 32_767);
});

test('the same words sound the same', async (t) => {
  t.deepEqual((await say('Hello')).samples, (await say('Hello')).samples);
});

test('nothing to say is no sound', async (t) => {
  t.is((await say(' ')).samples.length, 0);
});

test('an aborted sentence is not spoken', async (t) => {
  await t.throwsAsync(toneSynthesizer().synthesize('Hello', 'en', AbortSignal.abort(new Error('over'))), {
    message: 'over',
  });
});
