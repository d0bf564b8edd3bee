/**
 * Common interface of the line drivers (simulator, drachtio, web phone). `machines/line.ts` defines the commands and
 * reports of a single line; this file defines how lines are created.
 */
import type { AnyActorRef } from 'xstate';
import type { Line, LineEvent, LineInput, OpenLine } from '#machines/line.ts';
import type { Arrival, ArrivalVerdict } from '#src/domain/arrival.ts';
import type { LineCheckpoint, LineResumeState } from '#src/domain/sip-leg.ts';

export type OnArrival = (arrival: Arrival) => Promise<ArrivalVerdict>;

/** Health of the lines. `warning`: a component is down, but calls are possible. */
export type LinesHealth = { ready: true; warning?: string } | { ready: false; detail: string };

export type ResumeLine = (
  input: LineInput,
  state: LineResumeState,
  emit: (event: LineEvent) => void,
  parent?: AnyActorRef,
) => Line;

export interface Lines {
  readonly name: 'simulator' | 'drachtio' | 'none';
  /** Connects to the servers of the lines. From then on, arrivals are passed to `onArrival`. */
  start(onArrival: OnArrival): Promise<void>;
  readonly open: OpenLine;
  /**
   * The far ends of a call as another process would resume them now, or hang them up. A leg may exist before the line of
   * its call and after it; a call without far ends here has no legs. A driver whose far ends outlive the process
   * notifies its owner of each change.
   */
  checkpoint(callId: string): LineCheckpoint;
  /**
   * Takes over a call of another process. The line reports `line.adopted` when its audio is connected, or `line.ended`
   * if the take-over is impossible.
   */
  readonly resume: ResumeLine;
  /** Whether calls can be placed and answered now, with a sentence if they cannot or a component is down. */
  health(): LinesHealth;
  /**
   * Sends arrivals to other gateways, if there are other gateways. Calls in progress continue. Resolves when no arrival
   * is pending.
   */
  takeNoMore(): Promise<void>;
  /** Ends all lines and releases sockets and timers. */
  close(): Promise<void>;
}

/** Checkpoint of a call without far ends that outlive the process. */
export const noFarEnds: LineCheckpoint = { legs: [], isResumable: false, farEnd: null };

/**
 * Reports a call as ended, for drivers whose far ends end with the process. `endedAt` is the time of the end by the
 * driver's clock.
 */
export const resumeNothing =
  (endedAt: () => number): ResumeLine =>
  (_input, _state, emit) => {
    const end = setImmediate(() => emit({ type: 'line.ended', at: endedAt(), by: 'gateway' }));
    const beSilent = (): void => clearImmediate(end);
    return { tell() {}, close: beSilent, release: beSilent };
  };

/** The driver of a gateway without telephone lines. */
export const createNoLines = (): Lines => ({
  name: 'none',
  start: () => Promise.resolve(),
  open() {
    throw new Error('This gateway has no telephone lines');
  },
  checkpoint: () => noFarEnds,
  resume() {
    throw new Error('This gateway has no telephone lines');
  },
  health: () => ({ ready: true }),
  takeNoMore: () => Promise.resolve(),
  close: () => Promise.resolve(),
});
