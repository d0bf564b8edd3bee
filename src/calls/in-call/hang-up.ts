/**
 * Hanging up, and cancelling what still rings (guides/design/wire.md, "Hang-up" and "Cancel"). A request is only a
 * request: whatever refuses it, the call stays alive.
 */
import type { HangUp } from '#src/domain/own-call.ts';
import type { CallOfNumber } from '#src/domain/in-call-request.ts';
import { notActive, type InCallRequests, type InCallRequestsOptions } from './in-call-requests.ts';

export type HangupRequests = {
  /**
   * Hangs up after the farewell, or at once. Refuses with `call_not_found` (not this number's, or unknown),
   * `call_not_active`, `room_unknown`, `hangup_failed` or `hangup_unavailable`; the call stays alive then.
   */
  requestHangup(request: CallOfNumber & { immediate: boolean }): Promise<void>;
  /** The same request, made by the built-in agent for its own call. */
  hangUpOwnCall: HangUp;
  /** Ends a call that still rings. Refuses as hanging up does. */
  requestCancel(request: CallOfNumber): Promise<void>;
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
