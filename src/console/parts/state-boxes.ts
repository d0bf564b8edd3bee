/** States of a chart by their dotted names, such as `active.talking`. */

/** A state with the states that are directly inside of it. */
export type StateBox = { state: string; inner: StateBox[] };

const outerOf = (state: string): string => state.slice(0, Math.max(0, state.lastIndexOf('.')));

/** Returns the states inside of a state, by default those of the whole chart, each with its own inner states. */
export const nestedStates = (states: readonly string[], outer = ''): StateBox[] =>
  states
    .filter((state) => state !== '' && outerOf(state) === outer)
    .map((state) => ({ state, inner: nestedStates(states, state) }));

/** Returns the name of a state without its outer states. */
export const lastName = (state: string): string => state.slice(state.lastIndexOf('.') + 1);
