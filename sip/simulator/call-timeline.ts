/**
 * The sound of one call, remembered as words and times: a simulated line carries no sound, so the sound is made from
 * them when the call is over (`render-recording.ts`).
 */
import type { LineTime } from '../line-time.ts';

export type Side = 'agent' | 'counterparty';

/** Words that sounded. `startedAt` is wall-clock, `durationMs` how long they took on the line. */
export type Sounded = { party: Side; text: string; language: string; startedAt: number; durationMs: number };

/** The same, `offsetMs` on the line after the answer. */
export type RecordedPart = { text: string; language: string; offsetMs: number; durationMs: number };

/** Nothing that was said in this stretch of the call may be heard; both ends on the line after the answer. */
export type Pause = { fromMs: number; toMs: number };

/** A call as its recording will be: each side's parts in order of time. */
export type CallTimeline = Record<Side, readonly RecordedPart[]> & {
  pauses: readonly Pause[];
  durationMs: number;
};

export type TimelineRecorder = {
  add(sounded: Sounded): void;
  pause(): void;
  resume(): void;
  /** The call is over. */
  finish(): void;
  /** It goes on elsewhere. */
  leave(): void;
};

/** Begins now, at the answer. */
export const createTimelineRecorder = (
  time: LineTime,
  on: { end: (call: CallTimeline) => void; left: (call: CallTimeline) => void },
): TimelineRecorder => {
  const answeredAt = time.now();
  const parts: Record<Side, RecordedPart[]> = { agent: [], counterparty: [] };
  const pauses: Pause[] = [];
  const untilNow = (): CallTimeline => ({ ...parts, pauses, durationMs: time.since(answeredAt) });
  return {
    add({ party, text, language, startedAt, durationMs }) {
      parts[party].push({ text, language, offsetMs: time.since(answeredAt, startedAt), durationMs });
    },
    pause() {
      if (pauses.at(-1)?.toMs !== Infinity) pauses.push({ fromMs: time.since(answeredAt), toMs: Infinity });
    },
    resume() {
      const last = pauses.at(-1);
      if (last?.toMs === Infinity) last.toMs = time.since(answeredAt);
    },
    leave: () => on.left(untilNow()),
    finish: () => on.end(untilNow()),
  };
};
