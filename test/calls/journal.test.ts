/** The journal of a call: facts, batches and transitions. */
import { readFileSync } from 'node:fs';
import { setImmediate as allMicrotasks } from 'node:timers/promises';
import test from 'ava';
import * as fc from 'fast-check';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { createBatchWriter } from '#src/calls/journal/batch-writer.ts';
import { chartVersionOf, type ReadSource } from '#src/calls/journal/chart-version.ts';
import { createCallBus } from '#src/calls/call-bus.ts';
import { callOpening } from '#src/calls/journal/opening.ts';
import { createTransitions } from '#src/calls/journal/transitions.ts';
import { CallTaken, type RecordedFact } from '#src/persistence/calls/call-facts.ts';
import type { StoredTransition } from '#src/persistence/calls/call-transitions.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { away, createWorld, ended, gate, said, wordsOf } from './journal/journal-world.ts';

// Journal

test.serial('writes the facts of a call in order, numbered from 1', async (t) => {
  const { journal, rows, followed } = createWorld();
  journal.open('a');
  for (const text of ['one', 'two', 'three']) journal.append('a', said(text));
  journal.append('a', ended);
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

test.serial(
  'gives a fact without a time the time of its arrival instead of the time of writing',
  async (t) => {
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
    journal.append('a', { type: 'call.hangup_requested', immediate: false });
    clock.set(2_000);
    journal.append('a', ended);
    clock.set(9_000);
    slow.open();
    await journal.settled();
    t.deepEqual(times, [1_000, 2_000]);
  },
);

test.serial('leaves room in the numbering for a summary that is written with the end', async (t) => {
  const { journal, rows } = createWorld();
  journal.open('a');
  journal.append('a', {
    type: 'call.ended',
    reason: 'agent_hangup',
    status: 'completed',
    summary: 'Nothing was said.',
  });
  journal.append('a', { type: 'recording.failed' });
  await journal.settled();
  t.deepEqual(rows, [
    ['a', 1, 'call.ended'],
    ['a', 3, 'recording.failed'],
  ]);
});

test.serial('delays only the call of a delayed fact, and keeps the order within it', async (t) => {
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
    for (const callId of ['slow', 'fast']) journal.append(callId, said(text));
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

test.serial('drops facts beyond the total limit and logs it', async (t) => {
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
    journal.append(callId, said('one'));
  }
  t.is(journal.backlog(), 2);
  t.like(JSON.parse(world.errors()[0] ?? ''), { call_id: 'c', fact: 'turn.spoken', waiting: 2 });
  // Otherwise the call would stay in progress.
  journal.append('a', ended);
  t.is(journal.backlog(), 3);
  slow.open();
  await journal.settled();
  journal.append('c', said('two'));
  await journal.settled();
  t.deepEqual(
    rows.map(([callId, sequence]) => [callId, sequence]),
    [
      ['a', 1],
      ['b', 1],
      ['a', 2],
      ['c', 1],
    ],
  );
});

test.serial('continues the numbering of a call opened elsewhere from the database', async (t) => {
  const asked: string[] = [];
  const { journal, rows } = createWorld({
    positionOf: async (callId) => {
      asked.push(callId);
      return { sequence: 7, epoch: 1 };
    },
  });
  journal.append('old', ended);
  journal.append('old', { type: 'recording.failed' });
  await journal.settled();
  t.deepEqual(rows, [
    ['old', 8, 'call.ended'],
    ['old', 9, 'recording.failed'],
  ]);
  t.deepEqual(asked, ['old']);
});

test.serial(
  'numbers late facts of an ended call from memory, and from the database after a thousand further ends',
  async (t) => {
    const asked: string[] = [];
    const world = createWorld({
      positionOf: async (callId) => {
        asked.push(callId);
        return { sequence: world.rows.filter(([of]) => of === callId).length, epoch: 1 };
      },
    });
    const { journal, rows } = world;
    const end = async (callId: string): Promise<void> => {
      journal.open(callId);
      journal.append(callId, said('one'));
      journal.append(callId, ended);
      await journal.settled();
    };
    await end('a');
    journal.append('a', { type: 'call.summarized', summary: 'Nothing was said.' });
    await journal.settled();
    t.deepEqual(rows.at(-1), ['a', 3, 'call.summarized']);
    t.deepEqual(asked, []);

    for (let count = 0; count < 1_000; count += 1) await end(`other-${count}`);
    journal.append('a', { type: 'recording.failed' });
    journal.append('other-0', { type: 'recording.failed' });
    await journal.settled();
    t.deepEqual(rows.slice(-2), [
      ['other-0', 3, 'recording.failed'],
      ['a', 4, 'recording.failed'],
    ]);
    t.deepEqual(asked, ['a']);
  },
);

test.serial(
  'settles only after facts that a subscriber publishes in response to a stored fact',
  async (t) => {
    const world = createWorld();
    world.bus.subscribe('stored', ({ callId, fact }) => {
      if (fact.type === 'call.ended') world.journal.append(callId, { type: 'call.summarized', summary: '' });
    });
    world.journal.open('a');
    world.journal.append('a', ended);
    await world.journal.settled();
    t.deepEqual(
      world.rows.map(([, , words]) => words),
      ['call.ended', 'call.summarized'],
    );
  },
);

test.serial(
  'writes the facts of every call completely, in order and without gaps, however the database fails',
  async (t) => {
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
          world.journal.append(call, said(String(index)));
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
  },
);

test.serial(
  'stops writing a call owned by another gateway; a take-over continues the numbering',
  async (t) => {
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
    world.bus.subscribe('taken', ({ callId }) => told.push(callId));
    journal.open('a');
    journal.append('a', said('one'));
    await journal.settled();
    taken = true;
    for (const text of ['two', 'three']) journal.append('a', said(text));
    await journal.settled();
    journal.append('a', ended);
    await journal.settled();
    t.deepEqual(told, ['a']);
    t.deepEqual(rows, [['a', 1, 'one']]);
    t.deepEqual(followed, ['a one'], 'nothing follows from what was not written');
    t.is(journal.backlog(), 0);
    t.deepEqual(world.errors(), []);

    journal.open('a', { sequence: 1, epoch: 3 });
    t.is(journal.epochOf('a'), 3);
    journal.append('a', ended);
    await journal.settled();
    t.deepEqual(rows.at(-1), ['a', 2, 'call.ended']);
    t.deepEqual(epochs, [1, 3]);
  },
);

/** A journal of two calls that ended under a later epoch: it still holds the first, and has released the second. */
const createLostCalls = async (finishesRecording: boolean) => {
  const world = createWorld({
    write: async (callId, sequence, fact, epoch) => {
      if (epoch !== 2) throw new CallTaken('Another gateway holds this call');
      await world.write(callId, sequence, fact);
    },
    positionOf: async (callId) => ({
      sequence: 7 + world.rows.filter(([of]) => of === callId).length,
      epoch: 2,
    }),
    finishesRecording: async () => finishesRecording,
  });
  world.journal.open('held');
  world.journal.open('released');
  await world.journal.letGo('released');
  return world;
};

test.serial(
  'writes the facts of recordings that this gateway finishes after it lost the calls',
  async (t) => {
    const { journal, rows, errors } = await createLostCalls(true);
    journal.append('held', said('too late'));
    for (const callId of ['held', 'released']) journal.append(callId, { type: 'recording.failed' });
    await journal.settled();
    for (const fact of [said('too late'), { type: 'recording.failed' }] as const)
      journal.append('released', fact);
    await journal.settled();
    t.deepEqual(rows, [
      ['released', 8, 'recording.failed'],
      ['held', 8, 'recording.failed'],
      ['released', 9, 'recording.failed'],
    ]);
    t.is(journal.backlog(), 0);
    t.deepEqual(errors(), []);
  },
);

test.serial('drops the facts of recordings that another gateway finishes', async (t) => {
  const { journal, rows } = await createLostCalls(false);
  for (const callId of ['held', 'released']) journal.append(callId, { type: 'recording.failed' });
  await journal.settled();
  t.deepEqual(rows, []);
  t.is(journal.backlog(), 0);
});

const createHeldAgain = () => {
  const claims = { epoch: 1 };
  const refusal = Promise.withResolvers<void>();
  const world = createWorld({
    write: async (callId, sequence, fact, epoch) => {
      // The write of the first holding is answered only after the call was claimed back.
      if (epoch === 1) await refusal.promise;
      if (epoch !== claims.epoch) throw new CallTaken('Another gateway holds this call');
      await world.write(callId, sequence, fact);
    },
  });
  const told: string[] = [];
  world.bus.subscribe('taken', ({ callId }) => told.push(callId));
  world.journal.open('a');
  world.journal.append('a', said('of the first holding'));
  claims.epoch = 3;
  return { ...world, told, refuse: refusal.resolve };
};

test.serial('keeps a call that it holds again when a write of its earlier holding is refused', async (t) => {
  const { journal, rows, told, refuse } = createHeldAgain();
  journal.open('a', { sequence: 0, epoch: 3 });
  refuse();
  await journal.settled();
  t.deepEqual(told, []);
  journal.append('a', said('of the second holding'));
  await journal.settled();
  t.deepEqual(rows, [['a', 1, 'of the second holding']]);
});

test.serial('ends a call that it claimed back, although another gateway had taken it', async (t) => {
  const { journal, rows, told, refuse } = createHeldAgain();
  refuse();
  await journal.settled();
  t.deepEqual(told, ['a']);
  journal.reopen('a', 3);
  journal.append('a', ended);
  await journal.settled();
  t.deepEqual(rows, [['a', 1, 'call.ended']]);
});

// Transitions

const setUpTransitions = ({ limit = 100, opening }: { limit?: number; opening?: string } = {}) => {
  const clock = new SimulatedClock();
  const statements: StoredTransition[][] = [];
  const trouble: { error: Error | null; isPassing: boolean } = { error: null, isPassing: true };
  const transitions = createTransitions({
    ...(opening === undefined ? {} : { opening }),
    write: async (some) => {
      if (trouble.error !== null) throw trouble.error;
      statements.push([...some]);
    },
    isPassing: () => trouble.isPassing,
    clock,
    gatherMs: 250,
    batch: 1_000,
    limit,
    retryMs: 5_000,
    logger: pino({ level: 'silent' }),
  });
  const world = createCallWorld({}, { inspect: transitions.inspectorOf('a', () => new Date(7)) });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const pass = async (milliseconds: number): Promise<void> => {
    clock.increment(milliseconds);
    await settle();
  };
  return { clock, statements, trouble, transitions, world, pass };
};

test.serial('stores transitions with their states, batched into one statement', async (t) => {
  const { statements, world, pass, transitions } = setUpTransitions();
  t.deepEqual(statements, [], 'the insertion of a call writes nothing');
  transitions.countFact('a');
  world.answer();
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  await pass(249);
  t.deepEqual(statements, []);
  await pass(1);
  t.is(statements.length, 1);
  t.deepEqual(
    statements[0]?.map((one) => [one.sequence, one.machine, one.stateBefore, one.eventType, one.stateAfter]),
    [
      [1, 'call', null, 'xstate.init', 'ringing.alerting'],
      [2, 'conversation', null, 'xstate.init', 'replying.thinking'],
      [3, 'call', 'ringing.alerting', 'line.answered', 'active.talking.conversing'],
      [4, 'conversation', 'replying.thinking', 'call.over', 'closing'],
      [5, 'call', 'active.talking.conversing', 'line.ended', 'active.hung-up'],
      [6, 'call', 'active.hung-up', 'agent.quiet', 'completed'],
    ],
  );
  t.deepEqual(new Set(statements[0]?.map(({ at }) => at.getTime())), new Set([7]));
  t.is(statements[0]?.at(-1)?.factsBefore, 1);
  t.is(new Set(statements[0]?.map(({ chartVersion }) => chartVersion)).size, 2);
});

test.serial('keeps transitions while the database is unreachable and drops rejected ones', async (t) => {
  const { statements, trouble, world, pass } = setUpTransitions();
  trouble.error = new Error('away');
  await pass(250);
  trouble.error = null;
  world.answer();
  await pass(5_000);
  t.is(statements[0]?.length, 3);
  trouble.error = new Error('refused');
  trouble.isPassing = false;
  world.ask({ type: 'hangup.requested', immediate: true });
  await pass(250);
  trouble.error = null;
  world.onLine({ type: 'line.ended', by: 'gateway' });
  await pass(250);
  t.is(statements[1]?.[0]?.stateAfter, 'completed');
});

test.serial('limits queued transitions and writes the others at the end', async (t) => {
  const { statements, world, transitions } = setUpTransitions({ limit: 2 });
  world.answer();
  world.hear('Hello?');
  await transitions.close();
  t.is(statements[0]?.length, 2);
});

test.serial(
  'writes queued transitions together with the end of the call, and simultaneous ones afterwards',
  async (t) => {
    const { statements, transitions, world, pass } = setUpTransitions();
    const atTheEnd = transitions.unwritten('a');
    world.answer();
    const some = await atTheEnd;
    const states = ['ringing.alerting', 'replying.thinking', 'active.talking.conversing'];
    t.deepEqual(
      some.map(({ stateAfter }) => stateAfter),
      states,
    );
    world.onLine({ type: 'line.ended', by: 'counterparty' });
    transitions.wereWritten('a', some);
    await pass(250);
    t.deepEqual(
      statements.map((statement) => statement.map(({ sequence }) => sequence)),
      [[4, 5, 6]],
      'only what came meanwhile is left',
    );
    t.deepEqual(await transitions.unwritten('a'), []);
  },
);

test.serial('writes transitions that arrive during a write with the next write', async (t) => {
  const { statements, trouble, transitions, world, pass } = setUpTransitions();
  world.answer();
  trouble.error = new Error('away');
  await pass(250);
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  trouble.error = null;
  await pass(5_000);
  t.deepEqual(
    statements.map((statement) => statement.map(({ sequence }) => sequence)),
    [[1, 2, 3, 4, 5, 6]],
  );
  t.deepEqual(await transitions.unwritten('a'), []);
});

test.serial('writes transitions after a first state that was stored with the row of the call', async (t) => {
  const { statements, world, pass } = setUpTransitions({ opening: 'ringing.alerting' });
  await pass(250);
  t.deepEqual(statements, []);
  world.answer();
  await pass(250);
  t.deepEqual(
    statements[0]?.map(({ sequence, machine, stateBefore, stateAfter }) => [
      sequence,
      machine,
      stateBefore,
      stateAfter,
    ]),
    [
      [2, 'conversation', null, 'replying.thinking'],
      [3, 'call', 'ringing.alerting', 'active.talking.conversing'],
    ],
  );
});

test.serial('records the initial state of its chart as the first state of each call', (t) => {
  const world = createCallWorld();
  t.is(callOpening.state, world.state());
  t.is(callOpening.chartVersion, chartVersionOf('call'));
});

// Batch writer

class Away extends Error {}

const batchWriterWorld = () => {
  const clock = createOrderedClock();
  const written: string[][] = [];
  const database = { isAway: false, refuses: false, during: async (): Promise<void> => {} };
  const writer = createBatchWriter<string>({
    what: 'words',
    async write(words) {
      await database.during();
      if (database.isAway) throw new Away();
      if (database.refuses) throw new Error('no');
      written.push([...words]);
    },
    isPassing: (error) => error instanceof Away,
    weightOf: ({ length }) => length,
    gatherMs: 500,
    batch: 2,
    limit: 10,
    retryMs: 5_000,
    clock,
    logger: pino({ level: 'silent' }),
  });
  const goBy = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds);
    for (let turns = 0; turns < 10; turns += 1) await allMicrotasks();
  };
  return { writer, written, database, goBy };
};

test.serial('batches items that arrive within an interval, up to the batch size', async (t) => {
  const { writer, written, goBy } = batchWriterWorld();
  for (const word of ['a', 'b', 'c']) t.true(writer.add(word));
  await goBy(499);
  t.deepEqual(written, []);
  await goBy(1);
  t.deepEqual(written, [['a', 'b'], ['c']]);
});

/** A writer to which `b` is added while the statement with `a` runs, until `statement` is resolved. */
const duringStatement = async () => {
  const world = batchWriterWorld();
  const statement = Promise.withResolvers<void>();
  world.database.during = () => statement.promise;
  world.writer.add('a');
  await world.goBy(500);
  world.writer.add('b');
  return { ...world, statement };
};

test.serial('gathers items that arrive during a statement for the next one', async (t) => {
  const { writer, written, goBy, statement } = await duringStatement();
  statement.resolve();
  await goBy(0);
  await goBy(499);
  t.deepEqual(written, [['a']]);
  writer.add('c');
  await goBy(1);
  t.deepEqual(written, [['a'], ['b', 'c']]);
});

test.serial('writes items at once on request, also those that arrived during a statement', async (t) => {
  const { writer, written, statement } = await duringStatement();
  const allWritten = writer.written();
  statement.resolve();
  await allWritten;
  t.deepEqual(written, [['a'], ['b']]);
});

test.serial(
  'limits queued items by size while the database is unreachable, and counts dropped ones',
  async (t) => {
    const { writer, written, database, goBy } = batchWriterWorld();
    database.isAway = true;
    t.true(writer.add('twelve chars'));
    await goBy(500);
    t.false(writer.add('x'), 'one that is too heavy by itself is taken, and nothing behind it');
    t.is(writer.lost(), 1);
    database.isAway = false;
    await goBy(5_000);
    t.deepEqual(written, [['twelve chars']]);
    t.true(writer.add('x'), 'there is room again');
  },
);

test.serial('drops and counts items that the database rejects, then writes the next', async (t) => {
  const { writer, written, database, goBy } = batchWriterWorld();
  database.refuses = true;
  writer.add('a');
  writer.add('b');
  await goBy(500);
  t.is(writer.lost(), 2);
  database.refuses = false;
  writer.add('c');
  await goBy(500);
  t.deepEqual(written, [['c']]);
});

test.serial('on close, writes queued items, or drops them while the database is unreachable', async (t) => {
  const there = batchWriterWorld();
  there.writer.add('a');
  await there.writer.close();
  t.deepEqual(there.written, [['a']]);
  const { writer, written, database } = batchWriterWorld();
  database.isAway = true;
  writer.add('a');
  await writer.close();
  t.deepEqual(written, []);
});

// Fact writer
// Facts on their way to a database that is unreachable, does not confirm or rejects them.

test.serial(
  'keeps facts while the database is unreachable and writes each once when it is reachable again',
  async (t) => {
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
    journal.append('a', said('one'));
    journal.append('a', said('two'));
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
  },
);

test.serial('repeats an unconfirmed fact under the same sequence number', async (t) => {
  const sequences: number[] = [];
  const { journal, pass } = createWorld({
    write: async (_callId, sequence) => {
      sequences.push(sequence);
      if (sequences.length === 1) throw away;
    },
  });
  journal.open('a');
  journal.append('a', said('one'));
  journal.append('a', said('two'));
  await pass(100);
  await journal.settled();
  t.deepEqual(sequences, [1, 1, 2]);
});

test.serial('drops a rejected fact after three attempts, logs an error and reuses its number', async (t) => {
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
  journal.append('a', said('broken'));
  journal.append('a', said('whole'));
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

test.serial('writes the end of a call without its summary if the database rejects the summary', async (t) => {
  const world = createWorld({
    write: async (callId, sequence, fact) => {
      if ('summary' in fact) throw new Error('invalid byte sequence');
      await world.write(callId, sequence, fact);
    },
  });
  const { journal, bus, rows, pass } = world;
  const stored: RecordedFact[] = [];
  bus.subscribe('stored', ({ fact }) => stored.push(fact));
  journal.open('a');
  journal.append('a', {
    type: 'call.ended',
    reason: 'agent_hangup',
    status: 'completed',
    summary: 'The last words.',
  });
  journal.append('a', { type: 'recording.failed' });
  await pass(100);
  await pass(200);
  await journal.settled();
  t.deepEqual(rows, [
    ['a', 1, 'call.ended'],
    ['a', 2, 'recording.failed'],
  ]);
  // The summary is then written after the end, as for a call whose words this gateway does not know.
  t.is(stored[0]?.type, 'call.ended');
  t.false(stored[0] !== undefined && 'summary' in stored[0]);
  t.is(journal.backlog(), 0);
});

test.serial('writes the remaining facts without retries after the journal has given up', async (t) => {
  let isAway = true;
  const world = createWorld({
    write: async (callId, sequence, fact) => {
      if (isAway) throw away;
      await world.write(callId, sequence, fact);
    },
  });
  const { journal } = world;
  journal.open('a');
  for (const text of ['one', 'two']) journal.append('a', said(text));
  await allMicrotasks();
  journal.giveUp();
  await journal.settled();
  t.is(journal.backlog(), 0);
  t.is(journal.lost(), 2);
  t.is(world.errors().length, 2);
  isAway = false;
  journal.append('a', said('three'));
  await journal.settled();
  t.deepEqual(world.rows, [['a', 1, 'three']]);
  t.is(journal.lost(), 2, 'what was written since is not lost');
});

// News of calls

const createNewsWorld = () => {
  const logged: string[] = [];
  const bus = createCallBus({ logger: pino({ base: null }, { write: (line) => void logged.push(line) }) });
  return { ...bus, logged, end: (callId: string): void => bus.publish('taken', { callId }) };
};

test('notifies subscribers of a call in the order of their subscription', (t) => {
  const news = createNewsWorld();
  const heard: string[] = [];
  news.subscribe('taken', () => heard.push('first'), 'a');
  news.subscribe('taken', () => heard.push('second'), 'a');
  news.subscribe('taken', () => heard.push('other'), 'b');
  news.subscribe('taken', ({ callId }) => heard.push(`any ${callId}`));
  news.subscribe('released', () => heard.push('another type'), 'a');
  news.end('a');
  t.deepEqual(heard, ['any a', 'first', 'second']);
  news.end('c');
  t.deepEqual(heard.slice(3), ['any c']);
});

test('unsubscribing removes one of several subscriptions of the same function', (t) => {
  const news = createNewsWorld();
  let count = 0;
  const onNews = (): void => void (count += 1);
  const end = news.subscribe('taken', onNews, 'a');
  const endOther = news.subscribe('taken', onNews, 'a');
  end();
  end();
  news.end('a');
  t.is(count, 1);
  endOther();
  news.subscribe('taken', onNews, 'a');
  endOther();
  news.end('a');
  t.is(count, 2);
});

test('allows a subscriber to unsubscribe during a notification', (t) => {
  const news = createNewsWorld();
  let count = 0;
  const end = news.subscribe('taken', () => {
    count += 1;
    end();
  });
  news.end('a');
  news.end('a');
  t.is(count, 1);
});

test('logs an error in a subscriber; publisher and other subscribers continue', (t) => {
  const news = createNewsWorld();
  const heard: string[] = [];
  news.subscribe('taken', () => {
    throw new Error('Broken');
  });
  news.subscribe('taken', ({ callId }) => heard.push(callId));
  news.end('a');
  t.deepEqual(heard, ['a']);
  t.is(news.logged.length, 1);
  t.regex(news.logged[0] ?? '', /"call_id":"a","news":"taken".*Broken.*processing news of a call failed/);
});

// Chart version

const read: ReadSource = (file) => readFileSync(file, 'utf8');

/** Reads source files, one of them with different contents. */
const changed =
  (path: string, from: string, to: string): ReadSource =>
  (file) => {
    const source = read(file);
    if (!file.pathname.endsWith(path)) return source;
    if (!source.includes(from)) throw new Error(`${path} does not say ${from}`);
    return source.replace(from, to);
  };

test('the version of a chart changes with its transitions, its actions and the functions that they call', (t) => {
  const version = chartVersionOf('conversation');
  t.is(chartVersionOf('conversation', read), version);
  t.regex(version, /^[0-9a-f]{12}$/);
  for (const [path, from, to] of [
    ['machines/conversation.ts', "'call.over'", "'call.gone'"],
    ['machines/conversation-actions.ts', 'at: startedAt', 'at'],
    ['machines/turns.ts', 'unanswered + 1', 'unanswered + 2'],
    ['xstate/package.json', '"version"', '"release"'],
  ] as const)
    t.not(chartVersionOf('conversation', changed(path, from, to)), version, path);
});

test('the version of the call chart changes with the conversation chart and the outcome', (t) => {
  const version = chartVersionOf('call');
  t.not(chartVersionOf('call', changed('machines/turns.ts', 'unanswered + 1', 'unanswered + 2')), version);
  t.not(chartVersionOf('call', changed('machines/outcome.ts', "'busy'", "'silent'")), version);
});

test('the version of a chart stays the same when only another chart changes', (t) => {
  const version = chartVersionOf('voicemail');
  t.is(chartVersionOf('voicemail', changed('machines/call.ts', 'ringing', 'sounding')), version);
  t.not(version, chartVersionOf('conversation'));
});
