/**
 * Seats for so many at the same time. A connection is given a few seconds: a test file whose tests all begin at once
 * would need more on a busy machine.
 */
export const createSeats = (count: number) => {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    /** Resolves when one is free; it is to be left. */
    async take(): Promise<void> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => void waiting.push(resolve));
    },
    leave(): void {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
};
