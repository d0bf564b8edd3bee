/** Numbers of calls for the boxes and arrows of a chart's picture, from counts by innermost state. */
import type { Fleet, FleetCounts } from '../api/records.ts';

export type Chart = keyof FleetCounts['states'];

export type Arrow = { from: string; to: string };

/** Whether a state is another one or inside of it. */
export const isWithin = (state: string, outer: string): boolean =>
  outer === '' || state === outer || state.startsWith(`${outer}.`);

/** The number of calls that are in a state or in one of its inner states. */
export const callsIn = (states: Readonly<Record<string, number>>, box: string): number =>
  Object.entries(states).reduce((sum, [state, calls]) => sum + (isWithin(state, box) ? calls : 0), 0);

/** Returns the states of an arrow's name in the picture, such as `ringing → active`. `(any)` is the whole chart. */
export const arrowNamed = (name: string): Arrow => {
  const [from = '', to = ''] = name.split(' → ').map((state) => (state === '(any)' ? '' : state));
  return { from, to };
};

/** The longest states first, which are the innermost. */
const innermost = (one: Arrow, other: Arrow): number =>
  other.from.length - one.from.length || other.to.length - one.to.length;

/**
 * Returns how often each arrow was taken. A transition is stored with the innermost states before and after it; its
 * arrow may begin at an outer state, and end at one whose first inner states are entered.
 */
export const timesTaken = (
  arrows: readonly Arrow[],
  transitions: readonly { from: string | null; to: string; count: number }[],
): Map<Arrow, number> => {
  const taken = new Map<Arrow, number>();
  const inOrder = arrows.toSorted(innermost);
  for (const { from, to, count } of transitions) {
    if (from === null) continue;
    const arrow = inOrder.find((one) => isWithin(from, one.from) && isWithin(to, one.to));
    if (arrow !== undefined) taken.set(arrow, (taken.get(arrow) ?? 0) + count);
  }
  return taken;
};

export type StateRow = {
  state: string;
  now: number;
  entries: number;
  medianMs: number | null;
  failed: number;
};

/** Returns the states of a picture in their order. */
export const statesInPicture = (picture: string): string[] =>
  [...picture.matchAll(/data-state="([^"]*)"/g)].map(([, state = '']) => state);

/** Returns the states in which calls are or were, in this order; unknown states come last. */
export const stateRows = (
  chart: Chart,
  order: readonly string[],
  counts: FleetCounts | null,
  history: Fleet | undefined,
): StateRow[] => {
  const now = counts?.states[chart] ?? {};
  const before = (history?.states ?? []).filter((one) => one.chart === chart);
  const placeOf = (state: string): number => {
    const place = order.indexOf(state);
    return place === -1 ? order.length : place;
  };
  return [...new Set([...Object.keys(now), ...before.map(({ state }) => state)])]
    .toSorted((one, other) => placeOf(one) - placeOf(other) || (one < other ? -1 : 1))
    .map((state) => {
      const told = before.find((one) => one.state === state);
      return {
        state,
        now: now[state] ?? 0,
        entries: told?.entries ?? 0,
        medianMs: told?.median_ms ?? null,
        failed: told?.failed ?? 0,
      };
    });
};
