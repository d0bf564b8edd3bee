/**
 * The end of a turn as the recognizer tells it, by meaning or its own measure of silence. A pause alone ends none, but
 * for the longest that the number allows.
 */
import type { TurnEndJudge } from './judge.ts';
import { judgeByPauses, overByPauses, type JudgeOptions } from './pauses.ts';

/** `tellsTurnEnds`: whether the engine that listens now does; another one may follow it during a call. */
export const judgeByRecognizer = (options: JudgeOptions, tellsTurnEnds: () => boolean): TurnEndJudge => {
  const { minSilenceMs, maxSilenceMs } = options.turnEnd;
  return {
    ...judgeByPauses(options),
    overAt(silence) {
      if (!tellsTurnEnds()) return overByPauses(silence, options);
      return silence.since + (silence.isComplete ? minSilenceMs : maxSilenceMs);
    },
  };
};
