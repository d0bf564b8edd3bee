/**
 * HEP version 3, the format by which Homer and others collect SIP: "HEP/EEP3 Network Protocol Specification", revision
 * 36, https://github.com/sipcapture/HEP/blob/master/docs/HEP3NetworkProtocolSpecification_REV_36.pdf. A packet consists
 * of the letters `HEP3`, its length, and chunks: vendor (0 for all), type, length, value; numbers are big-endian.
 */
import { ipBytes, isIpv6 } from '#src/domain/ip-address.ts';
import { sipCallIdOf, splitAddress, type SipMessage } from '#src/domain/sip-message.ts';

/** Id and password of the sender. */
export type HepIdentity = { captureId: number; password: string | null };

const chunk = {
  family: 1,
  protocol: 2,
  ipv4From: 3,
  ipv4To: 4,
  ipv6From: 5,
  ipv6To: 6,
  portFrom: 7,
  portTo: 8,
  seconds: 9,
  microseconds: 10,
  payloadType: 11,
  captureId: 12,
  password: 14,
  payload: 15,
  correlation: 17,
} as const;

const numberOf = (bytes: 1 | 2 | 4, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

const chunkOf = (type: number, value: Uint8Array): Buffer =>
  Buffer.concat([numberOf(2, 0), numberOf(2, type), numberOf(2, 6 + value.length), value]);

/** `AF_INET` and `AF_INET6` as Linux numbers them. */
const families = { ipv4: 2, ipv6: 10 } as const;

const sip = 1;

/** Transport protocol; TLS and WebSocket use TCP. */
const protocolOf = ({ transport }: SipMessage): number => (transport === 'udp' ? 17 : 6);

/** Encodes a message with numeric addresses. */
export const hepPacket = (message: SipMessage, { captureId, password }: HepIdentity): Buffer => {
  const { direction, local, remote, atMicros, text } = message;
  const [here, there] = [splitAddress(local), splitAddress(remote)];
  const [from, to] = direction === 'out' ? [here, there] : [there, here];
  const isV6 = isIpv6(from.host) || isIpv6(to.host);
  const [fromChunk, toChunk] = isV6 ? [chunk.ipv6From, chunk.ipv6To] : [chunk.ipv4From, chunk.ipv4To];
  const chunks = [
    chunkOf(chunk.family, numberOf(1, isV6 ? families.ipv6 : families.ipv4)),
    chunkOf(chunk.protocol, numberOf(1, protocolOf(message))),
    chunkOf(fromChunk, ipBytes(from.host, isV6)),
    chunkOf(toChunk, ipBytes(to.host, isV6)),
    chunkOf(chunk.portFrom, numberOf(2, from.port)),
    chunkOf(chunk.portTo, numberOf(2, to.port)),
    chunkOf(chunk.seconds, numberOf(4, Math.floor(atMicros / 1_000_000))),
    chunkOf(chunk.microseconds, numberOf(4, atMicros % 1_000_000)),
    chunkOf(chunk.payloadType, numberOf(1, sip)),
    chunkOf(chunk.captureId, numberOf(4, captureId)),
    ...(password === null ? [] : [chunkOf(chunk.password, Buffer.from(password))]),
    chunkOf(chunk.correlation, Buffer.from(sipCallIdOf(text) ?? '')),
    chunkOf(chunk.payload, Buffer.from(text)),
  ];
  const length = chunks.reduce((sum, { length: bytes }) => sum + bytes, 6);
  return Buffer.concat([Buffer.from('HEP3'), numberOf(2, length), ...chunks]);
};
