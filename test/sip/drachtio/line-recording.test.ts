import test from 'ava';
import { createLineRecording } from '#sip/drachtio/line-recording.ts';
import { createLineTime } from '#sip/line-time.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const createWorld = () => {
  const clock = createOrderedClock();
  const counterparty: number[] = [];
  const agent: number[] = [];
  let finished = 0;
  const recording = createLineRecording(
    {
      write(one, other) {
        counterparty.push(...one);
        agent.push(...other);
        if (one.length !== other.length) throw new Error('Both sides must be of the same length');
      },
      finish: () => (finished += 1),
      fail: () => {},
    },
    createLineTime(clock, 1),
  );
  const frames = (count: number, level: number): void => {
    for (let index = 0; index < count; index += 1) {
      clock.advance(20);
      recording.heard(new Int16Array(160).fill(level));
    }
  };
  return { clock, recording, frames, counterparty, agent, finished: () => finished };
};

/** The level in the middle of each 100 ms. */
const levels = (samples: readonly number[]): number[] =>
  Array.from({ length: Math.floor(samples.length / 1_600) }, (_, index) => samples[index * 1_600 + 800] ?? 0);

test('both sides stand beside each other at the time at which they sounded', (t) => {
  const { recording, frames, counterparty, agent } = createWorld();
  frames(10, 100);
  recording.said(new Int16Array(1_600).fill(7));
  frames(20, 200);
  recording.end();
  t.deepEqual(levels(counterparty), [100, 100, 200, 200, 200, 200]);
  t.deepEqual(levels(agent), [0, 0, 7, 7, 0, 0]);
});

test('what is cut is not recorded any further', (t) => {
  const { recording, frames, agent } = createWorld();
  recording.said(new Int16Array(8_000).fill(7));
  frames(15, 0);
  recording.cut();
  frames(15, 0);
  recording.end();
  t.deepEqual(levels(agent), [7, 7, 7, 0, 0, 0]);
});

test('a gap in the frames is silence, and the recording is as long as the call', (t) => {
  const { recording, frames, clock, counterparty, finished } = createWorld();
  frames(10, 100);
  clock.advance(600);
  frames(10, 100);
  clock.advance(400);
  recording.end();
  recording.end();
  t.is(counterparty.length, 16 * 1_400);
  t.deepEqual(levels(counterparty).slice(0, 8), [100, 100, 0, 0, 0, 0, 0, 0]);
  t.deepEqual(levels(counterparty).slice(8, 10), [100, 100]);
  t.is(finished(), 1);
});

test('frames in a burst after a hiccup stay in step', (t) => {
  const { recording, clock, counterparty } = createWorld();
  clock.advance(100);
  for (let index = 0; index < 5; index += 1) recording.heard(new Int16Array(160).fill(100));
  recording.end();
  t.is(counterparty.length, 16 * 100);
});
