/**
 * The places at which a process may die: at each effect that it has on the world, right before it and right after it. They
 * have names, such as `before insert call_fact`, `after INVITE`.
 */
import type { SimulatedProcess } from './simulated-time.ts';

export type Effects = {
  /** Something is about to happen, or has. True where the process has just died of it. */
  happens(process: SimulatedProcess, point: string): boolean;
  /** A statement was done. */
  seen(process: SimulatedProcess, statement: string): void;
};
