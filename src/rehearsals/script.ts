/** The steps of a case as the script that the simulated line plays. */
import type { SuiteStep } from './suite-schema.ts';

type LineStep = Readonly<Record<string, unknown>>;

/** The simulated line's name for what is done in one step. */
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
  if (step.interrupts !== undefined && step.after_ms !== undefined)
    return [{ interrupt: { text: step.interrupts, after_ms: step.after_ms } }];
  return Object.entries(step).flatMap(([act, value]) => {
    const name = names.get(act);
    return name === undefined ? [] : [{ [name]: value }];
  });
};

export type PlayedScript = {
  script: LineStep[];
  /** The step of the case that a step of the script belongs to; both count from 0. */
  stepOf: (lineStep: number) => number;
};

export const scriptOf = (steps: readonly SuiteStep[]): PlayedScript => {
  const all = steps.map(lineStepsOf);
  const owners = all.flatMap((lineSteps, index) => lineSteps.map(() => index));
  return { script: all.flat(), stepOf: (lineStep) => owners[lineStep] ?? steps.length };
};

/** A step in one line, as it is told. */
export const wordsOf = (step: SuiteStep): string =>
  Object.entries(step)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');

/** Whoever waits, or makes noise, may be hung up on meanwhile. */
export const mayBeCut = ({
  stays_silent_sec: silent,
  noise_sec: noise,
  holds_sec: holds,
}: SuiteStep): boolean => silent !== undefined || noise !== undefined || holds !== undefined;

/** Nobody talks in the call of such a callee. */
export const isNeverAnswered = (step: SuiteStep | undefined): boolean =>
  step !== undefined && [step.does_not_answer, step.is_busy, step.declines, step.line_fails].includes(true);
