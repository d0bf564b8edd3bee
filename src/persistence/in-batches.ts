/**
 * Does together what is asked for at the same time: one statement for many is far cheaper than one for each.
 *
 * A first item is sent at the end of the event loop's turn, with whatever else came in the same turn. While `lanes`
 * batches are under way, further items wait and share the next one. So nothing waits for company that may never come;
 * and since a batch holds only what was asked for before it is sent, a look-up sees all that was committed before.
 */
import { isTransient } from './connection-errors.ts';

/** Batches under way at once (two, so that one that is held up does not hold up all), and items of each. */
type BatchLimits = { lanes?: number; most?: number };

type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/**
 * `run` does many at once and tells the result of each. When it fails as a whole, though not because the database is
 * away, each item is tried alone, so that one that is refused does not take the others with it.
 */
export const inBatches = <Item, Result>(
  run: (items: readonly Item[]) => Promise<(item: Item) => Result>,
  { lanes = 2, most = 100 }: BatchLimits = {},
): ((item: Item) => Promise<Result>) => {
  const waiting: Waiting<Item, Result>[] = [];
  let busy = 0;

  const finish = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const resultOf = await run(batch.map(({ item }) => item));
      for (const { item, resolve } of batch) resolve(resultOf(item));
    } catch (error) {
      if (batch.length > 1 && !isTransient(error)) {
        for (const one of batch) await finish([one]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  };

  const workOff = async (): Promise<void> => {
    while (waiting.length > 0) await finish(waiting.splice(0, most));
    busy -= 1;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (busy === lanes) return;
      busy += 1;
      setImmediate(() => void workOff());
    });
};
