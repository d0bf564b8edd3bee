/** The result of offer and answer for the RTP of a call (RFC 3264). */
import type { G711Name } from '#sip/audio/g711.ts';

export type Address = { address: string; port: number };

/** A payload format at a clock rate of 8,000 Hz: a voice codec, DTMF (RFC 4733), or comfort noise (RFC 3389). */
export type RtpFormat = G711Name | 'telephone-event' | 'CN';

/** Addresses, formats, keys and directions on which both sides agreed. */
export type RtpAgreement = {
  remote: Address;
  /** Address for RTCP: the next port, unless the description states another one. */
  remoteReports: Address;
  codec: G711Name;
  payloadType: number;
  /** Payload type of RFC 4733; `null` if the far end does not accept telephone events. */
  dtmfPayloadType: number | null;
  /** SRTP master keys (`srtp.ts`); `null` for unencrypted audio. */
  keys: { ours: Uint8Array; theirs: Uint8Array } | null;
  /** Formats that the far end may send, by payload type. There may be several; the gateway itself sends only one. */
  receives: ReadonlyMap<number, RtpFormat>;
  /** Whether the gateway sends; false while either side holds the call. */
  isSending: boolean;
  /**
   * Whether the far end should send, according to its description: false during a hold, or if the far end only
   * receives.
   */
  isReceiving: boolean;
};
