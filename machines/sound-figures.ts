/**
 * Figures of a call's sound, for the record of the call: the way it was carried, and its quality. Null where nobody
 * knows.
 */

/** One direction of it, from the agreement until now. */
export type StreamFigures = {
  packets: number | null;
  /** The share of packets that did not arrive, 0 to 1. */
  loss: number | null;
  jitterMs: number | null;
  /** Mean opinion score, 1 to 4.5 (ITU-T P.800), as the E-model has it from the other figures. */
  mos: number | null;
};

/**
 * How DTMF digits go out and come in: as events of RTP (RFC 4733), by SIP INFO, as tones in the audio, or not at all. INFO
 * is always taken in beside the way that is named.
 */
export type DtmfMeans = { sent: 'rfc4733' | 'info' | 'none'; received: 'rfc4733' | 'inband' };

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
