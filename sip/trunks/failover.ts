/**
 * Decides whether an unanswered call is tried on the next trunk: only if the trunk is at fault, never if the callee was
 * reached or the number is wrong, and never after ringing. Each trunk configures the statuses that count as its fault.
 *
 * Early media (183) is neither an answer nor ringing, because it may be a ringing tone, an announcement or silence. The
 * gateway does not listen to it, and the trunk may still fail the call, so 183 is treated like a missing provisional
 * response.
 */
import type { UnansweredCause } from '#machines/line.ts';
import { networkCause, unansweredCause } from '../causes.ts';

export type FailedTry = {
  /** Status of the final response; null without any response, or if the request could not be sent. */
  status: number | null;
  /** Header `Reason` (RFC 3326), if there is one. */
  reason?: string | undefined;
  /** Progress of the call: `progress` for 183 and similar statuses, `ringing` for a ringing telephone. */
  came: 'nowhere' | 'progress' | 'ringing';
};

/** Returns why the call was not answered, for the call's record. */
export const causeOf = ({ status, reason, came }: FailedTry): UnansweredCause =>
  status === null ? 'trunk_error' : unansweredCause({ status, reason, rang: came !== 'nowhere' });

/** Whether a trunk's failover statuses contain this SIP status, or its class such as `5xx`. */
const names = (statuses: readonly string[], status: number): boolean =>
  statuses.includes(String(status)) || statuses.includes(`${Math.floor(status / 100)}xx`);

/** Whether the status is one of the trunk's failover statuses, so that it concerns the trunk and not the callee. */
export const isTrunksFault = ({ status, reason, came }: FailedTry, statuses: readonly string[]): boolean => {
  if (status === null) return true;
  if (!names(statuses, status)) return false;
  // Whether a 5xx concerns the callee: its `Reason` may report a busy callee or a number that does not exist.
  const byNetwork = networkCause(reason);
  if (byNetwork !== undefined) return byNetwork === 'trunk_error';
  // A 408 after progress means that the callee did not answer.
  return status !== 408 || came === 'nowhere';
};

/** Whether the call is tried elsewhere. `statuses` are the trunk's `failoverStatuses`. */
export const goesOn = (failed: FailedTry, statuses: readonly string[]): boolean =>
  failed.came !== 'ringing' && isTrunksFault(failed, statuses);
