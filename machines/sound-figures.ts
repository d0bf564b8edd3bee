/**
 * Figures of a call's sound, for the record of the call: the way it was carried, and its quality. Null where nobody
 * knows.
 */

import type { DtmfMeans } from './line.ts';

/** One direction of it, from the agreement until now. */
export type StreamFigures = {
  packets: number | null;
  /** The share of packets that did not arrive, 0 to 1. */
  loss: number | null;
  jitterMs: number | null;
  /** Mean opinion score, 1 to 4.5 (ITU-T P.800), as the E-model has it from the other figures. */
  mos: number | null;
};

export type SoundFigures = {
  /** Missing in records of earlier versions, and where a call has no SIP. */
  dtmf?: DtmfMeans;
  codec: string | null;
  /** Where RTP comes in, and where it comes from and goes to, as `address:port`. */
  localAddress: string | null;
  remoteAddress: string | null;
  received: StreamFigures;
  /** Of what is sent, as far as the other party's reports (RTCP) say how it arrives. */
  sent: StreamFigures;
  roundTripMs: number | null;
  /** Whether anything of what is sent arrives, as those reports say. */
  isHeardThere: boolean | null;
  /** Whether the other party sends now, by its reports and its description: with silence suppression it may pause. */
  isSentThere: boolean | null;
};
