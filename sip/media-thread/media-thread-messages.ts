/** Messages between the main thread and the media thread. */
import type { SampleRate } from '#sip/audio/samples.ts';
import type { RtpAgreement } from '#sip/rtp/agreement.ts';
import type { RtpStatistics } from '#sip/rtp/rtp-session.ts';

export type ToMediaThread =
  /** Takes ports for a call. `ring` is the memory of the ring with outgoing audio. */
  | { type: 'open'; id: number; address: string; ring: SharedArrayBuffer }
  /** Takes a port for a call whose audio comes from a FreeSWITCH at that address. */
  | {
      type: 'open unicast';
      id: number;
      address: string;
      from: string;
      ring: SharedArrayBuffer;
      /** Rate of outgoing audio. */
      sampleRate: SampleRate;
      /** Time without a datagram of FreeSWITCH after which silence is reported; 0 for never. */
      silenceMs: number;
    }
  | { type: 'agree'; id: number; agreement: RtpAgreement }
  | { type: 'press'; id: number; digits: string }
  /** Requests the current statistics. */
  | { type: 'measure'; id: number }
  | { type: 'close'; id: number }
  /** Sends audio again after a stall. */
  | { type: 'resume' };

export type FromMediaThread =
  /** The thread has loaded its code. */
  | { type: 'ready' }
  | { type: 'opened'; id: number; port: number }
  | { type: 'refused'; id: number; reason: string }
  /** The first audio of a FreeSWITCH has arrived. */
  | { type: 'begun'; id: number }
  /** FreeSWITCH has not sent a datagram for `silenceMs`, or has sent the first one after that. */
  | { type: 'silence'; id: number; isSilent: boolean }
  /** Frames of a FreeSWITCH are shorter than 20 ms. */
  | { type: 'short frames'; id: number }
  /** Incoming audio and digits of all calls since the last message. */
  | { type: 'heard'; audio: { id: number; samples: Int16Array }[]; digits: { id: number; digit: string }[] }
  | { type: 'statistics'; id: number; statistics: RtpStatistics }
  /** The thread did not run for seconds; it sends nothing until `resume`. */
  | { type: 'stalled' };
