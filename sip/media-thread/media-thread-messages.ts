/** Messages between the main thread and the media thread. */
import type { SampleRate } from '#sip/audio/samples.ts';
import type { RtpAgreement } from '#sip/rtp/agreement.ts';
import type { RtpStatistics } from '#sip/rtp/rtp-session.ts';

/** Data with which the media thread starts. */
export type MediaThreadData = {
  /** Port range for RTP. */
  ports: { from: number; to: number };
  /** Folder of compiled code; null if this process stores none. */
  compileCache: string | null;
  /** See `wakeThread`. */
  posted: SharedArrayBuffer;
};

export type ToMediaThread =
  /** Takes ports for a call. `ring` is the shared memory of the ring buffer with outgoing audio. */
  | { type: 'open'; id: number; address: string; ring: SharedArrayBuffer }
  /** Takes a port for a call whose audio comes from a FreeSWITCH at `address`. */
  | {
      type: 'open unicast';
      id: number;
      address: string;
      from: string;
      ring: SharedArrayBuffer;
      /** Sample rate of outgoing audio. */
      sampleRate: SampleRate;
      /** Time without a datagram from FreeSWITCH after which silence is reported; 0 disables the report. */
      silenceMs: number;
    }
  | { type: 'agree'; id: number; agreement: RtpAgreement }
  | { type: 'press'; id: number; digits: string }
  /** Requests the call's current statistics. */
  | { type: 'measure'; id: number }
  | { type: 'close'; id: number }
  /** Resumes sending audio after a stall. */
  | { type: 'resume' };

export type FromMediaThread =
  /** Sent when the thread has loaded its code. */
  | { type: 'ready' }
  | { type: 'opened'; id: number; port: number }
  | { type: 'refused'; id: number; reason: string }
  /** Sent when the first audio of a FreeSWITCH has arrived. */
  | { type: 'begun'; id: number }
  /**
   * Sent when FreeSWITCH has not sent a datagram for `silenceMs`, and when the first datagram after such a silence has
   * arrived.
   */
  | { type: 'silence'; id: number; isSilent: boolean }
  /** Sent when frames of a FreeSWITCH are shorter than 20 ms. */
  | { type: 'short frames'; id: number }
  /** Incoming audio and digits of all calls since the last message. */
  | { type: 'heard'; audio: { id: number; samples: Int16Array }[]; digits: { id: number; digit: string }[] }
  | { type: 'statistics'; id: number; statistics: RtpStatistics }
  /** Sent when the code of a call's session has failed. The session is closed; those of other calls continue. */
  | { type: 'failed'; id: number; error: { message: string; stack: string | undefined } }
  /** Sent when the thread did not run for seconds. The thread sends no audio until `resume`. */
  | { type: 'stalled' };
