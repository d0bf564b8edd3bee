/**
 * Hanging up, and cancelling what still rings (guides/design/wire.md, "Hang-up" and "Cancel"). A request is only a
 * request: whatever refuses it, the call stays alive.
 */
import type { HangUp } from '#src/domain/own-call.ts';
import { Refusal } from '#src/domain/refusal.ts';
import {
  notActive,
  type InCallRequests,
  type InCallRequestsOptions,
  type PerformAction,
} from './in-call-requests.ts';
import type { CallActor } from '../live/switchboard.ts';

/** Hanging up and cancelling, for a call that is held here. */
export const createHangupActions = (
  /** Whether this gateway can reach what signals the end of a call. */
  canSignal: () => boolean,
): Record<'hangup' | 'hangup_immediately' | 'cancel', PerformAction> => {
  const signalling =
    (send: (actor: CallActor) => void): PerformAction =>
    (actor) => {
      if (!canSignal()) {
        throw new Refusal('hangup_failed', 'The call could not be reached just now; try once more.');
      }
      send(actor);
    };
  return {
    hangup: signalling((call) => call.send({ type: 'hangup.requested', immediate: false })),
    hangup_immediately: signalling((call) => call.send({ type: 'hangup.requested', immediate: true })),
    cancel: signalling((call) => call.send({ type: 'cancel.requested' })),
  };
};

export type HangupRequests = {
  /**
   * Hangs up after the farewell, or at once. Refuses with `call_not_found` (not this number's, or unknown),
   * `call_not_active`, `room_unknown`, `hangup_failed` or `hangup_unavailable`; the call stays alive then.
   */
  requestHangup(request: { callId: string; numberId: string; immediate: boolean }): Promise<void>;
  /** The same request, made by the built-in agent for its own call. */
  hangUpOwnCall: HangUp;
  /** Ends a call that still rings. Refuses as hanging up does. */
  requestCancel(request: { callId: string; numberId: string }): Promise<void>;
};

export const createHangupRequests = (
  requests: InCallRequests,
  liveCalls: InCallRequestsOptions['liveCalls'],
): HangupRequests => {
  const requestHangup: HangupRequests['requestHangup'] = ({ callId, numberId, immediate }) =>
    requests.send({ callId, numberId, action: immediate ? 'hangup_immediately' : 'hangup' });

  return {
    requestHangup,

    async hangUpOwnCall(callId, { immediate }) {
      const numberId = liveCalls.get(callId)?.numberId;
      if (numberId === undefined) throw notActive();
      await requestHangup({ callId, numberId, immediate });
    },

    requestCancel: ({ callId, numberId }) => requests.send({ callId, numberId, action: 'cancel' }),
  };
};
