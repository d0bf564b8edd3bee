/** Messages between the main thread and the audio thread. */
import type { SampleRate } from '../../samples.ts';
import type { G711Name } from '../g711.ts';
import type { RemoteFigures } from '../rtp/reports.ts';

export type Address = { address: string; port: number };

/** A format of RTP at a telephone's clock rate: a voice codec, DTMF (RFC 4733), or comfort noise (RFC 3389). */
export type RtpFormat = G711Name | 'telephone-event' | 'CN';

/** The agreement with the far end (RFC 3264). */
export type RtpAgreement = {
  remote: Address;
  /** Address for RTCP: the next port, unless the description differs. */
  remoteReports: Address;
  codec: G711Name;
  payloadType: number;
  /** Payload type of RFC 4733; `null` if the far end does not accept telephone events. */
  keysPayloadType: number | null;
  /** SRTP master keys (`rtp/srtp.ts`); `null`: audio is not encrypted. */
  keys: { ours: Uint8Array; theirs: Uint8Array } | null;
  /** Formats that the far end may send, by payload type: more than the one that is sent to it. */
  receives: ReadonlyMap<number, RtpFormat>;
  /** False while either side holds the call. */
  isSending: boolean;
  /** Whether the far end should send, according to its description: false on hold, or if it only receives. */
  isReceiving: boolean;
};

export type Figures = RemoteFigures & {
  sent: number;
  received: number;
  lost: number;
  jitterMs: number;
  /** Current target of outgoing audio; `null` before an agreement. */
  remote: Address | null;
  /** Milliseconds since the last RTP or RTCP packet, or since the agreement; `null` while no packets are expected. */
  silentMs: number | null;
};

export type ToSoundThread =
  /** Takes ports for a call. `sound` is the memory of the ring with outgoing audio. */
  | { type: 'open'; id: number; address: string; sound: SharedArrayBuffer }
  /** Takes a port for a call whose audio comes from a FreeSWITCH at that address. */
  | {
      type: 'open unicast';
      id: number;
      address: string;
      from: string;
      sound: SharedArrayBuffer;
      /** Rate of outgoing audio. */
      sampleRate: SampleRate;
      /** Time without a datagram of FreeSWITCH after which silence is reported; 0 for never. */
      silenceMs: number;
    }
  | { type: 'agree'; id: number; agreement: RtpAgreement }
  | { type: 'press'; id: number; keys: string }
  /** Requests the current statistics. */
  | { type: 'measure'; id: number }
  | { type: 'close'; id: number };

export type FromSoundThread =
  | { type: 'opened'; id: number; port: number }
  | { type: 'refused'; id: number; reason: string }
  /** The first audio of a FreeSWITCH has arrived. */
  | { type: 'begun'; id: number }
  /** FreeSWITCH has not sent a datagram for `silenceMs`, or has sent the first one after that. */
  | { type: 'silence'; id: number; isSilent: boolean }
  /** Frames of a FreeSWITCH are shorter than 20 ms. */
  | { type: 'short frames'; id: number }
  /** Incoming audio and digits of all calls since the last message. */
  | { type: 'heard'; sounds: { id: number; samples: Int16Array }[]; keys: { id: number; key: string }[] }
  | { type: 'figures'; id: number; figures: Figures };
