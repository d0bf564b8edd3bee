/** Modes and thresholds of barge-in for schemas and API documents. */
import type { BargeIn, BargeInMode } from '#machines/line.ts';

export type { BargeIn, BargeInMode };

export const bargeInModes = ['pause', 'stop', 'off'] as const satisfies readonly BargeInMode[];

/** Default settings. */
export const usualBargeIn = { onsetMs: 80, speechMs: 600, resumeMs: 500 } as const;

/** Minimum and maximum of a number's settings in milliseconds. */
export const bargeInBounds = {
  /**
   * Sounds shorter than the minimum onset are clicks; a longer onset than the maximum would delay the pause too much.
   */
  onsetMs: [60, 300],
  speechMs: [300, 3_000],
  resumeMs: [100, 3_000],
} as const satisfies Record<Exclude<keyof BargeIn, 'mode'>, readonly [number, number]>;
