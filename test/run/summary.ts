/** The closing lines of a test run. */
import { wholeFile } from './run-messages.ts';
import type { AvaRun, FailedTest } from './run-ava.ts';

/** More unsteady files than this in one run suggest a defect. */
export const mostUnsteadyFiles = 3;

/** The result of a run, after each failed file was run once more. */
export type Verdict = {
  /** First failures in files that passed alone. */
  unsteady: readonly FailedTest[];
  /** Failures in files that failed alone, too. */
  failed: readonly FailedTest[];
};

/** The first failure of each test and of each file: a crash may be reported for many promises. */
const distinct = (tests: readonly FailedTest[]): FailedTest[] =>
  [...new Map(tests.toReversed().map((test) => [`${test.file}: ${test.title}`, test])).values()].toReversed();

/** Whole files are not counted as tests. */
const testsIn = (tests: readonly FailedTest[]): number =>
  tests.filter(({ title }) => title !== wholeFile).length;

const filesOf = (tests: readonly FailedTest[]): number => new Set(tests.map(({ file }) => file)).size;

export const isGreen = ({ unsteady, failed }: Verdict): boolean =>
  failed.length === 0 && filesOf(unsteady) <= mostUnsteadyFiles;

const most = 300;
const short = (text: string): string => (text.length > most ? `${text.slice(0, most)} …` : text);

const lineOf = (word: string, { file, title, message }: FailedTest): string =>
  `${word}: ${file}: ${title}: ${short(message)}`;

/** A title such as "… (skipped: Chromium is not installed)" gives its reason. */
const reasonOf = (title: string): string => /\(skipped: ([^)]*)\)/.exec(title)?.[1] ?? `“${title}”`;

/** One line for each reason of skipped tests. */
export const skippedLines = (skipped: AvaRun['skipped']): string[] =>
  [...Map.groupBy(skipped, ({ title }) => reasonOf(title))].map(
    ([reason, tests]) =>
      `skipped ${tests.length} ${tests.length === 1 ? 'test' : 'tests'} of ${[
        ...new Set(tests.map(({ file }) => file)),
      ].join(', ')}: ${reason}`,
  );

const mostSlowFiles = 10;

/** The files that took longest, so that growth is noticed. */
export const slowestLines = (files: AvaRun['files']): string[] =>
  files
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, mostSlowFiles)
    .map(({ file, ms }) => `slowest: ${(ms / 1_000).toFixed(1).padStart(5)} s  ${file}`);

/** The last line has the numbers; an unsteady test counts as passed, unless too many files are unsteady. */
export const closingLines = (run: Pick<AvaRun, 'passed' | 'skipped'>, verdict: Verdict): string[] => {
  const unsteady = distinct(verdict.unsteady);
  const failed = distinct(verdict.failed);
  const tooMany = filesOf(unsteady) > mostUnsteadyFiles;
  const failures = failed.length + (tooMany ? unsteady.length : 0);
  const passed = run.passed + (tooMany ? 0 : testsIn(unsteady));
  return [
    ...skippedLines(run.skipped),
    ...failed.map((test) => lineOf('failed', test)),
    ...unsteady.map((test) => lineOf('unsteady', test)),
    ...(tooMany
      ? [
          `${filesOf(unsteady)} files are unsteady, and at most ${mostUnsteadyFiles} may be: the run has failed`,
        ]
      : []),
    `${passed} passed, ${failures} failed, ${run.skipped.length} skipped`,
  ];
};
