/** What may be asked of the gateway that holds a call, by another one or by its own API. */
export const callAsks = [
  'hangup',
  'hangup_immediately',
  'cancel',
  'pause_recording',
  'resume_recording',
] as const;

export type CallAsk = (typeof callAsks)[number];

/** A call of this number is asked for this. */
export type CallSignal = { callId: string; numberId: string; ask: CallAsk };
