import test from 'ava';
import type { Synthesizer } from '#sip/speech.ts';
import { atMost } from '#src/speech/at-most.ts';

test('no more sentences are spoken at once than allowed, and all are spoken', async (t) => {
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

test('who gives up waiting hears so at once and takes no place', async (t) => {
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
