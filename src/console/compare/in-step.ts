/** The turn and the time of a step. */
import type { ReplayStep } from '../api/records.ts';
import type { LoadedCall } from './loaded-call.ts';

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

/**
 * Returns how long a row of steps is shown: the longer of the calls' own times, within limits. `indexes` are those of the
 * steps by call, null for a gap.
 */
export const stepMs = (calls: readonly LoadedCall[], indexes: readonly (number | null)[]): number => {
  const times = calls.map(({ steps }, side) => {
    const index = indexes[side] ?? null;
    if (index === null) return 0;
    const [now, next] = [steps[index], steps[index + 1]];
    return now === undefined || next === undefined ? 0 : Date.parse(next.at) - Date.parse(now.at);
  });
  return Math.min(shown.longestMs, Math.max(shown.shortestMs, ...times));
};
