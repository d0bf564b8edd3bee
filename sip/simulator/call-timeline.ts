/**
 * Words and times of one call. A simulated line carries no audio, so the audio is rendered after the call from its
 * timeline (`render-recording.ts`).
 */
import type { LineTime } from '#sip/audio/line-time.ts';
import type { HeardBefore } from '#src/domain/sip-leg.ts';

export type Side = 'agent' | 'counterparty';

/** Audible words. `startedAt` is wall-clock; `durationMs` is their duration on the line. */
export type Sounded = { party: Side; text: string; language: string; startedAt: number; durationMs: number };

/** A part of the recording. `offsetMs` is the line time since the answer. */
export type RecordedPart = { text: string; language: string; offsetMs: number; durationMs: number };

/** A part of the call that is silenced in the recording. Both ends are in line time since the answer. */
export type Pause = { fromMs: number; toMs: number };

/** The timeline of a call: the parts of each side in order of time. */
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

const sideOf = { user: 'counterparty', assistant: 'agent' } as const;

/** Creates a recorder that begins now: at the answer, or after what was heard before a take-over. */
export const createTimelineRecorder = (
  time: LineTime,
  {
    before,
    language,
    ...on
  }: {
    before: HeardBefore | null;
    /** Language of the words before. */
    language: string;
    end: (call: CallTimeline) => void;
    left: () => void;
  },
): TimelineRecorder => {
  const answeredAt = time.now() - (before?.talkedMs ?? 0);
  /** Line time since the answer. */
  const place = (sinceAnswerMs: number): number => time.since(answeredAt, answeredAt + sinceAnswerMs);
  const parts: Record<Side, RecordedPart[]> = { agent: [], counterparty: [] };
  for (const { role, text, fromMs, toMs } of before?.turns ?? [])
    parts[sideOf[role]].push({
      text,
      language,
      offsetMs: place(fromMs),
      durationMs: Math.max(0, place(toMs) - place(fromMs)),
    });
  const pauses: Pause[] = (before?.pauses ?? []).map(({ fromMs, toMs }) => ({
    fromMs: place(fromMs),
    toMs: toMs === null ? Infinity : place(toMs),
  }));
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
    leave: on.left,
    finish: () => on.end(untilNow()),
  };
};
