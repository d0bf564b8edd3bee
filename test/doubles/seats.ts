/**
 * Limits concurrency. Connecting has a limit of a few seconds, which a busy machine would exceed if all tests of a file
 * began at once.
 */
export const createSeats = (count: number) => {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    /** Resolves when a seat is free; the caller must release it by `leave`. */
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
