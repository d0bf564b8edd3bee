/** The agent's voice on a line: utterances are said one after the other, each as long as its text takes. */
import type { Cancel, LineTime } from '../line-time.ts';
import { heardAfter, sayingTime } from '../voice.ts';

/** An utterance that sounds now. It is the same object from its first to its last sound. */
export type Voice = { readonly startedAt: number; readonly durationMs: number };

/** An utterance that has left the line. `startedAt` is wall-clock, `durationMs` how long it sounded on the line. */
export type Played = {
  utterance: number;
  text: string;
  startedAt: number;
  durationMs: number;
  whole: boolean;
};

export type Playback = {
  say(utterance: number, text: string): void;
  /** Falls silent; what sounds and what is queued is reported as played, in order. */
  stop(): void;
  voice(): Voice | null;
  /** How many utterances have begun to sound. */
  begun(): number;
};

type Playing = Voice & { utterance: number; text: string; cancel: Cancel };

export const createPlayback = (
  time: LineTime,
  on: { played: (played: Played) => void; change: () => void },
): Playback => {
  const queue: { utterance: number; text: string }[] = [];
  let playing: Playing | null = null;
  let begun = 0;

  const playNext = (): void => {
    const next = queue.shift();
    if (next === undefined) {
      playing = null;
    } else {
      const durationMs = sayingTime(next.text);
      if (durationMs > 0) begun += 1;
      playing = { ...next, startedAt: time.now(), durationMs, cancel: time.after(durationMs, finish) };
    }
    on.change();
  };

  const finish = (): void => {
    if (playing === null) return;
    const { utterance, startedAt, durationMs } = playing;
    on.played({ utterance, text: durationMs > 0 ? playing.text : '', startedAt, durationMs, whole: true });
    playNext();
  };

  return {
    say(utterance, text) {
      queue.push({ utterance, text });
      if (playing === null) playNext();
    },
    stop() {
      const cut = playing;
      const forgotten = queue.splice(0);
      playing = null;
      if (cut !== null) {
        cut.cancel();
        const { utterance, startedAt } = cut;
        const durationMs = Math.min(cut.durationMs, time.since(startedAt));
        on.played({ utterance, text: heardAfter(cut.text, durationMs), startedAt, durationMs, whole: false });
      }
      for (const { utterance } of forgotten)
        on.played({ utterance, text: '', startedAt: time.now(), durationMs: 0, whole: false });
      on.change();
    },
    voice: () => (playing === null || playing.durationMs === 0 ? null : playing),
    begun: () => begun,
  };
};
