/** Live calls: clocks, keys, latency and the switchboard. */
import { randomBytes } from 'node:crypto';
import { setImmediate as allMicrotasks } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createActor, fromCallback, SimulatedClock } from 'xstate';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import type { CallFact } from '#machines/facts.ts';
import type { CallResumeState } from '#machines/resume-state.ts';
import { lineLifeMachine } from '#machines/line-life.ts';
import { outboundLegMachine } from '#machines/outbound-leg.ts';
import type { KeysCommand, LineCommand, LineEvent, LineInput, OpenLine } from '#machines/line.ts';
import type { Message, ReplyInput } from '#machines/reply.ts';
import { listenInAnnouncement, type ListenInState } from '#src/domain/listen-in.ts';
import { createCallTime } from '#src/calls/live/call-time.ts';
import { sayingNow } from '#machines/turns.ts';
import { type ChartState, createChartWatch, stateName } from '#src/calls/live/chart-watch.ts';
import { createKnownKeys } from '#src/calls/live/known-keys.ts';
import { createNumberAuthentication } from '#src/calls/live/number-authentication.ts';
import { createCallBus } from '#src/calls/call-bus.ts';
import { createLatency } from '#src/calls/live/latency.ts';
import { createLiveCalls, type LiveCall } from '#src/calls/live/live-calls.ts';
import { createOpenLines } from '#src/calls/live/open-lines.ts';
import { createOverheard } from '#src/calls/live/overheard.ts';
import { createSecretKeys } from '#src/calls/live/secret-keys.ts';
import { createSwitchboard } from '#src/calls/live/switchboard.ts';
import { findNumberByDigits } from '#src/persistence/numbers/callable-numbers.ts';
import { DatabaseAway } from '#src/persistence/database/connection-errors.ts';
import { putNumberKey } from '#src/persistence/numbers/number-keys.ts';
import { createSealing } from '#src/persistence/database/sealing.ts';
import { callInput, createCallWorld } from '#test/helpers/call-world.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { storedNumber } from '#test/helpers/stored-number.ts';
import { takenOver as takenOverCall } from '#test/helpers/taken-over-call.ts';

// Live calls

const call = (changes: Partial<LiveCall> = {}): LiveCall => ({
  callId: 'a-call',
  numberId: 'a-number',
  workspaceId: 'a-workspace',
  direction: 'outbound',
  status: 'ringing',
  ...changes,
});

test('counts calls in total, by number and by workspace', (t) => {
  const calls = createLiveCalls();
  calls.add(call());
  calls.add(call({ callId: 'second' }));
  calls.add(call({ callId: 'third', numberId: 'another-number' }));
  t.is(calls.count.get(), 3);
  t.is(calls.countOfNumber('a-number'), 2);
  t.is(calls.countOfNumber('another-number'), 1);
  t.is(calls.countOfNumber('unknown'), 0);
  t.is(calls.countOfWorkspace('a-workspace'), 3);
  calls.remove('a-call');
  calls.remove('a-call');
  t.is(calls.count.get(), 2);
  t.is(calls.countOfNumber('a-number'), 1);
  t.is(calls.countOfWorkspace('a-workspace'), 2);
  t.deepEqual(
    [...calls.all()].map(({ callId }) => callId),
    ['second', 'third'],
  );
});

test('sets the status of a call and ignores a status of an unknown call', (t) => {
  const calls = createLiveCalls();
  calls.add(call());
  calls.setStatus('a-call', 'active');
  t.is(calls.get('a-call')?.status, 'active');
  calls.remove('a-call');
  calls.setStatus('a-call', 'active');
  t.is(calls.get('a-call'), undefined);
});

test('counts calls by direction and status', (t) => {
  const calls = createLiveCalls();
  calls.add(call());
  calls.add(call({ callId: 'second', direction: 'inbound' }));
  calls.setStatus('a-call', 'active');
  t.deepEqual(calls.countsByStatus.get(), {
    inbound: { ringing: 1, active: 0 },
    outbound: { ringing: 0, active: 1 },
  });
  calls.remove('a-call');
  t.deepEqual(calls.countsByStatus.get(), {
    inbound: { ringing: 1, active: 0 },
    outbound: { ringing: 0, active: 0 },
  });
});

test('notifies subscribers of a count only when it changes', (t) => {
  const calls = createLiveCalls();
  const counts: number[] = [];
  const subscription = calls.count.subscribe((count) => counts.push(count));
  calls.add(call());
  calls.setStatus('a-call', 'active');
  calls.setStatus('unknown', 'active');
  calls.remove('a-call');
  calls.remove('a-call');
  t.deepEqual(counts, [1, 0]);
  subscription.unsubscribe();
  calls.add(call());
  t.deepEqual(counts, [1, 0]);
});

test('emits each added or removed call once, after the change', (t) => {
  const calls = createLiveCalls();
  const events: string[] = [];
  const endAdded = calls.onAdded(({ callId }) => events.push(`${callId} added, ${calls.count.get()}`));
  const endRemoved = calls.onRemoved((callId) => events.push(`${callId} removed, ${calls.count.get()}`));
  calls.add(call());
  calls.setStatus('a-call', 'active');
  calls.remove('a-call');
  calls.remove('a-call');
  t.deepEqual(events, ['a-call added, 1', 'a-call removed, 0']);
  endAdded();
  endRemoved();
  calls.add(call());
  calls.remove('a-call');
  t.is(events.length, 2);
});

// Switchboard

/** A switchboard with the real charts over lines that the test controls. */
const setUpSwitchboard = (
  faults: { publish?: (fact: CallFact) => void; release?: (callId: string) => void } = {},
) => {
  const clock = new SimulatedClock();
  const liveCalls = createLiveCalls();
  const lines = new Map<string, (event: LineEvent) => void>();
  const disposed: string[] = [];
  const abandoned: string[] = [];
  const published: string[] = [];
  const ends: string[] = [];
  const released: string[] = [];
  const left: string[] = [];
  const logged: string[] = [];
  const publish = ({ context }: { context: { callId: string } }, fact: CallFact): void => {
    faults.publish?.(fact);
    published.push(`${context.callId} ${fact.type}`);
  };
  const conversation = conversationMachine.provide({
    actors: {
      reply: fromCallback<{ type: 'none' }, ReplyInput>(
        ({ input }) =>
          () =>
            void abandoned.push(input.callId),
      ),
    },
    actions: { publish },
  });
  const line = fromCallback<LineCommand | KeysCommand, LineInput>(({ input, sendBack }) => {
    lines.set(input.callId, sendBack);
    return () => void disposed.push(input.callId);
  });
  const logger = pino({ base: null }, { write: (text: string) => void logged.push(text) });
  const bus = createCallBus({ logger });
  bus.subscribe('ended', ({ callId, status, reason }) => ends.push(`${callId} ${status} ${reason}`));
  bus.subscribe('released', ({ callId }) => {
    released.push(callId);
    faults.release?.(callId);
  });
  const switchboard = createSwitchboard({
    machine: callMachine.provide({ actors: { line, conversation }, actions: { publish } }),
    clock,
    liveCalls,
    publish: (callId, fact) => void published.push(`${callId} ${fact.type} by the switchboard`),
    bus,
    releaseLine: (callId, audioUntil) => void left.push(`${callId}, audio until ${audioUntil}`),
    logger,
  });
  return {
    clock,
    liveCalls,
    switchboard,
    disposed,
    abandoned,
    published,
    ends,
    released,
    left,
    logged,
    connect: (callId: string, takenOver: CallResumeState | null = null): void =>
      switchboard.connect({ numberId: 'n', workspaceId: 'w', input: { ...callInput, callId, takenOver } }),
    tell: (callId: string, event: LineEvent): void => lines.get(callId)?.(event),
    stateOf: (callId: string) => {
      const actor = switchboard.find(callId);
      return actor && stateName(actor.getSnapshot().value);
    },
  };
};

const answered: LineEvent = { type: 'line.answered', at: 1 };

test.serial('finds a connected call and watches its states until the end', (t) => {
  const world = setUpSwitchboard();
  world.connect('a');
  t.truthy(world.switchboard.find('a'));
  t.is(world.switchboard.find('b'), undefined);
  t.like(world.liveCalls.get('a'), {
    numberId: 'n',
    workspaceId: 'w',
    direction: 'outbound',
    status: 'ringing',
  });
  world.tell('a', answered);
  t.is(world.stateOf('a'), 'active.talking.conversing');
  world.switchboard.find('a')?.send({ type: 'hangup.requested', immediate: true });
  t.is(world.stateOf('a'), 'active.ending');
  world.tell('a', { type: 'line.ended', at: 2, by: 'gateway' });
  world.clock.increment(5_000);
  t.is(world.switchboard.find('a'), undefined);
  t.is(world.stateOf('a'), undefined);
  t.deepEqual(world.ends, ['a completed agent_hangup']);
  t.deepEqual(world.released, ['a']);
});

test.serial(
  'hangs up all calls like a client: answered ones end after the current words, others keep ringing',
  (t) => {
    const world = setUpSwitchboard();
    for (const callId of ['a', 'b']) world.connect(callId);
    world.tell('a', answered);
    world.switchboard.hangUpAll();
    t.is(world.stateOf('a'), 'active.talking.hangup-pending');
    t.true(world.published.includes('a call.hangup_requested'));
    t.is(world.stateOf('b'), 'ringing.alerting');
  },
);

test.serial('waits until the lines of resumed calls are taken over or ended', async (t) => {
  const world = setUpSwitchboard();
  await world.switchboard.linesTaken(600_000);
  for (const callId of ['a', 'b']) world.connect(callId, takenOverCall());
  world.connect('c');
  let areTaken = false;
  const taken = world.switchboard.linesTaken(600_000).then(() => (areTaken = true));
  world.tell('a', { type: 'line.adopted', at: 1 });
  await Promise.resolve();
  t.false(areTaken);
  world.tell('b', { type: 'line.ended', at: 2, by: 'counterparty' });
  await taken;
  t.is(world.stateOf('a'), 'active.talking.conversing');
  t.is(world.stateOf('c'), 'ringing.alerting');
});

test.serial('waits for the lines of certain calls only', async (t) => {
  const world = setUpSwitchboard();
  for (const callId of ['a', 'b']) world.connect(callId, takenOverCall());
  const taken = world.switchboard.linesTaken(600_000, ['a', 'unknown']);
  world.tell('a', { type: 'line.adopted', at: 1 });
  await taken;
  t.is(world.stateOf('b'), 'active.taking-over');
});

test.serial('rejects a hangup of an unanswered call', (t) => {
  const world = setUpSwitchboard();
  for (const callId of ['a', 'b']) world.connect(callId);
  world.tell('a', { type: 'line.unanswered', at: 1, cause: 'busy' });
  world.tell('b', { type: 'line.unanswered', at: 1, cause: 'trunk_error' });
  t.deepEqual(world.ends, ['a no_answer busy', 'b failed trunk_error']);
});

test.serial('ends a call that crashes with a fact, without affecting others', (t) => {
  const world = setUpSwitchboard({
    publish(fact) {
      if (fact.type === 'call.hangup_requested') throw new Error('A mistake of ours');
    },
  });
  for (const callId of ['a', 'b']) {
    world.connect(callId);
    world.tell(callId, answered);
  }
  world.switchboard.find('a')?.send({ type: 'hangup.requested', immediate: false });
  t.is(world.switchboard.find('a'), undefined);
  t.deepEqual(world.ends, ['a failed system_error']);
  t.true(world.published.includes('a call.ended by the switchboard'));
  t.deepEqual(world.released, ['a']);
  t.deepEqual(world.abandoned, ['a'], 'nobody waits for its reply any more');
  t.true(world.logged.some((text) => text.includes('A mistake of ours') && text.includes('"call_id":"a"')));
  t.is(world.stateOf('b'), 'active.talking.conversing');
  world.tell('b', { type: 'line.ended', at: 2, by: 'counterparty' });
  world.clock.increment(5_000);
  t.is(world.ends.at(-1), 'b completed counterparty_hangup');
});

test.serial('logs a call that cannot be released, without affecting others', async (t) => {
  const world = setUpSwitchboard({
    release() {
      throw new Error('It will not go');
    },
  });
  world.connect('a');
  world.tell('a', { type: 'line.unanswered', at: 1, cause: 'busy' });
  t.true(world.logged.some((text) => text.includes('It will not go')));
  t.is(world.switchboard.find('a'), undefined);
  await world.switchboard.empty(60_000);
});

test.serial('a shutdown ends all calls, including calls that start later', (t) => {
  const world = setUpSwitchboard();
  for (const callId of ['ringing', 'talking']) world.connect(callId);
  world.tell('talking', answered);
  world.switchboard.closeAll();
  t.is(world.stateOf('ringing'), 'ringing.cancelling');
  t.is(world.stateOf('talking'), 'active.ending');
  world.connect('late');
  t.is(world.stateOf('late'), 'ringing.cancelling');
  world.clock.increment(5_000);
  t.deepEqual(world.ends.toSorted(), [
    'late failed system_error',
    'ringing failed system_error',
    'talking failed system_error',
  ]);
  t.is(world.liveCalls.count.get(), 0);
});

test.serial('waits until no call is left, or until a time-out', async (t) => {
  const world = setUpSwitchboard();
  await world.switchboard.empty(60_000);
  for (const callId of ['a', 'b']) world.connect(callId);
  await world.switchboard.empty(1);
  t.is(world.liveCalls.count.get(), 2);
  const order: string[] = [];
  const waits = async (): Promise<void> => {
    await world.switchboard.empty(60_000);
    order.push('empty');
  };
  const empty = waits();
  world.tell('a', { type: 'line.unanswered', at: 1, cause: 'busy' });
  await allMicrotasks();
  order.push('one is left');
  world.tell('b', { type: 'line.unanswered', at: 1, cause: 'busy' });
  await empty;
  t.deepEqual(order, ['one is left', 'empty']);
});

test.serial(
  'releases a call owned by another gateway without a fact, and continues the others',
  async (t) => {
    const world = setUpSwitchboard();
    for (const callId of ['taken', 'held']) world.connect(callId);
    world.tell('taken', answered);
    const before = world.published.length;
    world.switchboard.leave('taken', 'taken');
    world.switchboard.leave('taken', 'taken');
    t.is(world.switchboard.find('taken'), undefined);
    t.deepEqual(world.left, ['taken, audio until taken'], 'its line before its actor, which would hang up');
    t.deepEqual(world.released, ['taken']);
    t.deepEqual([world.published.length, world.ends], [before, []]);
    t.is(world.stateOf('held'), 'ringing.alerting');
    world.switchboard.leaveAll();
    t.deepEqual(world.left, ['taken, audio until taken', 'held, audio until now']);
    await world.switchboard.empty(60_000);
  },
);

// Listening in

test('a listener who arrives after a pause hears no audio from the pause', (t) => {
  const world = createCallWorld({ recording: true });
  world.answer();
  const overheard = createOverheard({
    bus: createCallBus({ logger: pino({ level: 'silent' }) }),
    find: () => world.actor,
  });
  const { skip, write } = overheard.overhear('one');
  world.ask({ type: 'recording.pause_requested' });
  skip(320);
  world.ask({ type: 'recording.resume_requested' });
  skip(320);
  const peaks: number[] = [];
  const onSound = (samples: Int16Array): void => void peaks.push(Math.max(...samples));
  overheard.listen('one', { isAnnounced: false, onState() {}, onSound }, () => {});
  for (let second = 0; second < 3; second += 1) write(new Int16Array(7_360).fill(5), new Int16Array(7_360));
  t.deepEqual(peaks, [0, 5, 5]);
});

/** A call in which the agent has greeted; `begin` adds a listener of whom the other party must be told first. */
const overheardWithNotice = () => {
  const bus = createCallBus({ logger: pino({ level: 'silent' }) });
  const onFact = (fact: CallFact): void => bus.publish('fact', { callId: 'one', fact: { at: 0, ...fact } });
  const world = createCallWorld({}, { onFact });
  world.answer();
  world.replyAndPlay('Good day.');
  const overheard = createOverheard({ bus, find: () => world.actor });
  const { write } = overheard.overhear('one');
  const states: ListenInState[] = [];
  return {
    world,
    states,
    begin(): void {
      const onState = (state: ListenInState): void => void states.push(state);
      overheard.listen('one', { isAnnounced: true, onState, onSound() {} }, () => {});
    },
    notices: () => world.said().filter((text) => text === listenInAnnouncement.en).length,
    /** The next audio of the call. */
    goOn: (): void => write(new Int16Array(320), new Int16Array(320)),
  };
};

/** The interruption is answered, and the notice is said to its end. `begun`: how often it was begun until then. */
const hearsNotice = (
  t: ExecutionContext,
  { world, states, notices, goOn }: ReturnType<typeof overheardWithNotice>,
  begun: number,
): void => {
  goOn();
  world.onLine({ type: 'line.heard', text: 'Wait.', backchannel: false });
  world.replyAndPlay('Yes?');
  goOn();
  t.is(notices(), begun);
  world.play();
  goOn();
  t.deepEqual(states, ['announcing', 'on']);
  goOn();
  t.is(notices(), begun);
};

test('repeats the notice for a listener if it is interrupted before its first word', (t) => {
  const overheard = overheardWithNotice();
  const { world, begin, notices } = overheard;
  begin();
  t.is(notices(), 1);
  world.onLine({ type: 'line.speech' });
  world.play('');
  hearsNotice(t, overheard, 2);
});

test('says the notice for a listener once if the words before it are interrupted', (t) => {
  const overheard = overheardWithNotice();
  const { world, begin, notices } = overheard;
  world.hear('Hello?');
  world.onReply({ type: 'reply.sentence', text: 'Your appointment is tomorrow.' });
  begin();
  t.is(notices(), 0);
  world.onLine({ type: 'line.speech' });
  world.play('Your appoint');
  hearsNotice(t, overheard, 1);
});

// Chart watch

const watched = (world: ReturnType<typeof createCallWorld>) => {
  const states: ChartState[] = [];
  const sayings: (string | null)[] = [];
  const hearings: (string | null)[] = [];
  const bus = createCallBus({ logger: pino({ level: 'silent' }) });
  const clock = new SimulatedClock();
  let words = '';
  const watch = createChartWatch({
    find: (callId) => (callId === 'one' ? world.actor : undefined),
    hearing: () => words,
    bus,
    clock,
  });
  const stop = watch('one', ({ saying, hearing, ...state }) => {
    if (hearings.length === 0 || hearing !== hearings.at(-1)) hearings.push(hearing);
    if (JSON.stringify(state) !== JSON.stringify(states.at(-1))) states.push(state);
    if (sayings.length === 0 || saying !== sayings.at(-1)) sayings.push(saying);
  });
  return {
    watch,
    stop: () => stop?.(),
    states,
    sayings,
    hearings,
    clock,
    /** The line has recognized these words so far. */
    recognize: (text: string) => (words = text),
    report: (event: LineEvent) => bus.publish('line', { callId: 'one', event }),
    story: () => states.map(({ call, conversation }) => `${call} | ${conversation ?? '-'}`),
  };
};

test('sends a watcher the current and all later states of both charts', (t) => {
  const world = createCallWorld();
  const { story } = watched(world);
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Good morning.' });
  world.onReply({ type: 'reply.finished' });
  world.ask({ type: 'hangup.requested', immediate: false });
  world.play();
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.deepEqual(story(), [
    'ringing.alerting | -',
    'active.talking.conversing | replying.thinking',
    'active.talking.conversing | replying.speaking',
    'active.talking.conversing | saying.sounding',
    'active.talking.hangup-pending | saying.sounding',
    'active.talking.hangup-pending | listening.silent',
    'active.ending | closing',
    'completed | -',
  ]);
});

test("sends a watcher the states of the line's charts while they exist, and the last state of a leg", (t) => {
  const world = createCallWorld();
  const lineLife = createActor(lineLifeMachine, {
    parent: world.actor,
    systemId: 'line-life',
    input: { isAdopted: false },
  });
  const leg = createActor(outboundLegMachine, { parent: lineLife, systemId: 'outbound-leg' });
  lineLife.start();
  leg.start();
  const { states, stop } = watched(world);
  leg.send({ type: 'chosen', trunks: 1, reason: null });
  lineLife.send({ type: 'rang' });
  leg.send({ type: 'cancel' });
  leg.send({ type: 'reserved' });
  stop();
  lineLife.send({ type: 'answered' });
  t.deepEqual(
    states.map((state) => [state['line-life'], state['outbound-leg'], state['inbound-leg']]),
    [
      ['calling.connecting', 'choosing', undefined],
      ['calling.connecting', 'reserving', undefined],
      ['calling.ringing', 'reserving', undefined],
      ['calling.ringing', 'abandoned', undefined],
      ['calling.ringing', 'failed', undefined],
    ],
  );
});

test("sends a watcher the agent's words sentence by sentence", (t) => {
  const world = createCallWorld();
  world.answer();
  const { sayings } = watched(world);
  world.onReply({ type: 'reply.sentence', text: 'Good morning.' });
  world.onReply({ type: 'reply.sentence', text: 'How are you?' });
  world.onReply({ type: 'reply.finished' });
  world.play();
  world.play();
  t.deepEqual(sayings, [null, 'Good morning.', 'Good morning. How are you?', null]);
});

test('sends a watcher the latest preliminary words of the other party, five times a second', (t) => {
  const world = createCallWorld();
  world.answer();
  const { hearings, recognize, report, clock } = watched(world);
  recognize('Good');
  clock.increment(1_000);
  t.deepEqual(hearings, [null], 'before the line reports speech');
  report({ type: 'line.speech', at: 0 });
  for (const text of [
    'Good morning',
    'Good morning is',
    'Good morning is the',
    'Good morning is the table',
  ]) {
    recognize(text);
    clock.increment(100);
  }
  t.deepEqual(hearings, [null, 'Good', 'Good morning is', 'Good morning is the table']);
  recognize('');
  report({ type: 'line.heard', at: 0, startedAt: 0, text: 'Is the table free?', backchannel: false });
  clock.increment(200);
  t.is(hearings.at(-1), null);
  recognize('Hello');
  clock.increment(10_000);
  t.is(hearings.at(-1), null, 'no further reads');
});

test('sends preliminary words to a watcher that comes while the other party speaks, until it leaves', (t) => {
  const world = createCallWorld();
  world.answer();
  const { watch, recognize, clock } = watched(world);
  recognize(`${'a'.repeat(2_000)} end`);
  const hearings: (string | null)[] = [];
  const stop = watch('one', ({ hearing }) => hearings.push(hearing));
  t.is(hearings[0]?.length, 1_000);
  t.true(hearings[0]?.endsWith(' end'));
  recognize('Hello');
  stop?.();
  clock.increment(10_000);
  t.is(hearings.length, 1);
});

test('keeps preliminary words out of the facts and of the state of a call', (t) => {
  const world = createCallWorld();
  world.answer();
  const { recognize, report } = watched(world);
  recognize('Secretly');
  report({ type: 'line.speech', at: 0 });
  world.onLine({ type: 'line.speech' });
  t.false(JSON.stringify([world.facts, world.actor.getPersistedSnapshot()]).includes('Secretly'));
});

test('sends a watcher only the end of a long turn', (t) => {
  const text = `${'a'.repeat(2_000)}\u{1F600}${'b'.repeat(999)}`;
  t.is(sayingNow({ spoken: null, unplayed: [text] }), `\uFFFD${'b'.repeat(999)}`);
  t.is(sayingNow({ spoken: null, unplayed: [] }), null);
});

test('sends a watcher the voicemail message', (t) => {
  const world = createCallWorld({ voicemail: 'leave_message' });
  world.answer();
  const { states, stop } = watched(world);
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  world.onLine({ type: 'line.takes_message' });
  world.play();
  t.deepEqual(
    states.map(({ conversation, voicemail }) => [conversation, voicemail]),
    [
      ['replying.thinking', null],
      ['voicemail', 'awaiting-beep'],
      ['voicemail', 'leaving-message'],
      ['voicemail', 'left'],
      ['closing', null],
      ['closing', null],
    ],
  );
  stop();
});

test('sends the current state to a new watcher at once', (t) => {
  const world = createCallWorld();
  world.answer();
  const { states } = watched(world);
  t.deepEqual(states, [
    { call: 'active.talking.conversing', conversation: 'replying.thinking', voicemail: null },
  ]);
});

test('sends neither unchanged states nor updates after a watch has ended', (t) => {
  const world = createCallWorld();
  const { states, stop } = watched(world);
  world.onLine({ type: 'line.ringing' });
  t.is(states.length, 1);
  stop();
  world.answer();
  t.is(states.length, 1);
});

test('rejects watching a call that this gateway does not own', (t) => {
  t.is(
    watched(createCallWorld()).watch('another', () => t.fail()),
    undefined,
  );
});

test('attributes a crash of a watched call to that call', (t) => {
  const world = createCallWorld({}, { publishCrashes: (fact) => fact.type === 'call.answered' });
  const { states } = watched(world);
  world.answer();
  t.is(world.errors.length, 1);
  t.is(states.at(-1)?.call, 'ringing.alerting');
});

// Call time

const hourMs = 3_600_000;

/** A wall clock that can be set, and a steady one with a different time. */
const createClocks = () => {
  let passed = 0;
  let set = 0;
  return {
    callTime: createCallTime({ wall: () => 1_000_000 + passed + set, steady: () => 500 + passed }),
    steady: () => 500 + passed,
    pass: (milliseconds: number) => (passed += milliseconds),
    set: (milliseconds: number) => (set += milliseconds),
  };
};

for (const [title, step] of Object.entries({ forward: hourMs, back: -hourMs })) {
  test(`keeps event times when the wall clock is set ${title} during a call`, (t) => {
    const { callTime, steady, pass, set } = createClocks();
    callTime.begin('a');
    pass(1_000);
    const answered = callTime.stamp('a', { type: 'call.answered', at: steady() });
    set(step);
    pass(4_000);
    const spoken: CallFact = {
      type: 'turn.spoken',
      role: 'user',
      text: 'Hello.',
      whole: true,
      at: steady() - 600,
      endedAt: steady(),
    };
    t.like(callTime.stamp('a', spoken), { at: 1_004_400, endedAt: 1_005_000 });
    const ended = callTime.stamp('a', { type: 'call.ended', reason: 'agent_hangup', status: 'completed' });
    t.is(answered.at, 1_001_000);
    t.is(ended.at - answered.at, 4_000);
  });
}

test("keeps the time of a resumed call regardless of this process's clocks", (t) => {
  const { callTime, steady, pass, set } = createClocks();
  callTime.resume('a', 777_000);
  callTime.begin('a');
  set(hourMs);
  pass(2_000);
  t.is(callTime.now('a'), 779_000);
  t.is(
    callTime.stamp('a', { type: 'call.taken_over', at: steady() - 500, node: 'b', from: 'a' }).at,
    778_500,
  );
  t.is(steady() + callTime.shiftOf('a'), 779_000);
});

test('uses the current wall clock for a call that begins after a clock change', (t) => {
  const { callTime, steady, set } = createClocks();
  callTime.begin('before');
  set(hourMs);
  callTime.begin('after');
  const answered: CallFact = { type: 'call.answered', at: steady() };
  t.is(callTime.stamp('before', answered).at, 1_000_000);
  t.is(callTime.stamp('after', answered).at, 1_000_000 + hourMs);
  t.is(callTime.onWall(steady()), 1_000_000 + hourMs);
  callTime.release('before');
  t.is(
    callTime.stamp('before', answered).at,
    1_000_000 + hourMs,
    'keeps no latency state of a call that is over',
  );
});

// Latency

const { callId } = callInput;

const createLatencyWorld = () => {
  let at = 1_000;
  const observed: [string, number][] = [];
  const bus = createCallBus({ logger: pino({ level: 'silent' }) });
  bus.subscribe('measured', ({ stage, milliseconds }) => observed.push([stage, milliseconds]));
  const times = createLatency({ bus, now: () => at, agentOf: () => 'webhook' });
  const onLine = (event: LineEvent): void => bus.publish('line', { callId, event });
  const spoken = (startedAt: number, role: 'assistant' | 'user' = 'assistant'): CallFact => ({
    type: 'turn.spoken',
    at: startedAt,
    endedAt: at,
    role,
    text: 'Good morning.',
    whole: true,
  });
  return {
    times,
    observed,
    reply: (stage: 'asked' | 'first_token' | 'first_sentence'): void =>
      bus.publish('reply', { callId, stage }),
    release: (): void => bus.publish('released', { callId }),
    pass: (milliseconds: number): void => void (at += milliseconds),
    hears: (endedAt?: number, backchannel = false): void =>
      onLine({
        type: 'line.heard',
        at,
        startedAt: endedAt ?? at,
        text: 'Yes?',
        backchannel,
        ...(endedAt === undefined ? {} : { endedAt }),
      }),
    plays: (startedAt: number, text = 'Good morning.', whole = true): void =>
      onLine({ type: 'line.played', at, startedAt, utterance: 1, text, whole }),
    answers: (): void => onLine({ type: 'line.answered', at }),
    isHeld: (): void => onLine({ type: 'line.held', at }),
    isResumed: (): void => onLine({ type: 'line.resumed', at }),
    spoken,
    latencyOfTurn(startedAt: number) {
      const fact = times.addTo(callId, spoken(startedAt));
      return fact.type === 'turn.spoken' ? fact.latency : undefined;
    },
  };
};

test('adds the time since the answer to each result of answer detection', (t) => {
  const { times, reply, release, answers, pass } = createLatencyWorld();
  const verdict = (at: number, by: 'screening' | 'human'): CallFact => ({ type: 'call.answered_by', at, by });
  t.deepEqual(times.addTo(callId, verdict(1_500, 'human')), verdict(1_500, 'human'), 'after a take-over');
  answers();
  pass(1_000);
  reply('asked');
  t.deepEqual(times.addTo(callId, verdict(3_400, 'screening')), {
    ...verdict(3_400, 'screening'),
    latency: { answeredByMs: 2_400 },
  });
  t.deepEqual(times.addTo(callId, verdict(9_000, 'human')), {
    ...verdict(9_000, 'human'),
    latency: { answeredByMs: 8_000 },
  });
  release();
  t.deepEqual(times.addTo(callId, verdict(9_500, 'human')), verdict(9_500, 'human'));
});

test('records the duration of each stage of an agent turn', (t) => {
  const { observed, reply, pass, hears, plays, latencyOfTurn } = createLatencyWorld();
  hears(700);
  pass(20);
  reply('asked');
  pass(200);
  reply('first_token');
  pass(50);
  reply('first_sentence');
  pass(2_000);
  plays(1_320);
  plays(2_520);
  t.deepEqual(latencyOfTurn(1_320), {
    agent: 'webhook',
    endpointingMs: 300,
    queuedMs: 20,
    firstTokenMs: 200,
    firstSentenceMs: 250,
    firstAudioMs: 300,
  });
  t.deepEqual(observed, [
    ['endpointing', 300],
    ['first_token', 200],
    ['first_sentence', 250],
    ['first_audio', 300],
    ['wait', 1_320 - 700],
  ]);
  t.is(latencyOfTurn(1_320), undefined, 'it is told once');
});

test('measures no wait for words before the agent finished, a hold or a transfer', (t) => {
  const { times, observed, reply, pass, hears, plays, isHeld, isResumed, latencyOfTurn } =
    createLatencyWorld();
  const answered = (): object | undefined => {
    pass(10);
    reply('asked');
    reply('first_sentence');
    plays(5_000);
    const latency = latencyOfTurn(5_000);
    t.is(latency?.endpointingMs, undefined);
    return latency;
  };
  const unmeasured = { agent: 'webhook', firstSentenceMs: 0 };
  hears(900);
  pass(10);
  plays(500, 'What it was saying when it could not be interrupted.');
  t.like(answered(), unmeasured);
  hears(1_000);
  isHeld();
  hears(1_000);
  pass(5_000);
  isResumed();
  t.like(answered(), unmeasured);
  hears(1_000);
  t.like(answered(), unmeasured, 'words from before the hold that came after it');
  pass(100);
  hears(6_100);
  times.addTo(callId, { type: 'call.transfer_failed', transferId: 'a', reason: 'busy' });
  t.like(answered(), unmeasured);
  hears(6_100);
  hears();
  t.like(answered(), unmeasured);
  t.false(observed.some(([stage]) => stage === 'wait'));
});

test('measures the wait for an answer to an interruption', (t) => {
  const { reply, pass, hears, plays, latencyOfTurn } = createLatencyWorld();
  hears(900);
  plays(500, 'What it was', false);
  reply('asked');
  reply('first_sentence');
  pass(10);
  plays(1_010);
  t.like(latencyOfTurn(1_010), { endpointingMs: 100, queuedMs: 0, firstAudioMs: 10 });
});

test('does not use words of a program in place of a reply as its first audio', (t) => {
  const { observed, reply, plays, latencyOfTurn } = createLatencyWorld();
  reply('asked');
  reply('first_sentence');
  plays(1_000, '', false);
  plays(1_400, 'What a program says instead.');
  t.is(latencyOfTurn(1_400), undefined);
  t.false(observed.some(([stage]) => stage === 'first_audio'));
});

test('omits unknown latencies from an agent turn', (t) => {
  const { reply, pass, hears, plays, latencyOfTurn } = createLatencyWorld();
  hears();
  reply('asked');
  pass(10);
  reply('first_sentence');
  plays(1_020);
  t.deepEqual(latencyOfTurn(1_020), { agent: 'webhook', firstSentenceMs: 10, firstAudioMs: 20 });
});

test('does not start a latency measurement at a backchannel', (t) => {
  const { observed, reply, hears, plays, latencyOfTurn } = createLatencyWorld();
  hears(900, true);
  reply('asked');
  reply('first_sentence');
  plays(1_000);
  t.deepEqual(latencyOfTurn(1_000), { agent: 'webhook', firstSentenceMs: 0, firstAudioMs: 0 });
  t.deepEqual(
    observed.map(([stage]) => stage),
    ['first_sentence', 'first_audio'],
  );
});

test('measures no latency for sentences of the gateway or words of the other party', (t) => {
  const { times, reply, plays, spoken, latencyOfTurn } = createLatencyWorld();
  plays(1_000);
  t.is(latencyOfTurn(1_000), undefined, 'a greeting, before any reply');
  reply('asked');
  reply('first_token');
  plays(1_500);
  t.is(latencyOfTurn(1_500), undefined, 'an apology: the reply failed before its first sentence');
  reply('asked');
  reply('first_sentence');
  plays(2_000);
  const heard = spoken(2_000, 'user');
  t.is(times.addTo(callId, heard), heard);
  t.truthy(latencyOfTurn(2_000));
  plays(9_000);
  t.is(latencyOfTurn(9_000), undefined, 'a reprompt, after the reply');
});

test('does not use an unheard sentence as the first audio of a reply', (t) => {
  const { reply, plays, latencyOfTurn } = createLatencyWorld();
  reply('asked');
  reply('first_sentence');
  plays(1_000, '');
  plays(1_400);
  t.deepEqual(latencyOfTurn(1_400), { agent: 'webhook', firstSentenceMs: 0, firstAudioMs: 400 });
});

test('removes the latency state of an ended call', (t) => {
  const { reply, release, plays, latencyOfTurn } = createLatencyWorld();
  reply('asked');
  reply('first_sentence');
  release();
  plays(1_000);
  t.is(latencyOfTurn(1_000), undefined);
});

// Lines

test('publishes a dot instead of each secret DTMF digit', (t) => {
  const bus = createCallBus({ logger: pino({ level: 'silent' }) });
  const digits: string[] = [];
  bus.subscribe('line', ({ event }) => {
    if (event.type === 'line.digit') digits.push(event.digit);
  });
  let report: (event: LineEvent) => void = () => {};
  const open: OpenLine = (_, emit) => {
    report = emit;
    return { tell() {}, close() {}, release() {} };
  };
  const lines = createOpenLines({
    bus,
    open,
    resume: (input, _, emit) => open(input, emit),
    secretKeys: createSecretKeys(),
  });
  const actor = createActor(lines.actor, { input: callInput }).start();
  const press = (digit: string): void => report({ type: 'line.digit', at: 1, digit });
  press('1');
  actor.send({ type: 'hideKeys', finish: '#' });
  for (const digit of '23#') press(digit);
  actor.stop();
  t.deepEqual(digits, ['1', '•', '•', '#']);
});

// Known keys

const everyMs = 5_000;

/** A number with a key and an active call, and a database that can be unreachable. */
const createKeysWorld = async (t: ExecutionContext) => {
  const database = await testDatabase();
  const { numberId, workspaceId, number: digits } = await storedNumber(database);
  const liveCalls = createLiveCalls();
  const clock = new SimulatedClock();
  const asked: string[] = [];
  let isAway = false;
  const known = createKnownKeys({
    database: scriptedStatements(async (sql, parameters) => {
      asked.push(sql);
      if (isAway) throw new DatabaseAway();
      return database.execute(sql, parameters);
    }),
    liveCalls,
    everyMs,
    clock,
    logger: pino({ level: 'silent' }),
  });
  t.teardown(known.close);
  const issueKey = async (keyHash: Buffer = randomBytes(32)): Promise<Buffer> => {
    await putNumberKey(database, { numberId, keyHash, keySealed: 'sealed', issuedAt: new Date() });
    return keyHash;
  };
  return {
    database,
    known,
    asked,
    issueKey,
    numberId,
    async number() {
      const number = await findNumberByDigits(database, digits);
      if (number === undefined) throw new Error('The number is gone');
      return number;
    },
    goAway: () => (isAway = true),
    async begin(callId = 'a-call') {
      liveCalls.add({ callId, numberId, workspaceId, direction: 'outbound', status: 'active' });
      known.begin(numberId);
      await known.settled();
    },
    end: () => liveCalls.remove('a-call'),
    async pass() {
      clock.increment(everyMs);
      await known.settled();
    },
  };
};

test.serial('finds the key of an active call without the database until the call ends', async (t) => {
  const { known, asked, issueKey, numberId, goAway, begin, end } = await createKeysWorld(t);
  const key = await issueKey();
  t.is(known.find([key]), undefined, 'nothing is kept of a number without a call');
  await begin();
  goAway();
  const questions = asked.length;
  t.is(known.find([randomBytes(32), key])?.id, numberId);
  t.is(known.find([randomBytes(32)]), undefined);
  t.is(asked.length, questions);
  end();
  t.is(known.find([key]), undefined);
});

test.serial('forgets a replaced key while the database is reachable', async (t) => {
  const { known, issueKey, numberId, begin, pass } = await createKeysWorld(t);
  const old = await issueKey();
  await begin();
  t.is(known.find([old])?.id, numberId);
  const fresh = await issueKey();
  await pass();
  t.is(known.find([old]), undefined);
  t.is(known.find([fresh])?.id, numberId);
});

test.serial('keeps known keys while the database is unreachable', async (t) => {
  const { known, issueKey, numberId, goAway, begin, pass } = await createKeysWorld(t);
  const key = await issueKey();
  await begin();
  goAway();
  await pass();
  await pass();
  t.is(known.find([key])?.id, numberId);
});

test.serial('keeps a key that was authenticated recently', async (t) => {
  const { known, numberId, goAway, begin, pass, number } = await createKeysWorld(t);
  const key = randomBytes(32);
  goAway();
  await begin();
  t.is(known.find([key]), undefined);
  known.note([randomBytes(32), key], await number());
  t.is(known.find([key])?.id, numberId);
  await pass();
  t.is(known.find([key])?.id, numberId, 'the database has not said that it was replaced');
});

test.serial(
  'waits one second for an unresponsive database if the key is known, otherwise until it responds',
  async (t) => {
    const world = await createKeysWorld(t);
    const { known, numberId, issueKey, begin } = world;
    const text = 'gw_number_key';
    const keys = createSealing(Buffer.alloc(32, 7));
    const clock = new SimulatedClock();
    let isSilent = false;
    const authenticate = createNumberAuthentication({
      database: {
        ...world.database,
        ...scriptedStatements((sql, parameters) =>
          isSilent ? new Promise(() => {}) : world.database.execute(sql, parameters),
        ),
      },
      sealing: keys,
      knownKeys: known,
      patienceMs: 1_000,
      clock,
    });
    await issueKey(keys.fingerprints(text)[0]);
    await begin();
    t.is((await authenticate(text, { needsNoDatabase: true }))?.id, numberId);
    isSilent = true;
    const inCall = authenticate(text, { needsNoDatabase: true });
    let isAnswered = false;
    void authenticate(text, { needsNoDatabase: false }).then(() => (isAnswered = true));
    clock.increment(1_000);
    t.is((await inCall)?.id, numberId);
    t.false(isAnswered);
  },
);

test.serial('does not query the database for further calls of a number', async (t) => {
  const { asked, issueKey, begin } = await createKeysWorld(t);
  await issueKey();
  await begin('one');
  for (const callId of ['two', 'three', 'four']) await begin(callId);
  t.is(asked.length, 1);
});

// Secret digits

const masked: Message = { role: 'user', content: '[keys] ••••' };
const words: Message = { role: 'user', content: 'Hello.' };
const user = (content: string): Message => ({ role: 'user', content });

type Keys = ReturnType<typeof createSecretKeys>;

const press = (keys: Keys, digits: string, callId = 'a'): string =>
  Array.from(digits, (digit) => keys.press(callId, digit)).join('');

test('keeps digits readable until secret ones are requested', (t) => {
  const keys = createSecretKeys();
  t.is(press(keys, '1'), '1');
  keys.hide('a', '#');
  t.is(press(keys, '12#'), '••#');
  t.is(press(keys, '1', 'b'), '1', 'those of another call are not');
  keys.keep('a');
  t.deepEqual(keys.reveal('a', [words, masked]), [words, user('[keys] 12')]);
});

test('masks digits after secret ones, outside turns, until other digits are requested', (t) => {
  const keys = createSecretKeys();
  keys.hide('a', '#');
  press(keys, '12');
  keys.keep('a');
  t.is(press(keys, '3#'), '••');
  keys.hide('a', null);
  press(keys, '4');
  keys.forget('a');
  t.is(press(keys, '5'), '•');
  t.deepEqual(keys.reveal('a', [masked, masked]), [user('[keys] 12'), masked]);
  keys.show('a');
  t.is(press(keys, '6'), '6');
});

test('masks digits after a take-over if the last ones were secret', (t) => {
  const keys = createSecretKeys();
  keys.begin('a', [words]);
  keys.forget('a');
  t.is(press(keys, '1'), '•');
});

test('reveals masked secret digits to the agent at their place', (t) => {
  const keys = createSecretKeys();
  for (const [digits, isOver] of [
    ['11', true],
    ['', true],
    ['22', false],
  ] as const) {
    keys.hide('a', null);
    press(keys, digits);
    if (isOver) keys.keep('a');
  }
  const history = [masked, user('[keys]'), words, masked];
  t.deepEqual(keys.reveal('a', history), [user('[keys] 11'), user('[keys]'), words, user('[keys] 22')]);
  t.deepEqual(keys.reveal('a', history.slice(0, 3)), [user('[keys] 11'), user('[keys]'), words]);
  t.deepEqual(keys.reveal('b', history), history);
});

test('creates no turn for digits that are abandoned or requested again', (t) => {
  const keys = createSecretKeys();
  keys.hide('a', null);
  press(keys, '11');
  keys.hide('a', null);
  press(keys, '22');
  keys.forget('a');
  press(keys, '3');
  keys.hide('a', null);
  press(keys, '44');
  keys.keep('a');
  t.deepEqual(keys.reveal('a', [masked]), [user('[keys] 44')]);
});

test('keeps digits masked that only another process knows', (t) => {
  const keys = createSecretKeys();
  keys.begin('a', [words, masked, masked]);
  t.deepEqual(keys.reveal('a', [words, masked, masked]), [words, masked, masked]);
  keys.hide('a', null);
  press(keys, '33');
  t.deepEqual(keys.reveal('a', [masked, masked, masked]), [masked, masked, user('[keys] 33')]);
  keys.keep('a');
  t.deepEqual(keys.reveal('a', [masked, masked, masked]), [masked, masked, user('[keys] 33')]);
});

test('forgets secret digits after the end of the call', (t) => {
  const keys = createSecretKeys();
  keys.hide('a', null);
  press(keys, '1');
  keys.release('a');
  t.deepEqual(keys.reveal('a', [masked]), [masked]);
  t.is(press(keys, '2'), '2');
});
