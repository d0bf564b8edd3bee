/** Plays the recording of a call in sync with its steps. While the recording plays, the steps follow it. */

/** The members of an audio element that are used here. */
export type AudioElement = {
  currentTime: number;
  readonly duration: number;
  readonly paused: boolean;
  readonly ended: boolean;
  play(): Promise<void>;
  pause(): void;
  addEventListener(event: string, act: () => void, options: { signal: AbortSignal }): void;
};

/** Events from the recording's own controls. */
export type RecordingControls = {
  /** Called when the recording is playable. The steps may be playing already. */
  loaded(): void;
  played(): void;
  /** Called when the user pauses, but not at the end of the recording or outside its range. */
  paused(): void;
  /** Called after a seek to a position other than that of the steps. */
  moved(place: number): void;
};

export type RecordingSound = {
  isHeard(): boolean;
  place(): number;
  /** Seeks to the position of the steps, and plays while the steps play. */
  follow(isPlaying: boolean): void;
  pause(): void;
  /** Removes the event listeners. */
  end(): void;
};

/** Maximum difference in seconds at which the recording is not moved, because a jump would be audible. */
const nearSec = 0.3;

/** Creates the synchronization. `stepsAt` returns the position of the steps in seconds since the answer. */
export const createRecordingSound = (
  audio: AudioElement,
  stepsAt: () => number,
  controls: RecordingControls,
): RecordingSound => {
  const over = new AbortController();
  const on = (event: string, act: () => void): void =>
    audio.addEventListener(event, act, { signal: over.signal });

  /**
   * Whether the current position is recorded. The recording contains neither the ringing before the answer nor events
   * after the end.
   */
  const isRecorded = (): boolean => stepsAt() >= 0 && stepsAt() < audio.duration;

  const isElsewhere = (): boolean =>
    Math.abs(audio.currentTime - Math.min(audio.duration, Math.max(0, stepsAt()))) > nearSec;

  on('loadedmetadata', controls.loaded);
  on('play', controls.played);
  on('pause', () => {
    if (!audio.ended && isRecorded()) controls.paused();
  });
  on('seeked', () => {
    if (isElsewhere()) controls.moved(audio.currentTime);
  });

  return {
    isHeard: () => !audio.paused && !audio.ended,
    place: () => audio.currentTime,
    follow(isPlaying) {
      if (!Number.isFinite(audio.duration)) return;
      if (isElsewhere()) audio.currentTime = Math.max(0, stepsAt());
      if (!isPlaying || !isRecorded()) audio.pause();
      // Browsers refuse to play before the user has interacted with the page. The steps then continue without the
      // recording.
      else if (audio.paused) audio.play().catch(() => undefined);
    },
    pause: () => audio.pause(),
    end: () => over.abort(),
  };
};
