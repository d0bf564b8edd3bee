/** End reasons and statuses for schemas and API documents (guides/design/calls.md, "Status" and "End reasons"). */
import type { EndReason, FinalStatus } from '#machines/outcome.ts';

export type { EndReason };

export const endReasons = [
  'agent_hangup',
  'counterparty_hangup',
  'max_duration',
  'silence_timeout',
  'transfer_completed',
  'transfer_failed',
  'consent_refused',
  'no_answer',
  'busy',
  'declined',
  'cancelled',
  'invalid_number',
  'trunk_error',
  'media_error',
  'agent_error',
  'no_agent_endpoint',
  'caller_rejected',
  'system_error',
] as const satisfies readonly EndReason[];

export const callStatuses = [
  'ringing',
  'active',
  'completed',
  'no_answer',
  'failed',
] as const satisfies readonly (FinalStatus | 'ringing' | 'active')[];

/** Statuses of a call in progress. */
export const statusesInProgress = ['ringing', 'active'] as const satisfies readonly CallStatus[];

export type CallStatus = (typeof callStatuses)[number];
