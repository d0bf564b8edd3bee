/** When reports go out, and what the far end's reports say. */
import { performance } from 'node:perf_hooks';
import { middleNtp, parseRtcp, writeGoodbye, writeReport, type SentSoFar } from './rtcp.ts';
import type { ReceptionReport } from './reception.ts';

export type Reports = {
  take(datagram: Buffer, ssrc: number): void;
  /** The report to send now; `null` while it is not time for one. */
  due(sent: SentSoFar, heard: () => ReceptionReport | null): Buffer | null;
  goodbye(ssrc: number): Buffer;
  ofRemote(): { lostThere: number | null; roundTripMs: number | null };
};

/** RFC 3550 section 6.2: the least time between two of a call with two participants. */
const everyMs = 5_000;
const ntpUnitsPerMs = 65.536;

export const createReports = (): Reports => {
  let nextAt = performance.now() + everyMs / 2;
  let theirs: { report: number; at: number } | null = null;
  let lostThere: number | null = null;
  let roundTripMs: number | null = null;

  return {
    take(datagram, ssrc) {
      const rtcp = parseRtcp(datagram, ssrc);
      if (rtcp === undefined) return;
      if (rtcp.senderReport !== null) theirs = { report: rtcp.senderReport, at: performance.now() };
      for (const { fractionLost, lastReport, delaySince } of rtcp.about) {
        lostThere = fractionLost / 256;
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
    ofRemote: () => ({ lostThere, roundTripMs }),
  };
};
