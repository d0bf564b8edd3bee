import test from 'ava';
import { SimulatedClock } from 'xstate';
import { createKeepAlive } from '#src/speech/keep-alive.ts';

test('something is said in each interval in which nothing else was', (t) => {
  const clock = new SimulatedClock();
  const said: number[] = [];
  const keepAlive = createKeepAlive(clock, 1_000, () => said.push(clock.now()));
  clock.increment(5_000);
  t.deepEqual(said, [], 'it has not begun');
  keepAlive.begin();
  clock.increment(1_000);
  keepAlive.said();
  clock.increment(1_000);
  clock.increment(1_000);
  t.deepEqual(said, [6_000, 8_000]);
  keepAlive.stop();
  clock.increment(5_000);
  t.deepEqual(said, [6_000, 8_000]);
});
