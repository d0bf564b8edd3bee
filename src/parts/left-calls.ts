/** Orphaned calls of other processes: resumes those that can continue, ends the others. */
import { callTimes } from '#config/policy.ts';
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
} from '#src/persistence/calls/held-calls.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import type { Runtime } from './runtime.ts';
import type { Agents } from './agents.ts';
import type { Calls } from './calls.ts';
import type { CallJournal } from './journal.ts';

/** Calls of an earlier process of this gateway. */
export type LeftCalls = {
  /** Calls to resume. */
  waiting: readonly TakenCall[];
  isResumed: (callId: string) => boolean;
};

/** Ends calls that cannot continue; resolves when that is stored. */
const endOthers = (
  taken: readonly TakenCall[],
  canResume: (call: TakenCall) => boolean,
  orphanedCalls: OrphanedCalls,
): TakenCall[] => {
  for (const call of taken) if (!canResume(call)) orphanedCalls.end(call);
  return taken.filter(canResume);
};

/**
 * Takes the calls of this gateway's dead process and ends those that cannot continue, before the port opens, so that
 * readers see no orphaned call, and before recordings are recovered.
 */
export const takeLeftCalls = async (
  { config, database }: Runtime,
  orphanedCalls: OrphanedCalls,
  { journal }: Pick<CallJournal, 'journal'>,
): Promise<LeftCalls> => {
  const hasLines = config.lines !== 'none';
  const taken = await takeFromEarlierProcess(database, config.node);
  const waiting = endOthers(taken, (call) => hasLines && isResumable(call), orphanedCalls);
  await journal.settled();
  const ids = new Set(waiting.map(({ id }) => id));
  return { waiting, isResumed: (callId) => ids.has(callId) };
};

export type StartedTakeOver = TakeOver & {
  /** Takes over the calls of a gateway that was found dead (src/cluster), unless it runs again. */
  takeFrom(node: string): Promise<void>;
  /** Calls that a stopping gateway released for this one. */
  take: TakeHandedOver;
  /**
   * Resumes calls whose take-over was in doubt, once the database confirms it, and performs hang-ups requested while
   * no gateway held them.
   */
  settle(): Promise<void>;
};

export const startTakeOver = (
  { config, database, sealing, clock, databaseClock, callTime, bus, logger }: Runtime,
  parts: {
    journalling: Pick<CallJournal, 'journal' | 'legs'>;
    orphanedCalls: OrphanedCalls;
    calls: Pick<Calls, 'admission' | 'control' | 'switchboard' | 'expectLine'>;
    agents: Pick<Agents, 'keep'>;
    recordings: Pick<Recordings, 'expect'>;
  },
): StartedTakeOver => {
  const { orphanedCalls, calls } = parts;
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
    legs: parts.journalling.legs,
    expectLine: calls.expectLine,
    expectRecording: parts.recordings.expect,
    times: callTimes,
    node,
    callTime,
    clocks: { wall: clock.now, database: databaseClock.now },
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
  const taking = createOwnership({
    database,
    resume: (taken) => resume(endOthers(taken, isResumable, orphanedCalls)),
  });
  return {
    resume,
    async settle() {
      await pendingHangUps.perform();
      await taking.settleDoubts();
    },
    async take({ from, callIds }) {
      if (!hasLines || calls.admission.isDraining()) return false;
      if (callIds.length > 0) await taking.take(() => takeHandedOver(database, { from, by: node, callIds }));
      return true;
    },
    takeFrom: (from) =>
      taking.take(() => takeFromLostNode(database, { from, by: node, canResume: hasLines })),
  };
};
