import { availableParallelism, loadavg } from 'node:os';

/** Load average: the number of programs that ran or waited for a processor in the last minute. */
export const loadNow = (): number => loadavg()[0] ?? 0;

/** Whether other programs delay what a test measures, so that its usual limit does not apply. */
export const isMachineBusy = (): boolean => loadNow() > 2.5 * availableParallelism();
