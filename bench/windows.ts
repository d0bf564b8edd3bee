/**
 * Processor time in short windows, in turns under several conditions. The load of the machine and of the measured
 * program changes more slowly than the conditions, so windows of the same round differ by their condition. Each round
 * begins with another condition, so that a cost that grows during the bench counts for all of them.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from './percentile.ts';

export type Condition<Name extends string> = {
  name: Name;
  /** Creates the condition before its window. */
  begin(): Promise<{
    /** Work in the window, which lasts at least until the work is done. */
    during?: () => Promise<unknown>;
    end?: () => Promise<unknown>;
  }>;
};

/** Processor time of each program since its start, in milliseconds. */
export type Spent<Program extends string> = Readonly<Record<Program, number>>;

export type Window<Program extends string> = {
  seconds: number;
  before: Spent<Program>;
  after: Spent<Program>;
};

/** Resolves to the windows of each condition, one a round. */
export const measureInTurns = async <Name extends string, Program extends string>({
  conditions,
  spent,
  rounds,
  windowMs,
  settleMs,
}: {
  conditions: readonly Condition<Name>[];
  spent: () => Promise<Spent<Program>>;
  rounds: number;
  windowMs: number;
  /** Time between the beginning of a condition and its window. */
  settleMs: number;
}): Promise<(name: Name) => readonly Window<Program>[]> => {
  const windows: { name: Name; window: Window<Program> }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % conditions.length;
    for (const { name, begin } of [...conditions.slice(first), ...conditions.slice(0, first)]) {
      const { during, end } = await begin();
      await pause(settleMs);
      const [before, from] = [await spent(), performance.now()];
      await Promise.all([pause(windowMs), during?.()]);
      const [after, seconds] = [await spent(), (performance.now() - from) / 1_000];
      windows.push({ name, window: { seconds, before, after } });
      await end?.();
    }
  }
  return (wanted) => windows.flatMap(({ name, window }) => (name === wanted ? [window] : []));
};

/** Returns the processor time of a program in each window, in milliseconds per second. */
export const ratesOf = <Program extends string>(
  windows: readonly Window<Program>[],
  program: Program,
): number[] => windows.map(({ seconds, before, after }) => (after[program] - before[program]) / seconds);

/** Returns how much more the first windows have than the others of the same rounds. */
export const moreThan = (some: readonly number[], others: readonly number[]): number[] =>
  some.map((rate, round) => rate - (others[round] ?? Number.NaN));

/** Factor of the 95 % interval of a median (McGill, Tukey and Larsen, 1978). */
const notch = 1.57;

/** Returns the median with its 95 % interval, and the range of the middle half. */
export const describeSpread = (samples: readonly number[]): string => {
  const at = (share: number): number => percentile(samples, share);
  const error = (notch * (at(0.75) - at(0.25))) / Math.sqrt(samples.length);
  return `${at(0.5).toFixed(1)} ms ± ${error.toFixed(1)} (half between ${at(0.25).toFixed(1)} and ${at(0.75).toFixed(1)})`;
};
