/** The agent's voice on a line: utterances are said one after the other, each as long as its text takes. */
import type { Played } from '../line-reports.ts';
import type { LineTime } from '../line-time.ts';
import {
  createSoundingUtterance,
  type SoundingUtterance,
  type SoundedStretch,
  type Voice,
} from './sounding-utterance.ts';

export type SimulatedPlayout = {
  /** `language` is BCP 47. */
  say(utterance: number, text: string, language: string): void;
  /** Falls silent; what sounds and what is queued is reported as played, in order. */
  stopTalking(): void;
  /** Falls silent; when the pause is over, what sounded goes on from where it was, and what is queued follows. */
  pause(): void;
  resume(): void;
  isPaused(): boolean;
  /** What sounds, also while it pauses: it is not over. */
  voice(): Voice | null;
  /** How many utterances have begun to sound. */
  begun(): number;
  /** How many of them were stopped. */
  cut(): number;
  /**
   * From now on the far end reports what it has heard, and an utterance is over when it has heard all of it; or, from
   * now on nobody reports, and the pace of a calm speaker counts again.
   */
  setReported(isReported: boolean): void;
  /** The far end has heard so many characters of the utterance that sounds now. */
  report(utterance: number, characters: number): void;
};

export const createSimulatedPlayout = (
  time: LineTime,
  on: { played: (played: Played) => void; stretch: (stretch: SoundedStretch) => void; change: () => void },
): SimulatedPlayout => {
  const queue: Pick<Voice, 'utterance' | 'text' | 'language'>[] = [];
  let playing: SoundingUtterance | null = null;
  let begun = 0;
  let cut = 0;
  let isReported = false;
  let isPaused = false;

  const playNext = (): void => {
    const next = isPaused ? undefined : queue.shift();
    if (next !== undefined) {
      playing = createSoundingUtterance(next, { isReported, time, onOver: finish, onStretch: on.stretch });
      if (playing.voice.durationMs > 0) begun += 1;
      playing.sound();
    }
    on.change();
  };

  const finish = (): void => {
    const finished = playing;
    playing = null;
    if (finished === null) return;
    on.played(finished.finish());
    playNext();
  };

  return {
    say(utterance, text, language) {
      queue.push({ utterance, text, language });
      if (playing === null) playNext();
    },
    stopTalking() {
      const stopped = playing;
      const forgotten = queue.splice(0);
      playing = null;
      isPaused = false;
      if (stopped !== null) {
        cut += 1;
        on.played(stopped.cut());
      }
      for (const { utterance } of forgotten)
        on.played({ utterance, text: '', startedAt: time.now(), whole: false });
      on.change();
    },
    pause() {
      isPaused = true;
      playing?.pause();
      on.change();
    },
    resume() {
      if (!isPaused) return;
      isPaused = false;
      if (playing === null) return playNext();
      playing.sound();
      on.change();
    },
    isPaused: () => isPaused,
    voice: () => (playing === null || playing.voice.durationMs === 0 ? null : playing.voice),
    begun: () => begun,
    cut: () => cut,
    setReported(nowReported) {
      isReported = nowReported;
      if (playing === null || playing.voice.durationMs === 0 || playing.isReported() === nowReported) return;
      // The utterance was shown as well as said, so a far end that stops listening has read it.
      if (nowReported) playing.beReported();
      else finish();
    },
    report(utterance, characters) {
      if (playing?.voice.utterance !== utterance || !playing.isReported()) return;
      if (playing.report(characters)) finish();
    },
  };
};
