/**
 * Dialogs that a gateway has released for another one, but in which it still sends audio. The gateway is notified as
 * soon as the other gateway's INVITE in the dialog, or the far end's INVITE to the other gateway, is accepted: the audio
 * has moved then. The gateway is also notified when the dialog ends.
 */
import { randomUUID } from 'node:crypto';
import type { GatewayConnection } from './gateway-connection.ts';

type Gateway = Pick<GatewayConnection, 'tell'>;

export const createLeftDialogs = () => {
  const leavers = new Map<string, Gateway>();

  const notify = (dialogId: string, leaver: Gateway): void => {
    leavers.delete(dialogId);
    leaver.tell(Buffer.from(`${randomUUID()}|dialog_moved|${dialogId}`));
  };

  return {
    /** Called when the gateway has released the dialog. */
    left: (dialogId: string, gateway: Gateway): void => void leavers.set(dialogId, gateway),
    /** Whether the gateway has released the dialog. */
    isLeftBy: (dialogId: string, gateway: Gateway): boolean => leavers.get(dialogId) === gateway,
    /** Called when an INVITE of this gateway in the dialog, or the far end's INVITE to it, was answered. */
    moved(dialogId: string, to: Gateway): void {
      const leaver = leavers.get(dialogId);
      if (leaver !== undefined && leaver !== to) notify(dialogId, leaver);
    },
    /** Called when the dialog has ended. */
    ended(dialogId: string): void {
      const leaver = leavers.get(dialogId);
      if (leaver !== undefined) notify(dialogId, leaver);
    },
    gone(gateway: Gateway): void {
      for (const [dialogId, leaver] of leavers) if (leaver === gateway) leavers.delete(dialogId);
    },
    clear: (): void => leavers.clear(),
    size: (): number => leavers.size,
  };
};

export type LeftDialogs = ReturnType<typeof createLeftDialogs>;
