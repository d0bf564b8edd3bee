/** Reads of a page's data that are repeated at intervals, after rejected reads and on request. */
import { setImmediate as nextPass } from 'node:timers/promises';
import test from 'ava';
import { SimulatedClock } from 'xstate';
import { repeatRead } from '#src/console/repeated-read.ts';

const busy = new Error('too many requests');

const setUp = ({ everyMs = null }: { everyMs?: number | null } = {}) => {
  const clock = new SimulatedClock();
  const reads: PromiseWithResolvers<string>[] = [];
  const shown: string[] = [];
  const page = { isHidden: false };
  const repeated = repeatRead<string>({
    read() {
      const reading = Promise.withResolvers<string>();
      reads.push(reading);
      return reading.promise;
    },
    onValue(value) {
      shown.push(value);
      return everyMs;
    },
    retryMs: (error) => (error === busy ? 2_000 : null),
    onError: (error) => void shown.push(String(error)),
    isHidden: () => page.isHidden,
    callLater(callback, milliseconds) {
      const timer = clock.setTimeout(callback, milliseconds);
      return () => clock.clearTimeout(timer);
    },
  });
  repeated.again();
  return {
    repeated,
    shown,
    page,
    count: () => reads.length,
    async pass(milliseconds: number): Promise<void> {
      clock.increment(milliseconds);
      await nextPass();
    },
    async answer(value: string): Promise<void> {
      reads.at(-1)?.resolve(value);
      await nextPass();
    },
    async reject(error: Error): Promise<void> {
      reads.at(-1)?.reject(error);
      await nextPass();
    },
  };
};

test('shows the value of each read while reads are requested faster than they end', async (t) => {
  const { repeated, shown, count, answer } = setUp();
  for (const value of ['one', 'two', 'three']) {
    repeated.again();
    repeated.again();
    await answer(value);
  }
  t.deepEqual(shown, ['one', 'two', 'three']);
  t.is(count(), 4);
  await answer('four');
  t.is(count(), 4, 'the last read missed nothing');
  t.is(shown.at(-1), 'four');
});

test('reads again at the interval of the last value, and postpones it while the page is hidden', async (t) => {
  const { page, count, answer, pass } = setUp({ everyMs: 1_000 });
  await answer('one');
  await pass(999);
  t.is(count(), 1);
  page.isHidden = true;
  await pass(1);
  t.is(count(), 1);
  page.isHidden = false;
  await pass(1_000);
  t.is(count(), 2);
});

test('replaces the wait for the next read by a requested read', async (t) => {
  const { repeated, count, answer, pass } = setUp({ everyMs: 1_000 });
  await answer('one');
  await pass(600);
  repeated.again();
  t.is(count(), 2);
  await answer('two');
  await pass(999);
  t.is(count(), 2);
  await pass(1);
  t.is(count(), 3);
});

test('leaves reads that are requested during a rejected read to its retry', async (t) => {
  const { repeated, shown, count, answer, reject, pass } = setUp();
  repeated.again();
  await reject(busy);
  await pass(1_999);
  t.is(count(), 1);
  await pass(1);
  t.is(count(), 2);
  await answer('one');
  t.is(count(), 2);
  t.deepEqual(shown, ['one']);
});

test('continues at the last interval after an error', async (t) => {
  const { shown, count, answer, reject, pass } = setUp({ everyMs: 1_000 });
  await answer('one');
  await pass(1_000);
  await reject(new Error('unknown'));
  t.deepEqual(shown, ['one', 'Error: unknown']);
  await pass(1_000);
  t.is(count(), 3);
});

test('ends with the page, in a read and between two', async (t) => {
  const reading = setUp({ everyMs: 1_000 });
  reading.repeated.again();
  reading.repeated.close();
  await reading.answer('one');
  reading.repeated.again();
  t.deepEqual([reading.shown, reading.count()], [[], 1]);
  const waiting = setUp({ everyMs: 1_000 });
  await waiting.answer('one');
  waiting.repeated.close();
  await waiting.pass(1_000);
  t.is(waiting.count(), 1);
});
