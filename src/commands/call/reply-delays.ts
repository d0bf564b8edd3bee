/**
 * Delays of the agent's replies, measured from the end of the other party's speech to the beginning of the reply's
 * audio.
 */
import { turnWait } from './turn-wait.ts';

/** Returns the delay in seconds; null if unknown, or if the sentence was not a reply. */
export const delayOf = (data: Readonly<Record<string, unknown>>): number | null => {
  const wait = turnWait(data['latency']);
  return wait === null ? null : wait / 1_000;
};

/** Returns median and maximum; null without delays. */
export const summaryOf = (delays: readonly number[]): { median: number; longest: number } | null => {
  const sorted = delays.toSorted((one, other) => one - other);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  const longest = sorted.at(-1);
  return median === undefined || longest === undefined ? null : { median, longest };
};
