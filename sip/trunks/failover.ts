/**
 * Whether a call that was not answered is tried on the next trunk: only when the trunk is to blame, never when the
 * callee was reached or the number is wrong, and never once a telephone has rung. A trunk that has only said that it is
 * working on the call (183) may still fail it.
 */
import type { UnansweredCause } from '#machines/line.ts';
import { unansweredCause } from '../causes.ts';

export type FailedTry = {
  /** Null when there was no answer at all, or the request could not be sent. */
  status: number | null;
  /** The `Reason` header (RFC 3326), where there is one. */
  reason?: string | undefined;
  /** How far the call came: `progress` is 183 or the like, `ringing` a telephone that rang. */
  came: 'nowhere' | 'progress' | 'ringing';
};

/** It refuses us, not the call: the password, the account, our rate of calls. */
const refusesUs: readonly number[] = [401, 403, 407, 429];

/** Why the call was not answered, for its record. */
export const causeOf = ({ status, reason, came }: FailedTry): UnansweredCause =>
  status === null ? 'trunk_error' : unansweredCause({ status, reason, rang: came !== 'nowhere' });

export const goesOn = (failed: FailedTry): boolean => {
  const { status, came } = failed;
  if (came === 'ringing') return false;
  if (status === null) return true;
  // The telephone network may say within a 5xx that the callee is busy, or that the number does not exist.
  if (causeOf(failed) !== 'trunk_error') return false;
  return status === 408 || (status >= 500 && status < 600) || refusesUs.includes(status);
};
