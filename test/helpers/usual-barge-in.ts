import type { BargeIn } from '#machines/line.ts';
import { platformCallPolicy } from '#config/policy.ts';

/** Barge-in with pauses: the agent pauses at the onset of a voice. */
export const pausing: BargeIn = platformCallPolicy.bargeIn;

/** Barge-in without pauses: the agent stops only at speech, and no onset is reported. */
export const stopping: BargeIn = { ...pausing, mode: 'stop' };
