/** The events that customers can receive (guides/design/events.md). */

export const eventTypes = [
  'call.ringing',
  'call.answered',
  'call.answered_by',
  'call.hangup_requested',
  'call.hangup_cancelled',
  'call.ended',
  'recording.completed',
  'recording.failed',
  'call.summarized',
] as const;

export type EventType = (typeof eventTypes)[number];
