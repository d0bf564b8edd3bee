import type { PressKeys } from '#src/domain/own-call.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { Switchboard } from '../live/switchboard.ts';

/** Presses keys of the telephone in a call that goes on, as in `LineCommand`. */
export const createPressKeys =
  (switchboard: Pick<Switchboard, 'find'>): PressKeys =>
  async (callId, keys) => {
    const actor = switchboard.find(callId);
    if (actor?.getSnapshot().hasTag('talking') !== true) {
      throw new Refusal('call_not_active', 'This call is not in progress, so nobody would hear the keys.');
    }
    actor.send({ type: 'keys.requested', keys });
  };
