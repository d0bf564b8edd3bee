/** Converts a case's steps to a script of the simulated line. */
import type { SuiteStep } from './suite-schema.ts';

type LineStep = Readonly<Record<string, unknown>>;

/** The simulated line's name for a step. */
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
  /** Index of the case's step for a step of the script; both count from 0. */
  stepOf: (lineStep: number) => number;
};

export const scriptOf = (steps: readonly SuiteStep[]): PlayedScript => {
  const all = steps.map(lineStepsOf);
  const owners = all.flatMap((lineSteps, index) => lineSteps.map(() => index));
  return { script: all.flat(), stepOf: (lineStep) => owners[lineStep] ?? steps.length };
};

/** Formats a step as one line. */
export const wordsOf = (step: SuiteStep): string =>
  Object.entries(step)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');

/** The other party may hang up during pauses and noise. */
export const mayBeCut = ({
  stays_silent_sec: silent,
  noise_sec: noise,
  holds_sec: holds,
}: SuiteStep): boolean => silent !== undefined || noise !== undefined || holds !== undefined;

/** Such a callee has no conversation. */
export const isNeverAnswered = (step: SuiteStep | undefined): boolean =>
  step !== undefined && [step.does_not_answer, step.is_busy, step.declines, step.line_fails].includes(true);
