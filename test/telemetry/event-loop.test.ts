import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { Registry } from 'prom-client';
import { watchEventLoop } from '#src/telemetry/event-loop.ts';

/** Timers that come when the test says so, however late. */
const watched = (t: ExecutionContext) => {
  let nowMs = 1_000;
  let due: { callback: () => void; atMs: number } | undefined;
  const logged: Record<string, unknown>[] = [];
  const registry = new Registry();
  const { close: end, delayMs } = watchEventLoop({
    numbers: { everyMs: 100, stallMs: 500 },
    clock: {
      now: () => nowMs,
      setTimeout(callback, milliseconds) {
        t.is(due, undefined, 'one timer at a time');
        due = { callback, atMs: nowMs + milliseconds };
        return due;
      },
      clearTimeout(timer) {
        if (timer === due) due = undefined;
      },
    },
    registry,
    logger: pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
  });
  return {
    end,
    delayMs,
    logged,
    isWaiting: () => due !== undefined,
    /** The timer comes so many milliseconds too late. */
    tick(lateMs: number) {
      const timer = due;
      due = undefined;
      nowMs = (timer?.atMs ?? nowMs) + lateMs;
      timer?.callback();
    },
    measured: async (name: string): Promise<unknown> =>
      (await registry.metrics())
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1),
  };
};

test('a stall is measured and logged with its length, once', async (t) => {
  const loop = watched(t);
  loop.tick(0);
  loop.tick(499);
  t.deepEqual(loop.logged, []);
  loop.tick(2_250.4);
  loop.tick(3);
  t.is(loop.logged.length, 1);
  t.like(loop.logged[0], { stall_ms: 2_250, level: 40 });
  loop.tick(500);
  t.is(loop.logged.length, 2);
  t.is(await loop.measured('trunkline_event_loop_stall_seconds_count'), '2');
  t.is(await loop.measured('trunkline_event_loop_stall_seconds_sum'), '2.75');
});

test('the watch ends, and leaves no timer', (t) => {
  const loop = watched(t);
  loop.tick(0);
  t.true(loop.isWaiting());
  loop.end();
  t.false(loop.isWaiting());
});

test('how late it comes is known on average, so that one stall is not taken for a busy minute', (t) => {
  const loop = watched(t);
  t.is(loop.delayMs(), 0);
  loop.tick(100);
  t.is(Math.round(loop.delayMs()), 10);
  for (let looks = 0; looks < 50; looks += 1) loop.tick(100);
  t.is(Math.round(loop.delayMs()), 100);
  for (let looks = 0; looks < 50; looks += 1) loop.tick(0);
  t.is(Math.round(loop.delayMs()), 1);
});
