/**
 * At most `most` at once; the others wait in the order in which they came, for as long as it takes. What limits the
 * waiting is that everything that runs has a limit of its own.
 */
export const inTurn = <Arguments extends unknown[], Result>(
  run: (...asked: Arguments) => Promise<Result>,
  most: number,
): ((...asked: Arguments) => Promise<Result>) => {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (...asked) => {
    if (underWay < most) underWay += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run(...asked);
    } finally {
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  };
};
