/**
 * Far end of an answered simulated call, as another process needs it to continue the call. The known telephones need no
 * such state, because every process knows their behaviour.
 */
import type { Script, ScriptRehearsal } from './simulated-callee.ts';

export type SimulatedFarEnd =
  /** A person at a web phone, who is found again by the phone's name. */
  | { is: 'phone'; name: string; hasSound: boolean }
  /** A person with a script, who continues with the first step that is not completed. `rehearsal`: the script is watched. */
  | { is: 'script'; script: Script; stepsDone: number; rehearsal: ScriptRehearsal | null };
