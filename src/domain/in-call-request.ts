/** Requests to the gateway that holds a call, by another one or by its own API. */

/** Keys of the telephone, and `w` for half a second's wait. */
export const telephoneKeys = /^[0-9*#A-Dw]{1,64}$/;

/** The longest text that may be asked to be said at once, in characters. */
export const longestSaid = 2_000;

/** What a call may be asked for without saying more. */
export const plainActions = [
  'hangup',
  'hangup_immediately',
  'cancel',
  'pause_recording',
  'resume_recording',
] as const;

/** What a call may be asked for. */
export type CallAct =
  | { action: (typeof plainActions)[number] }
  | { action: 'press_keys'; keys: string }
  | { action: 'say'; sentences: readonly string[]; interrupt: boolean };

export type CallAction = CallAct['action'];

/** A call of this number. */
export type CallOfNumber = { callId: string; numberId: string };

/** A call of this number is asked for this. */
export type InCallRequest = CallOfNumber & CallAct;
