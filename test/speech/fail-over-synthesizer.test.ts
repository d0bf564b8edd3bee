import test from 'ava';
import { SimulatedClock } from 'xstate';
import type { Audio, Synthesizer } from '#sip/speech.ts';
import { createCircuitBreaker } from '#src/domain/circuit-breaker.ts';
import { UnspokenLanguage } from '#src/speech/engine-failure.ts';
import { failOverSynthesizer } from '#src/speech/fail-over-synthesizer.ts';
import { listeningLogger } from './doubles/engine-world.ts';

const coolDown = { firstMs: 5_000, longestMs: 20_000 };

/** Makes pieces of its own sample, and fails as the test says. */
const engine = (name: string, sample: number, how: 'whole' | 'streamed' = 'streamed') => {
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

const setUp = (...engines: { synthesizer: Synthesizer }[]) => {
  const clock = new SimulatedClock();
  const { lines, logger } = listeningLogger();
  const synthesizer = failOverSynthesizer(
    engines.map((each) => ({ engine: each.synthesizer, breaker: createCircuitBreaker(clock, coolDown) })),
    { logger },
  );
  const say = async (text = 'a secret', signal?: AbortSignal) => [
    ...(await synthesizer.synthesize(text, 'en', signal)).samples,
  ];
  return { clock, lines, synthesizer, say };
};

test('the first that can speaks, streamed or whole', async (t) => {
  const [a, b] = [engine('a', 1), engine('b', 2, 'whole')];
  const { say, synthesizer, lines } = setUp(a, b);
  t.is(synthesizer.name, 'a, b');
  t.deepEqual(await say(), [1, 1, 1]);
  a.state.failsAfter = 0;
  t.deepEqual(await say(), [2]);
  t.is(lines.length, 1);
  t.regex(lines[0] ?? '', /a synthesizer failed/);
  t.notRegex(lines.join(''), /secret/);
});

test('a failed engine cools down, longer each time, and is tried again', async (t) => {
  const [a, b] = [engine('a', 1), engine('b', 2)];
  const { say, clock } = setUp(a, b);
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

test('when all cool down they are asked all the same, and the failure says so without the text', async (t) => {
  const [a, b] = [engine('a', 1), engine('b', 2)];
  const { say } = setUp(a, b);
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

test('no second voice begins a sentence again that was half spoken', async (t) => {
  const [a, b] = [engine('a', 1), engine('b', 2)];
  const { synthesizer, say } = setUp(a, b);
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

test('a language that an engine does not speak is no failure of the engine', async (t) => {
  const [a, b] = [engine('a', 1), engine('b', 2)];
  const { say, lines } = setUp(a, b);
  a.state.failsAfter = 0;
  a.state.error = new UnspokenLanguage('a', 'en');
  t.deepEqual(await say(), [2, 2, 2]);
  a.state.failsAfter = Infinity;
  t.deepEqual(await say(), [1, 1, 1]);
  t.deepEqual(lines, []);
});

test('an aborted sentence is no failure and goes to no other engine', async (t) => {
  const [a, b] = [engine('a', 1), engine('b', 2)];
  const { say, lines } = setUp(a, b);
  const reason = new Error('interrupted');
  a.state.failsAfter = 0;
  t.is(await t.throwsAsync(say('x', AbortSignal.abort(reason))), reason);
  t.is(b.asked.length, 0);
  t.deepEqual(lines, []);
});
