/** When reports go out, and what the far end's reports say. */
import { performance } from 'node:perf_hooks';
import {
  middleNtp,
  parseRtcp,
  writeGoodbye,
  writeReport,
  type RemoteReport,
  type SentSoFar,
} from './rtcp.ts';
import type { ReceptionReport } from './reception.ts';

export type Reports = {
  take(datagram: Buffer, sent: SentSoFar): void;
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

export const createReports = (): Reports => {
  let nextAt = performance.now() + everyMs / 2;
  let theirs: { report: number; at: number } | null = null;
  let lossThere: number | null = null;
  let jitterThereMs: number | null = null;
  let roundTripMs: number | null = null;
  const arrival = createArrival();

  return {
    take(datagram, { ssrc, packets }) {
      const rtcp = parseRtcp(datagram, ssrc);
      if (rtcp === undefined) return;
      if (rtcp.senderReport !== null) theirs = { report: rtcp.senderReport, at: performance.now() };
      if (rtcp.isReport) arrival.reported(rtcp.about.at(-1), packets);
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
    ofRemote: () => ({ lossThere, jitterThereMs, isHeardThere: arrival.isHeard(), roundTripMs }),
  };
};
