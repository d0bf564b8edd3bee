import type { Clock } from '#src/domain/clock.ts';

/** Challenges that are waited for; beyond it they are not counted any more. */
const most = 10_000;

/** Challenges (401) that wait for their answer, by the address they were sent to. */
export const createChallenges = (
  clock: Clock,
  /** Who knows the password answers at once; a person may be asked for it by no trunk. */
  answerMs: number,
  onUnanswered: (address: string) => void,
) => {
  const open = new Map<string, unknown[]>();
  let count = 0;

  /** Takes the oldest one out. */
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
    /** With whatever credentials. */
    answered: take,
    close(): void {
      for (const timer of [...open.values()].flat()) clock.clearTimeout(timer);
      open.clear();
    },
  };
};
