/** Two calls step by step: where they part, and the turn at each step. */
import type { ReplayStep } from '../api/records.ts';
import type { LoadedCall } from './loaded-call.ts';

const isSame = (one: ReplayStep | undefined, other: ReplayStep | undefined): boolean =>
  one?.event === other?.event &&
  one?.call === other?.call &&
  one?.conversation === other?.conversation &&
  one?.voicemail === other?.voicemail;

/** Returns the index of the first step that differs in its event or in a state; null for equal calls. */
export const partingOf = (one: readonly ReplayStep[], other: readonly ReplayStep[]): number | null => {
  const length = Math.max(one.length, other.length);
  for (let index = 0; index < length; index += 1) if (!isSame(one[index], other[index])) return index;
  return null;
};

/** Seconds from the answer to a step; from the start for an unanswered call. */
export const placeOf = ({ call }: LoadedCall, { at }: ReplayStep): number =>
  (Date.parse(at) - Date.parse(call.answered_at ?? call.started_at)) / 1_000;

/** Returns the turn that is heard at a step: the last one that began before it. */
export const turnAt = (loaded: LoadedCall, step: ReplayStep | undefined): number | undefined =>
  step === undefined
    ? undefined
    : loaded.turns.findLast(({ t_offset_sec: from }) => from <= placeOf(loaded, step))?.sequence;

/** Shortest and longest time in milliseconds for which a step is shown while it is played. */
const shown = { shortestMs: 150, longestMs: 1_500 };

/** Returns how long a step is shown: the longer of the two calls' own times, within limits. */
export const stepMs = (calls: readonly LoadedCall[], index: number): number => {
  const times = calls.map(({ steps }) => {
    const [now, next] = [steps[index], steps[index + 1]];
    return now === undefined || next === undefined ? 0 : Date.parse(next.at) - Date.parse(now.at);
  });
  return Math.min(shown.longestMs, Math.max(shown.shortestMs, ...times));
};
