/** Which gateway has a dialog: whoever has acted in it last, or none since that one was gone. */
export const createDialogs = <Gateway>(now: () => number) => {
  const owners = new Map<string, Gateway>();
  /** Those whose gateway is gone, and since when. */
  const left = new Map<string, number>();

  return {
    ownerOf: (dialogId: string): Gateway | undefined => owners.get(dialogId),

    /** Whoever acts in a dialog has it. */
    own(dialogId: string, gateway: Gateway): void {
      if (dialogId === '') return;
      owners.set(dialogId, gateway);
      left.delete(dialogId);
    },

    /** It is over. */
    forget(dialogId: string): void {
      owners.delete(dialogId);
      left.delete(dialogId);
    },

    gone(gateway: Gateway): void {
      for (const [dialogId, owner] of owners) {
        if (owner !== gateway) continue;
        owners.delete(dialogId);
        left.set(dialogId, now());
      }
    },

    /** Those that have been without a gateway for so long; they are nobody's any more. */
    takeLeft(forMs: number): string[] {
      const since = now() - forMs;
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
