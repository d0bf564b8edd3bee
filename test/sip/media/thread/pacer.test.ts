import test from 'ava';
import { startPacer } from '#sip/media/thread/pacer.ts';

const setUp = () => {
  let now = 0;
  let beats = 0;
  let waiting: { callback: () => void; at: number } | null = null;
  startPacer(() => (beats += 1), 20, {
    now: () => now,
    after(milliseconds, callback) {
      waiting = { callback, at: now + milliseconds };
      return () => {
        waiting = null;
      };
    },
  });
  return {
    beats: () => beats,
    dueAt: () => waiting?.at,
    /** It wakes up so many milliseconds after it was due. */
    wake(lateMs = 0) {
      if (waiting === null) throw new Error('Nothing is due');
      now = waiting.at + lateMs;
      waiting.callback();
    },
  };
};

test('it beats every 20 ms, and lateness does not add up', (t) => {
  const pacer = setUp();
  for (let turn = 0; turn < 5; turn += 1) pacer.wake(3);
  t.is(pacer.beats(), 5);
  t.is(pacer.dueAt(), 120);
});

test('beats that were missed are made up for', (t) => {
  const pacer = setUp();
  pacer.wake(65);
  t.is(pacer.beats(), 4);
  t.is(pacer.dueAt(), 100);
});

test('after a long stall the rest is left out, and the beat goes on', (t) => {
  const pacer = setUp();
  pacer.wake(5_000);
  t.is(pacer.beats(), 10);
  t.is(pacer.dueAt(), 5_040);
  pacer.wake();
  t.is(pacer.beats(), 11);
});

test('an awakening before its time beats nothing', (t) => {
  const pacer = setUp();
  pacer.wake(-1);
  t.is(pacer.beats(), 0);
  t.is(pacer.dueAt(), 20);
});
