import test from 'ava';
import * as fc from 'fast-check';
import { createCallRecording } from '#sip/playout/call-recording.ts';
import { createLineTime } from '#sip/line-time.ts';
import type { SampleRate } from '#sip/samples.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const createWorld = (sampleRate: SampleRate = 8_000) => {
  const clock = createOrderedClock();
  const counterparty: number[] = [];
  const agent: number[] = [];
  let finished = 0;
  const recording = createCallRecording(
    {
      write(one, other) {
        counterparty.push(...one);
        agent.push(...other);
        if (one.length !== other.length) throw new Error('Both sides must be of the same length');
      },
      drained: () => Promise.resolve(),
      finish: () => (finished += 1),
      leave: () => {},
      fail: () => {},
    },
    createLineTime(clock, 1),
    sampleRate,
  );
  const frames = (count: number, level: number): void => {
    for (let index = 0; index < count; index += 1) {
      clock.advance(20);
      recording.heard(new Int16Array(sampleRate / 50).fill(level));
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
  recording.finish();
  t.deepEqual(levels(counterparty), [100, 100, 200, 200, 200, 200]);
  t.deepEqual(levels(agent), [0, 0, 7, 7, 0, 0]);
});

test('what is cut is not recorded any further', (t) => {
  const { recording, frames, agent } = createWorld();
  recording.said(new Int16Array(8_000).fill(7));
  frames(15, 0);
  recording.cut();
  frames(15, 0);
  recording.finish();
  t.deepEqual(levels(agent), [7, 7, 7, 0, 0, 0]);
});

test('a gap in the frames is silence, and the recording is as long as the call', (t) => {
  const { recording, frames, clock, counterparty, finished } = createWorld();
  frames(10, 100);
  clock.advance(600);
  frames(10, 100);
  clock.advance(400);
  recording.finish();
  recording.finish();
  t.is(counterparty.length, 16 * 1_400);
  t.deepEqual(levels(counterparty).slice(0, 8), [100, 100, 0, 0, 0, 0, 0, 0]);
  t.deepEqual(levels(counterparty).slice(8, 10), [100, 100]);
  t.is(finished(), 1);
});

test('frames in a burst after a hiccup stay in step', (t) => {
  const { recording, clock, counterparty } = createWorld();
  clock.advance(100);
  for (let index = 0; index < 5; index += 1) recording.heard(new Int16Array(160).fill(100));
  recording.finish();
  t.is(counterparty.length, 16 * 100);
});

test('what is said in a pause is silence on both sides, and everything else stays where it was said', (t) => {
  const { recording, frames, counterparty, agent } = createWorld();
  frames(10, 100);
  // The agent's whole sentence is known before it is heard.
  recording.said(new Int16Array(24_000).fill(7));
  frames(10, 100);
  recording.pause();
  recording.pause();
  frames(30, 100);
  recording.resume();
  recording.resume();
  frames(50, 100);
  recording.finish();
  const silent = Array.from({ length: 10 }, () => 0);
  const before = [100, 100, 100, 100];
  // What is heard at first was still on its way.
  const after = [0, 0, 100, 100, 100, 100, 100, 100, 100, 100];
  t.deepEqual(levels(counterparty), [...before, ...silent.slice(4), ...after]);
  t.deepEqual(levels(agent), [0, 0, 7, 7, ...silent.slice(4), 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]);
});

test('a sentence that is queued in a pause is silent as far as the pause goes', (t) => {
  const { recording, frames, agent } = createWorld();
  recording.pause();
  recording.said(new Int16Array(8_000).fill(7));
  frames(20, 0);
  recording.resume();
  frames(40, 0);
  recording.finish();
  t.deepEqual(levels(agent), [0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 0, 0]);
});

test('a call that ends in a pause is recorded to its end, in silence', (t) => {
  const { recording, frames, clock, counterparty } = createWorld();
  frames(10, 100);
  recording.pause();
  frames(10, 100);
  clock.advance(600);
  recording.finish();
  t.deepEqual(levels(counterparty), [100, 100, 0, 0, 0, 0, 0, 0, 0, 0]);
});

test('no sample of a pause is recorded, however late and in whatever bursts sound comes in', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.record({
          /** Between two frames that come in, nothing comes in for so long. */
          stalls: fc.array(
            fc.record({ at: fc.integer({ min: 50, max: 199 }), ms: fc.integer({ min: 20, max: 2_000 }) }),
            { maxLength: 6 },
          ),
          pausedAt: fc.integer({ min: 50, max: 150 }),
          frames: fc.integer({ min: 1, max: 50 }),
          latencyMs: fc.integer({ min: 0, max: 180 }),
        }),
        ({ stalls, pausedAt, frames: pausedFrames, latencyMs }) => {
          const { recording, clock, counterparty } = createWorld();
          const begin = clock.now();
          const pause = { from: pausedAt * 20, to: (pausedAt + pausedFrames) * 20 };
          let heldUntil = 0;
          const arrivals = Array.from({ length: 300 }, (_, index) => {
            const said = index * 20;
            for (const { at, ms } of stalls)
              if (at === index) heldUntil = Math.max(heldUntil, said + 20 + ms);
            // Who speaks says 1 outside of the pause and 5 in it.
            const level = said + 20 > pause.from && said < pause.to ? 5 : 1;
            return { at: Math.max(said + 20 + latencyMs, heldUntil), level };
          });
          const steps = [
            ...arrivals.map(({ at, level }) => ({
              at,
              run: () => recording.heard(new Int16Array(160).fill(level)),
            })),
            { at: pause.from, run: () => recording.pause() },
            { at: pause.to, run: () => recording.resume() },
          ].sort((a, b) => a.at - b.at);
          for (const { at, run } of steps) {
            clock.advance(Math.max(0, begin + at - clock.now()));
            run();
          }
          recording.finish();
          // Half-way between two samples at the border of a frame is what is left of the last one.
          return !counterparty.some((sample) => sample > 3);
        },
      ),
      { numRuns: 100 },
    ),
  );
});
