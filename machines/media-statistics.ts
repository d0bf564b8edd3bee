/** Audio statistics of a call for its call record: transport and quality. Unknown values are null. */

/** Statistics of one direction of the audio, from negotiation until now. */
export type StreamStatistics = {
  packets: number | null;
  /** Share of lost packets, 0 to 1. */
  loss: number | null;
  jitterMs: number | null;
  /** Mean opinion score, 1 to 4.5 (ITU-T P.800), which the E-model computes from the other statistics. */
  mos: number | null;
};

/**
 * Transport of DTMF digits in each direction: RTP events (RFC 4733), SIP INFO, tones in the audio, or none. INFO is
 * always accepted as well.
 */
export type DtmfMeans = { sent: 'rfc4733' | 'info' | 'none'; received: 'rfc4733' | 'inband' };

export type MediaStatistics = {
  /** Transport of DTMF digits; absent in records of earlier versions, and in calls without SIP. */
  dtmf?: DtmfMeans;
  codec: string | null;
  /** RTP addresses as `address:port`: the local one, the source and the target. */
  localAddress: string | null;
  remoteAddress: string | null;
  received: StreamStatistics;
  /** Statistics of sent audio, according to the other party's RTCP reports. */
  sent: StreamStatistics;
  roundTripMs: number | null;
  /** Whether any sent audio arrives, according to the other party's RTCP reports. */
  isHeardThere: boolean | null;
  /**
   * Whether the other party should be sending now, according to its RTCP reports and its session description, because
   * with silence suppression it may pause.
   */
  isSentThere: boolean | null;
};
