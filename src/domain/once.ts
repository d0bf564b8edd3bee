/** Wraps a function so that it runs at most once. */
export const once = <Given extends readonly unknown[]>(
  act: (...given: Given) => void,
): ((...given: Given) => void) => {
  let waiting: typeof act | null = act;
  return (...given) => {
    const first = waiting;
    waiting = null;
    first?.(...given);
  };
};
