/** Turn-end judges and their thresholds for schemas and documents. */
import type { TurnEnd, TurnEndMode } from '#machines/line.ts';

export type { TurnEnd, TurnEndMode };

export const turnEndModes = ['pause', 'recognizer', 'model'] as const satisfies readonly TurnEndMode[];

/** Defaults. */
export const usualTurnEnd = { minSilenceMs: 200, maxSilenceMs: 3_000 } as const;

/** Bounds of a number's settings in milliseconds: from, to. They do not overlap, so all combinations are valid. */
export const turnEndBounds = {
  /** Shorter silences are gaps between syllables. */
  minSilenceMs: [100, 1_000],
  maxSilenceMs: [1_000, 10_000],
} as const satisfies Record<Exclude<keyof TurnEnd, 'mode'>, readonly [number, number]>;
