/** Event types of webhooks (guides/design/events.md). */

export const eventTypes = [
  'call.ringing',
  'call.answered',
  'call.answered_by',
  'call.consent',
  'call.hangup_requested',
  'call.hangup_cancelled',
  'call.transfer_requested',
  'call.transfer_connected',
  'call.transfer_failed',
  'call.transfer_returned',
  'call.ended',
  'recording.completed',
  'recording.failed',
  'call.summarized',
  'call.erased',
] as const;

export type EventType = (typeof eventTypes)[number];
