/**
 * Continuation of calls beyond one process (src/continuity). Takes over or ends the orphaned calls of this gateway's
 * dead process and of lost gateways, and hands over or ends calls in progress when this gateway stops.
 */
import { callTimes, closing } from '#config/policy.ts';
import { createPendingHangUps } from '#src/continuity/pending-hang-ups.ts';
import { createTakeOver, isResumable, type TakeOver } from '#src/continuity/take-over.ts';
import { createOwnership } from '#src/continuity/ownership.ts';
import type { TakeHandedOver } from '#src/continuity/hand-over-requests.ts';
import type { OrphanedCalls } from '#src/continuity/orphaned-calls.ts';
import {
  takeFromEarlierProcess,
  takeFromLostNode,
  takeHandedOver,
  type TakenCall,
} from '#src/persistence/calls/claim-calls.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import type { Runtime } from './runtime.ts';
import type { Agents } from './agents.ts';
import type { Calls, CallJournal } from './calls.ts';
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import {
  beginHandOver,
  type HandOver,
  type Successors,
  type StandingCall,
} from '#src/continuity/hand-over.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import { sharedLines, type Cluster } from './cluster.ts';
import type { Telephony } from './telephony.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Switchboard } from '#src/calls/live/switchboard.ts';
import type { NodeDuties } from '#src/continuity/nodes/node-watch.ts';
import { releaseDeliveriesOf } from '#src/persistence/events/deliveries.ts';
import type { StreamPermits } from '#src/api/http/stream-permits.ts';
import type { Admission } from '#src/calls/setup/admission.ts';
import type { Lines } from '#sip/lines.ts';

/** Calls of an earlier process of this gateway. */
export type LeftCalls = {
  /** Calls to resume. */
  waiting: readonly TakenCall[];
  isResumed: (callId: string) => boolean;
};

/** Ends calls that cannot continue. Resolves when their end is stored. */
const endOthers = (
  taken: readonly TakenCall[],
  canResume: (call: TakenCall) => boolean,
  orphanedCalls: OrphanedCalls,
): TakenCall[] => {
  for (const call of taken) if (!canResume(call)) orphanedCalls.end(call);
  return taken.filter(canResume);
};

/**
 * Takes over the calls of this gateway's dead process and ends those that cannot continue. These calls are taken over
 * before the port opens, so that readers see no orphaned call, and before recordings are recovered.
 */
export const takeLeftCalls = async (
  { config, database }: Runtime,
  orphanedCalls: OrphanedCalls,
  { journal }: CallJournal,
): Promise<LeftCalls> => {
  const hasLines = config.lines !== 'none';
  const taken = await takeFromEarlierProcess(database, config.node);
  const waiting = endOthers(taken, (call) => hasLines && isResumable(call), orphanedCalls);
  await journal.settled();
  const ids = new Set(waiting.map(({ id }) => id));
  return { waiting, isResumed: (callId) => ids.has(callId) };
};

export type StartedTakeOver = TakeOver & {
  /** Takes over the calls of a gateway that was found dead (src/cluster), unless that gateway runs again. */
  takeFrom(node: string): Promise<void>;
  /** Calls that a stopping gateway released for this one. */
  take: TakeHandedOver;
  /**
   * Claims calls of `leaveAll` that no other gateway has taken. Resumes calls whose take-over was in doubt once the
   * database confirms it. Performs hang-ups that were requested while no gateway held the calls, if there are any.
   */
  settle(seen: { hasPendingHangups: boolean }): Promise<void>;
  /** Releases all calls, because others declared this gateway dead and may have taken them. */
  leaveAll(): void;
  /** Claims those of these calls, which this gateway has released, that no other gateway takes. */
  takeBack(callIds: readonly string[]): void;
};

export const startTakeOver = (
  { config, database, sealing, clock, steadyClock, databaseClock, callTime, bus, logger }: Runtime,
  parts: {
    journalling: CallJournal;
    calls: Calls;
    agents: Agents;
    recordings: Recordings;
    telephony: Pick<Telephony, 'lines' | 'endLegs'>;
  },
  orphanedCalls: OrphanedCalls,
): StartedTakeOver => {
  const { calls } = parts;
  const { node } = config;
  const takeOver = createTakeOver({
    database,
    sealing,
    journal: parts.journalling.journal,
    orphanedCalls,
    switchboard: calls.switchboard,
    bus,
    keepAgent: (callId, agentCall, workspaceId) =>
      parts.agents.keep(callId, agentCall, workspaceId, calls.control.own),
    checkpoints: parts.journalling.checkpoints,
    expectLine: calls.expectLine,
    endLegs: parts.telephony.endLegs,
    expectRecording: parts.recordings.expect,
    times: callTimes,
    node,
    callTime,
    clocks: { wall: clock.now, database: databaseClock.now },
    timers: steadyClock,
    logger,
  });
  const hasLines = config.lines !== 'none';
  const pendingHangUps = createPendingHangUps({
    database,
    node,
    performHere: calls.control.performHere,
    journal: parts.journalling.journal,
    logger,
  });
  const resume: TakeOver['resume'] = async (taken) => {
    await takeOver.resume(taken);
    await pendingHangUps.perform();
  };
  const ownership = createOwnership({
    database,
    node,
    release: (callId) => calls.switchboard.leave(callId, 'now'),
    resume,
  });
  // A stopping gateway would end the calls; another gateway takes them when it has ended.
  const takeBack = (callIds: readonly string[]): void => {
    if (!calls.admission.isDraining()) ownership.takeBack(callIds);
  };
  // A gateway that had lost the call may have acted in it: then the database still names this one.
  bus.subscribe('taken', ({ callId }) => takeBack([callId]));
  return {
    resume,
    async settle({ hasPendingHangups }) {
      if (hasPendingHangups) await pendingHangUps.perform();
      await ownership.settle();
    },
    leaveAll() {
      takeBack(calls.switchboard.leaveAll());
    },
    takeBack,
    async take({ from, callIds }) {
      const canTake = hasLines && !calls.admission.isDraining() && parts.telephony.lines.health().ready;
      if (!canTake) return false;
      if (callIds.length === 0) return true;
      await ownership.take(() => takeHandedOver(database, { from, by: node, callIds }));
      // The other gateway releases its next calls after this: calls that wait for their line are not heard.
      await calls.switchboard.linesTaken(closing.handOverLinesMs, callIds);
      return true;
    },
    takeFrom: (from) =>
      ownership.take(() => takeFromLostNode(database, { from, by: node, canResume: hasLines })),
  };
};

/** Duties of this gateway towards others that share the database. */
export const nodeDuties = (
  { database }: Pick<Runtime, 'database'>,
  parts: {
    telephony: Pick<Telephony, 'disown' | 'endLegsOf'>;
    recordings: Pick<Recordings, 'checkErased'>;
  },
  takeOver: Pick<StartedTakeOver, 'takeFrom' | 'leaveAll' | 'settle'>,
): Omit<NodeDuties, 'condition'> => {
  const { telephony, recordings } = parts;
  let wasLost = false;
  return {
    cleanUps: [
      // Done before the rest, because the other parties are waiting.
      {
        what: 'taking over its calls',
        // The relay refuses the messages of that gateway before it receives those of its calls from this one, which
        // follow on the same connection. Therefore its answer is not awaited before the claim.
        run: (node) => Promise.all([telephony.disown(node), takeOver.takeFrom(node)]),
      },
      { what: 'hanging up on its far ends', run: telephony.endLegsOf },
      { what: 'freeing its deliveries', run: (node) => releaseDeliveriesOf(database, node) },
    ],
    onLost() {
      wasLost = true;
      takeOver.leaveAll();
    },
    async atEachLook(seen) {
      // Until this gateway is registered again, others record the removal of its files.
      if (wasLost) recordings.checkErased();
      wasLost = false;
      await takeOver.settle(seen);
    },
  };
};

/**
 * Planned hand-over. `successors` is `null` if no process takes the calls over; the gateway then waits for their end,
 * and for successors unless `isFinal`. `because` completes a log sentence.
 */
type Succession = { successors: Successors | null; because: string; isFinal?: boolean };

/** The relay hangs up calls that no gateway takes over; without it, only the next process does. */
const inNextProcess = ({ isByRelay }: NonNullable<Config['realLines']>): string =>
  isByRelay
    ? 'continue in the next process of this gateway'
    : 'continue in the next process of this gateway, which must start: without the relay they are not ended otherwise';

type Others = Awaited<ReturnType<Cluster['others']>>;

/** Returns the gateways that respond, which excludes a frozen one. */
const answering = async (takers: readonly string[], { giveCalls }: Cluster) => {
  const asked = await Promise.allSettled(takers.map((node) => giveCalls(node, [])));
  return takers.filter((_, index) => {
    const answer = asked[index];
    return answer?.status === 'fulfilled' && answer.value;
  });
};

const chooseSuccessors = async (config: Config, cluster: Cluster): Promise<Succession> => {
  const nobody = (because: string): Succession => ({ successors: null, because });
  if (!config.handsOver) return { ...nobody('because GW_HAND_OVER is never'), isFinal: true };
  let others: Others;
  try {
    others = await cluster.others();
  } catch {
    return nobody('because the database is unavailable');
  }
  const nodes = await answering(others.takers, cluster);
  if (nodes.length > 0)
    return {
      successors: { are: 'others', nodes },
      because: `continue at ${nodes.join(', ')}, each as soon as nobody speaks`,
    };
  if (others.takers.length > 0) return nobody('because the other gateways do not respond or are not ready');
  if (others.living.length > 0 && sharedLines(config) === null)
    return nobody('because without the relay no other gateway can take them over');
  // Gateways without lines are excluded, because they would end the calls that they cannot resume.
  if (others.living.length > 0)
    return nobody('because the other gateways have an older version or other lines');
  if (config.realLines === null) return nobody('because there is no other gateway');
  return { successors: { are: 'next process' }, because: inNextProcess(config.realLines) };
};

/** Logs the number of calls and the reason of the wait, for the operator who stopped the gateway. */
const say = (logger: Logger, calls: number, upToSec: number, { successors, because }: Succession): void => {
  const whom = calls === 1 ? 'one call' : `${calls} calls`;
  const about = { calls, up_to_sec: upToSec };
  if (successors === null)
    logger.info(
      about,
      `waiting up to ${upToSec} s for ${whom} to end, ${because}; a second stop signal hangs up now`,
    );
  else
    logger.info(
      about,
      `${whom} ${because}; waiting up to ${upToSec} s for this, a second stop signal does it now`,
    );
};

const standingCalls = ({ switchboard }: Calls, { lines }: Telephony): StandingCall[] =>
  [...switchboard.calls()].flatMap(([callId, actor]) => {
    const call = actor.getSnapshot();
    // Calls that are already ending are not handed over.
    const isTalking = call.hasTag('talking') || call.matches({ active: 'bridged' });
    const isStanding = isTalking && lines.checkpoint(callId).isResumable;
    return isStanding ? [{ callId, isQuiet: !call.context.agentIsBusy }] : [];
  });

export type StartedHandOver = {
  /** Decides, reports and begins the hand-over. Never rejects. */
  begin(): Promise<void>;
  /** Finishes the hand-over (see `HandOver`). If no hand-over was begun, the function has no effect. */
  finish: HandOver['finish'];
  /**
   * Releases those of these calls that can continue at another gateway, even during speech, because this one is cut off
   * from their signalling. Releases none if there is no other gateway that is ready, if `isCutOff` returns false by then,
   * or if this gateway stops.
   */
  giveCutOff(callIds: readonly string[], isCutOff: () => boolean): Promise<void>;
};

export const startHandOver = (
  { config, clock, logger }: Runtime,
  parts: {
    cluster: Cluster;
    calls: Calls;
    liveCalls: LiveCalls;
    journalling: CallJournal;
    telephony: Telephony;
    recordings: Recordings;
    takeOver: Pick<StartedTakeOver, 'takeBack'>;
  },
): StartedHandOver => {
  const { cluster, calls, liveCalls, telephony, recordings, takeOver } = parts;
  const { journal, checkpoints } = parts.journalling;
  let begun: HandOver | null = null;

  const letGo = async (callIds: readonly string[], to: Successors['are']): Promise<void> => {
    const audioUntil = to === 'others' ? 'taken' : 'exit';
    const recorded = callIds.map((callId) => recordings.leave(callId));
    for (const callId of callIds) {
      checkpoints.leave(callId);
      calls.switchboard.leave(callId, audioUntil);
    }
    const written = Promise.all([
      ...recorded,
      ...callIds.map((callId) => journal.letGo(callId)),
      checkpoints.written(),
    ]);
    const isWritten = await doneWithin(clock, closing.handOverWriteMs, written);
    if (!isWritten)
      logger.warn({ calls: callIds.length }, 'checkpoints of released calls were not written in time');
  };

  const means = { letGo, give: cluster.giveCalls, numbers: closing.handOver, clock, logger };

  const giveCutOff = async (callIds: readonly string[], isCutOff: () => boolean): Promise<void> => {
    const standing = (): StandingCall[] =>
      standingCalls(calls, telephony).filter(({ callId }) => callIds.includes(callId));
    if (calls.admission.isDraining() || standing().length === 0) return;
    const { successors } = await chooseSuccessors(config, cluster);
    const count = standing().length;
    if (successors?.are !== 'others' || count === 0 || !isCutOff()) return;
    logger.warn(
      { calls: count },
      `this gateway is cut off from drachtio-server; its calls continue at ${successors.nodes.join(', ')}`,
    );
    const released: string[] = [];
    const handOver = beginHandOver(successors, {
      ...means,
      letGo(some, to) {
        released.push(...some);
        return letGo(some, to);
      },
      choose: async () => null,
      count: () => count,
      standing,
    });
    await handOver.finish();
    takeOver.takeBack(released);
  };

  return {
    giveCutOff,
    async begin() {
      const count = liveCalls.count.get();
      try {
        await cluster.takes(false);
      } catch (error) {
        logger.warn({ err: error }, 'other gateways could not be notified that this one is shutting down');
      }
      if (count === 0) return;
      // After the notification, so that of two gateways that stop at the same time one keeps the registrations.
      await telephony.trunks.takeNoMore();
      const succession = await chooseSuccessors(config, cluster);
      say(logger, count, config.drainSec, succession);
      if (succession.isFinal === true) return;
      begun = beginHandOver(succession.successors, {
        async choose() {
          const { successors, because } = await chooseSuccessors(config, cluster);
          if (successors !== null) logger.info(`calls ${because}`);
          return successors;
        },
        count: () => liveCalls.count.get(),
        standing: () => standingCalls(calls, telephony),
        ...means,
      });
    },
    async finish() {
      await begun?.finish();
    },
  };
};

type EndCallsNumbers = {
  /** Share of the drain time for farewells after the gateway hangs up; at most a third. */
  farewellMs: number;
  /** Time limit for lines to confirm a hang-up by the gateway. */
  lastEndsMs: number;
  /** Time limit for event streams of these calls to send their last facts. */
  lastFactsMs: number;
};

/**
 * Drains the gateway: refuses new calls, hands over calls in progress where possible, and waits for the others. Towards
 * the end of the drain time, calls are hung up after a farewell, as by a client. Calls that have not ended by then are
 * cut off (`system_error`). Event streams stay open until the last call has ended.
 */
export const endCalls = async (
  options: {
    admission: Pick<Admission, 'drain'>;
    streams: Pick<StreamPermits, 'close'>;
    switchboard: Pick<Switchboard, 'empty' | 'hangUpAll' | 'closeAll'>;
    lines: Pick<Lines, 'takeNoMore'>;
    handOver: Pick<StartedHandOver, 'begin' | 'finish'>;
    logger: Logger;
  },
  drainSec: number,
  numbers: EndCallsNumbers,
): Promise<void> => {
  const { switchboard, handOver, logger } = options;
  const farewellMs = Math.min(numbers.farewellMs, (drainSec * 1_000) / 3);
  try {
    // Arrivals are directed to other gateways before this gateway refuses any.
    await options.lines.takeNoMore();
  } catch (error) {
    logger.warn({ err: error }, 'the lines still receive calls while the gateway stops; they are refused');
  }
  options.admission.drain();
  await handOver.begin();
  await switchboard.empty(drainSec * 1_000 - farewellMs);
  await handOver.finish();
  if (farewellMs > 0) {
    switchboard.hangUpAll();
    await switchboard.empty(farewellMs);
  }
  switchboard.closeAll();
  await switchboard.empty(numbers.lastEndsMs);
  await options.streams.close(numbers.lastFactsMs);
};
