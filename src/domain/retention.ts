/** The time for which words and recordings of a call are kept after its end (guides/privacy.md). */

export type Retention = {
  /** Days; 0: calls are not recorded; null: for ever. */
  recordings: number | null;
  /** Days; 0: no transcript and no summary is written, and the rest goes with the end; null: for ever. */
  words: number | null;
};

/** A hundred years. */
export const longestRetentionDays = 36_500;
