/** Retention periods of words and recordings after a call's end (guides/privacy.md). */

export type Retention = {
  /** Days; 0: calls are not recorded; null: for ever. */
  recordings: number | null;
  /** Days; 0: transcript and summary are not stored, and other words are deleted at the end; null: for ever. */
  words: number | null;
};

/** A hundred years. */
export const longestRetentionDays = 36_500;
