/**
 * INVITEs without a final response whose gateway has disconnected. Gateways cancel those that are stored; one that was
 * killed before it could store the INVITE has left a telephone that rings.
 */
export const createLeftInvites = (now: () => number) => {
  /**
   * `dialogId`: the dialog that the INVITE has begun, or ''. `at`: when the gateway has disconnected. `cancelled`: the
   * relay has sent CANCEL; an answer may cross it.
   */
  const invites = new Map<string, { dialogId: string; at: number; state: 'left' | 'cancelled' }>();
  return {
    add(transactionId: string, dialogId: string, at: number): void {
      invites.set(transactionId, { dialogId, at, state: 'left' });
    },

    /** Returns each INVITE whose gateway has been gone since this time or longer and that is not cancelled, once. */
    takeDue(since: number): string[] {
      const due = [...invites].filter(([, { at, state }]) => state === 'left' && at <= since);
      for (const [, invite] of due) invite.state = 'cancelled';
      return due.map(([transactionId]) => transactionId);
    },

    /** Removes an INVITE that has a final response, or that a gateway cancels. Returns the begun dialog of a known one. */
    remove(transactionId: string): string | undefined {
      const dialogId = invites.get(transactionId)?.dialogId;
      invites.delete(transactionId);
      return dialogId;
    },

    /** Drops those that drachtio-server has dropped. */
    sweep(longestMs: number): void {
      for (const [transactionId, { at }] of invites)
        if (now() - at > longestMs) invites.delete(transactionId);
    },

    clear: (): void => invites.clear(),
    size: (): number => invites.size,
  };
};
