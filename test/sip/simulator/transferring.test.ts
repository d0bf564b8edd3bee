import test from 'ava';
import { createNetwork } from './network.ts';

test('two persons who talk with each other are heard by nobody, until one of them hangs up', (t) => {
  const { reachScript, until, clock } = createNetwork();
  const line = reachScript([
    { wait_sec: 3 },
    { say: 'This is for you alone.' },
    { digits: '12' },
    { wait_sec: 60 },
  ]);
  until(() => line.saw('line.answered'));
  line.tell({ type: 'transfer', to: '01000000011', mode: 'cold' });
  until(() => line.isOver());
  t.deepEqual(line.story().slice(-3), ['line.answered', 'line.transferred', 'line.ended']);
  const [end] = line.all('line.ended');
  const [connected] = line.all('line.transferred');
  t.is((end?.at ?? 0) - (connected?.at ?? 0), 10_020, 'ten seconds, and what a line takes to end');
  t.deepEqual(line.finish(), []);
  clock.advance(60_000);
  t.is(clock.pending(), 0);
});

test('a line is not left while somebody is rung, who would be lost', (t) => {
  const { reach, until } = createNetwork();
  const line = reach({ to: '01000000006' });
  until(() => line.saw('line.answered'));
  t.true(line.canBeLeft());
  line.tell({ type: 'transfer', to: '01000000012', mode: 'cold' });
  t.false(line.canBeLeft());
  until(() => line.saw('line.transfer_failed'));
  t.true(line.canBeLeft());
});
