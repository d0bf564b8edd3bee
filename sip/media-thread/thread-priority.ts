/** Scheduling priority of a thread. */
import { setPriority } from 'node:os';

/** Priority of FreeSWITCH's own threads without permission for real-time scheduling. */
const urgent = -10;

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'info' in error && /"code":"(EACCES|EPERM)"/.test(JSON.stringify(error.info));

/**
 * Raises the priority of the current thread only. The function has an effect only for root or with `LimitNICE=-10`. The
 * thread needs little CPU time, but needs it every 20 ms. Returns whether the priority was raised.
 */
export const goBeforeOthers = (): boolean => {
  // On other platforms the call would change the priority of the whole process (setpriority(2), "C library/kernel
  // differences").
  if (process.platform !== 'linux') return false;
  try {
    setPriority(urgent);
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
};
