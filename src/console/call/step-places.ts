/**
 * Where the steps of a call are. Places are seconds since the answer, as in the transcript and in the recording; what
 * rang before it is negative.
 */
import type { Call, ReplayStep } from '../api/records.ts';

export type StepPlaces = {
  /** Where the first and the last step are. */
  from: number;
  to: number;
  /** Where it is played from: the answer, as nothing is heard before it; the beginning, where nobody answered. */
  start: number;
  placeOf(step: ReplayStep): number;
  /** The nearest place within the call. */
  within(place: number): number;
  /** Of the last step that is reached there. */
  indexAt(place: number): number;
  /** The last fact that was known at this step. */
  factAt(index: number): number | null;
};

/** Of a call that has no steps the end is known by its length. */
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
