/** Refusals of an INVITE by reason (RFC 3261 section 21). */
import { randomInt } from 'node:crypto';
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { ArrivalVerdict } from '#src/domain/arrival.ts';
import type { OfferProblem } from '#sip/sdp/media-offer.ts';
import { warningOf } from './negotiate.ts';
import type { SessionTimes } from './session-timer.ts';

export type InviteRefusal = { status: number; reason: string; headers?: Record<string, string> };

/** Refusals by admission verdict. */
export const verdictRefusals: Readonly<
  Record<Extract<ArrivalVerdict, { accepted: false }>['because'], InviteRefusal>
> = {
  unknown_number: { status: 404, reason: 'Not Found' },
  no_agent_endpoint: { status: 480, reason: 'Temporarily Unavailable' },
  caller_rejected: { status: 603, reason: 'Decline' },
  concurrency_limit: { status: 486, reason: 'Busy Here' },
  // The status 503 lets the trunk try another gateway.
  over_capacity: { status: 503, reason: 'Service Unavailable', headers: { 'Retry-After': '5' } },
  draining: { status: 503, reason: 'Service Unavailable', headers: { 'Retry-After': '60' } },
};

export const refusals = {
  noSuchCall: { status: 481, reason: 'Call/Transaction Does Not Exist' },
  unavailable: { status: 503, reason: 'Service Unavailable', headers: { 'Retry-After': '10' } },
  failed: { status: 500, reason: 'Server Internal Error' },
  unanswered: { status: 480, reason: 'Temporarily Unavailable' },
  merged: { status: 482, reason: 'Loop Detected' },
} as const satisfies Record<string, InviteRefusal>;

/**
 * Refuses with 491 or 500, because another offer is in progress: either ours without an answer, or an earlier offer of
 * the far end (RFC 3311 section 5.2).
 */
export const pending = {
  ours: { status: 491, reason: 'Request Pending' },
  theirs: (): InviteRefusal => ({
    status: 500,
    reason: 'Server Internal Error',
    headers: { 'Retry-After': String(randomInt(11)) },
  }),
} as const;

/** Refuses with 422 (RFC 4028 section 6). */
export const intervalTooSmall = ({ shortestSec }: SessionTimes): InviteRefusal => ({
  status: 422,
  reason: 'Session Interval Too Small',
  headers: { 'Min-SE': String(shortestSec) },
});

/** Refuses with 488. The reason is for a person. */
export const notAcceptable = (problem: string | OfferProblem): InviteRefusal => ({
  status: 488,
  reason: 'Not Acceptable Here',
  headers: warningOf(typeof problem === 'string' ? { warning: 399, why: problem } : problem),
});

/** Sends a refusal. A caller that was already answered or has hung up receives no refusal. */
export const refuse = (
  response: Srf.SrfResponse,
  { status, reason, headers }: InviteRefusal,
  logger: Logger,
): void => {
  if (response.finalResponseSent) return;
  try {
    response.send(status, reason, headers === undefined ? {} : { headers });
  } catch (error) {
    logger.debug({ err: error }, 'an INVITE could not be refused');
  }
};
