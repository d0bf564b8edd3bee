/** Directions without audio, for schemas and documents. */
import type { OneWaySound } from '#machines/line.ts';

export type { OneWaySound };

export const oneWaySounds = [
  'nothing_received',
  'nothing_delivered',
] as const satisfies readonly OneWaySound[];
