/** A run of a suite of simulated callers and callees (guides/rehearsals.md), as it is stored and shown. */
import type { PersonaResult, Verdict } from './persona.ts';

/**
 * `queued`: another run uses the number. `interrupted`: the gateway of the run ended first.
 */
export const rehearsalStatuses = [
  'queued',
  'running',
  'passed',
  'failed',
  'cancelled',
  'interrupted',
] as const;

export type RehearsalStatus = (typeof rehearsalStatuses)[number];

/** A failed expectation or step. `turn` is the index of the turn in the transcript; null if it concerns no turn. */
export type RehearsalFailure = { message: string; turn: number | null };

/** One call of a case. The words of the call are stored with the call alone. */
export type RehearsedCall = {
  /** Null if the call was refused. */
  callId: string | null;
  /** Failed expectations; empty if the call passed. */
  failures: readonly RehearsalFailure[];
  persona: PersonaResult | null;
  /** Verdicts of the language model, which the suite asks for. */
  verdicts: readonly (Verdict & { statement: string })[];
};

export const caseOutcomes = ['passed', 'flaky', 'failed'] as const;

export type RehearsedCase = {
  name: string;
  /** `flaky`: some calls of the case passed and some failed. */
  outcome: (typeof caseOutcomes)[number];
  passed: number;
  runs: readonly RehearsedCall[];
  /** Total duration of the calls, in seconds. */
  tookSec: number;
};

export type CoveredShare = { visited: number; all: number; never: readonly string[] };

export const coveredCharts = ['call', 'conversation'] as const;

export type ChartCoverage = {
  chart: (typeof coveredCharts)[number];
  states: CoveredShare;
  /** Transitions by name: `ringing.alerting → active: line.answered`. */
  transitions: CoveredShare;
};

export const changeVerdicts = ['better', 'worse', 'new', 'gone'] as const;

export type RehearsalChange = { verdict: (typeof changeVerdicts)[number]; what: string };

/** Results so far. */
export type RehearsalResult = {
  cases: readonly RehearsedCase[];
  coverage: readonly ChartCoverage[];
  /** Differences to the previous run of the same suite on the same number; null without one, and before the end. */
  changes: readonly RehearsalChange[] | null;
};

/** A run of a suite on a number. */
export type RehearsalRun = {
  id: string;
  /** Name of the suite, by which runs are compared. */
  suite: string;
  /** The suite in YAML. */
  source: string;
  numberId: string;
  /** Domestic format. */
  number: string;
  status: RehearsalStatus;
  /** Why the run ended early; null for a run to its end. */
  problem: string | null;
  repeat: number;
  parallel: number;
  callsAll: number;
  callsDone: number;
  /** Actor that started the run, such as `admin:` and the id of the token. */
  actor: string;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** Results so far; null before the first. */
  result: RehearsalResult | null;
};

/** Limits of a run. */
export const mostRepeats = 999;
export const mostParallelCalls = 100;
export const mostRehearsedCalls = 2_000;
