/** When reports go out, and what the far end's reports say. */
import { performance } from 'node:perf_hooks';
import {
  middleNtp,
  writeGoodbye,
  writeReport,
  type RemoteReport,
  type Rtcp,
  type SentSoFar,
} from './rtcp.ts';
import type { ReceptionReport } from './reception.ts';

export type Reports = {
  /** The far end's, about our stream. */
  take(rtcp: Rtcp, sent: Pick<SentSoFar, 'packets'>): void;
  /** The report to send now; `null` while it is not time for one. */
  due(sent: SentSoFar, heard: () => ReceptionReport | null): Buffer | null;
  goodbye(ssrc: number): Buffer;
  ofRemote(): RemoteFigures;
};

/** The far end's figures of what it hears; `null` while it has said nothing. */
export type RemoteFigures = {
  /** Since the beginning, 0 to 1. */
  lossThere: number | null;
  jitterThereMs: number | null;
  /** Whether anything arrives there now. */
  isHeardThere: boolean | null;
  /** Whether the far end sends RTP now: with silence suppression it may pause for long. */
  isSentThere: boolean | null;
  roundTripMs: number | null;
};

/** RFC 3550 section 6.2: the least time between two of a call with two participants. */
const everyMs = 5_000;
const ntpUnitsPerMs = 65.536;
const samplesPerMs = 8;
/** So many packets, five seconds of sound, do not all get lost by chance, nor on their way when a report is written. */
const tellingPackets = 250;

/** From one report to the next, whether what was sent in between arrives. */
const createArrival = () => {
  let isHeard: boolean | null = null;
  let last = { highest: 0, sent: 0 };
  return {
    isHeard: () => isHeard,
    reported(about: RemoteReport | undefined, sent: number): void {
      const highest = about?.highest ?? last.highest;
      if (highest !== last.highest) isHeard = true;
      else if (sent - last.sent >= tellingPackets) isHeard = false;
      else return;
      last = { highest, sent };
    },
  };
};

/** From one report to the next, whether the far end sends. A receiver report is of one that does not (section 6.4). */
const createDeparture = () => {
  let isSent: boolean | null = null;
  let last: number | null = null;
  return {
    isSent: () => isSent,
    reported(senderReport: Rtcp['senderReport']): void {
      if (senderReport === null) isSent = false;
      else if (last === null) isSent = senderReport.packets > 0 ? null : false;
      else isSent = senderReport.packets !== last;
      last = senderReport?.packets ?? last;
    },
  };
};

export const createReports = (): Reports => {
  let nextAt = performance.now() + everyMs / 2;
  let theirs: { report: number; at: number } | null = null;
  let lossThere: number | null = null;
  let jitterThereMs: number | null = null;
  let roundTripMs: number | null = null;
  const arrival = createArrival();
  const departure = createDeparture();

  return {
    take(rtcp, { packets }) {
      if (rtcp.senderReport !== null) theirs = { report: rtcp.senderReport.time, at: performance.now() };
      if (rtcp.isReport) {
        arrival.reported(rtcp.about.at(-1), packets);
        departure.reported(rtcp.senderReport);
      }
      for (const { cumulativeLost, jitter, lastReport, delaySince } of rtcp.about) {
        lossThere = packets === 0 ? 0 : Math.min(1, cumulativeLost / packets);
        jitterThereMs = jitter / samplesPerMs;
        if (lastReport === 0) continue;
        const units = (middleNtp(Date.now()) - lastReport - delaySince) | 0;
        if (units >= 0) roundTripMs = units / ntpUnitsPerMs;
      }
    },
    due(sent, heard) {
      const now = performance.now();
      if (now < nextAt) return null;
      nextAt = now + everyMs;
      const report = heard();
      return writeReport(
        sent,
        report && {
          ...report,
          lastReport: theirs?.report ?? 0,
          delaySince: theirs === null ? 0 : Math.round((now - theirs.at) * ntpUnitsPerMs),
        },
        Date.now(),
      );
    },
    goodbye: writeGoodbye,
    ofRemote: () => ({
      lossThere,
      jitterThereMs,
      isHeardThere: arrival.isHeard(),
      isSentThere: departure.isSent(),
      roundTripMs,
    }),
  };
};
