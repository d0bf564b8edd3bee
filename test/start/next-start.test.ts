/** When a gateway prepares the code of its next start. */
import test from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { prepareNextStart, type LoadedCode } from '#src/start/next-start.ts';

const world = (code: LoadedCode) => {
  const clock = new SimulatedClock();
  const state = { calls: 0, written: 0, ended: 0 };
  const nextStart = prepareNextStart({
    code,
    callsInProgress: () => state.calls,
    clock,
    logger: pino({ level: 'silent' }),
    write() {
      state.written += 1;
      const { promise, resolve } = Promise.withResolvers<void>();
      return {
        ended: promise,
        end() {
          state.ended += 1;
          resolve();
        },
      };
    },
  });
  return {
    state,
    nextStart,
    seconds(count: number) {
      for (let second = 0; second < count; second += 1) clock.increment(1_000);
    },
  };
};

const fromModules: LoadedCode = { from: 'modules', because: 'there is none', isWanted: true };

const fromScript = () => {
  const renewed = { count: 0 };
  const code: LoadedCode = {
    from: 'script',
    async renew() {
      renewed.count += 1;
      return true;
    },
  };
  return { code, renewed };
};

test('writes the script once, half a minute after the start', (t) => {
  const { state, seconds } = world(fromModules);
  seconds(29);
  t.is(state.written, 0);
  seconds(1);
  t.is(state.written, 1);
  seconds(3_600);
  t.is(state.written, 1);
});

test('waits for the end of calls before it writes the script, for ten minutes', (t) => {
  const { state, seconds } = world(fromModules);
  state.calls = 1;
  seconds(599);
  t.is(state.written, 0);
  seconds(1);
  t.is(state.written, 1);

  const other = world(fromModules);
  other.state.calls = 1;
  other.seconds(100);
  other.state.calls = 0;
  other.seconds(1);
  t.is(other.state.written, 1);
});

test('ends the writing with the gateway', async (t) => {
  const { state, seconds, nextStart } = world(fromModules);
  seconds(30);
  await nextStart.close();
  t.is(state.ended, 1);
});

test('a gateway that ends before does nothing', async (t) => {
  const { state, seconds, nextStart } = world(fromModules);
  seconds(10);
  await nextStart.close();
  seconds(100);
  t.is(state.written, 0);
});

test('does not write the script for a process that needs the files', (t) => {
  const { state, seconds } = world({ from: 'modules', because: 'it is debugged', isWanted: false });
  seconds(3_600);
  t.is(state.written, 0);
});

test('stores the code of the start, and once that of the first calls, while no call is in progress', (t) => {
  const { code, renewed } = fromScript();
  const { state, seconds } = world(code);
  seconds(29);
  t.is(renewed.count, 0);
  seconds(100);
  t.is(renewed.count, 1, 'the start');
  state.calls = 2;
  seconds(2_000);
  t.is(renewed.count, 1);
  state.calls = 0;
  seconds(1);
  t.is(renewed.count, 2, 'the calls');
  state.calls = 1;
  seconds(10);
  state.calls = 0;
  seconds(100);
  t.is(renewed.count, 2);
  t.is(state.written, 0);
});

test('stores the code of resumed calls after their end', (t) => {
  const { code, renewed } = fromScript();
  const { state, seconds } = world(code);
  state.calls = 1;
  seconds(100);
  t.is(renewed.count, 0);
  state.calls = 0;
  seconds(100);
  t.is(renewed.count, 1);
});

test('a failure to store the code stops nothing', async (t) => {
  const { state, seconds, nextStart } = world({
    from: 'script',
    renew: () => Promise.reject(new Error('the disk is full')),
  });
  state.calls = 1;
  seconds(31);
  state.calls = 0;
  seconds(1);
  await t.notThrowsAsync(nextStart.close());
});
