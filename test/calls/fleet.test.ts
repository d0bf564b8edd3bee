/** Numbers of calls by state: those in progress, and where the calls of the last hours went. */
import test from 'ava';
import pino from 'pino';
import { createFleetHistory, type FleetHistory } from '#src/calls/fleet-history.ts';
import { callOpening } from '#src/calls/journal/opening.ts';
import { createTransitions } from '#src/calls/journal/transitions.ts';
import { createFleetCounting } from '#src/calls/live/fleet-counting.ts';
import {
  talliesOf,
  type TallyRow,
  type TransitionTallies,
} from '#src/persistence/calls/transition-tallies.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { takenOver } from '#test/helpers/taken-over-call.ts';

// Calls in progress

/** A call with its charts, whose states are counted. */
const countedWorld = (changes: Parameters<typeof createCallWorld>[0] = {}) => {
  const counting = createFleetCounting();
  const transitions = createTransitions({
    opening: callOpening.state,
    onState: counting.note,
    write: async () => {},
    isPassing: () => false,
    clock: createOrderedClock(),
    gatherMs: 250,
    batch: 1_000,
    limit: 1_000,
    retryMs: 5_000,
    logger: pino({ level: 'silent' }),
  });
  counting.begin('a', 'w');
  const world = createCallWorld(changes, { inspect: transitions.inspectorOf('a', () => new Date(7)) });
  return { counting, world };
};

/** The counts of a workspace that has this call alone. */
const onlyCall = (world: ReturnType<typeof createCallWorld>) => {
  const one = (state: string): Record<string, number> => (state === 'gone' ? {} : { [state]: 1 });
  return {
    calls: 1,
    states: {
      call: one(world.state()),
      conversation: one(world.conversationState()),
      voicemail: one(world.voicemailState()),
    },
  };
};

test('counts a call in the states of its charts after each of its events', (t) => {
  const { counting, world } = countedWorld({ voicemail: 'leave_message' });
  const states: string[] = [];
  const look = (): void => {
    t.deepEqual(counting.countsOf('w'), onlyCall(world));
    states.push(`${world.state()} ${world.conversationState()} ${world.voicemailState()}`);
  };
  look();
  world.answer();
  look();
  world.onReply({ type: 'reply.sentence', text: 'Good morning. Am I speaking to Kim?' });
  look();
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  look();
  world.play('Good morning.');
  look();
  world.onLine({ type: 'line.takes_message' });
  look();
  world.play();
  look();
  t.deepEqual(states, [
    'ringing.alerting gone gone',
    'active.talking.conversing replying.thinking gone',
    'active.talking.conversing replying.speaking gone',
    'active.talking.leaving-message voicemail awaiting-beep',
    'active.talking.leaving-message voicemail awaiting-beep',
    'active.talking.leaving-message voicemail leaving-message',
    'active.ending closing gone',
  ]);
  world.onLine({ type: 'line.ended', by: 'gateway' });
  counting.release('a');
  t.deepEqual(counting.countsOf('w'), { calls: 0, states: { call: {}, conversation: {}, voicemail: {} } });
});

test('counts a call that was taken over from another gateway', (t) => {
  const { counting, world } = countedWorld({ takenOver: takenOver() });
  t.deepEqual(counting.countsOf('w'), onlyCall(world));
  t.not(world.conversationState(), 'gone');
});

test('counts the calls of each workspace until they are released', (t) => {
  const counting = createFleetCounting();
  const states = (workspace: string): unknown => counting.countsOf(workspace).states.call;
  counting.begin('a', 'one');
  counting.begin('b', 'one');
  counting.begin('c', 'other');
  for (const call of ['a', 'b', 'c']) counting.note(call, 'call', 'ringing');
  counting.note('b', 'call', 'active');
  counting.note('b', 'conversation', 'listening');
  t.deepEqual([states('one'), states('other')], [{ ringing: 1, active: 1 }, { ringing: 1 }]);
  t.is(counting.countsOf('one').calls, 2);
  counting.note('a', 'call', 'active');
  t.deepEqual(states('one'), { active: 2 }, 'a state without calls is left out');
  counting.release('b');
  counting.note('b', 'call', 'late');
  counting.release('b');
  t.deepEqual(counting.countsOf('one'), {
    calls: 1,
    states: { call: { active: 1 }, conversation: {}, voicemail: {} },
  });
  counting.begin('a', 'one');
  t.deepEqual([counting.countsOf('one').calls, states('one')], [1, {}], 'a call begins again');
  t.deepEqual(states('unknown'), {});
});

test('returns the same counts until a call enters another state, begins or ends', (t) => {
  const counting = createFleetCounting();
  const seen = new Set<unknown>();
  const isNew = (): boolean => {
    const counts = counting.countsOf('one');
    const isUnseen = !seen.has(counts);
    seen.add(counts);
    return isUnseen;
  };
  counting.begin('a', 'one');
  t.true(isNew());
  t.false(isNew());
  counting.note('a', 'call', 'ringing');
  t.true(isNew());
  counting.note('a', 'call', 'ringing');
  counting.begin('b', 'other');
  t.false(isNew());
  counting.begin('c', 'one');
  t.true(isNew());
  counting.release('c');
  t.true(isNew());
});

// The last hours

const noTallies: TransitionTallies = { calls: 3, states: [], transitions: [] };

/** Reads that the test ends, on a clock that the test advances. */
const heldReads = () => {
  const clock = createOrderedClock(1_000_000);
  const reads: PromiseWithResolvers<TransitionTallies>[] = [];
  const wanted: unknown[] = [];
  const history = createFleetHistory({
    read(one) {
      const reading = Promise.withResolvers<TransitionTallies>();
      reads.push(reading);
      wanted.push(one);
      return reading.promise;
    },
    numbers: { mostCalls: 4, restFactor: 50, forgetMs: 600_000 },
    clock,
    steadyClock: clock,
  });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  /** Asks, and ends the read that this begins, if any, after this time. */
  const readIn = async (milliseconds: number, maxAgeMs = 60_000): Promise<FleetHistory> => {
    const before = reads.length;
    const result = history('w', 60, maxAgeMs);
    await settle();
    if (reads.length > before) {
      clock.advance(milliseconds);
      reads.at(-1)?.resolve(noTallies);
    }
    return result;
  };
  return { clock, reads, wanted, history, settle, readIn };
};

test('reads the past once for all who ask at the same time', async (t) => {
  const { reads, wanted, history, settle } = heldReads();
  const both = [history('w', 60, 60_000), history('w', 60, 1_000)];
  await settle();
  t.deepEqual(wanted, [{ workspaceId: 'w', since: new Date(1_000_000 - 3_600_000), mostCalls: 4 }]);
  reads[0]?.resolve(noTallies);
  const [one, other] = await Promise.all(both);
  t.is(one, other);
  t.like(one, { calls: 3, isWhole: true, until: new Date(1_000_000) });
});

test('reads one period after the other, also of several workspaces', async (t) => {
  const { reads, wanted, history, settle } = heldReads();
  const all = [history('w', 60, 0), history('w', 360, 0), history('v', 60, 0)];
  await settle();
  t.is(wanted.length, 1);
  reads[0]?.reject(new Error('away'));
  await t.throwsAsync(all[0] ?? Promise.resolve(), { message: 'away' });
  await settle();
  t.is(wanted.length, 2, 'the next one begins although the first has failed');
  reads[1]?.resolve({ ...noTallies, calls: 4 });
  t.like(await all[1], { isWhole: false });
  await settle();
  reads[2]?.resolve(noTallies);
  await all[2];
  t.like(wanted, [{ workspaceId: 'w' }, { workspaceId: 'w' }, { workspaceId: 'v' }]);
  void history('w', 60, 60_000);
  await settle();
  t.is(wanted.length, 4, 'the read that failed at once is repeated');
});

test('returns a result again until it has the requested age', async (t) => {
  const { clock, reads, readIn } = heldReads();
  const first = await readIn(0);
  clock.advance(59_999);
  t.is(await readIn(0), first);
  clock.advance(1);
  const second = await readIn(0);
  t.not(second, first);
  t.deepEqual(second.until, new Date(1_060_000));
  clock.advance(1_000);
  t.is(await readIn(0), second);
  t.not(await readIn(0, 1_000), second, 'a newer result is requested');
  t.is(reads.length, 3);
});

test('takes at most a fiftieth of the time of the database, whatever age is requested', async (t) => {
  const { clock, reads, readIn, history, settle } = heldReads();
  const first = await readIn(2_000, 1_000);
  clock.advance(97_999);
  t.is(await readIn(0, 1_000), first);
  clock.advance(1);
  t.not(await readIn(0, 1_000), first);

  clock.advance(60_000);
  const failing = history('w', 60, 1_000);
  await settle();
  clock.advance(8_000);
  reads.at(-1)?.reject(new Error('too slow'));
  await t.throwsAsync(failing, { message: 'too slow' });
  const before = reads.length;
  await t.throwsAsync(history('w', 60, 60_000), { message: 'too slow' });
  t.is(reads.length, before, 'a statement that was too slow is not repeated at once');
  clock.advance(400_000);
  await readIn(0);
  t.is(reads.length, before + 1);
});

const row = (changes: Partial<TallyRow>): TallyRow => ({
  machine: 'call',
  stateBefore: 'ringing',
  stateAfter: 'active',
  timeGroup: null,
  count: 1,
  leastMs: null,
  mostMs: null,
  failed: 0,
  ...changes,
});

test('adds up the times in a state over all ways out of it', (t) => {
  const { states, transitions } = talliesOf([
    row({ stateBefore: null, stateAfter: 'ringing', count: 6 }),
    row({ timeGroup: 140, count: 2, leastMs: 1_000, mostMs: 1_040 }),
    row({ stateAfter: 'cancelled', timeGroup: 140, count: 1, leastMs: 1_020, mostMs: 1_020 }),
    row({ stateAfter: 'cancelled', timeGroup: 180, count: 2, leastMs: 8_000, mostMs: 9_000, failed: 1 }),
    row({ machine: null, stateBefore: null, stateAfter: null, count: 1 }),
  ]);
  t.deepEqual(states, [
    { chart: 'call', state: 'ringing', entries: 6, medianMs: 1_040, failed: 1 },
    { chart: 'call', state: 'cancelled', entries: 3, medianMs: null, failed: 0 },
    { chart: 'call', state: 'active', entries: 2, medianMs: null, failed: 0 },
  ]);
  t.deepEqual(
    transitions.map(({ from, to, count }) => [from, to, count]),
    [
      [null, 'ringing', 6],
      ['ringing', 'cancelled', 3],
      ['ringing', 'active', 2],
    ],
  );
});
