/** Requests to the gateway that holds a call, by another one or by its own API. */
export const callActions = [
  'hangup',
  'hangup_immediately',
  'cancel',
  'pause_recording',
  'resume_recording',
] as const;

export type CallAction = (typeof callActions)[number];

/** A call of this number is asked for this. */
export type InCallRequest = { callId: string; numberId: string; action: CallAction };
