/** Which status a call ends in, by its cause (guides/design/calls.md, "Status from the cause"). */
import type { FinalStatus } from './facts.ts';
import type { UnansweredCause } from './line.ts';

/** Why a call ended. The first cause wins. */
export type EndReason =
  | UnansweredCause
  | 'agent_hangup'
  | 'counterparty_hangup'
  | 'max_duration'
  | 'silence_timeout'
  | 'agent_error'
  | 'no_agent_endpoint'
  | 'caller_rejected'
  | 'system_error';

const nobodyPickedUp: ReadonlySet<EndReason> = new Set(['no_answer', 'busy', 'declined', 'cancelled']);
const somethingBroke: ReadonlySet<EndReason> = new Set(['agent_error', 'media_error', 'system_error']);

export const statusAfter = (reason: EndReason, wasAnswered: boolean): FinalStatus => {
  if (wasAnswered) return somethingBroke.has(reason) ? 'failed' : 'completed';
  return nobodyPickedUp.has(reason) ? 'no_answer' : 'failed';
};
