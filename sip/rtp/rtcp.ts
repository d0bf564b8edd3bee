/** RTCP reports of both sides (RFC 3550 section 6): sent packets, received packets, and delay. */
import type { ReceptionReport } from './reception.ts';

/** The far end's report about the outgoing stream. */
export type RemoteReport = {
  /** Loss since the far end's previous report, in units of 1/256. */
  fractionLost: number;
  cumulativeLost: number;
  /** Highest sequence number that arrived, extended by its wrap-arounds. */
  highest: number;
  /** Interarrival jitter in samples. */
  jitter: number;
  /**
   * `lastReport` contains the middle 32 bits of the NTP time of our last report that arrived at the far end, or 0.
   * `delaySince` is the age of that report in 1/65,536 s.
   */
  lastReport: number;
  delaySince: number;
};

export type Rtcp = {
  /** SSRC of the reporter; `null` if the packet contains no report. */
  ssrc: number | null;
  /**
   * Data of a sender report: the middle 32 bits of its NTP time, and the number of packets sent so far (32 bits).
   * `null` without a sender report.
   */
  senderReport: { time: number; packets: number } | null;
  about: RemoteReport[];
  /** Whether the packet contains a sender or receiver report, possibly without report blocks. */
  isReport: boolean;
  isGoodbye: boolean;
};

const packetTypes = { senderReport: 200, receiverReport: 201, sourceDescription: 202, goodbye: 203 } as const;
const headerBytes = 4;
const senderInfoBytes = 20;
const blockBytes = 24;
const version = 2;

/** Seconds from the NTP epoch (1900) to the Unix epoch (1970). */
const ntpOffset = 2_208_988_800;

/** Converts a wall-clock time in milliseconds to the middle 32 bits of the NTP time, in 1/65,536 s. */
export const middleNtp = (wallMs: number): number => {
  const seconds = Math.floor(wallMs / 1000) + ntpOffset;
  return (((seconds & 0xffff) << 16) | Math.floor(((wallMs % 1000) / 1000) * 65_536)) >>> 0;
};

const blockAt = (packet: Buffer, at: number): RemoteReport => ({
  fractionLost: packet.readUInt8(at + 4),
  cumulativeLost: Math.max(0, packet.readIntBE(at + 5, 3)),
  highest: packet.readUInt32BE(at + 8),
  jitter: packet.readUInt32BE(at + 12),
  lastReport: packet.readUInt32BE(at + 16),
  delaySince: packet.readUInt32BE(at + 20),
});

/** Parses a compound packet. Only the blocks about `ssrc` are returned. Returns undefined unless the packet is RTCP. */
export const parseRtcp = (datagram: Buffer, ssrc: number): Rtcp | undefined => {
  const found: Rtcp = { ssrc: null, senderReport: null, about: [], isReport: false, isGoodbye: false };
  let at = 0;
  while (at < datagram.length) {
    if (datagram.length - at < headerBytes || datagram.readUInt8(at) >> 6 !== version) return undefined;
    const count = datagram.readUInt8(at) & 0x1f;
    const type = datagram.readUInt8(at + 1);
    const bytes = headerBytes + 4 * datagram.readUInt16BE(at + 2);
    const packet = datagram.subarray(at, at + bytes);
    if (packet.length < bytes) return undefined;
    at += bytes;
    const isSender = type === packetTypes.senderReport;
    if (type === packetTypes.goodbye) found.isGoodbye = true;
    if (!isSender && type !== packetTypes.receiverReport) continue;
    found.isReport = true;
    const blocksAt = headerBytes + 4 + (isSender ? senderInfoBytes : 0);
    if (packet.length < blocksAt + count * blockBytes) return undefined;
    found.ssrc ??= packet.readUInt32BE(headerBytes);
    if (isSender)
      found.senderReport = {
        time: packet.readUInt32BE(headerBytes + 4 + 2),
        packets: packet.readUInt32BE(headerBytes + 4 + 12),
      };
    for (let block = blocksAt; block < blocksAt + count * blockBytes; block += blockBytes)
      if (packet.readUInt32BE(block) === ssrc) found.about.push(blockAt(packet, block));
  }
  return at === 0 ? undefined : found;
};

export type SentSoFar = { ssrc: number; packets: number; bytes: number; timestamp: number };

/** Reception of the far end's stream, and the time of the stream's last report. */
export type ReceivedSoFar = ReceptionReport & {
  lastReport: number;
  /** Delay in 1/65,536 s. */
  delaySince: number;
};

const header = (packet: Buffer, count: number, type: number): void => {
  packet.writeUInt8((version << 6) | count, 0);
  packet.writeUInt8(type, 1);
  packet.writeUInt16BE(packet.length / 4 - 1, 2);
};

/**
 * Writes the source description (section 6.5). Every compound packet identifies its source; names of persons or hosts
 * are not sent.
 */
const sourceDescription = (ssrc: number): Buffer => {
  const name = Buffer.from(ssrc.toString(16));
  const packet = Buffer.alloc(headerBytes + 4 * Math.ceil((4 + 2 + name.length + 1) / 4));
  header(packet, 1, packetTypes.sourceDescription);
  packet.writeUInt32BE(ssrc, 4);
  packet.writeUInt8(1, 8);
  packet.writeUInt8(name.length, 9);
  name.copy(packet, 10);
  return packet;
};

/** Writes a sender report with reception statistics and source. `wallMs` is the current time. */
export const writeReport = (sent: SentSoFar, heard: ReceivedSoFar | null, wallMs: number): Buffer => {
  const report = Buffer.alloc(headerBytes + 4 + senderInfoBytes + (heard === null ? 0 : blockBytes));
  header(report, heard === null ? 0 : 1, packetTypes.senderReport);
  report.writeUInt32BE(sent.ssrc >>> 0, 4);
  report.writeUInt32BE((Math.floor(wallMs / 1000) + ntpOffset) >>> 0, 8);
  report.writeUInt32BE(Math.floor(((wallMs % 1000) / 1000) * 2 ** 32) >>> 0, 12);
  report.writeUInt32BE(sent.timestamp >>> 0, 16);
  report.writeUInt32BE(sent.packets >>> 0, 20);
  report.writeUInt32BE(sent.bytes >>> 0, 24);
  if (heard !== null) {
    report.writeUInt32BE(heard.ssrc >>> 0, 28);
    report.writeUInt8(heard.fractionLost, 32);
    report.writeUIntBE(Math.min(heard.cumulativeLost, 0x7fffff), 33, 3);
    report.writeUInt32BE(heard.highest >>> 0, 36);
    report.writeUInt32BE(heard.jitter >>> 0, 40);
    report.writeUInt32BE(heard.lastReport >>> 0, 44);
    report.writeUInt32BE(heard.delaySince >>> 0, 48);
  }
  return Buffer.concat([report, sourceDescription(sent.ssrc)]);
};

/** Writes a BYE (section 6.6). */
export const writeGoodbye = (ssrc: number): Buffer => {
  const packet = Buffer.alloc(headerBytes + 4);
  header(packet, 1, packetTypes.goodbye);
  packet.writeUInt32BE(ssrc >>> 0, 4);
  return packet;
};
