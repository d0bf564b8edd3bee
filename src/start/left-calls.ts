/** Orphaned calls of other processes: resumes those that can continue, ends the others. */
import { callTimes } from '#config/policy.ts';
import { createLeftHangups } from '#src/calls/in-call/left-hangups.ts';
import { createTakeOver, isRevivable, type TakeOver } from '#src/calls/recovery/take-over.ts';
import { createTaking } from '#src/calls/recovery/taking.ts';
import type { TakeHandedOver } from '#src/cluster/hand-over-signals.ts';
import type { LostCalls } from '#src/calls/recovery/lost-calls.ts';
import type { Telemetry } from '#src/telemetry/observe-calls.ts';
import {
  takeFromEarlierProcess,
  takeFromLostNode,
  takeHandedOver,
  type TakenCall,
} from '#src/persistence/held-calls.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import type { Foundation } from './foundation.ts';
import type { Agents } from './start-agents.ts';
import type { StartedCalls } from './start-calls.ts';
import type { StartedJournal } from './start-journal.ts';

/** Calls of an earlier process of this gateway. */
export type LeftCalls = {
  /** Calls to resume. */
  waiting: readonly TakenCall[];
  goesOn: (callId: string) => boolean;
};

/** Ends calls that cannot continue; resolves when that is stored. */
const endOthers = (
  taken: readonly TakenCall[],
  goOn: (call: TakenCall) => boolean,
  lostCalls: LostCalls,
): TakenCall[] => {
  for (const call of taken) if (!goOn(call)) lostCalls.end(call);
  return taken.filter(goOn);
};

/**
 * Takes the calls of this gateway's dead process and ends those that cannot continue, before the port opens, so that
 * readers see no orphaned call, and before recordings are recovered.
 */
export const takeLeftCalls = async (
  { config, database }: Foundation,
  lostCalls: LostCalls,
  { journal }: Pick<StartedJournal, 'journal'>,
): Promise<LeftCalls> => {
  const hasLines = config.lines !== 'none';
  const taken = await takeFromEarlierProcess(database, config.node);
  const waiting = endOthers(taken, (call) => hasLines && isRevivable(call), lostCalls);
  await journal.settled();
  const ids = new Set(waiting.map(({ id }) => id));
  return { waiting, goesOn: (callId) => ids.has(callId) };
};

export type StartedTakeOver = TakeOver & {
  /** For another gateway that was found dead (src/cluster). Takes nothing if it runs again. */
  takeFrom(node: string): Promise<void>;
  /** Calls that a stopping gateway released for this one. */
  take: TakeHandedOver;
  /**
   * Resumes calls whose take-over was in doubt, once the database confirms it, and performs hang-ups requested while
   * nobody held them.
   */
  settle(): Promise<void>;
};

export const startTakeOver = (
  { config, database, sealing, clock, databaseClock, callTime, logger }: Foundation,
  parts: {
    telemetry: Pick<Telemetry, 'observer'>;
    journalling: Pick<StartedJournal, 'journal'>;
    lostCalls: LostCalls;
    calls: Pick<StartedCalls, 'admission' | 'control' | 'switchboard' | 'expectLine'>;
    agents: Pick<Agents, 'keep'>;
    recordings: Pick<Recordings, 'expect'>;
  },
): StartedTakeOver => {
  const { lostCalls, calls } = parts;
  const { node } = config;
  const takeOver = createTakeOver({
    database,
    sealing,
    journal: parts.journalling.journal,
    lostCalls,
    switchboard: calls.switchboard,
    observer: parts.telemetry.observer,
    keepAgent: (callId, agentCall, workspaceId) =>
      parts.agents.keep(callId, agentCall, workspaceId, calls.control.own),
    expectLine: calls.expectLine,
    expectRecording: parts.recordings.expect,
    times: callTimes,
    node,
    callTime,
    clocks: { wall: clock.now, database: databaseClock.now },
    logger,
  });
  const hasLines = config.lines !== 'none';
  const leftHangups = createLeftHangups({
    database,
    node,
    performHere: calls.control.performHere,
    journal: parts.journalling.journal,
    logger,
  });
  const goOn: TakeOver['goOn'] = async (taken) => {
    await takeOver.goOn(taken);
    await leftHangups.perform();
  };
  const taking = createTaking({
    database,
    goOn: (taken) => goOn(endOthers(taken, isRevivable, lostCalls)),
  });
  return {
    goOn,
    async settle() {
      await leftHangups.perform();
      await taking.settleDoubts();
    },
    async take({ from, callIds }) {
      if (!hasLines || calls.admission.isDraining()) return false;
      if (callIds.length > 0) await taking.take(() => takeHandedOver(database, { from, by: node, callIds }));
      return true;
    },
    takeFrom: (from) => taking.take(() => takeFromLostNode(database, { from, by: node, goesOn: hasLines })),
  };
};
