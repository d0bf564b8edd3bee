/** DTMF digits of channels: events of the event socket, dispatched to the channel's listener. */
import { fieldIn } from './event-socket-frames.ts';

export const createChannelKeys = () => {
  const listeners = new Map<string, (digit: string) => void>();
  return {
    /** Returns a function that ends the subscription. */
    listen(uuid: string, onDigit: (digit: string) => void): () => void {
      listeners.set(uuid, onDigit);
      return () => void listeners.delete(uuid);
    },
    /** Handles an event in plain format. Channels of other gateways on the same FreeSWITCH are ignored. */
    take(event: string): void {
      const digit = fieldIn(event, 'DTMF-Digit');
      if (/^[0-9*#A-D]$/.test(digit)) listeners.get(fieldIn(event, 'Unique-ID'))?.(digit);
    },
  };
};

export type ChannelKeys = ReturnType<typeof createChannelKeys>;
