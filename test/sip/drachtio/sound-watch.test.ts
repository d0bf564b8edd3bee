/** Sound that goes one way alone: what is noticed of it, and what is known when the call is over. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { SimulatedClock } from 'xstate';
import type { LineReport } from '#machines/line.ts';
import type { SoundFigures } from '#machines/sound-figures.ts';
import { watchSound } from '#sip/drachtio/sound-watch.ts';
import { createLineTime } from '#sip/line-time.ts';
import { someSound } from '#test/helpers/some-sound.ts';

const createWorld = () => {
  const clock = new SimulatedClock();
  const time = createLineTime(clock, 1);
  const reports: LineReport[] = [];
  const world = {
    packets: 0,
    isHeardThere: null as boolean | null,
    asked: 0,
    figures: async (): Promise<SoundFigures | null> => {
      world.asked += 1;
      const { packets, isHeardThere } = world;
      return { ...someSound, received: { ...someSound.received, packets }, isHeardThere };
    },
  };
  const endpoint = { figures: () => world.figures() };
  const watch = watchSound(endpoint, { time, clock, report: (report) => reports.push(report) });
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      clock.increment(1_000);
      for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    }
  };
  const missing = (): string[] =>
    reports.flatMap((report) => (report.type === 'line.one_way' ? [report.missing] : []));
  return { world, clock, time, watch, pass, missing };
};

test('who is never heard is missed after five seconds, once', async (t) => {
  const { pass, missing } = createWorld();
  await pass(4);
  t.deepEqual(missing(), []);
  await pass(1);
  t.deepEqual(missing(), ['nothing_received']);
  await pass(60);
  t.deepEqual(missing(), ['nothing_received']);
});

test('who was heard may be quiet for a moment, and is missed then', async (t) => {
  const { world, pass, missing } = createWorld();
  world.packets = 200;
  await pass(14);
  t.deepEqual(missing(), []);
  await pass(6);
  t.deepEqual(missing(), ['nothing_received']);
});

test('nobody is missed as long as packets come', async (t) => {
  const { world, pass, missing } = createWorld();
  for (let looks = 0; looks < 12; looks += 1) {
    world.packets += 250;
    await pass(5);
  }
  t.deepEqual(missing(), []);
});

test('nothing is expected of who holds the call, and anew from the moment at which it is taken back', async (t) => {
  const { world, watch, pass, missing } = createWorld();
  world.packets = 100;
  await pass(5);
  watch.held(true);
  await pass(60);
  t.deepEqual(missing(), []);
  watch.held(false);
  await pass(9);
  t.deepEqual(missing(), []);
  await pass(6);
  t.deepEqual(missing(), ['nothing_received']);
});

test('the other party reports that nothing arrives there', async (t) => {
  const { world, pass, missing } = createWorld();
  world.isHeardThere = false;
  world.packets = 1;
  await pass(5);
  t.deepEqual(missing(), ['nothing_delivered']);
});

test('a short call in which nothing came in is told at its end', async (t) => {
  const { watch, pass, missing } = createWorld();
  await pass(2);
  t.like(await watch.finish(), { received: { packets: 0 } });
  t.deepEqual(missing(), ['nothing_received']);
});

test('of a call of a moment nothing is said', async (t) => {
  const { watch, pass, missing } = createWorld();
  await pass(1);
  await watch.finish();
  t.deepEqual(missing(), []);
});

test('where nobody can say any more, what was known last is the record, and the end waits a second at most', async (t) => {
  const { world, clock, watch, pass } = createWorld();
  world.packets = 200;
  await pass(5);
  world.figures = () => new Promise(() => {});
  const finished = watch.finish();
  clock.increment(1_000);
  t.like(await finished, { received: { packets: 200 } });
});

test('after the end it does not look any more', async (t) => {
  const { world, watch, pass } = createWorld();
  await watch.finish();
  const { asked } = world;
  await pass(30);
  t.is(world.asked, asked);
});

test('who was on hold may have had no moment to be heard', async (t) => {
  const { watch, pass, missing } = createWorld();
  watch.held(true);
  await pass(4);
  await watch.finish();
  t.deepEqual(missing(), []);
});
