/** Time and tasks: circuit breaker, coalesced and repeated tasks, limits, days and timestamps. */
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import * as fc from 'fast-check';
import { SimulatedClock } from 'xstate';
import { createCircuitBreaker } from '#src/domain/circuit-breaker.ts';
import { createCircuitBreakers } from '#src/domain/circuit-breakers.ts';
import { createCoalescedTask } from '#src/domain/coalesced-task.ts';
import { dayOf } from '#src/domain/day.ts';
import { once } from '#src/domain/once.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import { timestampIn } from '#src/domain/timestamp.ts';
import { doneWithin, TimeoutError, withTimeout } from '#src/domain/with-timeout.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

// Circuit breaker

const coolDown = { firstMs: 1_000, longestMs: 4_000 };

const setUpCircuitBreaker = (opensAfter?: number) => {
  const clock = new SimulatedClock();
  return { clock, breaker: createCircuitBreaker(clock, coolDown, opensAfter) };
};

test('opens the circuit breaker after the given number of consecutive failures from different sources', (t) => {
  const { breaker } = setUpCircuitBreaker(3);
  for (const by of ['one', 'one', 'one', 'two', 'two']) t.false(breaker.failed(by));
  t.is(breaker.state(), 'closed');
  breaker.worked();
  t.deepEqual(['one', 'two', 'one', 'three'].map(breaker.failed), [false, false, false, true]);
  t.is(breaker.state(), 'open');
  t.false(breaker.mayTry());
  t.is(breaker.remainingMs(), 1_000);
});

test('permits one trial after the cool-down, and another if the first has no result', (t) => {
  const { clock, breaker } = setUpCircuitBreaker();
  breaker.failed();
  clock.increment(999);
  t.false(breaker.mayTry());
  clock.increment(1);
  t.is(breaker.remainingMs(), 0);
  t.true(breaker.mayTry());
  t.is(breaker.state(), 'half-open');
  t.false(breaker.mayTry());
  clock.increment(1_000);
  t.true(breaker.mayTry());
});

test('closes after a successful trial, and doubles the cool-down after a failed one, up to the maximum', (t) => {
  const { clock, breaker } = setUpCircuitBreaker();
  breaker.failed();
  for (const longer of [2_000, 4_000, 4_000]) {
    clock.increment(breaker.remainingMs());
    t.true(breaker.mayTry());
    t.true(breaker.failed());
    t.is(breaker.remainingMs(), longer);
  }
  clock.increment(4_000);
  t.true(breaker.mayTry());
  breaker.worked();
  t.is(breaker.state(), 'closed');
  breaker.failed();
  t.is(breaker.remainingMs(), 1_000);
});

test('a circuit breaker counts simultaneous failures once', (t) => {
  const { breaker } = setUpCircuitBreaker();
  t.deepEqual([breaker.failed(), breaker.failed(), breaker.failed()], [true, false, false]);
  t.is(breaker.remainingMs(), 1_000);
});

test('keeps circuit breakers only for servers with failures', (t) => {
  const clock = new SimulatedClock();
  const breakers = createCircuitBreakers(clock, { coolDown, opensAfter: 2 });
  const [good, bad] = [breakers.of('good'), breakers.of('bad')];
  good.failed('one');
  good.worked();
  good.failed('two');
  t.true(good.mayTry());
  bad.failed('one');
  t.true(bad.failed('two'));
  t.false(breakers.of('bad').mayTry());
  t.deepEqual([...breakers.notClosed().keys()], ['bad']);
  breakers.of('bad').worked();
  t.deepEqual([...breakers.notClosed().keys()], []);
});

// Coalesced task

/** Work that ends when the test decides. */
const coalescedTaskSteps = () => {
  const ends: (() => void)[] = [];
  const task = createCoalescedTask(() => new Promise<void>((resolve) => ends.push(resolve)));
  const endOne = async (): Promise<void> => {
    ends.at(-1)?.();
    await turn();
  };
  return { task, begun: () => ends.length, endOne };
};

test.serial('runs a task at once, and again if requested after its end', async (t) => {
  const { task, begun, endOne } = coalescedTaskSteps();
  const run = task.run();
  t.is(begun(), 1);
  await endOne();
  await run;
  void task.run();
  t.is(begun(), 2);
});

test.serial('repeats a task once for any number of requests during a run, without overlap', async (t) => {
  const { task, begun, endOne } = coalescedTaskSteps();
  const runs = [task.run(), task.run(), task.run()];
  await turn();
  t.is(begun(), 1);
  await endOne();
  t.is(begun(), 2);
  void task.run();
  await endOne();
  t.is(begun(), 3);
  await endOne();
  await Promise.all(runs);
  t.is(begun(), 3);
});

test.serial('close waits for the current run and starts no other', async (t) => {
  const { task, begun, endOne } = coalescedTaskSteps();
  void task.run();
  void task.run();
  let isClosed = false;
  const closing = task.close().then(() => (isClosed = true));
  await turn();
  t.false(isClosed);
  await endOne();
  await closing;
  await task.run();
  t.is(begun(), 1);
});

// Repeated task

/** Work that ends when the test decides. */
const repeatedTaskSteps = () => {
  const clock = createOrderedClock();
  const ends: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  const task = createRepeatedTask({
    work(stopped) {
      signals.push(stopped);
      return new Promise((resolve) => ends.push(resolve));
    },
    everyMs: 1_000,
    clock,
  });
  const endOne = async (): Promise<void> => {
    ends.at(-1)?.();
    await turn();
  };
  return { clock, task, begun: () => ends.length, endOne, signals };
};

test.serial('counts the interval from the end of the previous run', async (t) => {
  const { clock, task, begun, endOne } = repeatedTaskSteps();
  task.start(50);
  clock.advance(49);
  t.is(begun(), 0);
  clock.advance(1);
  t.is(begun(), 1);
  clock.advance(5_000);
  t.is(begun(), 1);
  await endOne();
  clock.advance(999);
  t.is(begun(), 1);
  clock.advance(1);
  t.is(begun(), 2);
});

test.serial('clears the timer when stopped between runs', async (t) => {
  const { clock, task, begun } = repeatedTaskSteps();
  task.start(0);
  await task.stop();
  t.is(clock.pending(), 0);
  clock.advance(1_000);
  t.is(begun(), 0);
  task.start(0);
  t.is(clock.pending(), 0, 'nor does it begin afterwards');
});

test.serial('aborts the current run when stopped, waits for its end, and starts no other', async (t) => {
  const { clock, task, endOne, signals } = repeatedTaskSteps();
  task.start(0);
  clock.advance(0);
  let isStopped = false;
  const stopping = task.stop().then(() => (isStopped = true));
  await turn();
  t.false(isStopped);
  t.true(signals[0]?.aborted);
  await endOne();
  await stopping;
  t.is(clock.pending(), 0);
});

// Once

test('runs a one-time task at the first call, with its argument', (t) => {
  const done: number[] = [];
  const act = once((given: number) => void done.push(given));
  act(1);
  act(2);
  t.deepEqual(done, [1]);
});

test('does not repeat a one-time task on further calls, even after a failed run', (t) => {
  let times = 0;
  const act = once(() => {
    times += 1;
    act();
    throw new Error('in vain');
  });
  t.throws(act, { message: 'in vain' });
  t.notThrows(act);
  t.is(times, 1);
});

// With timeout

/** A clock that counts its pending timers. */
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

test.serial('returns the result of work that ends in time and clears the timer', async (t) => {
  const clock = countingClock();
  t.is(await withTimeout(clock, 100, () => Promise.resolve('done')), 'done');
  t.true(await doneWithin(clock, 100, Promise.resolve()));
  t.is(clock.running.size, 0);
});

test.serial('rethrows the error of failed work and clears the timer', async (t) => {
  const clock = countingClock();
  const error = new Error('broken');
  t.is(await t.throwsAsync(withTimeout(clock, 100, () => Promise.reject(error))), error);
  t.is(await t.throwsAsync(doneWithin(clock, 100, Promise.reject(error))), error);
  t.is(clock.running.size, 0);
});

test.serial('aborts slow work with the same reason that the caller gets', async (t) => {
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

test.serial("throws the caller's own time-out error, and passes it late results", async (t) => {
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

test.serial('reports no late result for work in time, and handles a late failure', async (t) => {
  const clock = countingClock();
  await withTimeout(clock, 100, () => Promise.resolve(), { late: () => t.fail() });
  const work = Promise.withResolvers<never>();
  const waiting = withTimeout(clock, 100, () => work.promise, { late: () => t.fail() });
  clock.increment(100);
  await t.throwsAsync(waiting, { instanceOf: TimeoutError });
  work.reject(new Error('broken'));
  await t.throwsAsync(work.promise);
});

test.serial('returns false for work that exceeds its time', async (t) => {
  const clock = countingClock();
  const waiting = doneWithin(clock, 100, new Promise(() => undefined));
  clock.increment(100);
  t.false(await waiting);
});

// Day

const day = test.macro<[string, string, string, string]>({
  exec(t, timeZone, at, from, until) {
    const found = dayOf(Date.parse(at), timeZone);
    t.is(found.from.toISOString(), from);
    t.is(found.until.toISOString(), until);
  },
  title: (_, timeZone, at) => `returns the day in ${timeZone} that contains ${at}`,
});

test(day, 'Asia/Seoul', '2026-11-21T15:30:00.000Z', '2026-11-21T15:00:00.000Z', '2026-11-22T15:00:00.000Z');
test(day, 'Asia/Seoul', '2026-11-21T14:59:59.999Z', '2026-11-20T15:00:00.000Z', '2026-11-21T15:00:00.000Z');
test(day, 'UTC', '2026-11-21T00:00:00.000Z', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z');
// 25 hours, 23 hours, and a day that begins at one o'clock because midnight is skipped.
test(
  day,
  'Europe/Berlin',
  '2026-10-25T12:00:00.000Z',
  '2026-10-24T22:00:00.000Z',
  '2026-10-25T23:00:00.000Z',
);
test(
  day,
  'Europe/Berlin',
  '2026-03-29T21:59:59.999Z',
  '2026-03-28T23:00:00.000Z',
  '2026-03-29T22:00:00.000Z',
);
test(
  day,
  'America/Havana',
  '2026-03-08T12:00:00.000Z',
  '2026-03-08T05:00:00.000Z',
  '2026-03-09T04:00:00.000Z',
);

test('every moment lies in its day, and the next day starts at its end', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) }),
      fc.constantFrom(
        'Asia/Seoul',
        'Europe/Berlin',
        'America/New_York',
        'America/Havana',
        'Australia/Lord_Howe',
      ),
      (at, timeZone) => {
        const { from, until } = dayOf(at, timeZone);
        t.true(from.getTime() <= at && at < until.getTime());
        t.deepEqual(dayOf(until.getTime(), timeZone).from, until);
        t.deepEqual(dayOf(from.getTime() - 1, timeZone).until, from);
      },
    ),
    { numRuns: 50 },
  );
});

// Timestamp

const written = test.macro<[string, string, string]>({
  exec: (t, zone, instant, text) => t.is(timestampIn(zone, new Date(instant)), text),
  title: (_, zone, instant) => `formats ${instant} in ${zone}`,
});

test(written, 'Asia/Seoul', '2026-11-21T03:00:00.000Z', '2026-11-21T12:00:00.000+09:00');
test(written, 'Asia/Seoul', '2026-12-31T20:00:00.007Z', '2027-01-01T05:00:00.007+09:00');
test(written, 'UTC', '2026-11-21T03:00:00.000Z', '2026-11-21T03:00:00.000+00:00');
test(written, 'Europe/London', '2026-01-15T12:00:00.000Z', '2026-01-15T12:00:00.000+00:00');
test(written, 'Europe/London', '2026-07-15T12:00:00.000Z', '2026-07-15T13:00:00.000+01:00');
test(written, 'America/New_York', '2026-01-01T02:00:00.000Z', '2025-12-31T21:00:00.000-05:00');
test(written, 'America/St_Johns', '2026-01-15T12:00:00.000Z', '2026-01-15T08:30:00.000-03:30');
test(written, 'Asia/Kathmandu', '2026-01-15T12:00:00.000Z', '2026-01-15T17:45:00.000+05:45');

test('a timestamp has a numeric offset and denotes the original instant', (t) => {
  const zones = fc.constantFrom('Asia/Seoul', 'UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia');
  const instants = fc.date({
    min: new Date('1980-01-01T00:00:00Z'),
    max: new Date('2100-01-01T00:00:00Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(zones, instants, (zone, instant) => {
      const text = timestampIn(zone, instant);
      return (
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/.test(text) &&
        new Date(text).getTime() === instant.getTime()
      );
    }),
  );
  t.pass();
});

test('throws for an unknown time zone or an invalid date', (t) => {
  t.throws(() => timestampIn('Asia/Nowhere', new Date(0)), { instanceOf: RangeError });
  t.throws(() => timestampIn('UTC', new Date(Number.NaN)), { instanceOf: RangeError });
});
