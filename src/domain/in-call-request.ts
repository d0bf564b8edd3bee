/** Requests to the gateway that holds a call, by another one or by its own API. */
import type { KeysWanted } from '#machines/collected-keys.ts';
import type { TransferRequest } from '#machines/transfer.ts';

/** Keys of the telephone, and `w` for half a second's wait. */
export const telephoneKeys = /^[0-9*#A-Dw]{1,64}$/;

/** One key of the telephone. */
export const telephoneKey = /^[0-9*#A-D]$/;

/** Of keys that are collected as one turn: the most of them, and the longest wait for one, in seconds. */
export const mostCollected = 64;
export const longestKeyWaitSec = 120;
export const usualKeyWaitSec = 10;

/** Bounds of the time for which the person of a transfer may be rung, in seconds. */
export const transferRingBounds = [5, 120] as const;
export const usualTransferRingSec = 25;

/** The longest text that may be asked to be said at once, in characters. */
export const longestSaid = 2_000;

/** Requests to a call that say nothing more than their name. */
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
  | ({ action: 'transfer' } & Omit<TransferRequest, 'type'>);

export type CallAction = CallAct['action'];

/** A call of this number. */
export type CallOfNumber = { callId: string; numberId: string };

/** A call of this number is asked for this. */
export type InCallRequest = CallOfNumber & CallAct;
