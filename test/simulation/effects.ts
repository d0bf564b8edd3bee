/**
 * Points at which a process may die: right before and right after each of its external effects. Points have names such
 * as `before insert call_fact` and `after INVITE`.
 */
import type { SimulatedProcess } from './simulated-time.ts';

export type Effects = {
  /** Called before and after an effect. True if the process has just died at this point. */
  happens(process: SimulatedProcess, point: string): boolean;
  /** Called after a statement was executed. */
  seen(process: SimulatedProcess, statement: string): void;
};
