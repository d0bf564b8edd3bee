/** Results of many worlds. */
import { z } from 'zod';
import type { SeedResult } from './run-seed.ts';

const result = z.object({
  name: z.string(),
  replay: z.string(),
  violations: z.array(z.string()),
  coverage: z.array(z.tuple([z.string(), z.number()])),
  deaths: z.object({ all: z.number(), takingOver: z.number(), ending: z.number() }),
  visited: z.array(z.string()),
  effects: z.array(z.string()),
  calls: z.number(),
  seconds: z.number(),
});

/** Report of a process about one world; `npm run` with `replay` plays only this world. */
export const toldOf = (name: string, replay: string, told: SeedResult): z.infer<typeof result> => {
  const { violations, coverage, deaths, moves, effects, calls, seconds } = told;
  return {
    name,
    replay,
    violations: [...violations],
    coverage: [...coverage],
    deaths,
    visited: [...new Set(moves.map(({ to }) => to))],
    effects: [...effects.keys()],
    calls,
    seconds,
  };
};

export type Tally = {
  /** Adds a report of `toldOf`. */
  add(told: unknown): void;
  /** Records a failure that does not belong to a world. */
  broke(error: unknown): void;
  failed(): number;
  /**
   * Number of worlds that visited each call state, and the points at which processes died, by the state of a call that
   * they held.
   */
  coverage(): string[];
  summary(milliseconds: number): string;
};

const listed = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, times]) => `${String(times).padStart(6)} ${name}`);

/** `worlds`: name of the counted items, such as `seeds`. */
export const createTally = (say: (line: string) => void, worlds: string): Tally => {
  const pairs = new Map<string, number>();
  /** Number of worlds in which a call entered each state. */
  const visits = new Map<string, number>();
  const points = new Set<string>();
  const total = { played: 0, failed: 0, calls: 0, seconds: 0, deaths: 0, takingOver: 0, ending: 0 };

  const states = (): Set<string> => new Set([...pairs.keys()].map((pair) => pair.split(' × ')[0] ?? ''));
  /** Processes also die some time after a call changed its state, which is no crash point. */
  const hit = (): Set<string> =>
    new Set([...pairs.keys()].map((pair) => pair.split(' × ')[1] ?? '').filter((when) => points.has(when)));

  return {
    add(told) {
      const { name, replay, violations, coverage, deaths, visited, effects, calls, seconds } =
        result.parse(told);
      for (const state of visited) visits.set(state, (visits.get(state) ?? 0) + 1);
      total.played += 1;
      total.calls += calls;
      total.seconds += seconds;
      total.deaths += deaths.all;
      total.takingOver += deaths.takingOver;
      total.ending += deaths.ending;
      for (const [pair, times] of coverage) pairs.set(pair, (pairs.get(pair) ?? 0) + times);
      for (const point of effects) points.add(point);
      if (violations.length === 0) return;
      total.failed += 1;
      say(`${name} broke; npm run ${replay} replays it:\n  ${violations.join('\n  ')}`);
    },
    broke(error) {
      total.failed += 1;
      say(String(error));
    },
    failed: () => total.failed,
    coverage: () => [...listed(visits).map((line) => `${line} visited`), ...listed(pairs)],
    summary(milliseconds) {
      const { played, failed, calls, seconds, deaths, takingOver, ending } = total;
      const when = `${deaths} deaths (${takingOver} while taking calls over, ${ending} while ending one)`;
      const where = `at ${hit().size} of ${points.size} crash points in ${states().size} states of a call, ${pairs.size} pairs`;
      const pace = `${Math.round(seconds / 3_600)} h simulated in ${Math.round(milliseconds / 1_000)} s`;
      return `${calls} calls; ${when} ${where}; ${pace}\n${played - failed} ${worlds} passed\n${failed} ${worlds} failed`;
    },
  };
};
