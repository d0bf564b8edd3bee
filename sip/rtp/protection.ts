/** Converts RTP packets to datagrams and back, unencrypted until keys are agreed, and encrypted afterwards. */
import type { RtpAgreement } from './agreement.ts';
import { createDecryption, createEncryption, type Decryption, type Encryption } from './srtp.ts';

export type Protection = {
  agreedOn(keys: RtpAgreement['keys']): void;
  /** Protects an outgoing packet. */
  wrap: Encryption;
  /** Verifies and decrypts an incoming packet. Returns undefined if the packet is not authentic. */
  unwrap: Decryption;
};

const clear: Encryption & Decryption = { rtp: (packet) => packet, rtcp: (packet) => packet };

/**
 * Reuses the state of a key. With the same key the packet count continues; with another key the count restarts (RFC
 * 3711 section 3.2.1).
 */
const forKey = <Made>(make: (master: Uint8Array) => Made) => {
  let last: { master: Uint8Array; made: Made } | null = null;
  return (master: Uint8Array): Made => {
    if (last === null || Buffer.compare(last.master, master) !== 0) last = { master, made: make(master) };
    return last.made;
  };
};

export const createProtection = (): Protection => {
  const encryptionFor = forKey(createEncryption);
  const decryptionFor = forKey(createDecryption);
  let encryption: Encryption = clear;
  let decryption: Decryption = clear;
  return {
    agreedOn(keys) {
      encryption = keys === null ? clear : encryptionFor(keys.ours);
      decryption = keys === null ? clear : decryptionFor(keys.theirs);
    },
    wrap: { rtp: (packet) => encryption.rtp(packet), rtcp: (packet) => encryption.rtcp(packet) },
    unwrap: { rtp: (datagram) => decryption.rtp(datagram), rtcp: (datagram) => decryption.rtcp(datagram) },
  };
};
