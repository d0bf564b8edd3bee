/**
 * Stores the checkpoint of each call in the background: the far ends of its line (`Lines.checkpoint`) and the progress
 * of its conversation. A call never waits for it. Only the latest state counts, so that the memory does not grow while
 * the database is down, however often a call changes.
 *
 * - A far end that is not stored yet is written at once: after a crash it must be found and hung up.
 * - Until a call is answered, later changes of its far ends wait for the statement of the answer, which contains the
 *   checkpoint: dialog and answer are stored together. If the answer is late, the changes are written without it.
 * - Later changes of far ends, such as a re-INVITE, are written at once, together with the progress of their call.
 * - Progress alone is gathered for a moment over all calls. A turn that is written meanwhile takes it along
 *   (`withTurn`), because most progress follows from a turn.
 */
import type { Logger } from 'pino';
import type { SnapshotFrom } from 'xstate';
import { noKeysYet } from '#machines/collected-keys.ts';
import type { callMachine } from '#machines/call.ts';
import { stateName } from '#src/calls/live/chart-watch.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { SimulatedFarEnd } from '#src/domain/simulated-far-end.ts';
import type { LineCheckpoint, OrphanLeg, StoredLeg } from '#src/domain/sip-leg.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import {
  byOtherClock,
  storeProgress,
  type CallProgress,
  type StoredProgress,
} from '#src/persistence/calls/call-checkpoints.ts';
import { firstEpoch } from '#src/persistence/calls/call-facts.ts';
import { withoutScript } from '#src/persistence/calls/checkpoint-far-end.ts';
import { legsOf, writeLegs, type ChangedLegs } from '#src/persistence/calls/checkpoint-legs.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';

type CallSnapshot = SnapshotFrom<typeof callMachine>;

export type Checkpoints = {
  /** The far ends of a call, or of a trunk check by its own id, have changed; these remain. */
  lineChanged(callId: string, legs: readonly StoredLeg[]): void;
  /**
   * The far end of a simulated call has changed (`SimulatedFarEnd`). The far end is stored with the progress of the call,
   * but its script, which does not change, with the answer.
   */
  farEndChanged(callId: string, farEnd: SimulatedFarEnd | null): void;
  /** The conversation has changed; `facts` of the call's journal are published. Never throws. */
  conversationChanged(callId: string, snapshot: CallSnapshot, facts: number): void;
  /** Returns the far ends for the statement of the call's answer. */
  withAnswer(callId: string): Pick<LineCheckpoint, 'legs' | 'farEnd'>;
  /** The statement of the answer is committed. */
  answered(callId: string): void;
  /**
   * Returns the progress for the statement of a turn; null if there is none, or if an earlier one is being written.
   * Until `turnWritten`, no other statement writes the checkpoint of the call, because it might be committed first.
   */
  withTurn(callId: string): StoredProgress | null;
  /** The statement of the turn is over. `isStored`: it stored the progress. */
  turnWritten(callId: string, isStored: boolean): void;
  /** Called when a call is resumed here; its earlier process stored these legs. */
  resume(callId: string, legs: readonly StoredLeg[]): void;
  /** Stores the current progress of a call that is handed over. */
  leave(callId: string): void;
  /** Another process continues the far ends of the call: waiting changes are written, then it is forgotten here. */
  release(callId: string): void;
  /** The call has no conversation here any more; its far ends may have to be hung up still. */
  over(callId: string): void;
  /** Whether all far ends of a call that had some have ended, and none is being written. */
  areGone(callId: string): boolean;
  /** Called when the call has ended; its checkpoint was deleted with the end if its legs were gone. */
  ended(callId: string): void;
  /** Legs that a dead process of this or the given node left, except those of calls that are resumed here. */
  orphans(isResumed: (callId: string) => boolean, node?: string): Promise<OrphanLeg[]>;
  /** Writes what waits; resolves when it is stored. */
  written(): Promise<void>;
  /** Writes what waits once, for at most this long; what cannot be written is lost. */
  close(atMostMs: number): Promise<void>;
};

export type CheckpointsOptions = {
  database: Database;
  sealing: Sealing;
  node: string;
  /** Epoch of a call that this gateway holds. */
  epochOf: (callId: string) => number;
  /** Whether a statement of the call's answer will contain its far ends. */
  awaitsAnswer: (callId: string) => boolean;
  /** Offset of the call's time from the clock of its charts, in milliseconds. */
  shiftOf: (callId: string) => number;
  /** Offset of the call's time from the database's clock, in milliseconds. */
  aheadOf: (callId: string) => number;
  /** Current time of the call. */
  nowIn: (callId: string) => number;
  /** Whether this error means that the database is unavailable, so that a retry may succeed. */
  isPassing: (error: unknown) => boolean;
  /** Time for which progress is gathered for one statement. */
  gatherMs: number;
  /**
   * Delay before an ended leg is deleted, if it is not written for another reason before. Ending an ended leg again
   * would be harmless.
   */
  dropMs: number;
  /** Maximum of calls in one statement. */
  batch: number;
  /** Retry delay after a failure: initial value, and maximum of the backoff. */
  retry: { firstMs: number; longestMs: number };
  clock: Clock;
  logger: Logger;
};

/** One checkpoint as it is now. */
type Call = {
  readonly callId: string;
  legs: readonly StoredLeg[];
  /** The legs that were last written, or are being written. */
  writtenLegs: readonly StoredLeg[];
  /** The legs in the statement of the answer, until it is committed; null without one, or if it is ambiguous. */
  answerLegs: readonly StoredLeg[] | null;
  /** Epoch of the row in the database; null if this checkpoint was never written. */
  storedEpoch: number | null;
  conversation: { snapshot: CallSnapshot; facts: number } | null;
  farEnd: SimulatedFarEnd | null;
  /** The final progress of a call that is handed over. */
  leftProgress: StoredProgress | null;
  changed: { legs: boolean; progress: boolean };
  /** Whether another process continues its legs. */
  isReleased: boolean;
};

const progressOf = (
  { snapshot, facts }: NonNullable<Call['conversation']>,
  farEnd: SimulatedFarEnd | null,
): CallProgress | undefined => {
  const conversation = snapshot.children.conversation?.getSnapshot();
  // Stores no progress while the call resumes: the progress from before the take-over remains valid.
  if (conversation === undefined || conversation.matches('resuming')) return undefined;
  const { callId: _callId, input: _input, messages: _messages, ...kept } = conversation.context;
  const { collected } = kept;
  return {
    facts,
    endReason: snapshot.context.endReason,
    pausedForSecret: snapshot.context.keys.secret?.pausedRecording ?? false,
    leftAt: null,
    farEnd: withoutScript(farEnd),
    conversation: {
      ...kept,
      state: stateName(conversation.value),
      // Leaves out secret digits: they have to be entered again.
      collected: collected?.wanted.secret === true ? noKeysYet(collected.wanted) : collected,
    },
  };
};

const isAmong =
  (legs: readonly StoredLeg[]) =>
  (one: StoredLeg): boolean =>
    legs.some(({ id, leg }) => id === one.id && leg === one.leg);

export const createCheckpoints = (options: CheckpointsOptions): Checkpoints => {
  const { database, sealing, node, epochOf, clock, logger } = options;
  /** By call id; by leg for a trunk check. */
  const calls = new Map<string, Call>();
  /** Calls whose changes the next statement contains. */
  const due = new Set<Call>();
  /** Calls whose changes wait for others. */
  const gathering = new Set<Call>();
  /** Calls of which only ended legs have to be deleted. */
  const dropping = new Set<Call>();
  let inFlight: ReadonlySet<Call> = new Set();
  /** Calls whose progress is being written with a turn. Their other changes wait. */
  const withTurns = new Map<string, PromiseWithResolvers<void>>();
  let writing: Promise<void> | null = null;
  let gatherTimer: unknown;
  let dropTimer: unknown;
  let isLast = false;

  const forget = (call: Call): void => {
    for (const waiting of [due, gathering, dropping]) waiting.delete(call);
    if (calls.get(call.callId) === call) calls.delete(call.callId);
  };

  const add = (callId: string, legs: readonly StoredLeg[], storedEpoch: number | null): Call => {
    const call: Call = {
      callId,
      legs,
      writtenLegs: legs,
      answerLegs: null,
      storedEpoch,
      conversation: null,
      farEnd: null,
      leftProgress: null,
      changed: { legs: false, progress: false },
      isReleased: false,
    };
    const earlier = calls.get(callId);
    // A call that was released and is resumed here again: what it still had to write is of an earlier epoch.
    if (earlier !== undefined) forget(earlier);
    calls.set(callId, call);
    return call;
  };

  /** Uses the epoch that was read with an orphaned call. */
  const epochNow = ({ callId, legs, storedEpoch }: Call): number =>
    legs.some(({ id }) => id === callId) ? firstEpoch : Math.max(storedEpoch ?? firstEpoch, epochOf(callId));

  const storedProgressOf = ({ callId, conversation, farEnd, leftProgress }: Call): StoredProgress | null => {
    if (leftProgress !== null || conversation === null) return leftProgress;
    const progress = progressOf(conversation, farEnd);
    return progress === undefined
      ? null
      : {
          callId,
          epoch: epochOf(callId),
          progress: byOtherClock(progress, options.shiftOf(callId)),
          aheadMs: options.aheadOf(callId),
        };
  };

  /** The far ends and the progress of a call are in one statement. */
  const write = async (batch: readonly Call[]): Promise<void> => {
    const stored: ChangedLegs[] = [];
    const over: { callId: string; epoch: number }[] = [];
    const progressed: StoredProgress[] = [];
    for (const call of batch) {
      const { callId, legs, changed } = call;
      const progress = changed.progress ? storedProgressOf(call) : null;
      if (!changed.legs || legs.length === 0) {
        if (changed.legs && call.storedEpoch !== null) over.push({ callId, epoch: call.storedEpoch });
        else if (progress !== null) progressed.push(progress);
      } else {
        call.storedEpoch = epochNow(call);
        stored.push({ callId, epoch: call.storedEpoch, legs, progress });
      }
      call.writtenLegs = legs;
      call.changed = { legs: false, progress: false };
    }
    if (stored.length + over.length > 0) await writeLegs(database.journal, sealing, node, { stored, over });
    if (progressed.length > 0) await storeProgress(database.journal, progressed);
  };

  const dueToDrop = (): void => {
    for (const call of dropping) due.add(call);
    dropping.clear();
    clock.clearTimeout(dropTimer);
    dropTimer = undefined;
  };

  const restore = (batch: readonly Call[], changes: readonly Call['changed'][]): void => {
    for (const [index, call] of batch.entries()) {
      if (calls.get(call.callId) !== call) continue;
      const { legs, progress } = changes[index] ?? call.changed;
      call.changed = { legs: call.changed.legs || legs, progress: call.changed.progress || progress };
      due.add(call);
    }
  };

  const afterWrite = (call: Call): void => {
    if ([due, gathering, dropping].some((waiting) => waiting.has(call)) || withTurns.has(call.callId)) return;
    if (call.isReleased || (call.legs.length === 0 && call.conversation === null)) forget(call);
  };

  /** Ended legs are deleted with other changes of legs. */
  const takeBatch = (): Call[] => {
    if ([...due].some(({ changed }) => changed.legs)) dueToDrop();
    const batch = [...due].filter(({ callId }) => !withTurns.has(callId)).slice(0, options.batch);
    for (const call of batch) for (const waiting of [due, gathering, dropping]) waiting.delete(call);
    return batch;
  };

  const writeAll = async (): Promise<void> => {
    let delayMs = options.retry.firstMs;
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      const changes = batch.map(({ changed }) => changed);
      inFlight = new Set(batch);
      try {
        await write(batch);
        delayMs = options.retry.firstMs;
        inFlight = new Set();
        for (const call of batch) afterWrite(call);
      } catch (error) {
        inFlight = new Set();
        if (!options.isPassing(error)) {
          // The next change of each call writes its whole state again.
          logger.error({ err: error, calls: batch.length }, 'checkpoints of calls could not be written');
          continue;
        }
        logger.warn({ err: error, calls: batch.length }, 'checkpoints of calls wait for the database');
        restore(batch, changes);
        if (isLast) return;
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, delayMs));
        delayMs = Math.min(2 * delayMs, options.retry.longestMs);
      }
    }
  };

  const begin = (): void => {
    writing ??= writeAll().finally(() => {
      writing = null;
      // Changes that came between the last batch and this moment, or whose turn was over by then.
      if (!isLast && [...due].some(({ callId }) => !withTurns.has(callId))) begin();
    });
  };

  const beginWithGathered = (): void => {
    for (const call of gathering) due.add(call);
    gathering.clear();
    clock.clearTimeout(gatherTimer);
    gatherTimer = undefined;
    begin();
  };

  const writeAtOnce = (call: Call): void => {
    due.add(call);
    begin();
  };

  const gather = (call: Call): void => {
    if (due.has(call)) return;
    gathering.add(call);
    if (isLast) beginWithGathered();
    else gatherTimer ??= clock.setTimeout(beginWithGathered, options.gatherMs);
  };

  const drop = (call: Call): void => {
    if (isLast) return writeAtOnce(call);
    dropping.add(call);
    dropTimer ??= clock.setTimeout(() => {
      dueToDrop();
      begin();
    }, options.dropMs);
    return undefined;
  };

  return {
    lineChanged(callId, legs) {
      const call = calls.get(callId) ?? (legs.length === 0 ? undefined : add(callId, [], null));
      if (call === undefined || call.isReleased) return undefined;
      const before = call.legs;
      call.legs = legs;
      const isOnlyFewer = legs.every(isAmong(before));
      if (isOnlyFewer && legs.length === before.length) return undefined;
      // Skips legs that ended before they were written.
      if (legs.length === 0 && call.storedEpoch === null) {
        call.changed.legs = false;
        return call.conversation === null ? forget(call) : undefined;
      }
      call.changed.legs = true;
      if (isOnlyFewer) return drop(call);
      const areStored = legs.every(({ id }) => call.writtenLegs.some((one) => one.id === id));
      return areStored && options.awaitsAnswer(callId) ? gather(call) : writeAtOnce(call);
    },
    farEndChanged(callId, farEnd) {
      const known = calls.get(callId);
      if (known?.isReleased === true || (known === undefined && farEnd === null)) return;
      const call = known ?? add(callId, [], null);
      call.farEnd = farEnd;
      if (call.conversation === null || call.changed.progress) return;
      call.changed.progress = true;
      gather(call);
    },
    conversationChanged(callId, snapshot, facts) {
      const known = calls.get(callId);
      const isWaiting = known?.changed.progress === true;
      // Stores no progress before the answer: there is no state to resume.
      if (known?.isReleased === true || (!isWaiting && !snapshot.matches('active'))) return;
      const call = known ?? add(callId, [], null);
      call.conversation = { snapshot, facts };
      if (isWaiting) return;
      call.changed.progress = true;
      gather(call);
    },
    withAnswer(callId) {
      const call = calls.get(callId);
      if (call === undefined) return { legs: [], farEnd: null };
      // A write that is under way, or an earlier attempt with other legs, may overwrite this statement.
      const isAlone = !inFlight.has(call) && (call.answerLegs === null || call.answerLegs === call.legs);
      call.answerLegs = isAlone ? call.legs : null;
      return { legs: call.legs, farEnd: call.farEnd };
    },
    answered(callId) {
      const call = calls.get(callId);
      if (call === undefined || call.legs.length === 0) return undefined;
      const isStored = call.answerLegs === call.legs && !inFlight.has(call);
      call.answerLegs = null;
      if (isStored) {
        call.storedEpoch = epochNow(call);
        call.writtenLegs = call.legs;
        call.changed.legs = false;
        return undefined;
      }
      call.changed.legs = true;
      return writeAtOnce(call);
    },
    withTurn(callId) {
      const call = calls.get(callId);
      if (call === undefined || call.isReleased || !call.changed.progress) return null;
      if (inFlight.has(call) || withTurns.has(callId)) return null;
      const progress = storedProgressOf(call);
      if (progress === null) return null;
      call.changed.progress = false;
      if (!call.changed.legs) for (const waiting of [due, gathering]) waiting.delete(call);
      withTurns.set(callId, Promise.withResolvers());
      return progress;
    },
    turnWritten(callId, isStored) {
      withTurns.get(callId)?.resolve();
      withTurns.delete(callId);
      const call = calls.get(callId);
      if (call === undefined) return;
      if (!isStored && !call.isReleased && call.conversation !== null) {
        call.changed.progress = true;
        gather(call);
      }
      if (due.has(call)) begin();
      else afterWrite(call);
    },
    resume: (callId, legs) => void add(callId, legs, epochOf(callId)),
    leave(callId) {
      const call = calls.get(callId);
      const progress = call === undefined ? null : storedProgressOf(call);
      if (call === undefined || progress === null) return;
      call.leftProgress = {
        ...progress,
        progress: { ...progress.progress, leftAt: options.nowIn(callId) },
      };
      call.changed.progress = true;
      writeAtOnce(call);
    },
    release(callId) {
      const call = calls.get(callId);
      if (call === undefined) return;
      call.isReleased = true;
      // The progress of a call that another gateway has taken would be refused.
      if (call.leftProgress === null) call.changed.progress = false;
      if (!call.changed.legs && !call.changed.progress && !inFlight.has(call)) forget(call);
      else writeAtOnce(call);
    },
    over(callId) {
      const call = calls.get(callId);
      if (call === undefined || call.isReleased) return;
      call.conversation = null;
      call.changed.progress = false;
      if (call.legs.length === 0 && !call.changed.legs && !inFlight.has(call)) forget(call);
    },
    areGone(callId) {
      const call = calls.get(callId);
      return call !== undefined && call.storedEpoch !== null && call.legs.length === 0 && !inFlight.has(call);
    },
    ended(callId) {
      const call = calls.get(callId);
      if (call !== undefined && call.legs.length === 0 && !inFlight.has(call)) forget(call);
    },
    async orphans(isResumed, of = node) {
      const left = (await legsOf(database, sealing, of)).filter(({ callId }) => !isResumed(callId));
      return left.flatMap(({ callId, epoch, legs }) => {
        if (!calls.has(callId)) add(callId, legs, epoch);
        return legs.map(({ id, leg }) => ({ id, callId: callId === id ? null : callId, leg }));
      });
    },
    async written() {
      if (gathering.size > 0) beginWithGathered();
      await writing;
      while ([...due].some(({ callId }) => withTurns.has(callId))) {
        await Promise.all([...withTurns.values()].map(({ promise }) => promise));
        await writing;
      }
    },
    async close(atMostMs) {
      isLast = true;
      dueToDrop();
      beginWithGathered();
      await doneWithin(clock, atMostMs, writing ?? Promise.resolve());
    },
  };
};
