/**
 * Maps SIP failures to end reasons (RFC 3261 section 21, RFC 3326, ITU-T Q.850).
 *
 * A telephone network has more causes than SIP has statuses, so a specific Q.850 cause has precedence over the SIP
 * status.
 */
import type { SipReason, UnansweredCause } from '#machines/line.ts';
import { reasonsIn } from './headers/reasons.ts';

export type SipRefusal = {
  /** SIP status, 300 to 699. */
  status: number;
  /** The `Reason` header (RFC 3326), if present. */
  reason?: string | undefined;
  /** Whether the far end was ringing. */
  rang: boolean;
};

/**
 * End reasons by Q.850 cause. Unspecific causes (normal clearing, normal unspecified, interworking) are not listed and
 * therefore ignored.
 */
const byQ850: Readonly<Record<number, UnansweredCause>> = {
  1: 'invalid_number', // unallocated number
  2: 'trunk_error', // no route to the transit network
  3: 'invalid_number', // no route to the destination
  4: 'invalid_number', // special information tone: not reachable for long
  5: 'invalid_number', // misdialled prefix
  17: 'busy',
  18: 'no_answer', // no user responding
  19: 'no_answer', // user alerted, no answer
  20: 'no_answer', // subscriber absent
  21: 'declined',
  22: 'invalid_number', // number changed
  23: 'invalid_number', // redirection to a new destination
  25: 'trunk_error', // exchange routing error
  27: 'trunk_error', // destination out of order
  28: 'invalid_number', // incomplete number
  29: 'trunk_error', // facility rejected
  34: 'trunk_error', // no circuit available
  38: 'trunk_error', // network out of order
  41: 'trunk_error', // temporary failure
  42: 'trunk_error', // congestion
  43: 'trunk_error', // access information discarded
  44: 'trunk_error', // requested circuit not available
  46: 'trunk_error', // precedence call blocked
  47: 'trunk_error', // resource unavailable
  49: 'trunk_error', // quality of service unavailable
  50: 'trunk_error', // facility not subscribed
  52: 'trunk_error', // outgoing calls barred
  54: 'declined', // incoming calls barred
  55: 'declined', // incoming calls barred within the closed user group
  57: 'trunk_error', // bearer capability not authorized
  58: 'trunk_error', // bearer capability not available
  63: 'trunk_error', // service not available
  65: 'media_error', // bearer capability not implemented
  66: 'media_error', // channel type not implemented
  69: 'trunk_error', // facility not implemented
  70: 'media_error', // only restricted digital information
  79: 'trunk_error', // service not implemented
  87: 'declined', // not a member of the closed user group
  88: 'media_error', // incompatible destination
  102: 'trunk_error', // recovery on timer expiry
  111: 'trunk_error', // protocol error
};

/** End reasons by SIP status. All other failures are the fault of the trunk, or of the request sent to it. */
const byStatus: Readonly<Record<number, UnansweredCause>> = {
  404: 'invalid_number',
  410: 'invalid_number',
  415: 'media_error',
  433: 'declined', // anonymous callers are rejected
  480: 'no_answer',
  484: 'invalid_number',
  485: 'invalid_number', // ambiguous
  486: 'busy',
  487: 'no_answer',
  488: 'media_error',
  493: 'media_error', // undecipherable
  600: 'busy',
  603: 'declined',
  604: 'invalid_number',
  606: 'media_error',
  607: 'declined', // unwanted (RFC 8197)
  608: 'declined', // rejected by an intermediary (RFC 8688)
};

const q850In = (reasons: readonly SipReason[]): UnansweredCause | undefined => {
  const q850 = reasons.find(({ protocol }) => protocol.toUpperCase() === 'Q.850')?.cause;
  return typeof q850 === 'number' ? byQ850[q850] : undefined;
};

/** Returns the end reason by the specific cause of the telephone network; undefined without one. */
export const networkCause = (reason: SipRefusal['reason']): UnansweredCause | undefined =>
  q850In(reasonsIn(reason ?? ''));

const failures: ReadonlySet<UnansweredCause> = new Set(['trunk_error', 'media_error']);

/**
 * Whether an answered call ended by a network failure, according to the reasons of its BYE. A specific Q.850 cause
 * decides, else a failure status of SIP. The BYE of a person who hangs up has neither.
 */
export const isNetworkFailure = (reasons: readonly SipReason[]): boolean => {
  const fromNetwork = q850In(reasons);
  if (fromNetwork !== undefined) return failures.has(fromNetwork);
  const status = reasons.find(({ protocol }) => protocol.toUpperCase() === 'SIP')?.cause ?? 0;
  return status >= 400 && failures.has(byStatus[status] ?? 'trunk_error');
};

export const unansweredCause = ({ status, reason, rang }: SipRefusal): UnansweredCause => {
  const fromNetwork = networkCause(reason);
  if (fromNetwork !== undefined) return fromNetwork;
  // A timeout after ringing means that the callee did not answer; a timeout before ringing means that the trunk does
  // not respond.
  if (status === 408) return rang ? 'no_answer' : 'trunk_error';
  return byStatus[status] ?? 'trunk_error';
};
