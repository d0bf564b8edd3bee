import test from 'ava';
import { createUnsettledSound } from '#src/speech/unsettled-sound.ts';
import { numbered } from './doubles/heard-events.ts';

const replayed = (kept: ReturnType<typeof createUnsettledSound>) => {
  const given: unknown[] = [];
  kept.replay({
    write: (samples) => void given.push([...samples]),
    speechBegan: () => void given.push('began'),
    speechEnded: () => void given.push('ended'),
    close: () => undefined,
  });
  return given;
};

/** Two samples before a voice, four with it, two behind it. */
const sentence = () => {
  const kept = createUnsettledSound(100);
  kept.write(numbered(2));
  kept.speechBegan();
  kept.write(numbered(4, 2));
  kept.speechEnded();
  kept.write(numbered(2, 6));
  return kept;
};

const samples = (from: number, to: number): number[] => [...numbered(to - from, from)];

test('what is settled before, in and behind a voice is not given again', (t) => {
  const after: Record<number, unknown[]> = {
    0: [samples(0, 2), 'began', samples(2, 6), 'ended', samples(6, 8)],
    1: [samples(1, 2), 'began', samples(2, 6), 'ended', samples(6, 8)],
    2: ['began', samples(2, 6), 'ended', samples(6, 8)],
    3: ['began', samples(3, 6), 'ended', samples(6, 8)],
    6: [samples(6, 8)],
    7: [samples(7, 8)],
    8: [],
    9: [],
  };
  for (const [settled, expected] of Object.entries(after)) {
    const kept = sentence();
    kept.settle(Number(settled));
    t.deepEqual(replayed(kept), expected, settled);
    t.is(kept.settled(), Math.min(8, Number(settled)));
  }
});

test('what is settled while it is given again is still given whole', (t) => {
  const kept = sentence();
  let count = 0;
  kept.replay({
    write(written) {
      count += written.length;
      kept.settle(count);
    },
    speechBegan: () => undefined,
    speechEnded: () => undefined,
    close: () => undefined,
  });
  t.is(count, 8);
  t.deepEqual(replayed(kept), []);
});

test('there is never more than the most', (t) => {
  const kept = createUnsettledSound(5);
  kept.speechBegan();
  for (let at = 0; at < 12; at += 3) kept.write(numbered(3, at));
  t.deepEqual(replayed(kept).flat(), ['began', ...samples(7, 12)]);
});

test('what is kept of frames of 20 ms takes hardly more memory than its samples', (t) => {
  const kept = createUnsettledSound(16_000);
  for (let frame = 0; frame < 500; frame += 1) kept.write(numbered(160));
  const held = new Set<ArrayBufferLike>();
  kept.replay({
    write: (written) => void held.add(written.buffer),
    speechBegan: () => undefined,
    speechEnded: () => undefined,
    close: () => undefined,
  });
  const bytes = [...held].reduce((sum, { byteLength }) => sum + byteLength, 0);
  t.true(held.size <= 10);
  t.true(bytes <= 1.25 * 32_000);
});
