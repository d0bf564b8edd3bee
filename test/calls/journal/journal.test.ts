import { setImmediate as allMicrotasks } from 'node:timers/promises';
import test from 'ava';
import * as fc from 'fast-check';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { journalLimits } from '#config/policy.ts';
import { createJournal, type JournalFact, type JournalOptions } from '#src/calls/journal/journal.ts';
import type { RecordedFact } from '#src/persistence/call-facts.ts';

const said = (text: string): JournalFact => ({
  type: 'turn.spoken',
  at: 1,
  endedAt: 2,
  role: 'user',
  text,
  whole: true,
});
const ended: JournalFact = { type: 'call.ended', reason: 'agent_hangup', status: 'completed' };
const wordsOf = (fact: RecordedFact): string => (fact.type === 'turn.spoken' ? fact.text : fact.type);

const away = new Error('The database is away');

/** A journal over a database that is a list, with whatever `changes` break in it. */
const createWorld = (changes: Partial<JournalOptions> = {}) => {
  const clock = new SimulatedClock();
  const rows: [string, number, string][] = [];
  const logged: string[] = [];
  const followed: string[] = [];
  const write: JournalOptions['write'] = async (callId, sequence, fact) => {
    rows.push([callId, sequence, wordsOf(fact)]);
  };
  const journal = createJournal({
    retry: journalLimits.retry,
    write,
    lastSequence: async () => 0,
    isPassing: (error) => error === away,
    clock,
    logger: pino({ base: null }, { write: (line: string) => void logged.push(line) }),
    limit: 100,
    ...changes,
  });
  journal.onWritten((callId, fact) => followed.push(`${callId} ${wordsOf(fact)}`));
  return {
    journal,
    clock,
    rows,
    logged,
    followed,
    write,
    errors: () => logged.filter((line) => line.startsWith('{"level":50')),
    /** Lets time pass, and everything happen that happens by then. */
    async pass(milliseconds: number) {
      await allMicrotasks();
      clock.increment(milliseconds);
      await allMicrotasks();
    },
  };
};

/** A gate that lets pass when it is opened. */
const gate = () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return { passed: promise, open: () => resolve(undefined) };
};

test('the facts of a call are written in their order, counted from 1', async (t) => {
  const { journal, rows, followed } = createWorld();
  journal.open('a');
  for (const text of ['one', 'two', 'three']) journal.publish('a', said(text));
  journal.publish('a', ended);
  t.is(journal.backlog(), 4);
  await journal.settled();
  t.is(journal.backlog(), 0);
  t.deepEqual(rows, [
    ['a', 1, 'one'],
    ['a', 2, 'two'],
    ['a', 3, 'three'],
    ['a', 4, 'call.ended'],
  ]);
  t.deepEqual(followed, ['a one', 'a two', 'a three', 'a call.ended']);
});

test('a fact without a time is stamped when it arrives, not when it is written', async (t) => {
  const times: number[] = [];
  const slow = gate();
  const { journal, clock } = createWorld({
    write: async (_callId, _sequence, fact) => {
      times.push(fact.at);
      await slow.passed;
    },
  });
  journal.open('a');
  clock.set(1_000);
  journal.publish('a', { type: 'call.hangup_requested', immediate: false });
  clock.set(2_000);
  journal.publish('a', ended);
  clock.set(9_000);
  slow.open();
  await journal.settled();
  t.deepEqual(times, [1_000, 2_000]);
});

test('a call whose fact is held up holds up no other call, and keeps its own order', async (t) => {
  const slow = gate();
  const world = createWorld({
    write: async (callId, sequence, fact) => {
      if (callId === 'slow') await slow.passed;
      await world.write(callId, sequence, fact);
    },
  });
  const { journal, rows } = world;
  journal.open('slow');
  journal.open('fast');
  for (const text of ['one', 'two'])
    for (const callId of ['slow', 'fast']) journal.publish(callId, said(text));
  await allMicrotasks();
  t.deepEqual(rows, [
    ['fast', 1, 'one'],
    ['fast', 2, 'two'],
  ]);
  slow.open();
  await journal.settled();
  t.deepEqual(rows.slice(2), [
    ['slow', 1, 'one'],
    ['slow', 2, 'two'],
  ]);
});

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

test('beyond its limit over all calls the journal loses facts and says so', async (t) => {
  const slow = gate();
  const world = createWorld({
    limit: 2,
    write: async (callId, sequence, fact) => {
      await slow.passed;
      await world.write(callId, sequence, fact);
    },
  });
  const { journal, rows } = world;
  for (const callId of ['a', 'b', 'c']) {
    journal.open(callId);
    journal.publish(callId, said('one'));
  }
  t.is(journal.backlog(), 2);
  t.like(JSON.parse(world.errors()[0] ?? ''), { call_id: 'c', fact: 'turn.spoken', waiting: 2 });
  slow.open();
  await journal.settled();
  journal.publish('c', said('two'));
  await journal.settled();
  t.deepEqual(rows, [
    ['a', 1, 'one'],
    ['b', 1, 'one'],
    ['c', 1, 'two'],
  ]);
});

test('the number of a call that was not opened here goes on from the database', async (t) => {
  const asked: string[] = [];
  const { journal, rows } = createWorld({
    lastSequence: async (callId) => {
      asked.push(callId);
      return 7;
    },
  });
  journal.publish('old', ended);
  journal.publish('old', { type: 'recording.failed' });
  await journal.settled();
  t.deepEqual(rows, [
    ['old', 8, 'call.ended'],
    ['old', 9, 'recording.failed'],
  ]);
  t.deepEqual(asked, ['old']);
});

test('a fact that follows the end of a call is numbered by the database', async (t) => {
  const world = createWorld({ lastSequence: async () => world.rows.length });
  const { journal, rows } = world;
  journal.open('a');
  journal.publish('a', said('one'));
  journal.publish('a', ended);
  await journal.settled();
  journal.publish('a', { type: 'call.summarized', summary: 'Nothing was said.' });
  await journal.settled();
  t.deepEqual(rows.at(-1), ['a', 3, 'call.summarized']);
});

test('what is published while a fact is followed up is waited for as well', async (t) => {
  const world = createWorld();
  world.journal.onWritten((callId, fact) => {
    if (fact.type === 'call.ended') world.journal.publish(callId, { type: 'call.summarized', summary: '' });
  });
  world.journal.open('a');
  world.journal.publish('a', ended);
  await world.journal.settled();
  t.deepEqual(
    world.rows.map(([, , words]) => words),
    ['call.ended', 'call.summarized'],
  );
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

test('whatever the database does, each call is written whole, in order and without gaps', async (t) => {
  const facts = fc.array(fc.record({ call: fc.constantFrom('a', 'b', 'c'), pauseMs: fc.nat(400) }), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(facts, fc.array(fc.boolean(), { maxLength: 60 }), async (published, outages) => {
      const world = createWorld({
        write: async (callId, sequence, fact) => {
          await Promise.resolve();
          if (outages.shift() === true) throw away;
          await world.write(callId, sequence, fact);
        },
      });
      const expected: Record<string, string[]> = { a: [], b: [], c: [] };
      for (const callId of ['a', 'b', 'c']) world.journal.open(callId);
      for (const [index, { call, pauseMs }] of published.entries()) {
        world.journal.publish(call, said(String(index)));
        expected[call]?.push(String(index));
        await world.pass(pauseMs);
      }
      while (world.journal.backlog() > 0) await world.pass(5_000);
      for (const [callId, texts] of Object.entries(expected)) {
        t.deepEqual(
          world.rows.filter(([id]) => id === callId),
          texts.map((text, index) => [callId, index + 1, text]),
        );
      }
    }),
    { numRuns: 50 },
  );
});
