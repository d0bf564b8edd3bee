/** Runs one case of a suite as a call on the simulated line and checks its expectations. */
import { setTimeout } from 'node:timers/promises';
import type { JudgeCall, Verdict } from '#src/domain/persona.ts';
import { Refusal, type RefusalCode } from '#src/domain/refusal.ts';
import type { RehearsalFailure, RehearsedCall } from '#src/domain/rehearsal.ts';
import type { ReadPattern } from '#src/domain/said-pattern.ts';
import type { ScriptRehearsal } from '#src/domain/simulated-callee.ts';
import { statesOf, type JournalledStep } from './coverage.ts';
import { judge } from './expectations.ts';
import type { EndedCallRecord, RehearsedCalls } from './rehearsed-calls.ts';
import { usualPersonaTurns, type SuiteCase, type SuiteStep } from './suite-schema.ts';

type LineStep = Readonly<Record<string, unknown>>;

/** Names of the steps in scripts of the simulated line, by their names in suites. */
const names: ReadonlyMap<string, string> = new Map([
  ['says', 'say'],
  ['hears', 'hear'],
  ['interrupts', 'interrupt'],
  ['presses', 'digits'],
  ['awaits_keys', 'await_digits'],
  ['stays_silent_sec', 'wait_sec'],
  ['noise_sec', 'noise_sec'],
  ['holds_sec', 'hold_sec'],
  ['backchannels', 'backchannel'],
  ['hangs_up', 'hang_up'],
  ['answers_after_sec', 'answer_after_sec'],
  ['does_not_answer', 'no_answer'],
  ['is_busy', 'busy'],
  ['declines', 'decline'],
  ['line_fails', 'trunk_error'],
]);

const lineStepsOf = (step: SuiteStep): LineStep[] => {
  if (step.voicemail !== undefined) return [{ announce: step.voicemail }, { beep: true }];
  if (step.screening !== undefined) return [{ announce: step.screening }, { listen: true }];
  if (step.interrupts !== undefined && step.after_ms !== undefined)
    return [{ interrupt: { text: step.interrupts, after_ms: step.after_ms } }];
  if (step.persona !== undefined) {
    const { persona: description, goal, max_turns: turns = usualPersonaTurns } = step;
    return [{ persona: { description, goal, max_turns: turns } }];
  }
  return Object.entries(step).flatMap(([act, value]) => {
    const name = names.get(act);
    return name === undefined ? [] : [{ [name]: value }];
  });
};

type PlayedScript = {
  script: LineStep[];
  /** Maps the index of a script step to the index of the case's step; both count from 0. */
  stepOf: (lineStep: number) => number;
};

/** Converts a case's steps to a script of the simulated line. */
const scriptOf = (steps: readonly SuiteStep[]): PlayedScript => {
  const all = steps.map(lineStepsOf);
  const owners = all.flatMap((lineSteps, index) => lineSteps.map(() => index));
  return { script: all.flat(), stepOf: (lineStep) => owners[lineStep] ?? steps.length };
};

/** Formats a step as one line. */
const wordsOf = (step: SuiteStep): string =>
  Object.entries(step)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');

/** Whether the other party may hang up during this step: pauses, noise, screening and a persona. */
const mayBeCut = ({ stays_silent_sec, noise_sec, holds_sec, screening, persona }: SuiteStep): boolean =>
  [stays_silent_sec, noise_sec, holds_sec, screening, persona].some((act) => act !== undefined);

/** Whether the callee never answers; such a call has no conversation. */
const isNeverAnswered = (step: SuiteStep | undefined): boolean =>
  step !== undefined && [step.does_not_answer, step.is_busy, step.declines, step.line_fails].includes(true);

export type RunWorld = {
  calls: RehearsedCalls;
  /** Judges calls where a suite asks for it; null without a language model. */
  judge: JudgeCall | null;
  readPattern: ReadPattern;
  /** Aborts when the run is cancelled; calls in progress are then hung up. */
  signal: AbortSignal;
};

export type CaseRun = RehearsedCall & { steps: readonly JournalledStep[] };

const usualTimeoutSec = 30;
const usualCaller = '01012345678';

const people = {
  accepts: 'accepts',
  declines: 'declines',
  is_busy: 'busy',
  does_not_answer: 'no_answer',
} as const;

const rehearsalOf = ({ timeout_sec: timeoutSec, people: told = {} }: SuiteCase): ScriptRehearsal => ({
  stepTimeoutSec: timeoutSec ?? usualTimeoutSec,
  people: Object.fromEntries(Object.entries(told).map(([number, does]) => [number, people[does]])),
});

const stepsOf = ({ caller, callee }: SuiteCase): readonly SuiteStep[] => caller ?? callee ?? [];

/**
 * Error codes of a gateway that is at a limit or busy. A call refused with one of these codes is retried shortly
 * afterwards.
 */
const passing: ReadonlySet<RefusalCode> = new Set(['concurrency_limit', 'over_capacity']);
const mostTries = 30;
const betweenTriesMs = 1_000;

const retried = async (place: () => Promise<string>, signal: AbortSignal): Promise<string> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await place();
    } catch (error) {
      const passes = error instanceof Refusal && passing.has(error.code);
      if (!passes || tries === mostTries) throw error;
      await setTimeout(betweenTriesMs, undefined, { signal });
    }
  }
};

/** Places the call of a case. Resolves to the call's id. */
const placeCall = (one: SuiteCase, calls: RehearsedCalls): Promise<string> => {
  const { script } = scriptOf(stepsOf(one));
  const rehearsal = rehearsalOf(one);
  return one.caller === undefined
    ? calls.callOut({ instruction: one.instruction ?? null, script, rehearsal })
    : calls.callIn({ from: one.from ?? usualCaller, script, rehearsal });
};

/** Returns the reason why the script did not finish. */
const whyNotPlayed = (one: SuiteCase, { progress }: EndedCallRecord): string | undefined => {
  const steps = stepsOf(one);
  if (isNeverAnswered(steps[0]) || progress?.outcome === 'done') return undefined;
  const { stepOf } = scriptOf(steps);
  const place = stepOf(progress?.stepsDone ?? 0);
  const step = steps[place];
  const told = `step ${place + 1} (${step === undefined ? 'none' : wordsOf(step)})`;
  if (progress?.outcome === 'timed_out')
    return `${told} did not come about within ${one.timeout_sec ?? usualTimeoutSec} s`;
  if (progress?.persona?.outcome === 'turn_limit')
    return `${told}: the person neither reached the goal nor gave up (${progress.persona.reason})`;
  if (progress?.persona?.outcome === 'model_failed')
    return `${told}: the language model could not play the person (${progress.persona.reason})`;
  const isLast = place === steps.length - 1;
  return step !== undefined && isLast && mayBeCut(step)
    ? undefined
    : `the call ended before ${told} came about`;
};

const goalReached = (goal: string): string => `The other party reached this goal: ${goal}`;

/** Asks the language model for a verdict. A model that fails gives none, which fails the expectation. */
const verdictOn = async (
  statement: string,
  { turns }: EndedCallRecord,
  { judge: ask, signal }: RunWorld,
): Promise<Verdict & { statement: string }> => {
  try {
    if (ask === null) throw new Error('there is no language model');
    return { statement, ...(await ask({ statement, turns }, signal)) };
  } catch (error) {
    if (signal.aborted) throw error;
    const why = error instanceof Error ? error.message : String(error);
    return { statement, holds: false, reason: `no verdict: ${why}` };
  }
};

/** Judges the goal of a persona: by the persona's own end, or by the model if the agent hung up first. */
const judgeGoal = async (
  one: SuiteCase,
  call: EndedCallRecord,
  world: RunWorld,
): Promise<{ failures: RehearsalFailure[]; verdicts: RehearsedCall['verdicts'] }> => {
  const wanted = one.expect?.goal;
  const goal = stepsOf(one).at(-1)?.goal;
  if (wanted === undefined || goal === undefined) return { failures: [], verdicts: [] };
  const ended = call.progress?.persona;
  const verdict =
    ended?.outcome === 'reached' || ended?.outcome === 'given_up'
      ? undefined
      : await verdictOn(goalReached(goal), call, world);
  const isReached = verdict?.holds ?? ended?.outcome === 'reached';
  const reason = verdict?.reason ?? ended?.reason ?? '';
  const was = isReached ? 'reached' : 'given_up';
  return {
    failures:
      was === wanted
        ? []
        : [{ message: `goal: ${wanted} was expected, and it was ${was}: ${reason}`, turn: null }],
    verdicts: verdict === undefined ? [] : [verdict],
  };
};

const judgeRubric = async (one: SuiteCase, call: EndedCallRecord, world: RunWorld) => {
  const verdicts = [];
  for (const statement of one.expect?.rubric ?? []) verdicts.push(await verdictOn(statement, call, world));
  const failures = verdicts
    .filter(({ holds }) => !holds)
    .map(({ statement, reason }) => ({
      message: `rubric: “${statement}” does not hold: ${reason}`,
      turn: null,
    }));
  return { failures, verdicts };
};

const rehearse = async (one: SuiteCase, world: RunWorld): Promise<CaseRun> => {
  const { calls, readPattern, signal } = world;
  const callId = await retried(() => placeCall(one, calls), signal);
  const call = await calls.ended(callId, signal);
  const why = whyNotPlayed(one, call);
  const asserted = judge(one.expect ?? {}, { ...call, states: statesOf(call.steps) }, readPattern);
  const goal = await judgeGoal(one, call, world);
  const rubric = await judgeRubric(one, call, world);
  return {
    callId,
    failures: [
      ...(why === undefined ? [] : [{ message: why, turn: null }]),
      ...asserted,
      ...goal.failures,
      ...rubric.failures,
    ],
    persona: call.progress?.persona ?? null,
    verdicts: [...goal.verdicts, ...rubric.verdicts],
    steps: call.steps,
  };
};

/** Runs a case. A refusal of the gateway fails the case. Rejects with the signal's reason if it aborts. */
export const runCase = async (one: SuiteCase, world: RunWorld): Promise<CaseRun> => {
  try {
    return await rehearse(one, world);
  } catch (error) {
    world.signal.throwIfAborted();
    if (!(error instanceof Refusal) || error.code === 'draining') throw error;
    const detail = [error.message, ...(error.extras.errors ?? []).map(({ message }) => message)].join(' ');
    const message = `the gateway refused: ${detail}`;
    return { callId: null, failures: [{ message, turn: null }], persona: null, verdicts: [], steps: [] };
  }
};
