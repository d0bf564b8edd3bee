import test from 'ava';
import { SimulatedClock } from 'xstate';
import { createCircuitBreaker } from '#src/domain/circuit-breaker.ts';
import { createCircuitBreakers } from '#src/domain/circuit-breakers.ts';

const coolDown = { firstMs: 1_000, longestMs: 4_000 };

const setUp = (opensAfter?: number) => {
  const clock = new SimulatedClock();
  return { clock, breaker: createCircuitBreaker(clock, coolDown, opensAfter) };
};

test('it opens when so many different ones in a row were let down', (t) => {
  const { breaker } = setUp(3);
  for (const by of ['one', 'one', 'one', 'two', 'two']) t.false(breaker.failed(by));
  t.is(breaker.state(), 'closed');
  breaker.worked();
  t.deepEqual(['one', 'two', 'one', 'three'].map(breaker.failed), [false, false, false, true]);
  t.is(breaker.state(), 'open');
  t.false(breaker.mayTry());
  t.is(breaker.remainingMs(), 1_000);
});

test('after the cool-down one may try, and another when nothing is heard of it', (t) => {
  const { clock, breaker } = setUp();
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

test('a trial that works closes it, one that fails opens it for twice as long, up to the longest', (t) => {
  const { clock, breaker } = setUp();
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

test('those who fail at the same time are one failure', (t) => {
  const { breaker } = setUp();
  t.deepEqual([breaker.failed(), breaker.failed(), breaker.failed()], [true, false, false]);
  t.is(breaker.remainingMs(), 1_000);
});

test('of many servers only those are remembered that let somebody down', (t) => {
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
