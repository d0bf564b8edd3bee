/**
 * The far end of a call's media: whom packets are accepted from, and where ours go. Media goes to the address of the
 * session description until the first packet comes from elsewhere: behind NAT a telephone does not know its public
 * address (symmetric RTP, RFC 4961).
 *
 * From then on the source is pinned. Packets from another address are accepted only
 * 1. if the session description names that address,
 * 2. after a new description, from whoever sends first (NAT again),
 * 3. if they continue the stream: same SSRC, with the sequence number and the timestamp following (NAT rebinding), or
 * 4. if they are authentic (SRTP).
 * Silence is no reason: a stranger who found the port only has to wait for a pause.
 */
import type { Address } from '../thread/sound-thread-messages.ts';
import { sequenceDistance, type RtpPacket } from './rtp-packet.ts';

type StreamPlace = Pick<RtpPacket, 'ssrc' | 'sequence' | 'timestamp'>;

/** A stream that was accepted: its SSRC and where it came from. */
export type Source = Address & { ssrc: number };

/** One datagram. `at` is a monotonic time in milliseconds; `isAuthentic` where SRTP has verified it. */
export type Arrival = { from: Address; at: number; isAuthentic: boolean };

export type Remote = {
  /** `reports` is where the far end expects RTCP. */
  agreedOn(media: Address, reports: Address): void;
  /** Whether this RTP packet is the far end's. */
  admits(packet: StreamPlace, arrival: Arrival): boolean;
  /** Whether a report of this SSRC is the far end's: from its host, and of a stream that was accepted. */
  admitsReport(ssrc: number, arrival: Omit<Arrival, 'at'>): boolean;
  /** Where our packets go. */
  address(): Address;
  /** The streams accepted so far, the latest last. */
  sources(): readonly Source[];
};

/** RFC 3550 appendix A.1 (MAX_DROPOUT): a larger gap is another stream. */
const furthestAhead = 3_000;
/** A timestamp may run ahead of the time that passed by this much: clocks differ, and packets wait in buffers. */
const clockSlackMs = 2_000;
const samplesPerMs = 8;
/** After a new description, an earlier source that still sends so many packets (one second) has stayed. */
const stayedPackets = 50;
const mostSources = 8;

const isSame = (one: Address, other: Address): boolean =>
  one.port === other.port && one.address === other.address;

type Stream = StreamPlace & { from: Address; at: number };

/** The next packet of the same stream, also after a loss or a pause. */
const continues = (stream: Stream, { ssrc, sequence, timestamp }: StreamPlace, at: number): boolean => {
  if (ssrc !== stream.ssrc) return false;
  const ahead = sequenceDistance(stream.sequence, sequence);
  const samples = (timestamp - stream.timestamp) | 0;
  // All packets of a DTMF event have the timestamp of its beginning.
  return (
    ahead > 0 &&
    ahead <= furthestAhead &&
    samples >= 0 &&
    samples <= (at - stream.at + clockSlackMs) * samplesPerMs
  );
};

/** `former`: streams of the call that had the port before; they may still be sent, and are ignored. */
export const createRemote = (former: readonly Source[] = []): Remote => {
  let agreed: Address = { address: '0.0.0.0', port: 0 };
  let reportsTo: Address = agreed;
  let stream: Stream | null = null;
  /** After a new description: packets that the source of before may still send until it is pinned again. */
  let provisional = 0;
  const sources: Source[] = [];

  const isFormer = (ssrc: number, from: Address): boolean =>
    former.some((source) => source.ssrc === ssrc && isSame(source, from));

  const note = (from: Address, ssrc: number): void => {
    if (sources.some((source) => source.ssrc === ssrc && isSame(source, from))) return;
    sources.push({ address: from.address, port: from.port, ssrc });
    if (sources.length > mostSources) sources.shift();
  };

  const follow = ({ ssrc, sequence, timestamp }: StreamPlace, from: Address, at: number): void => {
    if (stream !== null && stream.ssrc === ssrc && isSame(stream.from, from)) {
      if (provisional > 0) provisional -= 1;
      // A packet that was overtaken tells nothing new.
      const ahead = sequenceDistance(stream.sequence, sequence);
      if (ahead < 0 && ahead > -furthestAhead) return;
      stream.sequence = sequence;
      stream.timestamp = timestamp;
      stream.at = at;
      return;
    }
    const hasMoved = stream === null || !isSame(stream.from, from);
    if (hasMoved || isSame(agreed, from)) provisional = 0;
    stream = { from: { address: from.address, port: from.port }, ssrc, sequence, timestamp, at };
    note(from, ssrc);
  };

  return {
    agreedOn(media, reports) {
      reportsTo = reports;
      // A session refresh repeats the last description and changes nothing.
      if (isSame(media, agreed)) return;
      agreed = media;
      provisional = stream === null || isSame(media, stream.from) ? 0 : stayedPackets;
    },
    admits(packet, { from, at, isAuthentic }) {
      const isAdmitted =
        (stream !== null && isSame(stream.from, from)) ||
        isSame(agreed, from) ||
        isAuthentic ||
        (stream === null || provisional > 0 ? !isFormer(packet.ssrc, from) : continues(stream, packet, at));
      if (isAdmitted) follow(packet, from, at);
      return isAdmitted;
    },
    admitsReport(ssrc, { from, isAuthentic }) {
      if (isAuthentic) return true;
      // The port of RTCP behind NAT is anybody's guess.
      const isFromThere = [reportsTo, agreed, stream?.from].some((place) => place?.address === from.address);
      return isFromThere && (sources.length === 0 || sources.some((source) => source.ssrc === ssrc));
    },
    address: () => (stream === null || provisional > 0 ? agreed : stream.from),
    sources: () => sources,
  };
};
