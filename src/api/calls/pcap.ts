/**
 * Writes SIP messages as a capture file for Wireshark, tshark and sngrep:
 * https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-05.html. Each message becomes one UDP datagram in an Ethernet
 * frame, even if it was sent over TCP or TLS, because these programs then show it as one message.
 */
import { ipBytes, isIpv6 } from '#src/domain/ip-address.ts';
import { splitAddress, withNumericAddresses, type SipMessage } from '#src/domain/sip-message.ts';

const ethernet = 1;

const fileHeader = (): Buffer => {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_535 + 14, 16);
  header.writeUInt32LE(ethernet, 20);
  return header;
};

/** Internet checksum (RFC 1071). */
const checksumOf = (...parts: readonly Buffer[]): number => {
  let sum = 0;
  for (const part of parts)
    for (let at = 0; at < part.length; at += 2) sum += ((part[at] ?? 0) << 8) | (part[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
};

type Ends = { from: { host: string; port: number }; to: { host: string; port: number } };

/** Encodes a UDP datagram (RFC 768). `addresses` are the beginning of the pseudo header. */
const udpOf = (payload: Buffer, { from, to }: Ends, addresses: Buffer): Buffer => {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(from.port, 0);
  header.writeUInt16BE(to.port, 2);
  header.writeUInt16BE(8 + payload.length, 4);
  const pseudo = Buffer.from([0, 17, 0, 0]);
  pseudo.writeUInt16BE(8 + payload.length, 2);
  // A checksum of 0 means that the checksum is missing, so a computed 0 is sent as all ones.
  header.writeUInt16BE(checksumOf(addresses, pseudo, header, payload) || 0xffff, 6);
  return Buffer.concat([header, payload]);
};

const hops = 64;
const udp = 17;

/** Encodes an IPv4 packet (RFC 791). */
const ipv4Of = (payload: Buffer, ends: Ends): Buffer => {
  const addresses = Buffer.concat([ipBytes(ends.from.host, false), ipBytes(ends.to.host, false)]);
  const datagram = udpOf(payload, ends, addresses);
  const header = Buffer.alloc(12);
  header[0] = 0x45;
  header.writeUInt16BE(20 + datagram.length, 2);
  header[8] = hops;
  header[9] = udp;
  header.writeUInt16BE(checksumOf(header, addresses), 10);
  return Buffer.concat([header, addresses, datagram]);
};

/** Encodes an IPv6 packet (RFC 8200). */
const ipv6Of = (payload: Buffer, ends: Ends): Buffer => {
  const addresses = Buffer.concat([ipBytes(ends.from.host, true), ipBytes(ends.to.host, true)]);
  const datagram = udpOf(payload, ends, addresses);
  const header = Buffer.alloc(8);
  header[0] = 0x60;
  header.writeUInt16BE(datagram.length, 4);
  header[6] = udp;
  header[7] = hops;
  return Buffer.concat([header, addresses, datagram]);
};

const ours = Buffer.from([2, 0, 0, 0, 0, 1]);
const theirs = Buffer.from([2, 0, 0, 0, 0, 2]);
const ipv4Type = Buffer.from([0x08, 0x00]);
const ipv6Type = Buffer.from([0x86, 0xdd]);

const frameOf = ({ direction, local, remote, text }: SipMessage): Buffer => {
  const [here, there] = [splitAddress(local), splitAddress(remote)];
  const [ends, macs] =
    direction === 'out'
      ? [{ from: here, to: there }, [theirs, ours]]
      : [{ from: there, to: here }, [ours, theirs]];
  const payload = Buffer.from(text);
  return isIpv6(here.host) || isIpv6(there.host)
    ? Buffer.concat([...macs, ipv6Type, ipv6Of(payload, ends)])
    : Buffer.concat([...macs, ipv4Type, ipv4Of(payload, ends)]);
};

export const pcapOf = (messages: readonly SipMessage[]): Buffer => {
  const packets = withNumericAddresses(messages).flatMap((message) => {
    const frame = frameOf(message);
    const header = Buffer.alloc(16);
    header.writeUInt32LE(Math.floor(message.atMicros / 1_000_000), 0);
    header.writeUInt32LE(message.atMicros % 1_000_000, 4);
    header.writeUInt32LE(frame.length, 8);
    header.writeUInt32LE(frame.length, 12);
    return [header, frame];
  });
  return Buffer.concat([fileHeader(), ...packets]);
};
