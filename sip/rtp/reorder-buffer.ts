/**
 * Restores the order of packets. A packet in order is passed on at once. A packet after a gap waits at most `waitMs`
 * for the missing packet; then the gap is reported and the waiting packets are passed on.
 *
 * The reorder buffer adds less delay than the jitter buffer of a telephone: the audio is not played at a steady pace
 * here, so packets wait only after a gap.
 */
import { sequenceDistance } from './rtp-packet.ts';

export type ReorderBuffer<Packet> = {
  /** Adds a packet. `at` is a monotonic time in milliseconds. */
  add(packet: Packet, at: number): void;
  /** Gives up packets that have been missing for too long. Must be called regularly. */
  expire(at: number): void;
};

export type ReorderEvents<Packet> = {
  /** Called with the next packet in order. */
  onPacket: (packet: Packet) => void;
  /** Called with the number of lost packets before the next packet. */
  onGap: (packets: number) => void;
};

/**
 * Maximum jump of sequence numbers in either direction; a larger jump means a restarted stream (RFC 3550 appendix A.1:
 * MAX_DROPOUT, MAX_MISORDER).
 */
const furthestAhead = 3_000;
const furthestBehind = 100;

export const createReorderBuffer = <Packet extends { sequence: number }>(
  { onPacket, onGap }: ReorderEvents<Packet>,
  { waitMs, most }: { waitMs: number; most: number },
): ReorderBuffer<Packet> => {
  /** Sequence number of the next packet in order. */
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

  /** Continues with the first waiting packet. */
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
      // A late packet or duplicate is ignored.
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
