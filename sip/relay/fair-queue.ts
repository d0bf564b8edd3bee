/**
 * Shares one connection to drachtio-server fairly among gateways: each gateway in turn sends one message, so a busy
 * gateway delays only itself.
 *
 * drachtio-server reads into a ring buffer that two long messages overrun (sip/drachtio/connection/message-limits.ts).
 * After a long message, sending therefore waits for the message's response.
 */
import { longestInCompany } from '../drachtio/connection/message-limits.ts';

type Waiting = { id: string; message: Buffer };

export const createFairQueue = <Sender>(options: {
  write: (message: Buffer) => void;
  /** Whether writing must pause; `goOn` is then called to resume. */
  isFull: () => boolean;
  /** Called when the backlog of this sender has shrunk. */
  onLess: (sender: Sender) => void;
}) => {
  /** Senders with waiting messages, in the order of their turns. */
  const senders = new Map<Sender, { waiting: Waiting[]; bytes: number }>();
  /** Id of the message whose response must arrive before the next message is sent. */
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
      // The sender returns to the end of the queue.
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
    /** Returns the backlog of this sender in bytes. */
    waitingOf: (sender: Sender): number => senders.get(sender)?.bytes ?? 0,
    /** Drops the backlog, because the connection was replaced. */
    clear(): void {
      senders.clear();
      alone = null;
    },
  };
};
