import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import * as fc from 'fast-check';
import { createRecorder, type RecordingOutcome } from '#src/recordings/recorder.ts';

const rate = 16_000;

/** Keeps what is appended instead of encoding it. */
const recordedInMemory = (
  broken: {
    opened?: Promise<void>;
    open?: Error;
    /** Before anything is taken. */
    appended?: Promise<void>;
    append?: Error;
    complete?: Error;
    abandon?: Error;
  } = {},
) => {
  const pieces: number[] = [];
  const left: number[] = [];
  const right: number[] = [];
  const done: string[] = [];
  const outcomes: RecordingOutcome[] = [];
  const { promise: told, resolve } = Promise.withResolvers<RecordingOutcome>();
  const failWith = (error: Error | undefined): void => {
    if (error !== undefined) throw error;
  };
  const sink = createRecorder(
    async () => {
      await broken.opened;
      failWith(broken.open);
      done.push('open');
      return {
        async append(stretches) {
          await broken.appended;
          failWith(broken.append);
          pieces.push(stretches.reduce((sum, { agent }) => sum + agent.length, 0));
          for (const { counterparty, agent } of stretches) {
            for (const sample of counterparty) left.push(sample);
            for (const sample of agent) right.push(sample);
          }
        },
        async complete(isCut) {
          failWith(broken.complete);
          done.push('complete');
          return { durationSec: left.length / rate, bytes: left.length, truncated: isCut };
        },
        async leave() {
          done.push('leave');
        },
        async abandon() {
          done.push('abandon');
          failWith(broken.abandon);
        },
      };
    },
    (outcome) => {
      outcomes.push(outcome);
      resolve(outcome);
    },
  );
  /** When nothing more can come. */
  const settled = async (): Promise<void> => {
    await told;
    await setImmediate();
    await setImmediate();
  };
  return { sink, told, settled, outcomes, done, pieces, left, right };
};

const sound = (length: number, first = 0): Int16Array =>
  Int16Array.from({ length }, (_, index) => first + index);

test('whatever is written in whatever stretches comes out once, in order, each side on its own', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(3 * rate), fc.boolean()), { maxLength: 4 }),
      async (stretches) => {
        const { sink, told, left, right, pieces } = recordedInMemory();
        let written = 0;
        for (const [length, pauses] of stretches) {
          sink.write(sound(length, written), sound(length, written + 1));
          written += length;
          if (pauses) await setImmediate();
        }
        sink.finish();
        t.is((await told).status, 'completed');
        t.deepEqual(Int16Array.from(left), sound(written));
        t.deepEqual(Int16Array.from(right), sound(written, 1));
        t.true(pieces.every((length) => length < 2 * rate));
      },
    ),
    { numRuns: 20 },
  );
});

test('others get their turn while a long stretch is encoded', async (t) => {
  const { sink, told, pieces } = recordedInMemory();
  sink.write(sound(10 * rate), sound(10 * rate));
  sink.finish();
  let isOver = false;
  const over = (async () => {
    await told;
    isOver = true;
  })();
  let turns = 0;
  for (; !isOver; turns += 1) await setImmediate();
  await over;
  t.is(pieces.length, 10);
  t.true(turns >= 10);
});

test('the arrays of the writer can be used again', async (t) => {
  const { sink, told, left } = recordedInMemory();
  const counterparty = sound(100, 7);
  sink.write(counterparty, sound(100));
  counterparty.fill(0);
  sink.finish();
  await told;
  t.deepEqual(Int16Array.from(left), sound(100, 7));
});

test('a call without sound has an empty recording', async (t) => {
  const { sink, told, done } = recordedInMemory();
  sink.finish();
  t.deepEqual(await told, { status: 'completed', durationSec: 0, bytes: 0, truncated: false });
  t.deepEqual(done, ['open', 'complete']);
});

test('only how it ended first counts, and it is told once', async (t) => {
  const finished = recordedInMemory();
  finished.sink.write(sound(10), sound(10));
  finished.sink.finish();
  finished.sink.finish();
  finished.sink.fail(new Error('too late'));
  finished.sink.write(sound(10), sound(10));
  await finished.settled();
  finished.sink.fail(new Error('too late'));
  await finished.settled();
  t.deepEqual(finished.outcomes, [
    { status: 'completed', durationSec: 10 / rate, bytes: 10, truncated: false },
  ]);

  const failed = recordedInMemory();
  const error = new Error('the line broke');
  failed.sink.write(sound(10), sound(10));
  await setImmediate();
  failed.sink.fail(error);
  failed.sink.finish();
  failed.sink.write(sound(10), sound(10));
  await failed.settled();
  t.deepEqual(failed.outcomes, [{ status: 'failed', error }]);
  t.deepEqual(failed.done, ['open', 'abandon']);
});

test('what fails before the first sound makes no file', async (t) => {
  const { sink, told, done } = recordedInMemory();
  sink.fail(new Error('no voice'));
  t.is((await told).status, 'failed');
  t.deepEqual(done, []);
});

for (const step of ['open', 'append', 'complete'] as const)
  test(`a disk that fails at ${step} fails the recording once, even when its rest cannot be removed`, async (t) => {
    const error = new Error('the disk is full');
    const { sink, settled, outcomes, done } = recordedInMemory({
      [step]: error,
      abandon: new Error('nor that'),
    });
    sink.write(sound(10), sound(10));
    if (step === 'complete') sink.finish();
    await settled();
    t.notThrows(() => {
      sink.write(sound(10), sound(10));
      sink.finish();
      sink.fail(new Error('again'));
    });
    await settled();
    t.deepEqual(outcomes, [{ status: 'failed', error }]);
    t.deepEqual(done, step === 'open' ? [] : ['open', 'abandon']);
  });

test('a disk that hangs for a while takes everything in later, in order', async (t) => {
  const { promise: appended, resolve: goOn } = Promise.withResolvers<void>();
  const { sink, told, left } = recordedInMemory({ appended });
  for (let second = 0; second < 100; second += 1) sink.write(sound(rate, second), sound(rate));
  await setImmediate();
  t.is(left.length, 0);
  sink.finish();
  goOn();
  t.is((await told).status, 'completed');
  t.is(left.length, 100 * rate);
  t.is(left[99 * rate], sound(rate, 99)[0]);
});

test('sound that nobody takes does not pile up: the recording fails', async (t) => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { sink, told, left } = recordedInMemory({ opened });
  const minute = new Int16Array(60 * rate);
  for (let minutes = 0; minutes < 5; minutes += 1) sink.write(minute, minute);
  open();
  const outcome = await told;
  t.is(outcome.status === 'failed' && outcome.error.message, 'Encoding does not keep up with the recording');
  t.is(left.length, 0);
});
