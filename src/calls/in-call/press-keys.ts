import { Refusal } from '#src/domain/refusal.ts';
import type { Switchboard } from '../live/switchboard.ts';

/** Presses keys of the telephone in a call, as in `LineCommand`. Refuses with `call_not_active`. */
export type PressKeys = (callId: string, keys: string) => Promise<void>;

export const createPressKeys =
  (switchboard: Pick<Switchboard, 'find'>): PressKeys =>
  async (callId, keys) => {
    const actor = switchboard.find(callId);
    if (actor?.getSnapshot().hasTag('talking') !== true) {
      throw new Refusal('call_not_active', 'This call is not in progress, so nobody would hear the keys.');
    }
    actor.send({ type: 'keys.requested', keys });
  };
