/** One packet of RTP (RFC 3550 section 5.1). */

export type RtpPacket = {
  payloadType: number;
  /** Marker bit, which is set on the first packet after a silence, and on the first packet of a DTMF digit. */
  marker: boolean;
  /** Sequence number, 16 bits. */
  sequence: number;
  /** Timestamp in samples, 32 bits. */
  timestamp: number;
  /** SSRC, 32 bits, which identifies the source of this sequence and timestamp. */
  ssrc: number;
  payload: Uint8Array;
};

export const rtpHeaderBytes = 12;

const version = 2;

/** Returns the number of bytes before the payload; undefined unless the datagram is an RTP packet. */
export const rtpHeaderEnd = (datagram: Buffer): number | undefined => {
  const first = datagram[0] ?? 0;
  if (datagram.length < rtpHeaderBytes || first >> 6 !== version) return undefined;
  let end = rtpHeaderBytes + 4 * (first & 0x0f);
  const hasExtension = (first & 0x10) !== 0;
  if (hasExtension) {
    if (datagram.length < end + 4) return undefined;
    end += 4 + 4 * datagram.readUInt16BE(end + 2);
  }
  return end > datagram.length ? undefined : end;
};

/** Parses a packet. Returns undefined unless the datagram is an RTP packet. The payload is a view of the datagram. */
export const parseRtp = (datagram: Buffer): RtpPacket | undefined => {
  const from = rtpHeaderEnd(datagram);
  if (from === undefined) return undefined;
  const first = datagram[0] ?? 0;
  const second = datagram[1] ?? 0;
  const isPadded = (first & 0x20) !== 0;
  const padding = isPadded ? (datagram.at(-1) ?? 0) : 0;
  const to = datagram.length - padding;
  if (to < from || (isPadded && padding === 0)) return undefined;
  return {
    payloadType: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: datagram.readUInt16BE(2),
    timestamp: datagram.readUInt32BE(4),
    ssrc: datagram.readUInt32BE(8),
    payload: datagram.subarray(from, to),
  };
};

/** Writes the header at the beginning of a datagram. */
export const writeRtpHeader = (datagram: Buffer, packet: Omit<RtpPacket, 'payload'>): void => {
  datagram[0] = version << 6;
  datagram[1] = packet.payloadType | (packet.marker ? 0x80 : 0);
  datagram.writeUInt16BE(packet.sequence & 0xffff, 2);
  datagram.writeUInt32BE(packet.timestamp >>> 0, 4);
  datagram.writeUInt32BE(packet.ssrc >>> 0, 8);
};

/** Returns the distance between two 16-bit sequence numbers, modulo wrap-around: −32,768 to 32,767. */
export const sequenceDistance = (from: number, to: number): number => ((to - from) << 16) >> 16;
