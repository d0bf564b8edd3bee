import test from 'ava';
import { once } from '#src/domain/once.ts';

test('it is done at the first call, with what that was given', (t) => {
  const done: number[] = [];
  const act = once((given: number) => void done.push(given));
  act(1);
  act(2);
  t.deepEqual(done, [1]);
});

test('who calls it while it is done does it no second time, nor does who calls it after it has failed', (t) => {
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
