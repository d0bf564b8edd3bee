/**
 * Whether an unanswered call is tried on the next trunk: only if the trunk is at fault, never if the callee was reached
 * or the number is wrong, and never after ringing. Each trunk configures the statuses that are its fault.
 *
 * Early media (183) is neither an answer nor ringing: it may be a ringing tone, an announcement or silence. The gateway
 * does not listen to it, and the trunk may still fail the call, so 183 is treated like no provisional response.
 */
import type { UnansweredCause } from '#machines/line.ts';
import { networkCause, unansweredCause } from '../causes.ts';

export type FailedTry = {
  /** Status of the final response; null without any response, or if the request could not be sent. */
  status: number | null;
  /** The `Reason` header (RFC 3326), if any. */
  reason?: string | undefined;
  /** Progress of the call: `progress` is 183 or the like, `ringing` a ringing telephone. */
  came: 'nowhere' | 'progress' | 'ringing';
};

/** Why the call was not answered, for its record. */
export const causeOf = ({ status, reason, came }: FailedTry): UnansweredCause =>
  status === null ? 'trunk_error' : unansweredCause({ status, reason, rang: came !== 'nowhere' });

/** Whether a trunk's failover statuses contain this SIP status, or its class such as `5xx`. */
const names = (statuses: readonly string[], status: number): boolean =>
  statuses.includes(String(status)) || statuses.includes(`${Math.floor(status / 100)}xx`);

/** Whether the status is one of the trunk's failover statuses: it then concerns the trunk, not the callee. */
export const isTrunksFault = ({ status, reason, came }: FailedTry, statuses: readonly string[]): boolean => {
  if (status === null) return true;
  if (!names(statuses, status)) return false;
  // Whether a 5xx concerns the callee: its `Reason` may report a busy callee or a number that does not exist.
  const byNetwork = networkCause(reason);
  if (byNetwork !== undefined) return byNetwork === 'trunk_error';
  // A 408 after progress means that the callee did not answer.
  return status !== 408 || came === 'nowhere';
};

/** `statuses`: the trunk's `failoverStatuses`. */
export const goesOn = (failed: FailedTry, statuses: readonly string[]): boolean =>
  failed.came !== 'ringing' && isTrunksFault(failed, statuses);
