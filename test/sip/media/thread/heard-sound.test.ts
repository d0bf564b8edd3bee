import test from 'ava';
import { listening } from '#config/listening-policy.ts';
import { createHeard, quietDb } from '#sip/media/thread/heard-sound.ts';
import type { FromSoundThread } from '#sip/media/thread/sound-thread-messages.ts';

type Told = Extract<FromSoundThread, { type: 'heard' }>;

const frameOf = (level: number): Int16Array => new Int16Array(160).fill(level);
const quiet = frameOf(10);
const loud = frameOf(3_000);

/** What is told, by the beat at which it is. */
const start = () => {
  const told = new Map<number, Told>();
  let beat = 0;
  const heard = createHeard((message) => void told.set(beat, message));
  return {
    told,
    heard,
    /** So many beats, at each of which the calls are given what `frame` makes. */
    beats(count: number, hear: () => void): void {
      for (let made = 0; made < count; made += 1) {
        hear();
        beat += 1;
        heard.tell();
      }
    },
    samplesOf: (at: number, id: number): number | undefined =>
      told.get(at)?.sounds.find((sound) => sound.id === id)?.samples.length,
  };
};

test('silence is told in blocks, of all calls at the same beat, and none of it is lost', (t) => {
  const { told, heard, beats, samplesOf } = start();
  const one = heard.of(1);
  const other = heard.of(2);
  beats(3, () => one.onSound(quiet));
  beats(12, () => {
    one.onSound(quiet);
    other.onSound(quiet);
  });
  t.deepEqual([...told.keys()], [5, 10, 15]);
  t.deepEqual(
    [5, 10, 15].map((at) => samplesOf(at, 1)),
    [800, 800, 800],
  );
  t.deepEqual(
    [5, 10, 15].map((at) => samplesOf(at, 2)),
    [320, 800, 800],
  );
});

test('what may be a voice is told at once, behind the silence before it, and so is the silence after it', (t) => {
  const { told, heard, beats, samplesOf } = start();
  const call = heard.of(1);
  beats(7, () => call.onSound(quiet));
  beats(1, () => call.onSound(loud));
  t.is(samplesOf(8, 1), 3 * 160);
  t.is(told.get(8)?.sounds[0]?.samples.at(-1), 3_000);
  const second = 50;
  beats(second, () => call.onSound(quiet));
  t.deepEqual(
    Array.from({ length: second }, (_, after) => samplesOf(9 + after, 1)),
    Array.from({ length: second }, () => 160),
  );
  beats(2 * second, () => call.onSound(quiet));
  t.deepEqual([...told.keys()].slice(-2), [150, 155]);
});

test('a voice in one call hurries no other', (t) => {
  const { heard, beats, samplesOf } = start();
  const talking = heard.of(1);
  const silent = heard.of(2);
  beats(4, () => {
    talking.onSound(loud);
    silent.onSound(quiet);
  });
  t.deepEqual([samplesOf(4, 1), samplesOf(4, 2)], [160, undefined]);
});

test('a key is told at once', (t) => {
  const { told, heard, beats } = start();
  const call = heard.of(1);
  beats(1, () => {
    call.onSound(quiet);
    call.onKey('5');
  });
  t.deepEqual(told.get(1), { type: 'heard', sounds: [], keys: [{ id: 1, key: '5' }] });
});

test('of a call that is over nothing is told any more', (t) => {
  const { told, heard, beats } = start();
  const call = heard.of(1);
  beats(2, () => call.onSound(loud));
  heard.forget(1);
  beats(8, () => call.onSound(loud));
  t.deepEqual([...told.keys()], [1, 2]);
});

test('whatever listening takes for a voice is told at once', (t) => {
  t.true(quietDb < listening.voice.floorDb);
  t.true(quietDb < listening.beep.floorDb);
});
