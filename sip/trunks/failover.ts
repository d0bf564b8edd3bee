/**
 * Whether a call that was not answered is tried on the next trunk: only when the trunk is to blame, never when the
 * callee was reached or the number is wrong, and never once a telephone has rung. Which statuses are its fault each
 * trunk says itself.
 *
 * Early media (183) is no answer and nobody's telephone: a ringing tone, an announcement, silence. Nobody on our side
 * hears it, and the trunk may still fail the call, so that it goes on as after no word at all.
 */
import type { UnansweredCause } from '#machines/line.ts';
import { networkCause, unansweredCause } from '../causes.ts';

export type FailedTry = {
  /** Null when there was no answer at all, or the request could not be sent. */
  status: number | null;
  /** The `Reason` header (RFC 3326), where there is one. */
  reason?: string | undefined;
  /** How far the call came: `progress` is 183 or the like, `ringing` a telephone that rang. */
  came: 'nowhere' | 'progress' | 'ringing';
};

/** Why the call was not answered, for its record. */
export const causeOf = ({ status, reason, came }: FailedTry): UnansweredCause =>
  status === null ? 'trunk_error' : unansweredCause({ status, reason, rang: came !== 'nowhere' });

/** Whether a trunk's list names the status, or its class as `5xx`. */
const names = (statuses: readonly string[], status: number): boolean =>
  statuses.includes(String(status)) || statuses.includes(`${Math.floor(status / 100)}xx`);

/** Whether it was the trunk that failed, by its own list: what it says with it then is about itself. */
export const isTrunksFault = ({ status, reason, came }: FailedTry, statuses: readonly string[]): boolean => {
  if (status === null) return true;
  if (!names(statuses, status)) return false;
  // The telephone network may say within a 5xx that the callee is busy, or that the number does not exist.
  const byNetwork = networkCause(reason);
  if (byNetwork !== undefined) return byNetwork === 'trunk_error';
  // Nobody has picked up.
  return status !== 408 || came === 'nowhere';
};

/** `statuses`: the trunk's `failoverStatuses`. */
export const goesOn = (failed: FailedTry, statuses: readonly string[]): boolean =>
  failed.came !== 'ringing' && isTrunksFault(failed, statuses);
