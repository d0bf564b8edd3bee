/**
 * Figures of a stream that comes in (RFC 3550 section 6.4.1 and appendix A): how much was lost, and how evenly it
 * comes.
 */
import { sequenceDistance } from './rtp-packet.ts';

export type Reception = {
  /** All packets of an `event` have the timestamp of its beginning, which says nothing of when they were sent. */
  received(packet: ReceivedPacket, at: number, kind?: 'audio' | 'event'): void;
  /** Since the beginning of the call, over all streams. */
  figures(): { packets: number; lost: number; jitterMs: number };
  /** Of the stream that comes in now, since the last report; `null` while there is none. */
  report(): ReceptionReport | null;
};

type ReceivedPacket = { sequence: number; timestamp: number; ssrc: number; marker?: boolean };

/** The block of a receiver report. */
export type ReceptionReport = {
  ssrc: number;
  /** In 256ths. */
  fractionLost: number;
  cumulativeLost: number;
  /** The highest sequence number with its cycles. */
  highest: number;
  /** In samples. */
  jitter: number;
};

type Stream = {
  ssrc: number;
  first: number;
  highest: number;
  packets: number;
  /** After a jump: the number that the next packet has if the sender has begun again; else `null`. */
  restartsAt: number | null;
  /** In samples. */
  jitter: number;
  /** Of the last packet of audio: when it came, and how long it took, up to a constant. */
  audio: { at: number; transit: number } | null;
  atReport: { expected: number; packets: number };
};

const samplesPerMs = 8;
/** A marked packet after such a pause begins a talkspurt; the clocks of some senders stop in between. */
const silenceMs = 60;

/** Of RFC 3550, appendix A.1: a number further ahead, or further behind, is no lost or late packet. */
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

  /** Its stream, with this packet; `null` where the number has jumped, and the next packet shows why. */
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
    figures() {
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
