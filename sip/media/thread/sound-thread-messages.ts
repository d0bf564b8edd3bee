/** The messages between the main thread and the thread of the sound. */
import type { SampleRate } from '../../samples.ts';
import type { G711Name } from '../g711.ts';
import type { RemoteFigures } from '../rtp/reports.ts';

export type Address = { address: string; port: number };

/** A format of RTP at a telephone's clock rate: a voice codec, DTMF (RFC 4733), or comfort noise (RFC 3389). */
export type RtpFormat = G711Name | 'telephone-event' | 'CN';

/** The agreement with the far end (RFC 3264). */
export type RtpAgreement = {
  remote: Address;
  /** Where its reports are expected: the next port, unless it says otherwise. */
  remoteReports: Address;
  codec: G711Name;
  payloadType: number;
  /** Of RFC 4733; `null` where the far end takes no keys so. */
  keysPayloadType: number | null;
  /** What is encrypted with, as master keys (`rtp/srtp.ts`); `null`: sound is in clear. */
  keys: { ours: Uint8Array; theirs: Uint8Array } | null;
  /** Formats that the far end may send, by payload type: more than the one that it is sent. */
  receives: ReadonlyMap<number, RtpFormat>;
  /** Not while either side holds the call. */
  isSending: boolean;
  /** Whether the far end is to send, by its description: not on hold, nor where it only listens. */
  isReceiving: boolean;
};

export type Figures = RemoteFigures & {
  sent: number;
  received: number;
  lost: number;
  jitterMs: number;
  /** Where sound is sent to now; `null` before anything was agreed on. */
  remote: Address | null;
  /** Milliseconds since the last RTP or RTCP came in, or since the agreement; `null` while none is expected. */
  silentMs: number | null;
};

export type ToSoundThread =
  /** Takes ports for a call. `sound` is the memory of the ring with what is to be said. */
  | { type: 'open'; id: number; address: string; sound: SharedArrayBuffer }
  /** Takes a port for a call whose sound a FreeSWITCH brings, from that address. */
  | {
      type: 'open unicast';
      id: number;
      address: string;
      from: string;
      sound: SharedArrayBuffer;
      /** Of what is said. */
      sampleRate: SampleRate;
      /** After so long without a datagram of the FreeSWITCH, its silence is told; 0 for never. */
      silenceMs: number;
    }
  | { type: 'agree'; id: number; agreement: RtpAgreement }
  | { type: 'press'; id: number; keys: string }
  /** Asks for the figures as they are now. */
  | { type: 'measure'; id: number }
  | { type: 'close'; id: number };

export type FromSoundThread =
  | { type: 'opened'; id: number; port: number }
  | { type: 'refused'; id: number; reason: string }
  /** The first sound of a FreeSWITCH has come. */
  | { type: 'begun'; id: number }
  /** No datagram of a FreeSWITCH has come for `silenceMs`, or the first one after that has. */
  | { type: 'silence'; id: number; isSilent: boolean }
  /** The frames of a FreeSWITCH are shorter than 20 ms. */
  | { type: 'short frames'; id: number }
  /** All that came in since the last time, of all calls. */
  | { type: 'heard'; sounds: { id: number; samples: Int16Array }[]; keys: { id: number; key: string }[] }
  | { type: 'figures'; id: number; figures: Figures };
