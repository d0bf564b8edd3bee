/** Requests to the gateway that owns a call, from its own API or from another gateway. */
import type { KeysWanted } from '#machines/collected-keys.ts';
import type { TransferRequest } from '#machines/transfer.ts';

/** Matches DTMF digits; `w` is a pause of half a second. */
export const dtmfDigits = /^[0-9*#A-Dw]{1,64}$/;

/** Matches one DTMF digit. */
export const telephoneKey = /^[0-9*#A-D]$/;

/** Limits of collected digits: their number, and the timeout in seconds. */
export const mostCollected = 64;
export const longestKeyWaitSec = 120;
export const usualKeyWaitSec = 10;

/** Minimum and maximum ringing time of a transfer, in seconds. */
export const transferRingBounds = [5, 120] as const;
export const usualTransferRingSec = 25;

/** Longest text of a `say` request, in characters. */
export const longestSaid = 2_000;

/** Requests without parameters. */
export const plainActions = [
  'hangup',
  'hangup_immediately',
  'cancel',
  'pause_recording',
  'resume_recording',
  'cancel_transfer',
] as const;

/** A request to a call in progress. */
export type CallAct =
  | { action: (typeof plainActions)[number] }
  | { action: 'press_keys'; keys: string }
  | { action: 'say'; sentences: readonly string[]; interrupt: boolean }
  | { action: 'collect'; wanted: KeysWanted }
  /** With `summarize`, a summary of the call so far replaces the briefing if the summary is complete in time. */
  | ({ action: 'transfer'; summarize: boolean } & Omit<TransferRequest, 'type'>);

export type CallAction = CallAct['action'];

/** Number to which the call must belong. */
export type CallOfNumber = { callId: string; numberId: string };

/** A request for a call that must belong to this number. */
export type InCallRequest = CallOfNumber & CallAct;
