/**
 * Whether a call that was not answered is tried on the next trunk: only when the trunk is to blame, never when the
 * callee was reached or the number is wrong, and never once a telephone has rung.
 */
import { unansweredCause } from '../causes.ts';

export type FailedTry = {
  /** Null when there was no answer at all, or the request could not be sent. */
  status: number | null;
  /** The `Reason` header (RFC 3326), where there is one. */
  reason?: string | undefined;
  rang: boolean;
};

/** It refuses us, not the call. */
const ourCredentials: readonly number[] = [401, 407];

export const goesOn = ({ status, reason, rang }: FailedTry): boolean => {
  if (rang) return false;
  if (status === null) return true;
  // The telephone network may say within a 5xx that the callee is busy, or that the number does not exist.
  if (unansweredCause({ status, reason, rang }) !== 'trunk_error') return false;
  return status === 408 || (status >= 500 && status < 600) || ourCredentials.includes(status);
};
