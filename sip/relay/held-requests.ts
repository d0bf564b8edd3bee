/**
 * Holds requests of far ends in dialogs whose gateway is dead. A request waits for the next gateway that acts in its
 * dialog, at most as long as its sender waits for a response.
 */
import type { Clock } from '#src/domain/clock.ts';

export type HeldLimits = {
  /** Maximum wait in milliseconds. A far end gives up after 32 s (RFC 3261 section 17.1.2.2). */
  longestMs: number;
  mostRequests: number;
  mostBytes: number;
};

export type HeldRequest = {
  message: Buffer;
  method: string;
  /** Transaction id; '' for a request without a response. */
  transactionId: string;
  /** Whether the request is outside of a dialog, so that its key is the transaction. */
  begins: boolean;
};

export const createHeldRequests = (options: {
  limits: HeldLimits;
  clock: Clock;
  /** Called if no gateway took the request in time, or if too many requests wait. */
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
      // The message is copied, because the buffer of its connection is much longer.
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
    /** Removes and returns the requests of a dialog in order of arrival. */
    take,
    count: (): number => count,
    /** Drops all requests, because responses are no longer possible. */
    clear(): void {
      for (const dialogId of dialogs.keys()) take(dialogId);
    },
  };
};
