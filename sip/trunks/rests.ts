/**
 * Addresses of trunks that have asked to be left alone for a while (`Retry-After`, RFC 3261 section 20.33): no call goes there until
 * then, and none waits for it.
 */
import type { Clock } from '#src/domain/clock.ts';

export const createTrunkRests = (options: {
  clock: Clock;
  /** One that asks to be left alone for longer is asked again after this, in milliseconds. */
  longestRestMs: number;
}) => {
  const { clock, longestRestMs } = options;
  const ends = new Map<string, number>();

  /** Wall-clock milliseconds since the epoch; `null` for one that takes calls. `key` is an `addressKey`. */
  const until = (key: string): number | null => {
    const end = ends.get(key);
    if (end === undefined) return null;
    const restMs = end - clock.now();
    // More than the longest rest is a clock that was set back.
    if (restMs > 0 && restMs <= longestRestMs) return end;
    ends.delete(key);
    return null;
  };

  return {
    until,
    begin(key: string, milliseconds: number): void {
      ends.set(key, clock.now() + Math.min(milliseconds, longestRestMs));
    },
    /** For a trunk whose settings are others now. */
    end(trunkId: string): void {
      for (const key of ends.keys()) if (key.startsWith(`${trunkId} `)) ends.delete(key);
    },
    /** Whole seconds until then, as people are told. */
    secondsUntil: (end: number): number => Math.ceil((end - clock.now()) / 1_000),
  };
};

export type TrunkRests = ReturnType<typeof createTrunkRests>;
