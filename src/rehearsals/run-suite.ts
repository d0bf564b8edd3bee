/** All cases of a suite, some at a time, each as often as wanted. */
import { createCoverage, type ChartCoverage } from './coverage.ts';
import { runCase, type CaseRun, type Gateway } from './run-case.ts';
import type { Suite } from './suite-schema.ts';

export type CaseResult = {
  name: string;
  /** `flaky`: some of its runs passed, some did not. */
  outcome: 'passed' | 'flaky' | 'failed';
  passed: number;
  runs: readonly CaseRun[];
  /** Of all its runs, in seconds. */
  tookSec: number;
};

export type SuiteResult = { cases: readonly CaseResult[]; coverage: readonly ChartCoverage[] };

export const isPassed = ({ cases }: SuiteResult): boolean =>
  cases.every(({ outcome }) => outcome === 'passed');

type HowToRun = {
  /** How often each case is run. */
  repeat: number;
  /** How many calls there are at a time at most. */
  parallel: number;
  /** Milliseconds of a clock that nobody sets. */
  now: () => number;
  /** Told of each case as soon as all its runs are over. */
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
