/**
 * At most `most` at once; the others wait in the order in which they came, for as long as it takes. What limits the
 * waiting is that everything that runs has a limit of its own.
 */
export const takingTurns = (most: number): { take: () => Promise<void>; give: () => void } => {
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
