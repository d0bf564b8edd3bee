import type { BargeIn } from '#machines/line.ts';
import { platformCallPolicy } from '#config/policy.ts';

/** The agent pauses at the onset of a voice. */
export const pausing: BargeIn = platformCallPolicy.bargeIn;

/** It stops at real speech, and an onset is not told. */
export const stopping: BargeIn = { ...pausing, mode: 'stop' };
