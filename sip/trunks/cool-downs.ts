/**
 * Cool-downs of trunk addresses that requested one (`Retry-After`, RFC 3261 section 20.33). Calls skip such an address
 * instead of waiting for it.
 */
import type { Clock } from '#src/domain/clock.ts';

export const createTrunkCoolDowns = (options: {
  clock: Clock;
  /** Maximum cool-down in milliseconds; longer cool-downs are reduced to this one. */
  longestCoolDownMs: number;
}) => {
  const { clock, longestCoolDownMs } = options;
  const ends = new Map<string, number>();

  /**
   * Returns the end of the cool-down in wall-clock milliseconds; `null` for an address that accepts calls. `key` is an
   * `addressKey`.
   */
  const until = (key: string): number | null => {
    const end = ends.get(key);
    if (end === undefined) return null;
    const coolDownMs = end - clock.now();
    // A value above the maximum means that the clock was set back.
    if (coolDownMs > 0 && coolDownMs <= longestCoolDownMs) return end;
    ends.delete(key);
    return null;
  };

  return {
    until,
    begin(key: string, milliseconds: number): void {
      ends.set(key, clock.now() + Math.min(milliseconds, longestCoolDownMs));
    },
    /** Ends the cool-downs of a trunk whose settings changed. */
    end(trunkId: string): void {
      for (const key of ends.keys()) if (key.startsWith(`${trunkId} `)) ends.delete(key);
    },
    /** Returns the seconds until the end of a cool-down, rounded up, for display. */
    secondsUntil: (end: number): number => Math.ceil((end - clock.now()) / 1_000),
  };
};

export type TrunkCoolDowns = ReturnType<typeof createTrunkCoolDowns>;
