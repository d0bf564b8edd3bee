/** A queue of received items, in order, for waiting readers. */

/** Time limit that a healthy machine does not reach. */
export const patienceMs = 60_000;

export type Mailbox<Item> = {
  put(item: Item): void;
  /** Rejects with the description of the awaited item after the time limit. */
  next(awaited: string): Promise<Item>;
  /** Items that have not been read. */
  left(): readonly Item[];
};

export const createMailbox = <Item>(): Mailbox<Item> => {
  const items: Item[] = [];
  const waiting: ((item: Item) => void)[] = [];
  return {
    put(item) {
      const receive = waiting.shift();
      if (receive === undefined) items.push(item);
      else receive(item);
    },
    next(awaited) {
      const [item] = items.splice(0, 1);
      if (item !== undefined) return Promise.resolve(item);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${awaited} did not come within ${patienceMs} ms`)),
          patienceMs,
        );
        waiting.push((next) => {
          clearTimeout(timer);
          resolve(next);
        });
      });
    },
    left: () => items,
  };
};
