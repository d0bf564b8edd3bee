/** The agent's voice on a line: utterances play one after the other, each for a duration computed from its text. */
import type { Played } from '#sip/audio/playout/playing-utterance.ts';
import type { LineTime } from '#sip/audio/line-time.ts';
import type { SaidSentence } from '#src/domain/web-phone.ts';
import {
  createSoundingUtterance,
  type SoundingUtterance,
  type SoundedStretch,
  type Voice,
} from './sounding-utterance.ts';

export type SimulatedPlayout = {
  /** Queues an utterance. `language` is a BCP 47 tag. */
  say(utterance: number, text: string, language: string): void;
  /** Stops speaking. The current utterance and the queued ones are reported as played, in order. */
  stopTalking(): void;
  /** Pauses speaking. When it resumes, the current utterance continues at its position, followed by the queue. */
  pause(): void;
  resume(): void;
  isPaused(): boolean;
  /** Returns the current utterance, even if it is paused. */
  voice(): Voice | null;
  /** Returns the number of utterances that have begun to play. */
  begun(): number;
  /** Returns the number of utterances that were stopped. */
  cut(): number;
  /** Returns the heard part of the utterance that was stopped last; `null` before the first one. */
  lastCut(): SaidSentence | null;
  /**
   * With `true`, the far end reports the heard part of an utterance, which is over when all of it was heard. With
   * `false`, the heard part is computed from the pace of a calm speaker.
   */
  setReported(isReported: boolean): void;
  /** Sets the number of characters of the current utterance that the far end has heard. */
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
  let lastCut: SaidSentence | null = null;
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
        const played = stopped.cut();
        lastCut = { utterance: played.utterance, text: played.text };
        on.played(played);
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
    lastCut: () => lastCut,
    setReported(nowReported) {
      isReported = nowReported;
      if (playing === null || playing.voice.durationMs === 0 || playing.isReported() === nowReported) return;
      // The far end also displayed the utterance, so a far end that stops listening has read all of it.
      if (nowReported) playing.beReported();
      else finish();
    },
    report(utterance, characters) {
      if (playing?.voice.utterance !== utterance || !playing.isReported()) return;
      if (playing.report(characters)) finish();
    },
  };
};
