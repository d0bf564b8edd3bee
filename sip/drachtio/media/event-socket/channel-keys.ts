/** The keys that are pressed at the other ends of channels: events of the event socket, told to whose channel it is. */
import { fieldIn } from './event-socket-frames.ts';

export const createChannelKeys = () => {
  const listeners = new Map<string, (digit: string) => void>();
  return {
    /** Returns what ends it. */
    listen(uuid: string, onDigit: (digit: string) => void): () => void {
      listeners.set(uuid, onDigit);
      return () => void listeners.delete(uuid);
    },
    /** An event in plain format. Channels of others are on the same FreeSWITCH. */
    take(event: string): void {
      const digit = fieldIn(event, 'DTMF-Digit');
      if (/^[0-9*#A-D]$/.test(digit)) listeners.get(fieldIn(event, 'Unique-ID'))?.(digit);
    },
  };
};

export type ChannelKeys = ReturnType<typeof createChannelKeys>;
