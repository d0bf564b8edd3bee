/**
 * Aligns the steps of two calls: a longest common subsequence by Myers' algorithm in linear space ("An O(ND) difference
 * algorithm and its variations", 1986). Steps are equal if their event and their states are. Between equal steps, steps
 * with the same event stand beside each other as changed ones; each of the others has a gap beside it.
 *
 * The work grows with the number of differences. Calls that need more than `mostWork` are not aligned: from their first
 * difference on, their steps are side by side by number.
 */
import type { ReplayStep } from '../api/records.ts';

/** `first` and `second`: only this call has the step. */
export type RowKind = 'same' | 'changed' | 'first' | 'second';

/** Steps beside each other: their indexes by call, null for a gap. A single call has rows of one index. */
export type Row = { kind: RowKind; steps: readonly (number | null)[] };

export type Alignment = {
  rows: readonly Row[];
  /** The first row that is side by side by number, without alignment; null if all are aligned. */
  numberedFrom: number | null;
};

/** Comparisons of steps, which take about a tenth of a second. */
const mostWork = 4_000_000;

type Pair = readonly [number, number];

const nameOf = ({ event, call, conversation, voicemail }: ReplayStep): string =>
  JSON.stringify([event, call, conversation, voicemail]);

/** Returns a function that replaces names by numbers, the same one for equal names. */
const numbering = (): ((names: readonly string[]) => number[]) => {
  const known = new Map<string, number>();
  return (names) =>
    names.map((name) => {
      const number = known.get(name) ?? known.size;
      known.set(name, number);
      return number;
    });
};

/** Thrown when the work exceeds its limit. */
class TooMuchWork extends Error {}

/** Work that may still be done. */
type Budget = { left: number };

const spend = (budget: Budget, work: number): void => {
  budget.left -= work;
  if (budget.left < 0) throw new TooMuchWork();
};

/** A part of both sequences: indexes from and, exclusively, to. */
type Box = { from: Pair; to: Pair };

/**
 * Returns the pairs of a longest common subsequence, in order. Throws `TooMuchWork`. For each diagonal `x - y` of a box,
 * `reached` holds how far the paths from the beginning come, and `reachedBack` how far back the paths from the end come.
 */
const commonPairs = (one: readonly number[], other: readonly number[], budget: Budget): Pair[] => {
  const pairs: Pair[] = [];
  const origin = other.length + 1;
  const reached = new Int32Array(one.length + other.length + 3);
  const reachedBack = new Int32Array(one.length + other.length + 3);

  /** A point in the middle of a shortest path through a box whose sides differ at both corners. */
  const middleOf = ({ from: [left, top], to: [right, bottom] }: Box): Pair => {
    const [lowest, highest] = [left - bottom, right - top];
    const [forward, backward] = [left - top, right - bottom];
    const meetsForward = (forward - backward) % 2 !== 0;
    let [low, high, lowBack, highBack] = [forward, forward, backward, backward];
    reached[origin + forward] = left;
    reachedBack[origin + backward] = right;
    for (;;) {
      if (low > lowest) {
        low -= 1;
        reached[origin + low - 1] = -1;
      } else low += 1;
      if (high < highest) {
        high += 1;
        reached[origin + high + 1] = -1;
      } else high -= 1;
      for (let diagonal = high; diagonal >= low; diagonal -= 2) {
        const below = reached[origin + diagonal - 1] ?? -1;
        const above = reached[origin + diagonal + 1] ?? -1;
        const begun = below < above ? above : below + 1;
        let x = begun;
        while (x < right && x - diagonal < bottom && one[x] === other[x - diagonal]) x += 1;
        spend(budget, x - begun + 1);
        reached[origin + diagonal] = x;
        const isMet = lowBack <= diagonal && diagonal <= highBack;
        if (meetsForward && isMet && (reachedBack[origin + diagonal] ?? 0) <= x) return [x, x - diagonal];
      }
      if (lowBack > lowest) {
        lowBack -= 1;
        reachedBack[origin + lowBack - 1] = one.length + 1;
      } else lowBack += 1;
      if (highBack < highest) {
        highBack += 1;
        reachedBack[origin + highBack + 1] = one.length + 1;
      } else highBack -= 1;
      for (let diagonal = highBack; diagonal >= lowBack; diagonal -= 2) {
        const below = reachedBack[origin + diagonal - 1] ?? 0;
        const above = reachedBack[origin + diagonal + 1] ?? 0;
        const begun = below < above ? below : above - 1;
        let x = begun;
        while (left < x && top < x - diagonal && one[x - 1] === other[x - diagonal - 1]) x -= 1;
        spend(budget, begun - x + 1);
        reachedBack[origin + diagonal] = x;
        const isMet = low <= diagonal && diagonal <= high;
        if (!meetsForward && isMet && x <= (reached[origin + diagonal] ?? -1)) return [x, x - diagonal];
      }
    }
  };

  const compare = ({ from, to }: Box): void => {
    let [left, top] = from;
    let [right, bottom] = to;
    while (left < right && top < bottom && one[left] === other[top]) {
      pairs.push([left, top]);
      left += 1;
      top += 1;
    }
    const lastX = right;
    while (left < right && top < bottom && one[right - 1] === other[bottom - 1]) {
      right -= 1;
      bottom -= 1;
    }
    if (left < right && top < bottom) {
      const middle = middleOf({ from: [left, top], to: [right, bottom] });
      compare({ from: [left, top], to: middle });
      compare({ from: middle, to: [right, bottom] });
    }
    for (let index = 0; right + index < lastX; index += 1) pairs.push([right + index, bottom + index]);
  };

  compare({ from: [0, 0], to: [one.length, other.length] });
  return pairs;
};

/** The common pairs, or none if they need too much work. */
const pairsWithin = (
  one: readonly number[],
  other: readonly number[],
  budget: Budget,
): readonly Pair[] | null => {
  try {
    return commonPairs(one, other, budget);
  } catch (error) {
    if (error instanceof TooMuchWork) return null;
    throw error;
  }
};

const sameBeginning = (one: readonly number[], other: readonly number[]): number => {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
};

/** Rows by number: steps beside each other, whether they are equal or not. */
const byNumber = (one: readonly number[], other: readonly number[]): Row[] =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, index) => {
    if (index >= one.length) return { kind: 'second', steps: [null, index] };
    if (index >= other.length) return { kind: 'first', steps: [index, null] };
    return { kind: one[index] === other[index] ? 'same' : 'changed', steps: [index, index] };
  });

/** Rows of the steps between two pairs: those before the next pair of each call, with gaps. */
const gaps = ([x, y]: Pair, [toX, toY]: Pair): Row[] => [
  ...Array.from({ length: toX - x }, (_, index): Row => ({ kind: 'first', steps: [x + index, null] })),
  ...Array.from({ length: toY - y }, (_, index): Row => ({ kind: 'second', steps: [null, y + index] })),
];

/** The rows of pairs, with `between` for the steps between them. */
const rowsOf = (
  pairs: readonly Pair[],
  begin: Pair,
  end: Pair,
  kind: RowKind,
  between: (from: Pair, to: Pair) => Row[],
): Row[] => {
  const rows: Row[] = [];
  let next = begin;
  for (const pair of pairs) {
    for (const row of between(next, pair)) rows.push(row);
    rows.push({ kind, steps: pair });
    next = [pair[0] + 1, pair[1] + 1];
  }
  for (const row of between(next, end)) rows.push(row);
  return rows;
};

/** Aligns two calls. `work` is the limit of comparisons. */
export const align = (
  first: readonly ReplayStep[],
  second: readonly ReplayStep[],
  work: number = mostWork,
): Alignment => {
  const [numbersOf, eventsOf] = [numbering(), numbering()];
  const [one, other] = [numbersOf(first.map(nameOf)), numbersOf(second.map(nameOf))];
  const events = (steps: readonly ReplayStep[], from: number, to: number): number[] =>
    eventsOf(steps.slice(from, to).map(({ event }) => event));
  const budget = { left: work };
  const pairs = pairsWithin(one, other, budget);
  if (pairs === null) return { rows: byNumber(one, other), numberedFrom: sameBeginning(one, other) };
  const changed = (from: Pair, to: Pair): Row[] => {
    if (from[0] === to[0] || from[1] === to[1]) return gaps(from, to);
    const some = pairsWithin(events(first, from[0], to[0]), events(second, from[1], to[1]), budget);
    const moved = (some ?? []).map(([x, y]): Pair => [from[0] + x, from[1] + y]);
    return rowsOf(moved, from, to, 'changed', gaps);
  };
  const rows = rowsOf(pairs, [0, 0], [one.length, other.length], 'same', changed);
  return { rows, numberedFrom: null };
};

/** The rows of one call alone. */
export const alone = (steps: readonly ReplayStep[]): Alignment => ({
  rows: steps.map((_, index) => ({ kind: 'same', steps: [index] })),
  numberedFrom: null,
});

/** Returns the first row of each run of rows that differ. */
export const differencesOf = (rows: readonly Row[]): number[] =>
  rows.flatMap(({ kind }, index) =>
    kind !== 'same' && (index === 0 || rows[index - 1]?.kind === 'same') ? [index] : [],
  );

/** State of a call at a row. */
export type Shown = {
  /** The step of the row; in a gap the last one before it, and before the first one the first; null without steps. */
  step: number | null;
  isGap: boolean;
  /** Whether the call has no step at this row or later. */
  isOver: boolean;
};

export const shownAt = (rows: readonly Row[], side: number, index: number): Shown => {
  const stepIn = (row: Row | undefined): number | null => row?.steps[side] ?? null;
  const here = stepIn(rows[index]);
  if (here !== null) return { step: here, isGap: false, isOver: false };
  let before = index;
  while (before >= 0 && stepIn(rows[before]) === null) before -= 1;
  let after = index;
  while (after < rows.length && stepIn(rows[after]) === null) after += 1;
  return {
    step: stepIn(rows[before]) ?? stepIn(rows[after]),
    isGap: true,
    isOver: after >= rows.length,
  };
};

/** Part of the scrubber, from 0 to 1, whose rows differ in this way. */
export type Mark = { kind: Exclude<RowKind, 'same'>; from: number; to: number };

/** Number of columns into which the scrubber is divided for its marks. */
const mostMarks = 400;

/** Returns the marks of the rows that differ, at most `most` of them. A column with several kinds has the first. */
export const marksOf = (rows: readonly Row[], most: number = mostMarks): Mark[] => {
  const columns = Math.min(rows.length, most);
  const marks: Mark[] = [];
  for (let column = 0; column < columns; column += 1) {
    const from = Math.floor((column * rows.length) / columns);
    const to = Math.floor(((column + 1) * rows.length) / columns);
    const kind = rows.slice(from, to).find((row) => row.kind !== 'same')?.kind ?? 'same';
    if (kind === 'same') continue;
    const last = marks.at(-1);
    const place = { from: column / columns, to: (column + 1) / columns };
    if (last?.kind === kind && last.to === place.from) last.to = place.to;
    else marks.push({ kind, ...place });
  }
  return marks;
};
