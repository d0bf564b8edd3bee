/**
 * What the charts of calls do, kept as it happens: state before, event, state after, and by which chart. A replay reads
 * it and has nothing to guess.
 *
 * Nothing waits for it: transitions of all calls are gathered for a moment and written in one statement, so that neither
 * the birth of a call nor an event in it costs one. While the database is away they wait, bounded by `limit`; what is
 * more is lost, and a call of which some are lost goes on.
 */
import { createHash } from 'node:crypto';
import { setImmediate as laterInThisPass } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AnyStateMachine, InspectionEvent } from 'xstate';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import { voicemailMachine } from '#machines/voicemail.ts';
import { chartNames, type ChartName } from '#src/domain/chart-name.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { StoredTransition } from '#src/persistence/call-transitions.ts';
import { stateName } from '../live/chart-watch.ts';

/** XState's own actions, such as `assign`, are functions that carry what they were given as properties. */
const withFunctions = (_: string, value: unknown): unknown =>
  typeof value === 'function' ? [String(value), Object.entries(value)] : value;

/** Changes with every state, arrow and name of a chart, and with what its guards, actions and delays do. */
export const versionOf = ({ config, implementations }: AnyStateMachine): string => {
  const { guards, actions, delays } = implementations;
  return createHash('sha256')
    .update(JSON.stringify({ config, guards, actions, delays }, withFunctions))
    .digest('hex')
    .slice(0, 12);
};

const versions: Readonly<Record<ChartName, string>> = {
  call: versionOf(callMachine),
  conversation: versionOf(conversationMachine),
  voicemail: versionOf(voicemailMachine),
};

export type Transitions = {
  /** What a call's actor tells of itself and its children is kept; `now` is the time in the call. Never throws. */
  inspectorOf(callId: string, now: () => Date): (event: InspectionEvent) => void;
  /** A fact of a call was published. */
  countFact(callId: string): void;
  release(callId: string): void;
  /** Resolves when all that has happened until now is written; while the database is away, when that was found out. */
  written(): Promise<void>;
  /** Writes what waits, once; what cannot be written is lost. */
  close(): Promise<void>;
};

type Track = { sequence: number; facts: number; states: Map<ChartName, string> };

const chartOf = (id: string, callId: string): ChartName | undefined =>
  id === callId ? 'call' : chartNames.find((name) => name === id);

const valueOf = (snapshot: object): unknown => ('value' in snapshot ? snapshot.value : undefined);

export const createTransitions = (options: {
  write: (transitions: readonly StoredTransition[]) => Promise<void>;
  /** Whether this error means that the database is away, so that the same may succeed later. */
  isPassing: (error: unknown) => boolean;
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  /** How long transitions are gathered for one statement. */
  gatherMs: number;
  /** Of one statement, and of all that may wait. */
  batch: number;
  limit: number;
  /** After a failure. */
  retryMs: number;
  logger: Logger;
}): Transitions => {
  const { clock, gatherMs, batch, limit, retryMs, logger } = options;
  const tracks = new Map<string, Track>();
  const waiting: StoredTransition[] = [];
  let timer: unknown;
  let isClosed = false;
  let writing: Promise<void> | undefined;

  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const some = waiting.slice(0, batch);
      try {
        await options.write(some);
      } catch (error) {
        if (options.isPassing(error)) throw error;
        logger.error({ err: error, transitions: some.length }, 'transitions of calls could not be written');
      }
      waiting.splice(0, some.length);
    }
  };

  const writeOrWait = async (): Promise<void> => {
    let pauseMs = gatherMs;
    try {
      await writeWaiting();
    } catch (error) {
      pauseMs = retryMs;
      logger.warn({ err: error, transitions: waiting.length }, 'transitions of calls wait for the database');
    }
    writing = undefined;
    if (waiting.length > 0) writeAfter(pauseMs);
  };

  const writeAfter = (milliseconds: number): void => {
    if (timer !== undefined || writing !== undefined || isClosed) return;
    timer = clock.setTimeout(() => {
      timer = undefined;
      writing = writeOrWait();
    }, milliseconds);
  };

  const look = (callId: string, track: Track, now: () => Date, inspected: InspectionEvent): void => {
    if (inspected.type !== '@xstate.snapshot') return;
    const { actorRef } = inspected;
    if (!('id' in actorRef) || typeof actorRef.id !== 'string') return;
    const machine = chartOf(actorRef.id, callId);
    const value = valueOf(inspected.snapshot);
    if (machine === undefined || value === undefined) return;
    const eventType = inspected.event.type;
    const stateBefore = eventType === 'xstate.init' ? null : (track.states.get(machine) ?? null);
    const stateAfter = stateName(value);
    if (stateBefore === stateAfter) return;
    track.states.set(machine, stateAfter);
    if (waiting.length >= limit) return;
    track.sequence += 1;
    const { sequence, facts: factsBefore } = track;
    const chartVersion = versions[machine];
    waiting.push({
      callId,
      sequence,
      at: now(),
      machine,
      chartVersion,
      stateBefore,
      eventType,
      stateAfter,
      factsBefore,
    });
    writeAfter(gatherMs);
  };

  return {
    inspectorOf(callId, now) {
      const track: Track = { sequence: 0, facts: 0, states: new Map() };
      tracks.set(callId, track);
      return (inspected) => look(callId, track, now, inspected);
    },
    countFact(callId) {
      const track = tracks.get(callId);
      if (track !== undefined) track.facts += 1;
    },
    release: (callId) => void tracks.delete(callId),
    async written() {
      // A chart publishes its facts in the midst of the transition that they belong to.
      await laterInThisPass();
      if (waiting.length > 0 && writing === undefined && !isClosed) {
        clock.clearTimeout(timer);
        timer = undefined;
        writing = writeOrWait();
      }
      await writing;
    },
    async close() {
      isClosed = true;
      clock.clearTimeout(timer);
      await writing;
      try {
        await writeWaiting();
      } catch (error) {
        logger.error({ err: error, transitions: waiting.length }, 'transitions of calls are lost');
      }
    },
  };
};
