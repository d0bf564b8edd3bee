/** Directions without audio, for schemas and API documents. */
import type { OneWayAudio } from '#machines/line.ts';

export type { OneWayAudio };

export const oneWaySounds = [
  'nothing_received',
  'nothing_delivered',
] as const satisfies readonly OneWayAudio[];
