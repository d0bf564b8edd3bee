/**
 * Decides whether a voice over the agent's is speech (`machines/line.ts`, clause 8). The caller of this module reports
 * speech to it. The module itself reports that the voice was no speech: after a silence, or after a sound that lasts
 * without becoming speech.
 */
import type { BargeIn } from '#machines/line.ts';
import { createAlarm, type LineTime } from '../line-time.ts';

export type BargeInNumbers = Readonly<{
  /** Longest time in milliseconds for which sound without speech, such as music, pauses the agent. */
  longestMs: number;
  /** Longest delay of words after their voice in milliseconds, for engines that recognize whole sentences. */
  lateWordsMs: number;
}>;

export type BargeInWatch = {
  /** Called when a voice has reached the duration of an onset. */
  onset(): void;
  voiceBegan(): void;
  /** Called when the voice is over. `awaitsWords`: the words of the voice may still arrive. */
  voiceEnded(awaitsWords: boolean): void;
  /** Called when a backchannel has ended. */
  backchannel(): void;
  /** Stops watching, because the voice is speech. */
  speech(): void;
  /** Stops watching the voice over the agent's. */
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
