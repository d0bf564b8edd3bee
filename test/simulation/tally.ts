/** What came of many seeds. */
import { z } from 'zod';

const result = z.object({
  seed: z.number(),
  violations: z.array(z.string()),
  coverage: z.array(z.tuple([z.string(), z.number()])),
  effects: z.array(z.string()),
  calls: z.number(),
  seconds: z.number(),
});

export type Tally = {
  /** What a process tells of one seed. */
  add(told: unknown): void;
  /** Something failed that is no seed's. */
  broke(what: string): void;
  failed(): number;
  /** Where processes died, by the state of a call that they held: how often. */
  coverage(): string[];
  summary(milliseconds: number): string;
};

export const createTally = (say: (line: string) => void): Tally => {
  const pairs = new Map<string, number>();
  const points = new Set<string>();
  const total = { seeds: 0, failed: 0, calls: 0, seconds: 0 };

  const states = (): Set<string> => new Set([...pairs.keys()].map((pair) => pair.split(' × ')[0] ?? ''));
  const hit = (): Set<string> => new Set([...pairs.keys()].map((pair) => pair.split(' × ')[1] ?? ''));

  return {
    add(told) {
      const { seed, violations, coverage, effects, calls, seconds } = result.parse(told);
      total.seeds += 1;
      total.calls += calls;
      total.seconds += seconds;
      for (const [pair, times] of coverage) pairs.set(pair, (pairs.get(pair) ?? 0) + times);
      for (const point of effects) points.add(point);
      if (violations.length === 0) return;
      total.failed += 1;
      say(`seed ${seed} broke; npm run simulate -- --seed ${seed} replays it:\n  ${violations.join('\n  ')}`);
    },
    broke(what) {
      total.failed += 1;
      say(what);
    },
    failed: () => total.failed,
    coverage: () =>
      [...pairs]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([pair, times]) => `${String(times).padStart(6)} ${pair}`),
    summary(milliseconds) {
      const { seeds, failed, calls, seconds } = total;
      const deaths = [...pairs.values()].reduce((sum, times) => sum + times, 0);
      const where = `${deaths} deaths at ${hit().size} of ${points.size} crash points in ${states().size} states of a call, ${pairs.size} pairs`;
      const pace = `${Math.round(seconds / 3_600)} h simulated in ${Math.round(milliseconds / 1_000)} s`;
      return `${calls} calls; ${where}; ${pace}\n${seeds - failed} seeds passed\n${failed} seeds failed`;
    },
  };
};
