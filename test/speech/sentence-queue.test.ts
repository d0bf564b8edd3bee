import test from 'ava';
import { setImmediate as nextTask } from 'node:timers/promises';
import { createSentenceQueue } from '#src/speech/sentence-queue.ts';
import type { SpokenSentence } from '#src/speech/sentence-segmenter.ts';

const sentence = (endsAt: number): SpokenSentence => ({ samples: new Int16Array(100), endsAt });

/** A queue for 200 samples, and what it is doing. */
const setUp = () => {
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

test('one sentence is recognized at a time, in order', async (t) => {
  const { queue, begun, answers } = setUp();
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

test('a queue that is full gives up what waits', async (t) => {
  const { queue, begun, answers } = setUp();
  t.deepEqual(
    [1, 2, 3, 4].map((endsAt) => queue.add(sentence(endsAt))),
    [true, true, true, false],
  );
  answers[0]?.resolve();
  await nextTask();
  t.deepEqual(begun, [1]);
});

test('a failure is told, and the next sentence is recognized nevertheless', async (t) => {
  const { queue, begun, answers, failures } = setUp();
  queue.add(sentence(1));
  const error = new Error('No engine');
  answers[0]?.reject(error);
  await nextTask();
  t.deepEqual(failures, [error]);
  t.false(queue.isBusy());
  queue.add(sentence(2));
  t.deepEqual(begun, [1, 2]);
});
