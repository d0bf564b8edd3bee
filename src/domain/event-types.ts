/** The events that customers can receive (decisions 5). */

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
