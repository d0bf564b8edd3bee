import type { BargeIn } from '#machines/line.ts';
import { platformCallPolicy } from '#config/policy.ts';

/** The agent pauses at the onset of a voice. */
export const pausing: BargeIn = platformCallPolicy.bargeIn;

/** The agent stops only at real speech; an onset is not reported. */
export const stopping: BargeIn = { ...pausing, mode: 'stop' };
