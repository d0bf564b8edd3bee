/**
 * Stores the owner of each dialog: the gateway that last acted in the dialog. A dialog has no owner after that gateway
 * disconnected.
 */
export const createDialogs = <Gateway>(
  now: () => number,
  { onEnded }: { onEnded: (dialogId: string) => void },
) => {
  const owners = new Map<string, Gateway>();
  /** Dialogs without a gateway, with the time at which they lost it. */
  const left = new Map<string, number>();

  return {
    ownerOf: (dialogId: string): Gateway | undefined => owners.get(dialogId),

    /** Makes the gateway that acts in a dialog its owner. */
    own(dialogId: string, gateway: Gateway): void {
      if (dialogId === '') return;
      owners.set(dialogId, gateway);
      left.delete(dialogId);
    },

    /** Removes a dialog that has ended. */
    forget(dialogId: string): void {
      owners.delete(dialogId);
      left.delete(dialogId);
      onEnded(dialogId);
    },

    gone(gateway: Gateway): void {
      for (const [dialogId, owner] of owners) {
        if (owner !== gateway) continue;
        owners.delete(dialogId);
        left.set(dialogId, now());
      }
    },

    /** Removes and returns the dialogs that have been without a gateway since this time or longer. */
    takeLeft(since: number): string[] {
      const taken = [...left].filter(([, at]) => at <= since).map(([dialogId]) => dialogId);
      for (const dialogId of taken) left.delete(dialogId);
      return taken;
    },

    clear(): void {
      owners.clear();
      left.clear();
    },

    sizes: () => ({ dialogs: owners.size, left: left.size }),
  };
};
