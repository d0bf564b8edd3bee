/** The agent's voice on a line: utterances play one after the other, each for a duration computed from its text. */
import type { Played } from '#sip/audio/playout/playing-utterance.ts';
import type { LineTime } from '#sip/audio/line-time.ts';
import {
  createSoundingUtterance,
  type SoundingUtterance,
  type SoundedStretch,
  type Voice,
} from './sounding-utterance.ts';

export type SimulatedPlayout = {
  /** `language` is BCP 47. */
  say(utterance: number, text: string, language: string): void;
  /** Falls silent; the current utterance and the queue are reported as played, in order. */
  stopTalking(): void;
  /** Falls silent; after the pause the current utterance continues from its position, followed by the queue. */
  pause(): void;
  resume(): void;
  isPaused(): boolean;
  /** The current utterance, including a paused one. */
  voice(): Voice | null;
  /** Number of utterances that have begun to play. */
  begun(): number;
  /** Number of utterances that were stopped. */
  cut(): number;
  /**
   * With `true`, the far end reports its heard part, and an utterance is over when all of it was heard; with `false`,
   * the pace of a calm speaker is used again.
   */
  setReported(isReported: boolean): void;
  /** Number of characters of the current utterance that the far end has heard. */
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
      // The utterance was also displayed, so a far end that stops listening has read it.
      if (nowReported) playing.beReported();
      else finish();
    },
    report(utterance, characters) {
      if (playing?.voice.utterance !== utterance || !playing.isReported()) return;
      if (playing.report(characters)) finish();
    },
  };
};
