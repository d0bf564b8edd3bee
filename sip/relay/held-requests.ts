/**
 * Holds what the far end has sent in a dialog of which no gateway lives: it waits, no longer than a moment that its
 * sender waits as well, for the gateway that acts in the dialog next.
 */
import type { Clock } from '#src/domain/clock.ts';

export type HeldLimits = {
  /** From then on nobody is to be expected; a far end gives up after 32 s (RFC 3261 section 17.1.2.2). */
  longestMs: number;
  mostRequests: number;
  mostBytes: number;
};

export type HeldRequest = {
  message: Buffer;
  method: string;
  /** '' where nothing is to be answered. */
  transactionId: string;
  /** It is within no dialog; then it waits under its transaction. */
  begins: boolean;
};

export const createHeldRequests = (options: {
  limits: HeldLimits;
  clock: Clock;
  /** Nobody has come for it in time, or there was no room for it. */
  onGivenUp: (request: HeldRequest, because: 'time' | 'room') => void;
}) => {
  const { limits, clock, onGivenUp } = options;
  const dialogs = new Map<string, Map<HeldRequest, unknown>>();
  let count = 0;
  let bytes = 0;

  const remove = (dialogId: string, request: HeldRequest): void => {
    const there = dialogs.get(dialogId);
    if (there === undefined || !there.has(request)) return;
    clock.clearTimeout(there.get(request));
    there.delete(request);
    count -= 1;
    bytes -= request.message.length;
    if (there.size === 0) dialogs.delete(dialogId);
  };

  const take = (dialogId: string): HeldRequest[] => {
    const taken = [...(dialogs.get(dialogId)?.keys() ?? [])];
    for (const request of taken) remove(dialogId, request);
    return taken;
  };

  return {
    hold(dialogId: string, { message, ...about }: HeldRequest): void {
      if (count >= limits.mostRequests || bytes + message.length > limits.mostBytes)
        return onGivenUp({ message, ...about }, 'room');
      // Of its own: what it came in with is much longer.
      const request = { message: Buffer.from(message), ...about };
      const there = dialogs.get(dialogId) ?? new Map<HeldRequest, unknown>();
      dialogs.set(dialogId, there);
      const timer = clock.setTimeout(() => {
        remove(dialogId, request);
        onGivenUp(request, 'time');
      }, limits.longestMs);
      there.set(request, timer);
      count += 1;
      bytes += message.length;
      return undefined;
    },
    /** All of a dialog, in the order in which they came. */
    take,
    count: (): number => count,
    /** Nothing of it can be answered any more. */
    clear(): void {
      for (const dialogId of dialogs.keys()) take(dialogId);
    },
  };
};
