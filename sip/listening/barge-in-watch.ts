/**
 * From the onset of a voice over the agent's to what comes of it (`machines/line.ts`, clause 8): speech, or nothing. What
 * is speech, others find out; nothing it was when it is silent for a while, or goes on and on without being speech.
 */
import type { BargeIn } from '#machines/line.ts';
import { createAlarm, type LineTime } from '../line-time.ts';

export type BargeInNumbers = Readonly<{
  /** What is no speech for so long, with gaps or without, does not hold the agent up any longer: music, for one. */
  longestMs: number;
  /** Words come so long after their voice, of an engine that recognizes whole sentences. */
  lateWordsMs: number;
}>;

export type BargeInWatch = {
  /** A voice has lasted for as long as an onset takes. */
  onset(): void;
  voiceBegan(): void;
  /** `awaitsWords`: what it said comes late, if it said anything. */
  voiceEnded(awaitsWords: boolean): void;
  /** What was heard is a backchannel, and over. */
  backchannel(): void;
  /** It is speech: nothing more is told of it. */
  speech(): void;
  /** Nothing more is told. */
  stop(): void;
};

export const createBargeInWatch = (options: {
  numbers: BargeInNumbers;
  bargeIn: Pick<BargeIn, 'resumeMs'>;
  time: Pick<LineTime, 'after'>;
  on: { onset: () => void; noSpeech: () => void };
}): BargeInWatch => {
  const { numbers, bargeIn, time, on } = options;
  const quiet = createAlarm(time);
  const longest = createAlarm(time);
  let isPending = false;

  const settle = (): void => {
    isPending = false;
    quiet.cancel();
    longest.cancel();
  };

  const settleAsNothing = (): void => {
    if (!isPending) return;
    settle();
    on.noSpeech();
  };

  return {
    onset() {
      if (isPending) return;
      isPending = true;
      longest.set(numbers.longestMs, settleAsNothing);
      on.onset();
    },
    voiceBegan: () => quiet.cancel(),
    voiceEnded(awaitsWords) {
      const waitMs = awaitsWords ? Math.max(numbers.lateWordsMs, bargeIn.resumeMs) : bargeIn.resumeMs;
      if (isPending) quiet.set(waitMs, settleAsNothing);
    },
    backchannel: settleAsNothing,
    speech: settle,
    stop: settle,
  };
};
