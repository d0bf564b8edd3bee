import type { Clock } from '#src/domain/clock.ts';

/** Maximum number of pending challenges; further ones are not counted. */
const most = 10_000;

/** Pending challenges (401) by the address that received them. */
export const createChallenges = (
  clock: Clock,
  /** Time within which a caller must respond. Programs respond at once, and trunks do not ask people for passwords. */
  answerMs: number,
  onUnanswered: (address: string) => void,
) => {
  const open = new Map<string, unknown[]>();
  let count = 0;

  /** Removes the oldest challenge of an address. */
  const take = (address: string): void => {
    const timers = open.get(address);
    if (timers === undefined) return;
    clock.clearTimeout(timers.shift());
    count -= 1;
    if (timers.length === 0) open.delete(address);
  };

  return {
    sent(address: string): void {
      if (count >= most) return;
      count += 1;
      const timer = clock.setTimeout(() => {
        take(address);
        onUnanswered(address);
      }, answerMs);
      open.set(address, [...(open.get(address) ?? []), timer]);
    },
    /** Called when the caller has responded, with any credentials. */
    answered: take,
    close(): void {
      for (const timer of [...open.values()].flat()) clock.clearTimeout(timer);
      open.clear();
    },
  };
};
