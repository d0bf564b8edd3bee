/** Playback of a finished call: its steps, and its recording if there is one. The recording sets the pace. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Call, ReplayStep } from '../api/records.ts';
import { createRecordingSound, type AudioElement, type RecordingSound } from './recording-sound.ts';

// Positions of the steps of a call, in seconds since the answer, as in the transcript and the recording. Steps before
// the answer have negative positions.

type StepPlaces = {
  /** Positions of the first and the last step. */
  from: number;
  to: number;
  /**
   * Position at which playback starts: the answer, because ringing has no audio. For an unanswered call, the beginning.
   */
  start: number;
  placeOf(step: ReplayStep): number;
  /** Clamps a position to the duration of the call. */
  within(place: number): number;
  /** Returns the index of the last step at or before the position. */
  indexAt(place: number): number;
  /** Returns the last journal entry that this step wrote. */
  factAt(index: number): number | null;
};

/** Creates the positions. A call without steps ends at its duration. */
const createStepPlaces = (call: Call, steps: readonly ReplayStep[]): StepPlaces => {
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

export type Playback = Pick<StepPlaces, 'from' | 'to' | 'placeOf'> & {
  steps: readonly ReplayStep[];
  place: ReadonlySignal<number>;
  /** Position that the player shows: the beginning until playback is used. */
  shown: ReadonlySignal<number>;
  /** Index of the current step. */
  index: ReadonlySignal<number>;
  /** Last journal entry at the current position. */
  fact: ReadonlySignal<number | null>;
  isPlaying: ReadonlySignal<boolean>;
  /** Whether playback has been used. Until then, the page marks no turn and no step. */
  isTouched: ReadonlySignal<boolean>;
  play(): void;
  pause(): void;
  seek(place: number): void;
  stepTo(index: number): void;
  /** Synchronizes the recording with the steps until the returned function is called. */
  hear(audio: AudioElement): () => void;
};

const tickMs = 100;

/** Reports the elapsed time in seconds every `tickMs` until stopped. */
const startTicking = (tick: (elapsedSec: number) => void): (() => void) => {
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    tick((now - before) / 1_000);
    before = now;
  }, tickMs);
  return () => clearInterval(timer);
};

/** Position of the playback; initially that of the last state. */
const createPosition = (steps: readonly ReplayStep[], places: StepPlaces) => {
  const place = signal(places.to);
  const index = signal(Math.max(0, steps.length - 1));
  const isTouched = signal(false);
  return {
    place,
    shown: computed(() => (isTouched.value ? place.value : places.start)),
    index,
    isTouched,
    fact: computed(() => places.factAt(index.value)),
    moveTo(next: number): void {
      isTouched.value = true;
      place.value = places.within(next);
      index.value = places.indexAt(place.value);
    },
  };
};

export const createPlayback = (call: Call, steps: readonly ReplayStep[]): Playback => {
  const places = createStepPlaces(call, steps);
  const { from, to, placeOf } = places;
  const position = createPosition(steps, places);
  const { place, moveTo } = position;
  const isPlaying = signal(false);
  let recording: RecordingSound | null = null;
  let stopTicking = (): void => {};

  const pause = (): void => {
    stopTicking();
    isPlaying.value = false;
    recording?.pause();
  };

  const tick = (elapsedSec: number): void => {
    const wasBefore = place.value < 0;
    moveTo(recording?.isHeard() === true ? recording.place() : place.value + elapsedSec);
    if (place.value >= to && recording?.isHeard() !== true) pause();
    else if (wasBefore && place.value >= 0) recording?.follow(true);
  };

  const run = (): void => {
    stopTicking();
    isPlaying.value = true;
    stopTicking = startTicking(tick);
  };

  const seek = (next: number): void => {
    moveTo(next);
    recording?.follow(isPlaying.value);
  };

  return {
    steps,
    from,
    to,
    placeOf,
    place,
    shown: position.shown,
    index: position.index,
    fact: position.fact,
    isTouched: position.isTouched,
    isPlaying,
    play() {
      if (place.value >= to) moveTo(places.start);
      run();
      recording?.follow(true);
    },
    pause,
    seek,
    stepTo(next) {
      const step = steps[next];
      if (step === undefined) return;
      pause();
      seek(placeOf(step));
      // Set separately, because several steps may have the same time.
      position.index.value = next;
    },
    hear(audio) {
      const sound = createRecordingSound(audio, () => place.value, {
        loaded: () => recording?.follow(isPlaying.value),
        // Called when the recording was started by media keys of keyboards and headsets; the steps follow it.
        played() {
          if (!isPlaying.value) run();
        },
        paused() {
          if (isPlaying.value) pause();
        },
        moved: moveTo,
      });
      recording = sound;
      return () => {
        sound.end();
        pause();
        recording = null;
      };
    },
  };
};

/** Returns the attribute that marks the step or turn at the current position. */
export const current = (is: boolean): { 'aria-current'?: 'step' } => (is ? { 'aria-current': 'step' } : {});
