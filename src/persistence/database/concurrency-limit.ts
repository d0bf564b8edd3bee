/**
 * Allows at most `most` holders at once; the others queue in order without a time limit. Each running task has its own
 * time limit, which bounds the wait.
 */
export const limitConcurrency = (most: number): { take: () => Promise<void>; give: () => void } => {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return {
    async take() {
      if (underWay < most) underWay += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    give() {
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    },
  };
};
