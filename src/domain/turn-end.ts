/** Turn-end judges and their thresholds for schemas and API documents. */
import type { TurnEnd, TurnEndMode } from '#machines/line.ts';

export type { TurnEnd, TurnEndMode };

export const turnEndModes = ['pause', 'recognizer', 'model'] as const satisfies readonly TurnEndMode[];

/** Default thresholds in milliseconds. */
export const usualTurnEnd = { minSilenceMs: 200, maxSilenceMs: 3_000 } as const;

/**
 * Minimum and maximum of a number's settings in milliseconds. The ranges of the two settings do not overlap, so all
 * combinations are valid.
 */
export const turnEndBounds = {
  /** Silences shorter than the minimum are gaps between syllables. */
  minSilenceMs: [100, 1_000],
  maxSilenceMs: [1_000, 10_000],
} as const satisfies Record<Exclude<keyof TurnEnd, 'mode'>, readonly [number, number]>;
