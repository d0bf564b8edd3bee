/**
 * The one interface of all line drivers (simulator, drachtio, web phone). What a single line says and is told stands
 * in `machines/line.ts`; this page says how lines come to be.
 */
import type { Line, LineEvent, LineInput, OpenLine } from '#machines/line.ts';
import type { Arrival, ArrivalVerdict } from '#src/domain/arrival.ts';
import type { LeftLine } from '#src/domain/sip-leg.ts';

export type OnArrival = (arrival: Arrival) => Promise<ArrivalVerdict>;

/** `warning`: a part is down, and calls go on without it. */
export type LinesHealth = { ready: true; warning?: string } | { ready: false; detail: string };

export type AdoptLine = (input: LineInput, left: LeftLine, emit: (event: LineEvent) => void) => Line;

export interface Lines {
  readonly name: 'simulator' | 'drachtio' | 'none';
  /** Connects to what the lines need. Arrivals are offered from now on. */
  start(onArrival: OnArrival): Promise<void>;
  readonly open: OpenLine;
  /**
   * Goes on with a call that another process has left: `line.adopted` when its voices are carried here, or `line.ended`
   * where that cannot be.
   */
  readonly adopt: AdoptLine;
  /** Whether calls can be placed and answered now, with a plain sentence when not, or when a part of it is down. */
  health(): LinesHealth;
  /** From now on arrivals are for others, where there are any. Calls go on. Resolves when none comes any more. */
  takeNoMore(): Promise<void>;
  /** Ends every line that still stands and lets go of all sockets and timers. */
  close(): Promise<void>;
}

/** Of a driver whose far ends do not outlive its process. `endedAt`: the time of the end, by its clock. */
export const adoptNothing =
  (endedAt: () => number): AdoptLine =>
  (_input, _left, emit) => {
    const end = setImmediate(() => emit({ type: 'line.ended', at: endedAt(), by: 'gateway' }));
    const beSilent = (): void => clearImmediate(end);
    return { tell() {}, close: beSilent, leave: beSilent, canBeLeft: () => false };
  };

/** No telephone lines at all: for a gateway that only shows what others do. */
export const createNoLines = (): Lines => ({
  name: 'none',
  start: () => Promise.resolve(),
  open() {
    throw new Error('This gateway has no telephone lines');
  },
  adopt() {
    throw new Error('This gateway has no telephone lines');
  },
  health: () => ({ ready: true }),
  takeNoMore: () => Promise.resolve(),
  close: () => Promise.resolve(),
});
