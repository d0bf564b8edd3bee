/**
 * The mouth of a line towards its call. Whatever happens on the line is put here and leaves in a task of its own, one
 * event at a time, stamped as it leaves: so the line never speaks inside a command, and times never run backwards.
 *
 * What was played goes ahead of everything else that waits. That is how the reports of a `stopTalking` come before
 * words that were understood a moment earlier and had not been reported yet.
 */
import type { LineEvent, LineReport } from '#machines/line.ts';
import type { Cancel, LineTime } from './line-time.ts';

/** An utterance that has left the line. `startedAt` is wall-clock. */
export type Played = { utterance: number; text: string; startedAt: number; whole: boolean };

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
