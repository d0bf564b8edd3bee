/**
 * Ends turns by the recognizer's own decision. A pause alone ends a turn only at the longest silence that the number
 * allows.
 */
import type { TurnEndJudge } from './judge.ts';
import { judgeByPauses, overByPauses, type JudgeOptions } from './pauses.ts';

/**
 * Creates the judge. `reportsTurnEnds` returns whether the current engine reports turn ends, because the engine may
 * change during a call.
 */
export const judgeByRecognizer = (options: JudgeOptions, reportsTurnEnds: () => boolean): TurnEndJudge => {
  const { minSilenceMs, maxSilenceMs } = options.turnEnd;
  return {
    ...judgeByPauses(options),
    overAt(silence) {
      if (!reportsTurnEnds()) return overByPauses(silence, options);
      return silence.since + (silence.isComplete ? minSilenceMs : maxSilenceMs);
    },
  };
};
