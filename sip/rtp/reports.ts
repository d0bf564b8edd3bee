/** Schedules outgoing RTCP reports, and evaluates the far end's reports. */
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
  /** Processes the far end's report about our stream. */
  take(rtcp: Rtcp, sent: Pick<SentSoFar, 'packets'>): void;
  /** Returns the report to send now; `null` if no report is due. */
  due(sent: SentSoFar, heard: () => ReceptionReport | null): Buffer | null;
  goodbye(ssrc: number): Buffer;
  ofRemote(): RemoteStatistics;
};

/** The far end's statistics of our stream; `null` before its first report. */
export type RemoteStatistics = {
  /** Share of our packets lost since the beginning, 0 to 1. */
  lossThere: number | null;
  jitterThereMs: number | null;
  /** Whether our packets currently arrive at the far end. */
  isHeardThere: boolean | null;
  /** Whether the far end currently sends RTP. With silence suppression, a far end may pause for long. */
  isSentThere: boolean | null;
  roundTripMs: number | null;
};

/** Minimum interval of reports in a session with two participants (RFC 3550 section 6.2). */
const everyMs = 5_000;
const ntpUnitsPerMs = 65.536;
const samplesPerMs = 8;
/**
 * Number of packets (five seconds of audio) that cannot all be lost by chance, nor all be in transit when a report is
 * written.
 */
const tellingPackets = 250;

/** Determines from one report to the next whether packets sent in between arrive. */
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

/**
 * Determines from one report to the next whether the far end sends. A participant that sends no RTP writes receiver
 * reports (section 6.4).
 */
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
