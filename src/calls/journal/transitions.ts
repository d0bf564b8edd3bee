/**
 * Stores the transitions of calls' charts as they happen: state before, event, state after, and the chart. Replays read
 * these rows.
 *
 * Storing transitions delays neither the creation of a call nor its events, and needs no statement of its own at the
 * call's start and end: the first transition is written with the call's row (`opening.ts`), the last ones with its end.
 * The other transitions are written in batches (`batch-writer.ts`). A call whose transitions are lost continues.
 */
import { setImmediate as laterInThisPass } from 'node:timers/promises';
import type { InspectionEvent } from 'xstate';
import { journalledChartNames, type JournalledChartName } from '#src/domain/chart-name.ts';
import { firstEpoch, type JournalPosition } from '#src/persistence/calls/call-facts.ts';
import type { StoredTransition } from '#src/persistence/calls/call-transitions.ts';
import { stateName } from '../live/chart-watch.ts';
import { createBatchWriter, type BatchWriterOptions } from './batch-writer.ts';
import { chartVersionOf } from './chart-version.ts';

const versions: Readonly<Record<JournalledChartName, string>> = {
  call: chartVersionOf('call'),
  conversation: chartVersionOf('conversation'),
  voicemail: chartVersionOf('voicemail'),
};

export type Transitions = {
  /**
   * Returns the recorder of inspection events of a call's actor and its children. `now` is the time in the call,
   * `begun` its journal position. Never throws.
   */
  inspectorOf(callId: string, now: () => Date, begun?: JournalPosition): (event: InspectionEvent) => void;
  /** Counts a published fact of a call. */
  countFact(callId: string): void;
  /** Returns the number of published facts of a call. */
  factsOf(callId: string): number;
  release(callId: string): void;
  /**
   * Resolves to the transitions of a call that may not be written yet, including those of the current synchronous step.
   */
  unwritten(callId: string): Promise<readonly StoredTransition[]>;
  /** Notes that transitions were written with a fact of the call. */
  wereWritten(callId: string, some: readonly StoredTransition[]): void;
  /** Writes the waiting transitions once. Transitions that cannot be written are lost. */
  close(): Promise<void>;
};

/** Progress of a call: its last transition and fact, and the states of its charts. */
type Track = { epoch: number; sequence: number; facts: number } & Record<JournalledChartName, string | null>;

/** Stores the waiting transitions by call. */
const createUnwritten = (limit: number) => {
  const calls = new Map<string, StoredTransition[]>();
  let count = 0;
  return {
    /** Adds a transition. Returns false if too many transitions wait. */
    add(one: StoredTransition): boolean {
      if (count >= limit) return false;
      const some = calls.get(one.callId);
      if (some === undefined) calls.set(one.callId, [one]);
      else some.push(one);
      count += 1;
      return true;
    },
    of: (callId: string): readonly StoredTransition[] => [...(calls.get(callId) ?? [])],
    /** Removes written transitions; transitions that were added meanwhile remain. */
    remove(callId: string, some: readonly StoredTransition[]): void {
      const gone = new Set(some);
      const before = calls.get(callId) ?? [];
      const left = before.filter((one) => !gone.has(one));
      count -= before.length - left.length;
      if (left.length === 0) calls.delete(callId);
      else calls.set(callId, left);
    },
  };
};

/** Journal position of a new call. */
const beginning: JournalPosition = { epoch: firstEpoch, sequence: 0 };

const trackFrom = ({ epoch, sequence: facts }: JournalPosition, opening: string | null = null): Track => {
  const isBorn = epoch === firstEpoch && facts === 0;
  const call = isBorn ? opening : null;
  const sequence = call === null ? 0 : 1;
  return { epoch, sequence, facts, call, conversation: null, voicemail: null };
};

const chartOf = (id: string, callId: string): JournalledChartName | undefined =>
  id === callId ? 'call' : journalledChartNames.find((name) => name === id);

const valueOf = (snapshot: object): unknown => ('value' in snapshot ? snapshot.value : undefined);

/** Returns the state of a chart after an event; undefined for an event of another actor. */
const moveOf = (inspected: InspectionEvent, callId: string) => {
  if (inspected.type !== '@xstate.snapshot') return undefined;
  const { actorRef, snapshot } = inspected;
  if (!('id' in actorRef) || typeof actorRef.id !== 'string') return undefined;
  const machine = chartOf(actorRef.id, callId);
  const value = valueOf(snapshot);
  if (machine === undefined || value === undefined) return undefined;
  const isRunning = snapshot.status === 'active';
  return { machine, eventType: inspected.event.type, stateAfter: stateName(value), isRunning };
};

export const createTransitions = (
  options: Omit<BatchWriterOptions<string>, 'what' | 'write' | 'weightOf'> & {
    write: (some: readonly StoredTransition[]) => Promise<void>;
    /** First state of the chart of a new call, if this state is written with the call's row. */
    opening?: string;
    /**
     * Called with each state that a chart of a call enters, and with null when the chart no longer runs. Must not
     * throw.
     */
    onState?: (callId: string, chart: JournalledChartName, state: string | null) => void;
  },
): Transitions => {
  const tracks = new Map<string, Track>();
  const unwritten = createUnwritten(options.limit);

  /** Queue of calls with waiting transitions. A call is in the queue at most once. */
  const queued = new Set<string>();

  const writer = createBatchWriter<string>({
    ...options,
    what: 'transitions of calls',
    async write(callIds) {
      for (const callId of callIds) queued.delete(callId);
      const some = new Map(callIds.map((callId) => [callId, unwritten.of(callId)]));
      const all = [...some.values()].flat();
      try {
        if (all.length > 0) await options.write(all);
      } catch (error) {
        if (options.isPassing(error)) throw error;
        for (const [callId, lost] of some) unwritten.remove(callId, lost);
        throw error;
      }
      for (const [callId, written] of some) unwritten.remove(callId, written);
    },
  });

  const look = (callId: string, track: Track, now: () => Date, inspected: InspectionEvent): void => {
    const move = moveOf(inspected, callId);
    if (move === undefined) return;
    const { machine, eventType, stateAfter, isRunning } = move;
    const isInitial = eventType === 'xstate.init';
    const stateBefore = isInitial ? null : track[machine];
    if (stateBefore !== stateAfter || !isRunning)
      options.onState?.(callId, machine, isRunning ? stateAfter : null);
    const isWritten = isInitial && machine === 'call' && track.call === stateAfter;
    if (isWritten || stateBefore === stateAfter) return;
    track[machine] = stateAfter;
    const isKept = unwritten.add({
      callId,
      epoch: track.epoch,
      sequence: track.sequence + 1,
      at: now(),
      machine,
      chartVersion: versions[machine],
      stateBefore,
      eventType,
      stateAfter,
      factsBefore: track.facts,
    });
    if (!isKept) return;
    track.sequence += 1;
    if (queued.has(callId)) return;
    queued.add(callId);
    writer.add(callId);
  };

  return {
    inspectorOf(callId, now, begun = beginning) {
      const track = trackFrom(begun, options.opening);
      tracks.set(callId, track);
      return (inspected) => look(callId, track, now, inspected);
    },
    countFact(callId) {
      const track = tracks.get(callId);
      if (track !== undefined) track.facts += 1;
    },
    factsOf: (callId) => tracks.get(callId)?.facts ?? 0,
    release: (callId) => void tracks.delete(callId),
    async unwritten(callId) {
      // The read is deferred, because a chart publishes facts in the middle of the transition that causes them.
      await laterInThisPass();
      return unwritten.of(callId);
    },
    wereWritten: unwritten.remove,
    close: writer.close,
  };
};
