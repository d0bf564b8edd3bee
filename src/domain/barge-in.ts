/** Modes of barge-in, and their numbers, as lists and bounds for schemas and documents. */
import type { BargeIn, BargeInMode } from '#machines/line.ts';

export type { BargeIn, BargeInMode };

export const bargeInModes = ['pause', 'stop', 'off'] as const satisfies readonly BargeInMode[];

/** The numbers of one that names none. */
export const usualBargeIn = { onsetMs: 80, speechMs: 600, resumeMs: 500 } as const;

/** Bounds of what a number may set, in milliseconds: from, to. */
export const bargeInBounds = {
  /** A click is shorter, and an onset that takes longer is no silence at once. */
  onsetMs: [60, 300],
  speechMs: [300, 3_000],
  resumeMs: [100, 3_000],
} as const satisfies Record<Exclude<keyof BargeIn, 'mode'>, readonly [number, number]>;
