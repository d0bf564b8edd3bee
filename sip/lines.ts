/**
 * The one interface of all line drivers (simulator, drachtio, web phone). What a single line says and is told stands
 * in `machines/line.ts`; this page says how lines come to be.
 */
import type { OpenLine } from '#machines/line.ts';
import type { Arrival, ArrivalVerdict } from '#src/domain/arrival.ts';

export type OnArrival = (arrival: Arrival) => Promise<ArrivalVerdict>;

/** `warning`: a part is down, and calls go on without it. */
export type LinesHealth = { ready: true; warning?: string } | { ready: false; detail: string };

export interface Lines {
  readonly name: 'simulator' | 'drachtio' | 'none';
  /** Connects to what the lines need. Arrivals are offered from now on. */
  start(onArrival: OnArrival): Promise<void>;
  readonly open: OpenLine;
  /** Whether calls can be placed and answered now, with a plain sentence when not, or when a part of it is down. */
  health(): LinesHealth;
  /** Ends every line that still stands and lets go of all sockets and timers. */
  close(): Promise<void>;
}

/** No telephone lines at all: for a gateway that only shows what others do. */
export const createNoLines = (): Lines => ({
  name: 'none',
  start: () => Promise.resolve(),
  open() {
    throw new Error('This gateway has no telephone lines');
  },
  health: () => ({ ready: true }),
  close: () => Promise.resolve(),
});
