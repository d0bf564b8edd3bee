/** The recording of a call, heard along with its steps, which it leads while it sounds. */

/** The part of an audio element that is used. */
export type AudioElement = {
  currentTime: number;
  readonly duration: number;
  readonly paused: boolean;
  readonly ended: boolean;
  play(): Promise<void>;
  pause(): void;
  addEventListener(event: string, act: () => void, options: { signal: AbortSignal }): void;
};

/** Use of the recording's own controls. */
export type RecordingControls = {
  /** It can be played from now on; the steps may be playing already. */
  loaded(): void;
  played(): void;
  /** Not when it has come to its end, nor where nothing is recorded. */
  paused(): void;
  /** To another place than that of the steps. */
  moved(place: number): void;
};

export type RecordingSound = {
  isHeard(): boolean;
  place(): number;
  /** Puts it where the steps are, and lets it be heard while they play. */
  follow(isPlaying: boolean): void;
  pause(): void;
  /** Lets go of the element. */
  end(): void;
};

/** A recording that is as near as this is not moved: it would be heard. */
const nearSec = 0.3;

/** `stepsAt` is the place of the steps, in seconds since the answer. */
export const createRecordingSound = (
  audio: AudioElement,
  stepsAt: () => number,
  controls: RecordingControls,
): RecordingSound => {
  const over = new AbortController();
  const on = (event: string, act: () => void): void =>
    audio.addEventListener(event, act, { signal: over.signal });

  /** What rings before the answer, and what follows the end, is nowhere in the recording. */
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
      // Refused where nobody has touched the page yet; the steps go on without it.
      else if (audio.paused) audio.play().catch(() => undefined);
    },
    pause: () => audio.pause(),
    end: () => over.abort(),
  };
};
