/** Does it when it is called first; later calls do nothing. For what is given back, and for what is told once. */
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
