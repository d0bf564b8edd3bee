/**
 * Places of the steps of a call, in seconds since the answer as in the transcript and the recording. Ringing before the
 * answer has negative places.
 */
import type { Call, ReplayStep } from '../api/records.ts';

export type StepPlaces = {
  /** Places of the first and the last step. */
  from: number;
  to: number;
  /** Place at which playback starts: the answer, because ringing has no audio; the beginning for an unanswered call. */
  start: number;
  placeOf(step: ReplayStep): number;
  /** Clamps a place to the call. */
  within(place: number): number;
  /** Index of the last step at or before the place. */
  indexAt(place: number): number;
  /** The last journal entry that was written by this step. */
  factAt(index: number): number | null;
};

/** The end of a call without steps is known by its duration. */
export const createStepPlaces = (call: Call, steps: readonly ReplayStep[]): StepPlaces => {
  const answered = Date.parse(call.answered_at ?? call.started_at);
  const placeOf = ({ at }: ReplayStep): number => (Date.parse(at) - answered) / 1_000;
  const [first, last] = [steps[0], steps.at(-1)];
  const from = first === undefined ? 0 : placeOf(first);
  const to = last === undefined ? (call.duration_sec ?? 0) : placeOf(last);
  return {
    from,
    to,
    start: call.answered_at === null ? from : Math.max(from, 0),
    placeOf,
    within: (place) => Math.min(to, Math.max(from, place)),
    indexAt: (place) =>
      Math.max(
        0,
        steps.findLastIndex((step) => placeOf(step) <= place),
      ),
    factAt: (index) => steps.slice(0, index + 1).findLast((step) => step.fact !== null)?.fact ?? null,
  };
};
