/** Judges of a turn's end, and their numbers, as lists and bounds for schemas and documents. */
import type { TurnEnd, TurnEndMode } from '#machines/line.ts';

export type { TurnEnd, TurnEndMode };

export const turnEndModes = ['pause', 'recognizer', 'model'] as const satisfies readonly TurnEndMode[];

/** The numbers of one that names none. */
export const usualTurnEnd = { minSilenceMs: 200, maxSilenceMs: 3_000 } as const;

/**
 * Bounds of what a number may set, in milliseconds: from, to. They do not overlap, so that any two of them go together.
 */
export const turnEndBounds = {
  /** Shorter is a gap between syllables. */
  minSilenceMs: [100, 1_000],
  maxSilenceMs: [1_000, 10_000],
} as const satisfies Record<Exclude<keyof TurnEnd, 'mode'>, readonly [number, number]>;
