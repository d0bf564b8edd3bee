import { setImmediate as allMicrotasks } from 'node:timers/promises';
import test from 'ava';
import * as fc from 'fast-check';
import { CallTaken } from '#src/persistence/call-facts.ts';
import { away, createWorld, ended, gate, said } from './journal-world.ts';

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
    placeOf: async (callId) => {
      asked.push(callId);
      return { sequence: 7, epoch: 1 };
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

test('what follows the end of a call is numbered here, and by the database once a thousand more have ended', async (t) => {
  const asked: string[] = [];
  const world = createWorld({
    placeOf: async (callId) => {
      asked.push(callId);
      return { sequence: world.rows.filter(([of]) => of === callId).length, epoch: 1 };
    },
  });
  const { journal, rows } = world;
  const end = async (callId: string): Promise<void> => {
    journal.open(callId);
    journal.publish(callId, said('one'));
    journal.publish(callId, ended);
    await journal.settled();
  };
  await end('a');
  journal.publish('a', { type: 'call.summarized', summary: 'Nothing was said.' });
  await journal.settled();
  t.deepEqual(rows.at(-1), ['a', 3, 'call.summarized']);
  t.deepEqual(asked, []);

  for (let count = 0; count < 1_000; count += 1) await end(`other-${count}`);
  journal.publish('a', { type: 'recording.failed' });
  journal.publish('other-0', { type: 'recording.failed' });
  await journal.settled();
  t.deepEqual(rows.slice(-2), [
    ['other-0', 3, 'recording.failed'],
    ['a', 4, 'recording.failed'],
  ]);
  t.deepEqual(asked, ['a']);
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

test('of a call that another gateway holds nothing more is written; who takes one goes on where its journal stands', async (t) => {
  const epochs: number[] = [];
  let taken = false;
  const world = createWorld({
    write: async (callId, sequence, fact, epoch) => {
      if (taken && epoch === 1) throw new CallTaken('Another gateway holds this call');
      epochs.push(epoch);
      await world.write(callId, sequence, fact);
    },
  });
  const { journal, rows, followed } = world;
  const told: string[] = [];
  journal.onTaken((callId) => told.push(callId));
  journal.open('a');
  journal.publish('a', said('one'));
  await journal.settled();
  taken = true;
  for (const text of ['two', 'three']) journal.publish('a', said(text));
  await journal.settled();
  journal.publish('a', ended);
  await journal.settled();
  t.deepEqual(told, ['a']);
  t.deepEqual(rows, [['a', 1, 'one']]);
  t.deepEqual(followed, ['a one'], 'nothing follows from what was not written');
  t.is(journal.backlog(), 0);
  t.deepEqual(world.errors(), []);

  journal.open('a', { sequence: 1, epoch: 3 });
  t.is(journal.epochOf('a'), 3);
  journal.publish('a', ended);
  await journal.settled();
  t.deepEqual(rows.at(-1), ['a', 2, 'call.ended']);
  t.deepEqual(epochs, [1, 3]);
});
