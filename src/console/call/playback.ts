/** A finished call, played once more: its steps and, where there is one, its recording, which sets the pace. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Call, ReplayStep } from '../api/records.ts';
import { createRecordingSound, type AudioElement, type RecordingSound } from './recording-sound.ts';
import { createStepPlaces, type StepPlaces } from './step-places.ts';

export type Playback = Pick<StepPlaces, 'from' | 'to' | 'placeOf'> & {
  steps: readonly ReplayStep[];
  place: ReadonlySignal<number>;
  /** As the player shows it: at the beginning until somebody plays it. */
  shown: ReadonlySignal<number>;
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
  hear(audio: AudioElement): () => void;
};

const tickMs = 100;

/** Tells every moment how much time has gone by, in seconds, until it is stopped. */
const startTicking = (tick: (elapsedSec: number) => void): (() => void) => {
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    tick((now - before) / 1_000);
    before = now;
  }, tickMs);
  return () => clearInterval(timer);
};

/** Where the playback is. The last state is shown at first. */
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
      // Several steps may share one moment.
      position.index.value = next;
    },
    hear(audio) {
      const sound = createRecordingSound(audio, () => place.value, {
        loaded: () => recording?.follow(isPlaying.value),
        // Keyboards and headsets have keys of their own for a recording: the steps follow it.
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

/** Marks what the playback has reached. */
export const current = (is: boolean): { 'aria-current'?: 'step' } => (is ? { 'aria-current': 'step' } : {});
