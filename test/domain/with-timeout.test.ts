import test from 'ava';
import { SimulatedClock } from 'xstate';
import { doneWithin, TimeoutError, withTimeout } from '#src/domain/with-timeout.ts';

/** A clock that knows how many of its timers still run. */
const countingClock = () => {
  const clock = new SimulatedClock();
  const running = new Set<unknown>();
  return {
    running,
    increment: (milliseconds: number) => clock.increment(milliseconds),
    setTimeout(callback: () => void, milliseconds: number): unknown {
      const timer: unknown = clock.setTimeout(() => {
        running.delete(timer);
        callback();
      }, milliseconds);
      running.add(timer);
      return timer;
    },
    clearTimeout(timer: unknown): void {
      running.delete(timer);
    },
  };
};

test('work that is done in time gives its result, and no timer stays', async (t) => {
  const clock = countingClock();
  t.is(await withTimeout(clock, 100, () => Promise.resolve('done')), 'done');
  t.true(await doneWithin(clock, 100, Promise.resolve()));
  t.is(clock.running.size, 0);
});

test('work that fails gives its error, and no timer stays', async (t) => {
  const clock = countingClock();
  const error = new Error('broken');
  t.is(await t.throwsAsync(withTimeout(clock, 100, () => Promise.reject(error))), error);
  t.is(await t.throwsAsync(doneWithin(clock, 100, Promise.reject(error))), error);
  t.is(clock.running.size, 0);
});

test('work that takes too long is let go with the reason that its caller gets', async (t) => {
  const clock = countingClock();
  let signal: AbortSignal | undefined;
  const waiting = withTimeout(clock, 100, (limit) => {
    signal = limit;
    return new Promise(() => undefined);
  });
  clock.increment(99);
  t.false(signal?.aborted);
  clock.increment(1);
  const error = await t.throwsAsync(waiting, { instanceOf: TimeoutError });
  t.is(error.message, 'It took longer than 100 ms');
  t.is(signal?.reason, error);
});

test('the caller may name the error, and gets what comes too late', async (t) => {
  const clock = countingClock();
  const error = new Error('the name servers did not answer');
  const work = Promise.withResolvers<string>();
  const late = Promise.withResolvers<string>();
  const waiting = withTimeout(clock, 100, () => work.promise, { error: () => error, late: late.resolve });
  clock.increment(100);
  t.is(await t.throwsAsync(waiting), error);
  work.resolve('an endpoint');
  t.is(await late.promise, 'an endpoint');
});

test('what comes in time is not late, and what fails too late is nobody’s failure', async (t) => {
  const clock = countingClock();
  await withTimeout(clock, 100, () => Promise.resolve(), { late: () => t.fail() });
  const work = Promise.withResolvers<never>();
  const waiting = withTimeout(clock, 100, () => work.promise, { late: () => t.fail() });
  clock.increment(100);
  await t.throwsAsync(waiting, { instanceOf: TimeoutError });
  work.reject(new Error('broken'));
  await t.throwsAsync(work.promise);
});

test('what is not done within its time is told as not done', async (t) => {
  const clock = countingClock();
  const waiting = doneWithin(clock, 100, new Promise(() => undefined));
  clock.increment(100);
  t.false(await waiting);
});
