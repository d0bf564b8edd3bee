/**
 * Queue of reports from a line to its call. Each report is sent in a task of its own with the time of sending, so a
 * line never reports within a command and times never decrease.
 *
 * Playback reports are sent before other waiting reports, so the reports of `stopTalking` precede words that were
 * recognized shortly before.
 */
import type { LineEvent, LineReport } from '#machines/line.ts';
import type { Cancel, LineTime } from '#sip/audio/line-time.ts';

export const createLineReports = (
  time: LineTime,
  emit: (event: LineEvent) => void,
): { report: (report: LineReport) => void } => {
  const played: LineReport[] = [];
  const others: LineReport[] = [];
  let next: Cancel | null = null;
  let lastAt = 0;

  const schedule = (): void => {
    if (played.length + others.length === 0) return;
    next ??= time.after(0, () => {
      next = null;
      const report = played.shift() ?? others.shift();
      schedule();
      lastAt = Math.max(lastAt, time.now());
      if (report !== undefined) emit({ ...report, at: lastAt });
    });
  };

  return {
    report(report) {
      (report.type === 'line.played' ? played : others).push(report);
      schedule();
    },
  };
};
