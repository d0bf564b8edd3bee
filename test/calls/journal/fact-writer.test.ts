/** Facts on their way to a database that is away, unsure or refuses them. */
import { setImmediate as allMicrotasks } from 'node:timers/promises';
import test from 'ava';
import { away, createWorld, said, wordsOf } from './journal-world.ts';

test('facts wait while the database is away and are written once when it is back', async (t) => {
  let isAway = true;
  let tries = 0;
  const world = createWorld({
    write: async (callId, sequence, fact) => {
      tries += 1;
      if (isAway) throw away;
      await world.write(callId, sequence, fact);
    },
  });
  const { journal, rows, pass } = world;
  journal.open('a');
  journal.publish('a', said('one'));
  journal.publish('a', said('two'));
  for (let second = 0; second < 600; second += 1) await pass(1_000);
  t.true(tries > 100 && tries < 200, `${tries} tries in ten minutes: neither given up nor hammered`);
  t.is(journal.backlog(), 2);
  isAway = false;
  await pass(5_000);
  await journal.settled();
  t.deepEqual(rows, [
    ['a', 1, 'one'],
    ['a', 2, 'two'],
  ]);
  t.is(world.logged.length, 1, 'waiting is said once');
  t.deepEqual(world.errors(), []);
});

test('a fact whose writing was not confirmed is written again under the same number', async (t) => {
  const sequences: number[] = [];
  const { journal, pass } = createWorld({
    write: async (_callId, sequence) => {
      sequences.push(sequence);
      if (sequences.length === 1) throw away;
    },
  });
  journal.open('a');
  journal.publish('a', said('one'));
  journal.publish('a', said('two'));
  await pass(100);
  await journal.settled();
  t.deepEqual(sequences, [1, 1, 2]);
});

test('a broken fact is given up after three tries with an error, and the next one takes its number', async (t) => {
  let tries = 0;
  const world = createWorld({
    write: async (callId, sequence, fact) => {
      if (wordsOf(fact) === 'broken') {
        tries += 1;
        throw new Error('null value in column');
      }
      await world.write(callId, sequence, fact);
    },
  });
  const { journal, rows, pass } = world;
  journal.open('a');
  journal.publish('a', said('broken'));
  journal.publish('a', said('whole'));
  await pass(100);
  await pass(200);
  await journal.settled();
  t.is(tries, 3);
  t.deepEqual(rows, [['a', 1, 'whole']]);
  t.deepEqual(world.followed, ['a whole'], 'nothing follows from what was not written');
  t.is(world.errors().length, 1);
  t.like(JSON.parse(world.errors()[0] ?? ''), { call_id: 'a', fact: 'turn.spoken' });
  t.notRegex(world.logged.join(''), /"broken"/, 'the words are not logged');
});

test('a journal that has given up waits for nothing, and what can be written is still written', async (t) => {
  let isAway = true;
  const world = createWorld({
    write: async (callId, sequence, fact) => {
      if (isAway) throw away;
      await world.write(callId, sequence, fact);
    },
  });
  const { journal } = world;
  journal.open('a');
  for (const text of ['one', 'two']) journal.publish('a', said(text));
  await allMicrotasks();
  journal.giveUp();
  await journal.settled();
  t.is(journal.backlog(), 0);
  t.is(world.errors().length, 2);
  isAway = false;
  journal.publish('a', said('three'));
  await journal.settled();
  t.deepEqual(world.rows, [['a', 1, 'three']]);
});
