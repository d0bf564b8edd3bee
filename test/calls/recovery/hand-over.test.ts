import test from 'ava';
import pino from 'pino';
import { beginHandOver, type Heirs } from '#src/calls/recovery/hand-over.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

type Call = { isStanding: boolean; isQuiet: boolean };

const quiet: Call = { isStanding: true, isQuiet: true };
const speaking: Call = { ...quiet, isQuiet: false };
/** It is only being set up, or its far end ends with this process. */
const bound: Call = { ...quiet, isStanding: false };

const numbers = { lookMs: 50, batch: 2, silenceMs: 3_000 };

const world = (
  heirs: Heirs,
  calls: Record<string, Call>,
  gives: (node: string) => Promise<boolean> = async () => true,
) => {
  const clock = createOrderedClock();
  const done: string[] = [];
  const held = new Map(Object.entries(calls));
  const handOver = beginHandOver(heirs, {
    count: () => held.size,
    standing: () =>
      [...held].flatMap(([callId, { isStanding, isQuiet }]) => (isStanding ? [{ callId, isQuiet }] : [])),
    async letGo(callIds) {
      for (const callId of callIds) held.delete(callId);
      done.push(`let go of ${callIds.join(', ')}`);
    },
    async give(node, callIds) {
      const isTaken = await gives(node);
      done.push(`${node} ${isTaken ? 'takes' : 'does not take'} ${callIds.join(', ')}`);
      return isTaken;
    },
    numbers,
    clock,
    logger: pino({ level: 'silent' }),
  });
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    held,
    done,
    finish: handOver.finish,
    async look(times = 1): Promise<void> {
      for (let index = 0; index < times; index += 1) {
        clock.advance(numbers.lookMs);
        await settle();
      }
    },
  };
};

const others: Heirs = { are: 'others', nodes: ['one', 'two'] };

test('each call goes when nobody speaks in it, some at once, to the gateways in turns', async (t) => {
  const { held, done, look, finish } = world(others, {
    a: quiet,
    b: speaking,
    c: quiet,
    d: quiet,
    e: bound,
  });
  await look(2);
  t.deepEqual(done.splice(0), ['let go of a, c', 'one takes a, c', 'let go of d', 'two takes d']);
  held.set('b', quiet);
  held.set('e', quiet);
  await look();
  t.deepEqual(done.splice(0), ['let go of b, e', 'one takes b, e']);
  await finish();
  t.deepEqual(done, []);
});

test('in the end what can go goes, whatever is being said in it; what cannot stays', async (t) => {
  const { held, done, look, finish } = world(others, { a: speaking, b: bound, c: bound });
  await look(100);
  t.deepEqual(done, []);
  await finish();
  t.deepEqual(done, ['let go of a', 'one takes a']);
  t.deepEqual([...held.keys()], ['b', 'c']);
  held.set('b', quiet);
  await look(100);
  t.is(done.length, 2, 'nothing more is handed over');
});

test('a gateway that does not take them is passed by, and one that takes none keeps the end from nothing', async (t) => {
  const passed = world(others, { a: quiet }, async (node) => {
    if (node === 'one') throw new Error('No answer');
    return true;
  });
  await passed.look();
  t.deepEqual(passed.done, ['let go of a', 'two takes a']);
  const refused = world(others, { a: quiet }, async () => false);
  await refused.look();
  await refused.finish();
  t.deepEqual(refused.done, ['let go of a', 'one does not take a', 'two does not take a']);
});

const next: Heirs = { are: 'next process' };

test('for the next process all are let go of at once, when nobody speaks, or after a while', async (t) => {
  const together = world(next, { a: quiet, b: speaking });
  await together.look(10);
  t.deepEqual(together.done, []);
  together.held.set('b', quiet);
  await together.look();
  t.deepEqual(together.done, ['let go of a, b']);

  const talking = world(next, { a: quiet, b: speaking });
  await talking.look(59);
  t.deepEqual(talking.done, []);
  await talking.look(2);
  t.deepEqual(talking.done, ['let go of a, b']);
});

test('for the next process none is let go of while another one is only being set up', async (t) => {
  const { held, done, look, finish } = world(next, { a: quiet, b: bound });
  await look(200);
  t.deepEqual(done, []);
  held.delete('b');
  await look();
  t.deepEqual(done, ['let go of a']);
  await finish();
});
