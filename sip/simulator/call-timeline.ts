/**
 * Words and times of one call: a simulated line carries no audio, so the audio is rendered from them after the call
 * (`render-recording.ts`).
 */
import type { LineTime } from '#sip/audio/line-time.ts';

export type Side = 'agent' | 'counterparty';

/** Audible words. `startedAt` is wall-clock; `durationMs` is their duration on the line. */
export type Sounded = { party: Side; text: string; language: string; startedAt: number; durationMs: number };

/** A part of the recording, with `offsetMs`, the line time since the answer. */
export type RecordedPart = { text: string; language: string; offsetMs: number; durationMs: number };

/** A stretch of the call that is silenced in the recording; both ends in line time since the answer. */
export type Pause = { fromMs: number; toMs: number };

/** A call for its recording: each side's parts in order of time. */
export type CallTimeline = Record<Side, readonly RecordedPart[]> & {
  pauses: readonly Pause[];
  durationMs: number;
};

export type TimelineRecorder = {
  add(sounded: Sounded): void;
  pause(): void;
  resume(): void;
  /** Called when the call is over. */
  finish(): void;
  /** Called when the call continues in another process. */
  leave(): void;
};

/** Creates a recorder that begins now, at the answer. */
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
