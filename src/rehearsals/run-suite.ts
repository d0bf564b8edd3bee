/** Runs all cases of a suite, in parallel and repeatedly if requested. */
import type { ChartCoverage, RehearsedCall, RehearsedCase } from '#src/domain/rehearsal.ts';
import { createCoverage } from './coverage.ts';
import { runCase, type RunWorld } from './run-case.ts';
import type { Suite } from './suite-schema.ts';

export type SuiteResult = { cases: readonly RehearsedCase[]; coverage: readonly ChartCoverage[] };

type HowToRun = {
  /** Number of runs of each case. */
  repeat: number;
  /** Maximum number of concurrent calls. */
  parallel: number;
  /** Returns the milliseconds of a monotonic clock. */
  now: () => number;
  /** Called after each call, with the results so far. */
  onProgress: (result: SuiteResult, callsDone: number) => void;
};

export const outcomeOf = (passed: number, runs: number): RehearsedCase['outcome'] => {
  if (passed === runs) return 'passed';
  return passed === 0 ? 'failed' : 'flaky';
};

/**
 * Rejects with the reason of the world's signal if it aborts, or with the error of a case that could not be run. No
 * further call is placed then, and the other calls are hung up.
 */
export const runSuite = async (
  { cases }: Pick<Suite, 'cases'>,
  world: RunWorld,
  { repeat, parallel, now, onProgress }: HowToRun,
): Promise<SuiteResult> => {
  const coverage = createCoverage();
  const results = cases.map(({ name }) => ({ name, runs: new Array<RehearsedCall>(), tookMs: 0 }));
  const waiting = Array.from({ length: repeat }, () => cases.map((one, index) => ({ one, index }))).flat();
  let callsDone = 0;
  const failed = new AbortController();
  const joined = { ...world, signal: AbortSignal.any([world.signal, failed.signal]) };

  /** Cases whose calls have all ended, in the order of the suite. */
  const soFar = (): SuiteResult => ({
    cases: results
      .filter(({ runs }) => runs.length === repeat)
      .map(({ name, runs, tookMs }) => {
        const passed = runs.filter(({ failures }) => failures.length === 0).length;
        return { name, outcome: outcomeOf(passed, runs.length), passed, runs, tookSec: tookMs / 1_000 };
      }),
    coverage: coverage.report(),
  });

  const runWaiting = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      joined.signal.throwIfAborted();
      const { one, index } = next;
      const begun = now();
      const { steps, ...run } = await runCase(one, joined);
      coverage.add(steps);
      callsDone += 1;
      const result = results[index];
      if (result === undefined) continue;
      result.runs.push(run);
      result.tookMs += now() - begun;
      onProgress(soFar(), callsDone);
    }
  };

  const work = async (): Promise<void> => {
    try {
      await runWaiting();
    } catch (error) {
      failed.abort(error);
    }
  };

  await Promise.all(Array.from({ length: Math.min(parallel, waiting.length) }, work));
  failed.signal.throwIfAborted();
  return soFar();
};
