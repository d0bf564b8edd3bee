/** The agent's voice on a line: utterances are said one after the other, each as long as its text takes. */
import type { Cancel, LineTime } from '../line-time.ts';
import { heardAfter, sayingTime } from '../voice.ts';

/** An utterance that sounds now. It is the same object from its first to its last sound. */
export type Voice = {
  readonly utterance: number;
  readonly text: string;
  readonly startedAt: number;
  /** How long it takes at a calm pace. */
  readonly durationMs: number;
};

/** An utterance that has left the line. `startedAt` is wall-clock, `durationMs` how long it sounded on the line. */
export type Played = {
  utterance: number;
  text: string;
  startedAt: number;
  durationMs: number;
  whole: boolean;
};

export type SimulatedPlayout = {
  say(utterance: number, text: string): void;
  /** Falls silent; what sounds and what is queued is reported as played, in order. */
  stopTalking(): void;
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

type Playing = Voice & { isReported: boolean; heardCharacters: number; cancel: Cancel };

/** Who reports may speak more slowly and begin later than a calm speaker would; after this it was heard all the same. */
const longestReportedMs = (durationMs: number): number => durationMs * 3 + 5_000;

/** What was heard of an utterance that was stopped when it had sounded for so long. */
const cutAt = (stopped: Playing, soundedMs: number): Played => {
  const { utterance, startedAt, isReported, heardCharacters } = stopped;
  const durationMs = isReported ? soundedMs : Math.min(stopped.durationMs, soundedMs);
  const text = isReported ? stopped.text.slice(0, heardCharacters) : heardAfter(stopped.text, durationMs);
  return { utterance, text, startedAt, durationMs, whole: false };
};

export const createSimulatedPlayout = (
  time: LineTime,
  on: { played: (played: Played) => void; change: () => void },
): SimulatedPlayout => {
  const queue: { utterance: number; text: string }[] = [];
  let playing: Playing | null = null;
  let begun = 0;
  let cut = 0;
  let isReported = false;

  const playNext = (): void => {
    const next = queue.shift();
    if (next === undefined) {
      playing = null;
    } else {
      const durationMs = sayingTime(next.text);
      if (durationMs > 0) begun += 1;
      const isHeardByReport = isReported && durationMs > 0;
      playing = {
        ...next,
        startedAt: time.now(),
        durationMs,
        isReported: isHeardByReport,
        heardCharacters: 0,
        cancel: time.after(isHeardByReport ? longestReportedMs(durationMs) : durationMs, finish),
      };
    }
    on.change();
  };

  const finish = (): void => {
    if (playing === null) return;
    playing.cancel();
    const { utterance, startedAt } = playing;
    const durationMs = playing.isReported ? time.since(startedAt) : playing.durationMs;
    const text = playing.durationMs > 0 ? playing.text : '';
    on.played({ utterance, text, startedAt, durationMs, whole: true });
    playNext();
  };

  return {
    say(utterance, text) {
      queue.push({ utterance, text });
      if (playing === null) playNext();
    },
    stopTalking() {
      const stopped = playing;
      const forgotten = queue.splice(0);
      playing = null;
      if (stopped !== null) {
        stopped.cancel();
        cut += 1;
        on.played(cutAt(stopped, time.since(stopped.startedAt)));
      }
      for (const { utterance } of forgotten)
        on.played({ utterance, text: '', startedAt: time.now(), durationMs: 0, whole: false });
      on.change();
    },
    voice: () => (playing === null || playing.durationMs === 0 ? null : playing),
    begun: () => begun,
    cut: () => cut,
    setReported(nowReported) {
      isReported = nowReported;
      if (playing === null || playing.durationMs === 0 || playing.isReported === nowReported) return;
      // What sounds was shown as well: who can listen no longer has read it.
      if (!nowReported) return finish();
      playing.cancel();
      playing.isReported = true;
      playing.cancel = time.after(longestReportedMs(playing.durationMs), finish);
    },
    report(utterance, characters) {
      if (playing?.utterance !== utterance || !playing.isReported) return;
      playing.heardCharacters = Math.max(playing.heardCharacters, characters);
      if (playing.heardCharacters >= playing.text.length) finish();
    },
  };
};
