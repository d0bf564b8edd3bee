/**
 * Encrypted audio (SRTP and SRTCP, RFC 3711) by AES_CM_128_HMAC_SHA1_80, the mandatory transform.
 *
 * werift-rtp (0.8.9), the only maintained library for SRTP, is not used, for three reasons. The library has no replay
 * list (section 3.3.2), so recorded packets can be replayed to the gateway. After a gap of more than a hundred packets
 * at a sequence wrap-around the library uses the old rollover counter, and the call stays mute from then on. And it
 * includes a toolkit for media files. AES and HMAC are Node's; this module only selects their input bytes.
 */
import { createCipheriv, createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { rtpHeaderEnd } from './rtp-packet.ts';

/** Length of a master key of 16 bytes with its salt of 14, as in a session description (RFC 4568 section 6.1). */
export const masterKeyBytes = 30;
const keyBytes = 16;
const saltBytes = 14;
const authKeyBytes = 20;
const tagBytes = 10;

/** Keys for one direction and one kind of packets. */
type SessionKeys = { key: KeyObject; salt: Buffer; authKey: KeyObject };

/** Encrypts in counter mode (section 4.1.1), with a counter of 16 bytes whose first value is `iv`. */
export const inCounterMode = (key: KeyObject, iv: Buffer, bytes: Uint8Array): Buffer =>
  createCipheriv('aes-128-ctr', key, iv).update(bytes);

/** Derives bytes for a label (sections 4.3.1 and 4.3.3, without re-derivation). */
const derive = (master: Uint8Array, label: number, bytes: number): Buffer => {
  const iv = Buffer.alloc(16);
  iv.set(master.subarray(keyBytes, masterKeyBytes));
  iv.writeUInt8(iv.readUInt8(7) ^ label, 7);
  return inCounterMode(createSecretKey(master.subarray(0, keyBytes)), iv, Buffer.alloc(bytes));
};

export const deriveKeys = (master: Uint8Array, kind: 'rtp' | 'rtcp'): SessionKeys => {
  const first = kind === 'rtp' ? 0 : 3;
  return {
    // The key is a KeyObject, with which encrypting a packet takes a fifth of the time that a key given as bytes needs.
    key: createSecretKey(derive(master, first, keyBytes)),
    authKey: createSecretKey(derive(master, first + 1, authKeyBytes)),
    salt: derive(master, first + 2, saltBytes),
  };
};

/** Encrypts or decrypts a packet of this source (section 4.1.1). `index` has 48 bits for SRTP, 31 for SRTCP. */
const crypt = ({ key, salt }: SessionKeys, ssrc: number, index: number, bytes: Uint8Array): Buffer => {
  const iv = Buffer.alloc(16);
  iv.set(salt);
  iv.writeUInt32BE((iv.readUInt32BE(4) ^ ssrc) >>> 0, 4);
  iv.writeUInt16BE(iv.readUInt16BE(8) ^ Math.floor(index / 2 ** 32), 8);
  iv.writeUInt32BE((iv.readUInt32BE(10) ^ index) >>> 0, 10);
  return inCounterMode(key, iv, bytes);
};

/** Returns the authentication tag (section 4.2.1). `more` is authenticated, but not sent with the packet. */
const tagOf = ({ authKey }: SessionKeys, packet: Uint8Array, more: Uint8Array): Buffer =>
  createHmac('sha1', authKey).update(packet).update(more).digest().subarray(0, tagBytes);

const nothing = Buffer.alloc(0);

const rolloverOf = (index: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Math.floor(index / 0x10000));
  return bytes;
};

/**
 * Size of a source's replay window: accepted indices within this distance behind the highest index are stored (section
 * 3.3.2).
 */
const windowPackets = 128;
type Taken = { highest: number; seen: Float64Array };

const isReplayed = (taken: Taken | undefined, index: number): boolean =>
  taken !== undefined &&
  (index <= taken.highest - windowPackets || taken.seen[index % windowPackets] === index);

/** Maximum number of sources. A far end may change its SSRC; further sources are ignored. */
const mostSources = 32;

const createTaken = () => {
  const sources = new Map<number, Taken>();
  return {
    of: (ssrc: number) => sources.get(ssrc),
    isEmpty: () => sources.size === 0,
    /**
     * Records an accepted index. Must be called only for authentic packets. Returns false if there are too many
     * sources.
     */
    add(ssrc: number, index: number): boolean {
      const taken = sources.get(ssrc) ?? { highest: index, seen: new Float64Array(windowPackets).fill(-1) };
      if (!sources.has(ssrc) && sources.size === mostSources) return false;
      taken.highest = Math.max(taken.highest, index);
      taken.seen[index % windowPackets] = index;
      sources.set(ssrc, taken);
      return true;
    },
  };
};

/** Returns the most likely index for this sequence number (section 3.3.1); negative if there is none. */
export const indexOf = (sequence: number, highest: number | undefined): number => {
  if (highest === undefined) return sequence;
  const rollover = Math.floor(highest / 0x10000);
  const distance = sequence - (highest % 0x10000);
  const turn = distance > 0x8000 ? -1 : distance < -0x8000 ? 1 : 0;
  return (rollover + turn) * 0x10000 + sequence;
};

/**
 * Maximum number of sequence wrap-arounds before the first received packet of a call that another process carried
 * before. With packets of 20 ms, numbers wrap every 22 minutes, so this limit covers three hours.
 */
const mostTurns = 8;

export type Encryption = { rtp(packet: Buffer): Buffer; rtcp(packet: Buffer): Buffer };

/** Encrypts outgoing packets with our key. RTP sequence numbers must be consecutive. */
export const createEncryption = (master: Uint8Array): Encryption => {
  const rtp = deriveKeys(master, 'rtp');
  const rtcp = deriveKeys(master, 'rtcp');
  let lastIndex: number | undefined;
  let reports = 0;
  return {
    rtp(packet) {
      const index = indexOf(packet.readUInt16BE(2), lastIndex);
      lastIndex = index;
      const from = rtpHeaderEnd(packet) ?? packet.length;
      const payload = crypt(rtp, packet.readUInt32BE(8), index, packet.subarray(from));
      const secret = Buffer.concat([packet.subarray(0, from), payload]);
      return Buffer.concat([secret, tagOf(rtp, secret, rolloverOf(index))]);
    },
    rtcp(packet) {
      const trailer = Buffer.alloc(4);
      trailer.writeUInt32BE((0x80000000 | reports) >>> 0);
      const payload = crypt(rtcp, packet.readUInt32BE(4), reports, packet.subarray(8));
      reports = (reports + 1) % 0x80000000;
      const secret = Buffer.concat([packet.subarray(0, 8), payload, trailer]);
      return Buffer.concat([secret, tagOf(rtcp, secret, nothing)]);
    },
  };
};

/** Decrypts a packet. Returns undefined for a packet that is not authentic, or that is a replay. */
export type Decryption = {
  rtp(datagram: Buffer): Buffer | undefined;
  rtcp(datagram: Buffer): Buffer | undefined;
};

const rtcpHeaderBytes = 8;
const trailerBytes = 4;

/** Decrypts incoming packets with the far end's key. */
export const createDecryption = (master: Uint8Array): Decryption => {
  const rtp = deriveKeys(master, 'rtp');
  const rtcp = deriveKeys(master, 'rtcp');
  const streams = createTaken();
  const reports = createTaken();

  const isAuthentic = (secret: Buffer, tag: Buffer, index: number): boolean =>
    timingSafeEqual(tagOf(rtp, secret, rolloverOf(index)), tag);

  /** The number of earlier wrap-arounds is searched only until the first authentic packet. */
  const firstIndexOf = (secret: Buffer, tag: Buffer): number => {
    const sequence = secret.readUInt16BE(2);
    const turns = streams.isEmpty() ? mostTurns : 0;
    for (let turn = 0; turn < turns; turn += 1)
      if (isAuthentic(secret, tag, turn * 0x10000 + sequence)) return turn * 0x10000 + sequence;
    return sequence;
  };

  return {
    rtp(datagram) {
      const end = datagram.length - tagBytes;
      const from = end < 0 ? undefined : rtpHeaderEnd(datagram.subarray(0, end));
      if (from === undefined) return undefined;
      const secret = datagram.subarray(0, end);
      const ssrc = secret.readUInt32BE(8);
      const taken = streams.of(ssrc);
      const tag = datagram.subarray(end);
      const index =
        taken === undefined ? firstIndexOf(secret, tag) : indexOf(secret.readUInt16BE(2), taken.highest);
      if (index < 0 || isReplayed(taken, index) || !isAuthentic(secret, tag, index)) return undefined;
      if (!streams.add(ssrc, index)) return undefined;
      return Buffer.concat([secret.subarray(0, from), crypt(rtp, ssrc, index, secret.subarray(from))]);
    },
    rtcp(datagram) {
      const end = datagram.length - tagBytes;
      const payloadEnd = end - trailerBytes;
      if (payloadEnd < rtcpHeaderBytes) return undefined;
      const secret = datagram.subarray(0, end);
      const ssrc = secret.readUInt32BE(4);
      const trailer = secret.readUInt32BE(payloadEnd);
      const index = trailer & 0x7fffffff;
      const isEncrypted = trailer >>> 31 === 1;
      if (!isEncrypted || isReplayed(reports.of(ssrc), index)) return undefined;
      if (!timingSafeEqual(tagOf(rtcp, secret, nothing), datagram.subarray(end))) return undefined;
      if (!reports.add(ssrc, index)) return undefined;
      const payload = crypt(rtcp, ssrc, index, secret.subarray(rtcpHeaderBytes, payloadEnd));
      return Buffer.concat([secret.subarray(0, rtcpHeaderBytes), payload]);
    },
  };
};
