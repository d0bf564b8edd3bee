/** Simulated people with a script (guides/design/start.md, "The simulated line"), as the API and the database have them. */

import type { PersonaResult } from './persona.ts';

/** A list of steps, which the simulated line validates. */
export type Script = readonly unknown[];

/** Reactions of a person to a transfer. */
export const simulatedPeople = ['accepts', 'declines', 'busy', 'no_answer'] as const;

/** Settings of a rehearsal. `people` contains the reactions of transfer targets by their numbers. */
export type ScriptRehearsal = {
  stepTimeoutSec: number;
  people?: Readonly<Record<string, (typeof simulatedPeople)[number]>> | undefined;
};

/** A callee of a workspace. */
export type SimulatedCallee = { script: Script; rehearsal: ScriptRehearsal | null };

/** Behaviours of the callees that every gateway knows, and of those with a script. */
export const calleeBehaviours = [
  'polite',
  'no_answer',
  'busy',
  'declines',
  'one_more_thing',
  'silent',
  'hangs_up',
  'interrupts',
  'trunk_error',
  'script',
] as const;

export type CalleeBehaviour = (typeof calleeBehaviours)[number];

/** A callee that calls of a workspace reach. */
export type ListedCallee = {
  /** Domestic format. */
  number: string;
  behaviour: CalleeBehaviour;
  /** Number of steps of the script; null without a script. */
  steps: number | null;
};

/** Progress of a rehearsed script. */
export type ScriptProgress = {
  steps: number;
  stepsDone: number;
  /** `timed_out`: the step after the completed ones did not happen in time, so the person hung up. */
  outcome: 'playing' | 'done' | 'timed_out';
  /** How the persona of the script ended; null before, and without a persona. */
  persona: PersonaResult | null;
};
