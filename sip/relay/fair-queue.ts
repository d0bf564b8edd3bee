/**
 * The queue of several gateways to drachtio-server, by one connection: one message of each in turns, so that a gateway
 * with many waits behind nobody but itself.
 *
 * drachtio-server takes in a message in a ring that two long ones overrun (sip/drachtio/signalling/ring.ts):
 * behind a long one nothing is sent until it was answered.
 */
import { longestInCompany } from '../drachtio/signalling/ring.ts';

type Waiting = { id: string; message: Buffer };

export const createFairQueue = <Sender>(options: {
  write: (message: Buffer) => void;
  /** Nothing more is to be written now; `goOn` is called when it is. */
  isFull: () => boolean;
  /** What waits of this sender has become less. */
  onLess: (sender: Sender) => void;
}) => {
  /** In the order of their turns. */
  const senders = new Map<Sender, { waiting: Waiting[]; bytes: number }>();
  /** The id of the message whose answer is waited for before anything else is sent. */
  let alone: string | null = null;

  const goOn = (): void => {
    while (alone === null && !options.isFull()) {
      const [next] = senders;
      if (next === undefined) return;
      const [sender, queue] = next;
      senders.delete(sender);
      const first = queue.waiting.shift();
      if (first === undefined) continue;
      queue.bytes -= first.message.length;
      // Behind all others.
      if (queue.waiting.length > 0) senders.set(sender, queue);
      if (first.message.length > longestInCompany) alone = first.id;
      options.write(first.message);
      options.onLess(sender);
    }
  };

  return {
    add(sender: Sender, id: string, message: Buffer): void {
      const queue = senders.get(sender) ?? { waiting: [], bytes: 0 };
      queue.waiting.push({ id, message });
      queue.bytes += message.length;
      senders.set(sender, queue);
      goOn();
    },
    goOn,
    answered(id: string): void {
      if (alone !== id) return;
      alone = null;
      goOn();
    },
    /** Bytes of this sender that wait. */
    waitingOf: (sender: Sender): number => senders.get(sender)?.bytes ?? 0,
    /** The connection is another one: nothing waits any more. */
    clear(): void {
      senders.clear();
      alone = null;
    },
  };
};
