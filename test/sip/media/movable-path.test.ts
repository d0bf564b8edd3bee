import test from 'ava';
import { array, assert, integer, property } from 'fast-check';
import { createMovablePath } from '#sip/media/movable-path.ts';
import type { SoundPath } from '#sip/media/media-endpoint.ts';

/** Plays as much as the test says, and notes it. */
const somePath = () => {
  let waiting: ({ sample: number } | { onPlayed: () => void })[] = [];
  const played: number[] = [];
  const count = (): number => waiting.filter((one) => 'sample' in one).length;
  const tell = (): void => {
    for (let next = waiting[0]; next !== undefined && 'onPlayed' in next; next = waiting[0]) {
      waiting.shift();
      next.onPlayed();
    }
  };
  const path: SoundPath = {
    send: (samples) => waiting.push(...Array.from(samples, (sample) => ({ sample }))),
    whenPlayed(onPlayed) {
      waiting.push({ onPlayed });
      tell();
    },
    waiting: count,
    takeBack() {
      const unplayed = count();
      waiting = [];
      return unplayed;
    },
    close() {},
  };
  return {
    path,
    played,
    play(samples: number): void {
      for (let left = samples; left > 0; left -= 1) {
        const next = waiting.shift();
        if (next !== undefined && 'sample' in next) played.push(next.sample);
        tell();
      }
    },
  };
};

test('wherever it goes on, every sample is played once and in its order, and what waits for them is told then', (t) => {
  assert(
    property(
      array(integer({ min: 0, max: 30 }), { maxLength: 12 }),
      array(integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 4 }),
      (lengths, plays) => {
        const first = somePath();
        const movable = createMovablePath(first.path);
        const told: [number, number][] = [];
        const places = [first];
        const played = (): number[] => places.flatMap((place) => place.played);
        let total = 0;
        for (const length of lengths) {
          movable.send(Int16Array.from({ length }, (_, index) => total + index));
          total += length;
          const end = total;
          movable.whenPlayed(() => told.push([end, played().length]));
          first.play(2);
        }
        for (const samples of plays) {
          places.at(-1)?.play(samples);
          const next = somePath();
          movable.moveTo(next.path);
          places.push(next);
        }
        places.at(-1)?.play(total);
        t.deepEqual(
          played(),
          Array.from({ length: total }, (_, index) => index),
        );
        t.is(told.length, lengths.length);
        // It is told with the sample after it at the latest.
        for (const [end, at] of told) t.true(at === end, `${at} instead of ${end}`);
      },
    ),
  );
});

test('what was taken back does not come again', (t) => {
  const first = somePath();
  const next = somePath();
  const movable = createMovablePath(first.path);
  movable.send(new Int16Array(10).fill(1));
  movable.whenPlayed(() => t.fail('it was taken back'));
  first.play(4);
  t.is(movable.waiting(), 6);
  t.is(movable.takeBack(), 6);
  movable.moveTo(next.path);
  movable.send(new Int16Array(2).fill(2));
  next.play(9);
  t.deepEqual(next.played, [2, 2]);
});
