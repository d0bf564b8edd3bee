/** Compares results with the results of an earlier run. */
import { z } from 'zod';
import type { RehearsalChange, RehearsalResult } from '#src/domain/rehearsal.ts';

const share = z.object({ visited: z.number(), all: z.number(), never: z.array(z.string()) });

/** JSON format of a result in a file, with which later runs are compared. */
export const storedResult = z.object({
  passed: z.boolean(),
  cases: z.array(
    z.object({
      name: z.string(),
      outcome: z.enum(['passed', 'flaky', 'failed']),
      passed: z.number(),
      runs: z.number(),
      call_ids: z.array(z.string()),
      failures: z.array(z.string()),
    }),
  ),
  coverage: z.array(z.object({ chart: z.string(), states: share, transitions: share })),
});

export type StoredResult = z.infer<typeof storedResult>;

export const keep = ({ cases, coverage }: Pick<RehearsalResult, 'cases' | 'coverage'>): StoredResult => ({
  passed: cases.every(({ outcome }) => outcome === 'passed'),
  cases: cases.map(({ name, outcome, passed, runs }) => ({
    name,
    outcome,
    passed,
    runs: runs.length,
    call_ids: runs.flatMap(({ callId }) => (callId === null ? [] : [callId])),
    failures: runs.flatMap(({ failures }) => failures.map(({ message }) => message)),
  })),
  coverage: coverage.map(({ chart, states, transitions }) => ({
    chart,
    states: { ...states, never: [...states.never] },
    transitions: { ...transitions, never: [...transitions.never] },
  })),
});

/** Parts of a case that are compared. */
type ComparedCase = Pick<StoredResult['cases'][number], 'name' | 'outcome' | 'passed' | 'runs'>;

const shareOf = ({ passed, runs }: ComparedCase): number => passed / Math.max(1, runs);

const told = (one: ComparedCase): string =>
  one.outcome === 'flaky' ? `flaky (passed ${one.passed} of ${one.runs})` : one.outcome;

const casesSince = (before: StoredResult, now: StoredResult): RehearsalChange[] => {
  const last = new Map(before.cases.map((one) => [one.name, one]));
  const names = new Set(now.cases.map(({ name }) => name));
  return [
    ...now.cases.flatMap((one): RehearsalChange[] => {
      const then = last.get(one.name);
      if (then === undefined) return [{ verdict: 'new', what: `${one.name}: ${told(one)}` }];
      const difference = shareOf(one) - shareOf(then);
      if (difference === 0) return [];
      const verdict = difference > 0 ? 'better' : 'worse';
      return [{ verdict, what: `${one.name}: ${told(then)} → ${told(one)}` }];
    }),
    ...before.cases
      .filter(({ name }) => !names.has(name))
      .map(({ name }): RehearsalChange => ({ verdict: 'gone', what: name })),
  ];
};

const coverageSince = (before: StoredResult, now: StoredResult): RehearsalChange[] =>
  now.coverage.flatMap(({ chart, states, transitions }) => {
    const then = before.coverage.find((one) => one.chart === chart);
    if (then === undefined) return [];
    return Object.entries({ states, transitions }).flatMap(([kind, { visited, all }]): RehearsalChange[] => {
      const last = kind === 'states' ? then.states : then.transitions;
      if (visited === last.visited) return [];
      const verdict = visited > last.visited ? 'better' : 'worse';
      return [{ verdict, what: `${chart}: ${kind} ${last.visited}/${last.all} → ${visited}/${all}` }];
    });
  });

export const changesSince = (before: StoredResult, now: StoredResult): RehearsalChange[] => [
  ...casesSince(before, now),
  ...coverageSince(before, now),
];
