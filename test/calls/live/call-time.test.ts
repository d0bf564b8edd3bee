import test from 'ava';
import type { CallFact } from '#machines/facts.ts';
import { createCallTime } from '#src/calls/live/call-time.ts';

const hourMs = 3_600_000;

/** A wall clock that can be set, and an even one that tells another time altogether. */
const createClocks = () => {
  let passed = 0;
  let set = 0;
  return {
    callTime: createCallTime({ wall: () => 1_000_000 + passed + set, steady: () => 500 + passed }),
    steady: () => 500 + passed,
    pass: (milliseconds: number) => (passed += milliseconds),
    set: (milliseconds: number) => (set += milliseconds),
  };
};

for (const [title, step] of Object.entries({ forward: hourMs, back: -hourMs })) {
  test(`a wall clock that is set ${title} in a call moves nothing that happens in it`, (t) => {
    const { callTime, steady, pass, set } = createClocks();
    callTime.begin('a');
    pass(1_000);
    const answered = callTime.stamp('a', { type: 'call.answered', at: steady() });
    set(step);
    pass(4_000);
    const spoken: CallFact = {
      type: 'turn.spoken',
      role: 'user',
      text: 'Hello.',
      whole: true,
      at: steady() - 600,
      endedAt: steady(),
    };
    t.like(callTime.stamp('a', spoken), { at: 1_004_400, endedAt: 1_005_000 });
    const ended = callTime.stamp('a', { type: 'call.ended', reason: 'agent_hangup', status: 'completed' });
    t.is(answered.at, 1_001_000);
    t.is(ended.at - answered.at, 4_000);
  });
}

test('a call that goes on here keeps its time, whatever the clocks of this process say', (t) => {
  const { callTime, steady, pass, set } = createClocks();
  callTime.goOn('a', 777_000);
  callTime.begin('a');
  set(hourMs);
  pass(2_000);
  t.is(callTime.now('a'), 779_000);
  t.is(callTime.stamp('a', { type: 'call.taken_over', at: steady() - 500, node: 'b' }).at, 778_500);
  t.is(steady() + callTime.shiftOf('a'), 779_000);
});

test('a call that begins after the clock was set has the time of the clock as it is now', (t) => {
  const { callTime, steady, set } = createClocks();
  callTime.begin('before');
  set(hourMs);
  callTime.begin('after');
  const answered: CallFact = { type: 'call.answered', at: steady() };
  t.is(callTime.stamp('before', answered).at, 1_000_000);
  t.is(callTime.stamp('after', answered).at, 1_000_000 + hourMs);
  t.is(callTime.onWall(steady()), 1_000_000 + hourMs);
  callTime.release('before');
  t.is(callTime.stamp('before', answered).at, 1_000_000 + hourMs, 'nothing is kept of a call that is over');
});
