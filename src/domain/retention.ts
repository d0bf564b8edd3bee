/** Retention periods of words and recordings after a call's end (guides/privacy.md). */

export type Retention = {
  /** Retention of recordings in days. With 0, calls are not recorded; with null, recordings are never deleted. */
  recordings: number | null;
  /**
   * Retention of words in days. With 0, transcript and summary are not stored, and other words are deleted at the end
   * of the call; with null, words are never deleted.
   */
  words: number | null;
};

/** Maximum retention in days: a hundred years. */
export const longestRetentionDays = 36_500;
