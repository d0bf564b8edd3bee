/**
 * Call control as in the gateway: the real charts, journal, switchboard and database. The test controls the telephone
 * at the far end and the agent; time is simulated.
 */
import { randomUUID } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import pino from 'pino';
import { fromCallback, SimulatedClock } from 'xstate';
import { readConfig } from '#config/config.ts';
import { callTimes, journalLimits, platformMaxCallsInProgress, queueLimits } from '#config/policy.ts';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import type { CallFact } from '#machines/facts.ts';
import type { KeysCommand, LineCommand, LineEvent, LineInput } from '#machines/line.ts';
import type { ReplyInput } from '#machines/reply.ts';
import { sentencesOf } from '#src/agents/utterances.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { createCallBus } from '#src/calls/call-bus.ts';
import { createCallControl } from '#src/calls/call-control.ts';
import type { CallParts } from '#src/calls/call-parts.ts';
import { stateName } from '#src/calls/live/chart-watch.ts';
import { createJournal } from '#src/calls/journal/journal.ts';
import { createLiveCalls } from '#src/calls/live/live-calls.ts';
import { createSwitchboard } from '#src/calls/live/switchboard.ts';
import { journalPosition, recordFact } from '#src/persistence/calls/call-facts.ts';
import { findNumberByDigits } from '#src/persistence/numbers/callable-numbers.ts';
import { findCall } from '#src/persistence/calls/calls.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { createSealing } from '#src/persistence/database/sealing.ts';
import type { Arrival } from '#src/domain/arrival.ts';
import type { DailyNotice } from '#src/calls/setup/daily-minutes.ts';
import { platformPolicyOf } from '#src/start/platform-policy.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedNumber, type StoredNumber } from '#test/helpers/stored-number.ts';

/** The dependencies of calls without their grouping. */
type Options = CallParts['storage'] &
  CallParts['live'] &
  CallParts['agents'] &
  CallParts['cluster'] &
  CallParts['telephony'] &
  CallParts['limits'] &
  Pick<CallParts, 'times' | 'clock' | 'now' | 'logger'>;

/** A line opened by the chart. */
type OpenedLine = {
  input: LineInput;
  commands: (LineCommand | KeysCommand)[];
  tell: (event: LineEvent) => void;
};

/** The wall clock at the start of the simulated one. */
export const beginning = Date.parse('2026-11-21T03:00:00.000Z');

/** Reads of the wall clock return the simulated time. */
const wallClockBy = (clock: SimulatedClock) => ({
  now: () => beginning + clock.now(),
  setTimeout: (callback: () => void, ms: number) => clock.setTimeout(callback, ms),
  clearTimeout: (id: unknown) => {
    if (typeof id === 'number') clock.clearTimeout(id);
  },
});

type Published = { context: { callId: string } };

/** The charts, with lines stored by call and agents that stay silent. */
const machineWith = (lines: Map<string, OpenedLine>, publish: (_: Published, fact: CallFact) => void) =>
  callMachine.provide({
    actors: {
      line: fromCallback<LineCommand | KeysCommand, LineInput>(({ input, sendBack, receive }) => {
        const opened: OpenedLine = { input, commands: [], tell: sendBack };
        lines.set(input.callId, opened);
        receive((command) => void opened.commands.push(command));
      }),
      conversation: conversationMachine.provide({
        actors: { reply: fromCallback<{ type: 'none' }, ReplyInput>(() => {}) },
        actions: { publish },
      }),
    },
    actions: { publish },
  });

/** A single gateway, with enough capacity and the platform settings. */
const alone = {
  handshake: () => {
    throw new Error('Nobody is to be asked');
  },
  sentencesOf,
  summarizeSoFar: null,
  hasLines: true,
  askNode: () => {
    throw new Error('No other gateway is to be asked');
  },
  counting: {
    alone: () => () => {},
    store: () => {
      throw new Error('No other gateway is there');
    },
  },
  admission: { maxCalls: 100, maxBeginning: 100 },
  load: { pressure: () => null, share: () => 1, hasRoom: () => true, take: () => {} },
  configuredHeaders: null,
  platformPolicy: platformPolicyOf(readConfig({}, false)),
  country: 'KR',
  platformDailyMinutes: null,
  maxCallsInProgress: platformMaxCallsInProgress,
  times: callTimes,
  node: 'test',
  underway: { forMs: 0, lookMs: 100 },
  queues: queueLimits,
} satisfies Partial<Options>;

/** Actions of the other party, through the line of its call. */
const farEndOf = (lines: ReadonlyMap<string, OpenedLine>, now: () => number) => {
  const lineOf = (callId: string): OpenedLine => {
    const line = lines.get(callId);
    if (line === undefined) throw new Error(`Call ${callId} has no line`);
    return line;
  };
  const tell = (callId: string, event: (at: number) => LineEvent): void => lineOf(callId).tell(event(now()));
  return {
    lineOf,
    answer: (callId: string): void => tell(callId, (at) => ({ type: 'line.answered', at })),
    /** The line confirms the cancellation before the answer. */
    confirmCancel: (callId: string): void =>
      tell(callId, (at) => ({ type: 'line.unanswered', at, cause: 'cancelled' })),
    /** The other party hangs up. */
    hangUp: (callId: string): void => tell(callId, (at) => ({ type: 'line.ended', at, by: 'counterparty' })),
  };
};

type Stored = { database: Database; stored: StoredNumber };

/** Requests of clients and callers to the number. */
const requestsTo = (
  callControl: ReturnType<typeof createCallControl>,
  { database, stored, now }: Stored & { now: () => number },
) => {
  const number = async () => {
    const found = await findNumberByDigits(database, stored.number);
    if (found === undefined) throw new Error('The number is gone');
    return found;
  };
  return {
    /** The number as a request with its key finds it. */
    number,
    /** Requests with the number's key about a call. */
    mine: (callId: string) => ({ callId, numberId: stored.numberId }),
    async place(request: Partial<Parameters<typeof callControl.placeCall>[1]> = {}): Promise<string> {
      const { callId } = await callControl.placeCall(await number(), {
        to: '01000000001',
        instruction: null,
        maxDurationSec: null,
        keyed: null,
        ...request,
      });
      return callId;
    },
    async receive({ from = '01012345678', to = stored.number, ...told }: Partial<Arrival> = {}) {
      const callId = randomUUID();
      const arrival = { ...told, callId, from, to, at: now() };
      return { callId, verdict: await callControl.receiveCall(arrival) };
    },
  };
};

/** Stored state of calls. */
const lookAt = ({
  database,
  stored,
  journal,
  switchboard,
}: Stored & Pick<Options, 'journal' | 'switchboard'>) => ({
  stateOf: (callId: string): string | undefined => {
    const actor = switchboard.find(callId);
    return actor && stateName(actor.getSnapshot().value);
  },
  /** The row of a call, once every appended fact is written. */
  async rowOf(callId: string) {
    await journal.settled();
    return findCall(database, { callId, workspaceId: stored.workspaceId });
  },
  /** The number of rows of this number. */
  async rows(): Promise<number> {
    const [row] = await database.execute<{ count: number }>(
      'select count(*)::int as count from call where number_id = $1',
      [stored.numberId],
    );
    return row?.count ?? 0;
  },
});

export const createCallControlWorld = async (t: ExecutionContext, changes: Partial<Options> = {}) => {
  const database = await testDatabase(t);
  const sealing = createSealing(Buffer.alloc(32, 7));
  const stored = await storedNumber(database);
  const clock = new SimulatedClock();
  const wallClock = wallClockBy(clock);
  const lines = new Map<string, OpenedLine>();
  const agentCalls = new Map<string, AgentCall>();
  const released: string[] = [];
  const ends: string[] = [];
  const logged: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void logged.push(line) });

  const bus = createCallBus({ logger });
  bus.subscribe('ended', ({ callId, status, reason }) => ends.push(`${callId} ${status} ${reason}`));
  bus.subscribe('released', ({ callId }) => {
    agentCalls.delete(callId);
    released.push(callId);
  });
  const journal = createJournal({
    bus,
    retry: journalLimits.retry,
    write: (callId, sequence, fact) => recordFact(database, callId, sequence, fact),
    positionOf: (callId) => journalPosition(database, callId),
    finishesRecording: async () => false,
    isPassing: () => false,
    clock: wallClock,
    logger,
    limit: 1_000,
  });
  const machine = machineWith(lines, ({ context }, fact) => journal.append(context.callId, fact));
  const liveCalls = createLiveCalls();
  const switchboard = createSwitchboard({
    machine,
    clock,
    liveCalls,
    publish: journal.append,
    bus,
    releaseLine: () => {},
    logger,
  });
  const dailyNotices: DailyNotice[] = [];
  const all: Options = {
    database,
    sealing,
    journal,
    liveCalls,
    switchboard,
    bus,
    keepAgent: (callId, agentCall) => void agentCalls.set(callId, agentCall),
    keepSettings: () => undefined,
    ...alone,
    onDailyNotice: (notice) => void dailyNotices.push(notice),
    clock: wallClock,
    now: wallClock.now,
    logger,
    ...changes,
  };
  const callControl = createCallControl({
    ...all,
    storage: all,
    live: all,
    agents: all,
    cluster: all,
    telephony: all,
    limits: all,
  });

  return {
    database,
    sealing,
    stored,
    clock,
    bus,
    callControl,
    journal,
    liveCalls,
    switchboard,
    lines,
    ...farEndOf(lines, wallClock.now),
    agentCalls,
    released,
    ends,
    dailyNotices,
    logged,
    ...requestsTo(callControl, { database, stored, now: wallClock.now }),
    ...lookAt({ database, stored, journal, switchboard }),
  };
};

export type CallControlWorld = Awaited<ReturnType<typeof createCallControlWorld>>;
