/** Statistics of an incoming stream (RFC 3550 section 6.4.1 and appendix A): loss and jitter. */
import { sequenceDistance } from './rtp-packet.ts';

export type Reception = {
  /**
   * Counts a received packet. `kind` is `event` for a DTMF packet, whose timestamp is that of the event's beginning and
   * does not show when the packet was sent.
   */
  received(packet: ReceivedPacket, at: number, kind?: 'audio' | 'event'): void;
  /** Returns totals since the beginning of the call, over all streams. */
  statistics(): { packets: number; lost: number; jitterMs: number };
  /** Returns the report on the current stream since the last report; `null` without a stream. */
  report(): ReceptionReport | null;
};

type ReceivedPacket = { sequence: number; timestamp: number; ssrc: number; marker?: boolean };

/** Report block of RTCP about the incoming stream. */
export type ReceptionReport = {
  ssrc: number;
  /** Loss since the last report, in units of 1/256. */
  fractionLost: number;
  cumulativeLost: number;
  /** Highest received sequence number, extended by its wrap-arounds. */
  highest: number;
  /** Interarrival jitter in samples. */
  jitter: number;
};

type Stream = {
  ssrc: number;
  first: number;
  highest: number;
  packets: number;
  /**
   * Sequence number that the next packet has if the sender restarted; `null` unless the sequence numbers have jumped.
   */
  restartsAt: number | null;
  /** Interarrival jitter in samples. */
  jitter: number;
  /** Arrival time of the last audio packet, and its transit time up to a constant. */
  audio: { at: number; transit: number } | null;
  atReport: { expected: number; packets: number };
};

const samplesPerMs = 8;
/**
 * Pause in milliseconds after which a packet with the marker bit begins a talkspurt. Such a packet is left out of the
 * jitter, because some senders' clocks stop during the pause.
 */
const silenceMs = 60;

/**
 * Limits of RFC 3550, appendix A.1. A sequence number further ahead or behind belongs to a restarted stream, not to a
 * lost or late packet.
 */
const mostAhead = 3_000;
const mostBehind = 100;

const expectedOf = ({ highest, first }: Stream): number => highest - first + 1;

export const createReception = (): Reception => {
  let stream: Stream | null = null;
  const before = { packets: 0, lost: 0 };

  const leave = (): void => {
    if (stream === null) return;
    before.packets += stream.packets;
    before.lost += Math.max(0, expectedOf(stream) - stream.packets);
  };

  const streamOf = (ssrc: number, sequence: number): Stream => {
    if (stream?.ssrc === ssrc) return stream;
    return begin(ssrc, sequence);
  };

  const begin = (ssrc: number, sequence: number, packets = 0): Stream => {
    leave();
    stream = {
      ssrc,
      first: sequence,
      highest: sequence,
      packets,
      restartsAt: null,
      jitter: 0,
      audio: null,
      atReport: { expected: 0, packets: 0 },
    };
    return stream;
  };

  /**
   * Returns the stream including this packet; `null` if the sequence number has jumped, because only the next packet
   * can explain the jump.
   */
  const counted = (ssrc: number, sequence: number): Stream | null => {
    let current = streamOf(ssrc, sequence);
    if (current.restartsAt === sequence) current = begin(ssrc, (sequence - 1) & 0xffff, 1);
    const ahead = sequenceDistance(current.highest & 0xffff, sequence);
    if (ahead >= mostAhead || ahead <= -mostBehind) {
      current.restartsAt = (sequence + 1) & 0xffff;
      return null;
    }
    current.packets += 1;
    current.restartsAt = null;
    if (ahead > 0) current.highest += ahead;
    return current;
  };

  return {
    received({ ssrc, sequence, timestamp, marker }, at, kind = 'audio') {
      const current = counted(ssrc, sequence);
      if (current === null || kind === 'event') return;
      const transit = (Math.round(at * samplesPerMs) - timestamp) | 0;
      const { audio } = current;
      const isAfterSilence = marker === true && audio !== null && at - audio.at > silenceMs;
      if (audio !== null && !isAfterSilence) {
        const difference = Math.abs((transit - audio.transit) | 0);
        current.jitter += (difference - current.jitter) / 16;
      }
      current.audio = { at, transit };
    },
    statistics() {
      const { packets, lost } = before;
      if (stream === null) return { packets, lost, jitterMs: 0 };
      return {
        packets: packets + stream.packets,
        lost: lost + Math.max(0, expectedOf(stream) - stream.packets),
        jitterMs: stream.jitter / samplesPerMs,
      };
    },
    report() {
      if (stream === null) return null;
      const expected = expectedOf(stream);
      const since = {
        expected: expected - stream.atReport.expected,
        packets: stream.packets - stream.atReport.packets,
      };
      stream.atReport = { expected, packets: stream.packets };
      const lost = Math.max(0, since.expected - since.packets);
      return {
        ssrc: stream.ssrc,
        fractionLost: since.expected > 0 ? Math.min(255, Math.floor((lost * 256) / since.expected)) : 0,
        cumulativeLost: Math.max(0, expected - stream.packets),
        highest: stream.highest >>> 0,
        jitter: Math.round(stream.jitter),
      };
    },
  };
};
