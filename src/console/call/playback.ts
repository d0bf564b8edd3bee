/**
 * A finished call, played once more: its steps and, where there is one, its recording, which sets the pace. Places are
 * seconds since the answer, as in the transcript and in the recording; what rang before it is negative.
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Call, ReplayStep } from '../api/records.ts';

/** What is asked of an audio element. */
type Sound = {
  currentTime: number;
  readonly duration: number;
  readonly paused: boolean;
  readonly ended: boolean;
  play(): Promise<void>;
  pause(): void;
  addEventListener(event: string, act: () => void, options: { signal: AbortSignal }): void;
};

export type Playback = {
  steps: readonly ReplayStep[];
  /** Where the first and the last step are. */
  from: number;
  to: number;
  placeOf(step: ReplayStep): number;
  place: ReadonlySignal<number>;
  /** Of the step that was reached. */
  index: ReadonlySignal<number>;
  /** The last one that was reached. */
  fact: ReadonlySignal<number | null>;
  isPlaying: ReadonlySignal<boolean>;
  /** Whether anybody has played it yet; until then nothing is marked. */
  isTouched: ReadonlySignal<boolean>;
  play(): void;
  pause(): void;
  seek(place: number): void;
  stepTo(index: number): void;
  /** From now on the recording is heard along; ends with the function that is returned. */
  hear(audio: Sound): () => void;
};

const tickMs = 100;

/** A recording that is as near as this is not moved: it would be heard. */
const nearSec = 0.3;

/** The last state is shown at first. */
export const createPlayback = (call: Call, steps: readonly ReplayStep[]): Playback => {
  const answered = Date.parse(call.answered_at ?? call.started_at);
  const placeOf = ({ at }: ReplayStep): number => (Date.parse(at) - answered) / 1_000;
  const [first, last] = [steps[0], steps.at(-1)];
  const from = first === undefined ? 0 : placeOf(first);
  const to = last === undefined ? 0 : placeOf(last);

  const place = signal(to);
  const index = signal(Math.max(0, steps.length - 1));
  const isPlaying = signal(false);
  const isTouched = signal(false);
  const fact = computed(
    () => steps.slice(0, index.value + 1).findLast((step) => step.fact !== null)?.fact ?? null,
  );
  let audio: Sound | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;

  const isHeard = (): boolean => audio !== undefined && !audio.paused && !audio.ended;

  const moveTo = (next: number): void => {
    isTouched.value = true;
    place.value = Math.min(to, Math.max(from, next));
    index.value = Math.max(
      0,
      steps.findLastIndex((step) => placeOf(step) <= place.value),
    );
  };

  /** What rings before the answer, and what follows the end, is nowhere in the recording. */
  const isRecorded = ({ duration }: Sound): boolean => place.value >= 0 && place.value < duration;

  const isElsewhere = ({ currentTime, duration }: Sound): boolean =>
    Math.abs(currentTime - Math.min(duration, Math.max(0, place.value))) > nearSec;

  /** The recording is put where the steps are, and heard while they play. */
  const join = (): void => {
    if (audio === undefined || !Number.isFinite(audio.duration)) return;
    if (isElsewhere(audio)) audio.currentTime = Math.max(0, place.value);
    if (!isPlaying.value || !isRecorded(audio)) audio.pause();
    // Refused where nobody has touched the page yet; the steps go on without it.
    else if (audio.paused) audio.play().catch(() => undefined);
  };

  const pause = (): void => {
    clearInterval(timer);
    isPlaying.value = false;
    audio?.pause();
  };

  const run = (): void => {
    clearInterval(timer);
    isPlaying.value = true;
    let before = performance.now();
    timer = setInterval(() => {
      const now = performance.now();
      const wasBefore = place.value < 0;
      moveTo(audio !== undefined && isHeard() ? audio.currentTime : place.value + (now - before) / 1_000);
      before = now;
      if (place.value >= to && !isHeard()) pause();
      else if (wasBefore && place.value >= 0) join();
    }, tickMs);
  };

  const seek = (next: number): void => {
    moveTo(next);
    join();
  };

  return {
    steps,
    from,
    to,
    placeOf,
    place,
    index,
    fact,
    isPlaying,
    isTouched,
    play() {
      if (place.value >= to) moveTo(from);
      run();
      join();
    },
    pause,
    seek,
    stepTo(next) {
      const step = steps[next];
      if (step === undefined) return;
      pause();
      seek(placeOf(step));
      // Several steps may share one moment.
      index.value = next;
    },
    hear(element) {
      audio = element;
      const over = new AbortController();
      const on = (event: string, act: () => void): void =>
        element.addEventListener(event, act, { signal: over.signal });
      // The recording has controls of its own: the steps follow them.
      on('play', () => {
        if (!isPlaying.value) run();
      });
      on('pause', () => {
        if (isPlaying.value && !element.ended && isRecorded(element)) pause();
      });
      on('seeked', () => {
        if (isElsewhere(element)) moveTo(element.currentTime);
      });
      return () => {
        over.abort();
        pause();
        audio = undefined;
      };
    },
  };
};

/** Marks what the playback has reached. */
export const current = (is: boolean): { 'aria-current'?: 'step' } => (is ? { 'aria-current': 'step' } : {});
