/**
 * Stores the far ends of calls in their checkpoints, in the background: a call never waits for it. While the database
 * is down only the latest state of each call waits, however often it changes.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { StoredLeg, SipLeg } from '#src/domain/sip-leg.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import { firstEpoch } from '#src/persistence/calls/call-facts.ts';
import { legsOf, writeLegs } from '#src/persistence/calls/checkpoint-legs.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';

/** `callId` is null for a trunk check. */
type OwnedLeg = { callId: string | null; leg: SipLeg };

export type CheckpointLegs = {
  /** Stores the current state of a leg. */
  keep(id: string, owned: OwnedLeg): void;
  /** The leg has ended. */
  remove(id: string): void;
  /** Another process continues the leg: it stays stored, and is forgotten here. */
  release(id: string): void;
  /**
   * Legs that an earlier process of this or another node has left, except those of calls that are resumed here; each is
   * to be hung up and then removed.
   */
  orphans(isResumed: (callId: string) => boolean, node?: string): Promise<(OwnedLeg & { id: string })[]>;
  /** Called when a call is resumed here; its earlier process stored these legs. */
  resume(callId: string, legs: readonly StoredLeg[]): void;
  /** Whether all legs of a call that had some have ended, and none is being written. */
  areGone(callId: string): boolean;
  /** Called when the call has ended; its checkpoint was deleted with the end if its legs were gone. */
  ended(callId: string): void;
  /** Resolves when all changes so far are written. */
  written(): Promise<void>;
  /** Resolves when all changes are written, or after this many milliseconds. */
  settled(atMostMs: number): Promise<void>;
};

/**
 * Delay before an ended leg is deleted, if it is not written for another reason before. Ending such a leg again would
 * be harmless.
 */
const dropMs = 1_000;
const firstDelayMs = 100;
const longestDelayMs = 5_000;

/** One checkpoint's legs as they are now. */
type CallState = {
  readonly callId: string;
  readonly legs: Map<string, SipLeg>;
  /** Epoch in the database; null if this checkpoint was never written. */
  storedEpoch: number | null;
  /** Whether another process continues its legs. */
  isReleased: boolean;
};

export const createCheckpointLegs = (options: {
  database: Database;
  sealing: Sealing;
  node: string;
  /** Epoch of a call that this gateway holds. */
  epochOf: (callId: string) => number;
  clock: Clock;
  logger: Logger;
}): CheckpointLegs => {
  const { database, sealing, node, epochOf, clock, logger } = options;
  /** State by call id; by leg for a trunk check. */
  const calls = new Map<string, CallState>();
  const callOfLeg = new Map<string, CallState>();
  let changed = new Set<CallState>();
  let inFlight: ReadonlySet<CallState> = new Set();
  let writing: Promise<void> | null = null;
  let dropping: unknown;
  let isLast = false;

  const forget = (call: CallState): void => {
    changed.delete(call);
    calls.delete(call.callId);
    for (const id of call.legs.keys()) callOfLeg.delete(id);
  };

  const add = (callId: string, legs: readonly StoredLeg[], storedEpoch: number | null): CallState => {
    const call: CallState = { callId, legs: new Map(), storedEpoch, isReleased: false };
    calls.set(callId, call);
    for (const { id, leg } of legs) {
      call.legs.set(id, leg);
      callOfLeg.set(id, call);
    }
    return call;
  };

  /** Uses the epoch that was read with an orphaned call. */
  const epochNow = ({ callId, legs, storedEpoch }: CallState): number =>
    legs.has(callId) ? firstEpoch : Math.max(storedEpoch ?? firstEpoch, epochOf(callId));

  const write = async (batch: ReadonlySet<CallState>): Promise<void> => {
    const standing = [...batch].filter(({ legs }) => legs.size > 0);
    const over = [...batch].flatMap(({ callId, legs, storedEpoch }) =>
      legs.size === 0 && storedEpoch !== null ? [{ callId, epoch: storedEpoch }] : [],
    );
    for (const call of standing) call.storedEpoch = epochNow(call);
    const stored = standing.map((call) => ({
      callId: call.callId,
      epoch: epochNow(call),
      legs: [...call.legs].map(([id, leg]) => ({ id, leg })),
    }));
    if (stored.length + over.length > 0) await writeLegs(database, sealing, node, { stored, over });
  };

  const writeAll = async (): Promise<void> => {
    let delayMs = firstDelayMs;
    while (changed.size > 0) {
      const batch = changed;
      inFlight = batch;
      changed = new Set();
      try {
        await write(batch);
        delayMs = firstDelayMs;
        for (const call of batch)
          if (!changed.has(call) && (call.legs.size === 0 || call.isReleased)) forget(call);
      } catch (error) {
        logger.warn({ err: error, calls: batch.size }, 'far ends of calls could not be stored');
        changed = new Set([...batch, ...changed]);
        if (isLast) return;
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, delayMs));
        delayMs = Math.min(2 * delayMs, longestDelayMs);
      } finally {
        inFlight = new Set();
      }
    }
  };

  const begin = (): void => {
    clock.clearTimeout(dropping);
    dropping = undefined;
    writing ??= writeAll().finally(() => {
      writing = null;
    });
  };

  return {
    keep(id, { callId, leg }) {
      const key = callId ?? id;
      const call = calls.get(key) ?? add(key, [], null);
      call.legs.set(id, leg);
      callOfLeg.set(id, call);
      changed.add(call);
      begin();
    },
    remove(id) {
      const call = callOfLeg.get(id);
      if (call === undefined) return;
      callOfLeg.delete(id);
      call.legs.delete(id);
      // Skips a leg that ended before it was written.
      if (call.legs.size === 0 && call.storedEpoch === null) return forget(call);
      changed.add(call);
      if (isLast) begin();
      else dropping ??= clock.setTimeout(begin, dropMs);
    },
    release(id) {
      const call = callOfLeg.get(id);
      if (call === undefined) return;
      call.isReleased = true;
      if (!changed.has(call) && !inFlight.has(call)) forget(call);
    },
    async orphans(isResumed, of = node) {
      const left = (await legsOf(database, sealing, of)).filter(({ callId }) => !isResumed(callId));
      return left.flatMap(({ callId, epoch, legs }) => {
        if (!calls.has(callId)) add(callId, legs, epoch);
        return legs.map(({ id, leg }) => ({ id, callId: callId === id ? null : callId, leg }));
      });
    },
    resume: (callId, legs) => void add(callId, legs, epochOf(callId)),
    areGone(callId) {
      const call = calls.get(callId);
      return call !== undefined && call.legs.size === 0 && !inFlight.has(call);
    },
    ended(callId) {
      const call = calls.get(callId);
      if (call !== undefined && call.legs.size === 0 && !inFlight.has(call)) forget(call);
    },
    async written() {
      await writing;
    },
    async settled(atMostMs) {
      isLast = true;
      begin();
      await doneWithin(clock, atMostMs, writing ?? Promise.resolve());
    },
  };
};
