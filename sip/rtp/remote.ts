/**
 * The far end of a call's media: accepted sources, and the target of our packets. Media goes to the address of the
 * session description until the first packet arrives from another one: behind NAT a telephone does not know its public
 * address (symmetric RTP, RFC 4961).
 *
 * From then on the source is pinned. Packets from another address are accepted only
 * 1. if the session description names that address,
 * 2. after a new description, from the first sender (NAT again),
 * 3. if they continue the stream: same SSRC, with the sequence number and the timestamp following (NAT rebinding), or
 * 4. if they are authentic (SRTP).
 * Silence does not unpin the source: a stranger who found the port would only have to wait for a pause.
 */
import type { Address } from './agreement.ts';
import { sequenceDistance, type RtpPacket } from './rtp-packet.ts';

type StreamPlace = Pick<RtpPacket, 'ssrc' | 'sequence' | 'timestamp'>;

/** An accepted stream: its SSRC and source address. */
export type Source = Address & { ssrc: number };

/** Origin of one datagram. `at` is a monotonic time in milliseconds; `isAuthentic` means verified by SRTP. */
export type Arrival = { from: Address; at: number; isAuthentic: boolean };

export type Remote = {
  /** Sets the far end's addresses. `reports` is the address for RTCP. */
  agreedOn(media: Address, reports: Address): void;
  /** Whether this RTP packet comes from the far end. */
  admits(packet: StreamPlace, arrival: Arrival): boolean;
  /**
   * Whether a report of this SSRC comes from the far end: it is sent from the far end's host, with the SSRC of an
   * accepted stream.
   */
  admitsReport(ssrc: number, arrival: Omit<Arrival, 'at'>): boolean;
  /** Returns the target of our packets. */
  address(): Address;
  /** Returns the streams accepted so far, the latest last. */
  sources(): readonly Source[];
};

/**
 * Maximum gap of sequence numbers within a stream (RFC 3550 appendix A.1, MAX_DROPOUT). A larger gap means another
 * stream.
 */
const furthestAhead = 3_000;
/**
 * Tolerance in milliseconds of a timestamp that is ahead of the elapsed time, because clocks differ and packets wait in
 * buffers.
 */
const clockSlackMs = 2_000;
const samplesPerMs = 8;
/**
 * Number of packets (one second) after which an earlier source that still sends after a new description is pinned
 * again.
 */
const stayedPackets = 50;
const mostSources = 8;

const isSame = (one: Address, other: Address): boolean =>
  one.port === other.port && one.address === other.address;

type Stream = StreamPlace & { from: Address; at: number };

/** Whether this is a later packet of the same stream, even after a loss or a pause. */
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

/**
 * Creates the far end. `former` contains the streams of the call that used the port before; packets of these streams
 * may still arrive, and are ignored.
 */
export const createRemote = (former: readonly Source[] = []): Remote => {
  let agreed: Address = { address: '0.0.0.0', port: 0 };
  let reportsTo: Address = agreed;
  let stream: Stream | null = null;
  /** Number of remaining packets of the previous source after a new description, until this source is pinned again. */
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
      // A late packet is accepted, but does not change the stream's last sequence number.
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
      // A session refresh repeats the last description, so the source stays pinned.
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
      // The RTCP port behind NAT is unpredictable, so only the host is compared.
      const isFromThere = [reportsTo, agreed, stream?.from].some((place) => place?.address === from.address);
      return isFromThere && (sources.length === 0 || sources.some((source) => source.ssrc === ssrc));
    },
    address: () => (stream === null || provisional > 0 ? agreed : stream.from),
    sources: () => sources,
  };
};
