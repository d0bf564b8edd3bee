/**
 * Packets in the order in which they were sent. One that is in its place goes on at once; behind a gap it waits for the
 * missing one, and no longer than `waitMs`: then the gap is told, and what waits goes on.
 *
 * This is less than the jitter buffer of a telephone: nobody listens to the sound at an even pace here, so that nothing
 * has to be held back where nothing is missing.
 */
import { sequenceDistance } from './rtp-packet.ts';

export type ReorderBuffer<Packet> = {
  /** Takes a packet in; `at` is a monotonic time in milliseconds. */
  add(packet: Packet, at: number): void;
  /** Gives up on what is missing for too long. To be called now and then. */
  expire(at: number): void;
};

export type ReorderEvents<Packet> = {
  /** The next packet in order. */
  onPacket: (packet: Packet) => void;
  /** So many packets before the next one will not come. */
  onGap: (packets: number) => void;
};

/** A jump further than this, either way, is a stream that began anew (RFC 3550 appendix A.1: MAX_DROPOUT, MAX_MISORDER). */
const furthestAhead = 3_000;
const furthestBehind = 100;

export const createReorderBuffer = <Packet extends { sequence: number }>(
  { onPacket, onGap }: ReorderEvents<Packet>,
  { waitMs, most }: { waitMs: number; most: number },
): ReorderBuffer<Packet> => {
  /** Of the packet that is due. */
  let next: number | null = null;
  const waiting = new Map<number, { packet: Packet; since: number }>();

  const pass = (): void => {
    while (next !== null) {
      const due = waiting.get(next);
      if (due === undefined) return;
      waiting.delete(next);
      next = (next + 1) & 0xffff;
      onPacket(due.packet);
    }
  };

  /** Goes on with the first packet that waits. */
  const skip = (): void => {
    if (next === null) return;
    let gap = Infinity;
    for (const sequence of waiting.keys()) gap = Math.min(gap, sequenceDistance(next, sequence));
    if (gap === Infinity) return;
    onGap(gap);
    next = (next + gap) & 0xffff;
    pass();
  };

  const beginAt = (sequence: number): void => {
    while (waiting.size > 0) skip();
    next = sequence;
  };

  return {
    add(packet, at) {
      next ??= packet.sequence;
      const distance = sequenceDistance(next, packet.sequence);
      if (distance > furthestAhead || distance < -furthestBehind) beginAt(packet.sequence);
      // It is too late, or came twice.
      else if (distance < 0) return;
      waiting.set(packet.sequence, { packet, since: at });
      pass();
      if (waiting.size >= most) skip();
    },
    expire(at) {
      for (;;) {
        const [oldest] = waiting.values();
        if (oldest === undefined || at - oldest.since < waitMs) return;
        skip();
      }
    },
  };
};
