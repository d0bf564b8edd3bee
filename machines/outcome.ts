/** Status of an ended call by its cause (guides/design/calls.md, "Status from the cause"). */
import type { UnansweredCause } from './line.ts';

/** Reason for the end of a call. The first cause wins. */
export type EndReason =
  | UnansweredCause
  | 'agent_hangup'
  | 'counterparty_hangup'
  | 'max_duration'
  | 'silence_timeout'
  | 'transfer_completed'
  | 'transfer_failed'
  | 'consent_refused'
  | 'agent_error'
  | 'no_agent_endpoint'
  | 'caller_rejected'
  | 'system_error';

const nobodyPickedUp: ReadonlySet<EndReason> = new Set(['no_answer', 'busy', 'declined', 'cancelled']);
const somethingBroke: ReadonlySet<EndReason> = new Set(['agent_error', 'media_error', 'system_error']);

export type FinalStatus = 'completed' | 'no_answer' | 'failed';

/** The end of a call: its cause and the resulting status. */
export type CallOutcome = { reason: EndReason; status: FinalStatus };

const statusAfter = (reason: EndReason, wasAnswered: boolean): FinalStatus => {
  if (wasAnswered) return somethingBroke.has(reason) ? 'failed' : 'completed';
  return nobodyPickedUp.has(reason) ? 'no_answer' : 'failed';
};

/**
 * Returns the outcome of a call. Calls normally end with their chart's output; this function also serves calls whose
 * chart never ran or no longer exists.
 */
export const outcomeOf = (reason: EndReason, wasAnswered: boolean): CallOutcome => ({
  reason,
  status: statusAfter(reason, wasAnswered),
});
