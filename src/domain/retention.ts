/** Retention periods of words and recordings after a call's end (guides/privacy.md). */

export type Retention = {
  /** Days for recordings. 0: calls are not recorded; null: kept forever. */
  recordings: number | null;
  /**
   * Days for words. 0: transcript and summary are not stored, and other words are deleted at the end; null: kept
   * forever.
   */
  words: number | null;
};

/** Maximum: a hundred years. */
export const longestRetentionDays = 36_500;
