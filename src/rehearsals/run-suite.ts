/** Runs all cases of a suite, in parallel and repeatedly if requested. */
import { createCoverage, type ChartCoverage } from './coverage.ts';
import { runCase, type CaseRun, type Gateway } from './run-case.ts';
import type { Suite } from './suite-schema.ts';

export type CaseResult = {
  name: string;
  /** `flaky`: some runs of the case passed and some failed. */
  outcome: 'passed' | 'flaky' | 'failed';
  passed: number;
  runs: readonly CaseRun[];
  /** Total duration of the case's runs, in seconds. */
  tookSec: number;
};

export type SuiteResult = { cases: readonly CaseResult[]; coverage: readonly ChartCoverage[] };

export const isPassed = ({ cases }: SuiteResult): boolean =>
  cases.every(({ outcome }) => outcome === 'passed');

type HowToRun = {
  /** Number of runs of each case. */
  repeat: number;
  /** Maximum number of concurrent calls. */
  parallel: number;
  /** Returns the milliseconds of a monotonic clock. */
  now: () => number;
  /** Called for each case when all runs of the case have ended. */
  onCase: (result: CaseResult) => void;
};

const outcomeOf = (passed: number, runs: number): CaseResult['outcome'] => {
  if (passed === runs) return 'passed';
  return passed === 0 ? 'failed' : 'flaky';
};

export const runSuite = async (
  { cases }: Pick<Suite, 'cases'>,
  gateway: Gateway,
  { repeat, parallel, now, onCase }: HowToRun,
): Promise<SuiteResult> => {
  const coverage = createCoverage();
  const results = cases.map(({ name }) => ({ name, runs: new Array<CaseRun>(), tookMs: 0 }));
  const done: CaseResult[] = [];
  const waiting = Array.from({ length: repeat }, () => cases.map((one, index) => ({ one, index }))).flat();

  const finish = ({ name, runs, tookMs }: (typeof results)[number], index: number): void => {
    const passed = runs.filter(({ failures }) => failures.length === 0).length;
    const result = { name, outcome: outcomeOf(passed, runs.length), passed, runs, tookSec: tookMs / 1_000 };
    done[index] = result;
    onCase(result);
  };

  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { one, index } = next;
      const begun = now();
      const run = await runCase(one, gateway);
      coverage.add(run.steps);
      const result = results[index];
      if (result === undefined) continue;
      result.runs.push(run);
      result.tookMs += now() - begun;
      if (result.runs.length === repeat) finish(result, index);
    }
  };

  await Promise.all(Array.from({ length: Math.min(parallel, waiting.length) }, work));
  return { cases: done, coverage: coverage.report() };
};
