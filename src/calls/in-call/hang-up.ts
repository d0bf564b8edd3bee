/**
 * Hangs up calls and cancels ringing ones (guides/design/wire.md, "Hang-up" and "Cancel"). A refused request leaves the
 * call alive, whatever the reason.
 */
import type { HangUp } from '#src/domain/own-call.ts';
import type { CallOfNumber } from '#src/domain/in-call-request.ts';
import { notActive, type InCallRequests, type InCallRequestsOptions } from './in-call-requests.ts';

export type HangupRequests = {
  /**
   * Hangs up after the farewell, or immediately. Refuses with `call_not_found` (unknown, or a call of another number),
   * `call_not_active`, `room_unknown`, `hangup_failed` or `hangup_unavailable`; the call then stays alive.
   */
  requestHangup(request: CallOfNumber & { immediate: boolean }): Promise<void>;
  /** The same request by the built-in agent for its own call. */
  hangUpOwnCall: HangUp;
  /** Cancels a ringing call. Refuses as a hang-up does. */
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
