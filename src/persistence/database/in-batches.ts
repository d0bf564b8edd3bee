/**
 * Batches concurrent requests, because one statement for many requests is far cheaper than one statement for each.
 *
 * The first item is sent at the end of the event loop turn, with all items of that turn. While `lanes` batches are in
 * progress, further items queue and share the next batch. Items therefore never wait for items that may not come. A
 * batch contains only items that were added before its start, so a look-up sees everything committed before the
 * request.
 *
 * The work that follows a result, such as the start of a call, takes up to a millisecond, and is done in slices
 * (`time-slices.ts`).
 */
import { timeSlices } from '#src/domain/time-slices.ts';
import { isTransient } from './connection-errors.ts';

/**
 * Number of concurrent batches (two by default, so that one slow batch does not block all), maximum number of items per
 * batch, and time for which results are returned in one pass of the event loop (that of `timeSlices` by default).
 */
type BatchLimits = { lanes?: number; most?: number; sliceMs?: number | undefined };

type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/** Resolves when all promise callbacks that follow from earlier results have run. */
const followed = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/**
 * Creates the function that adds an item to a batch and resolves to its result. `run` processes a batch. If `run` fails
 * as a whole while the database is available, each item is retried alone, so that one rejected item does not fail the
 * others.
 */
export const inBatches = <Item, Result>(
  run: (items: readonly Item[]) => Promise<(item: Item) => Result>,
  { lanes = 2, most = 100, sliceMs }: BatchLimits = {},
): ((item: Item) => Promise<Result>) => {
  const waiting: Waiting<Item, Result>[] = [];
  let busy = 0;

  const finish = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const resultOf = await run(batch.map(({ item }) => item));
      const sliceEnds = timeSlices(sliceMs);
      for (const { item, resolve } of batch) {
        resolve(resultOf(item));
        await followed();
        await sliceEnds();
      }
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
