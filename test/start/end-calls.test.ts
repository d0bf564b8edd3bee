import test from 'ava';
import pino from 'pino';
import { endCalls } from '#src/start/end-calls.ts';

/** What is done, in order. */
const ending = async (drainSec: number): Promise<string[]> => {
  const done: string[] = [];
  await endCalls(
    {
      admission: { drain: () => void done.push('no new calls') },
      streams: { close: () => void done.push('no streams') },
      switchboard: {
        empty: async (withinMs) => void done.push(`wait ${withinMs}`),
        hangUpAll: () => void done.push('hang up'),
        closeAll: () => void done.push('cut off'),
      },
      lines: { takeNoMore: async () => void done.push('no new callers') },
      handOver: {
        begin: async () => void done.push('hand over'),
        finish: async () => void done.push('hand over the rest'),
      },
      logger: pino({ level: 'silent' }),
    },
    drainSec,
    { farewellMs: 10_000, lastEndsMs: 6_000 },
  );
  return done;
};

test('calls are waited for, then hung up when the agent has been heard out, then cut off', async (t) => {
  t.deepEqual(await ending(60), [
    'no new callers',
    'no new calls',
    'no streams',
    'hand over',
    'wait 50000',
    'hand over the rest',
    'hang up',
    'wait 10000',
    'cut off',
    'wait 6000',
  ]);
});

test('a short wait leaves a third of it for farewells', async (t) => {
  t.deepEqual((await ending(15)).slice(4), [
    'wait 10000',
    'hand over the rest',
    'hang up',
    'wait 5000',
    'cut off',
    'wait 6000',
  ]);
});

test('who waits for nothing cuts off at once', async (t) => {
  t.deepEqual((await ending(0)).slice(4), ['wait 0', 'hand over the rest', 'cut off', 'wait 6000']);
});
