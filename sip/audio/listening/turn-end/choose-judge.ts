/** Chooses the turn-end judge of a call: the judge that the number selects, or pauses if that judge is unavailable. */
import type { Logger } from 'pino';
import type { LineTime } from '../../line-time.ts';
import type { OpenTurnEndJudge } from './judge.ts';
import { judgeByModel, type TurnModel } from './model-ends.ts';
import { judgeByPauses, type JudgeOptions } from './pauses.ts';
import { judgeByRecognizer } from './recognizer-ends.ts';

export const chooseJudge =
  (
    options: JudgeOptions,
    means: {
      reportsTurnEnds: () => boolean;
      /** Model of turn ends; `null` if none is configured. */
      model: TurnModel | null;
      sampleRate: number;
      time: Pick<LineTime, 'now' | 'after'>;
      logger: Logger;
    },
  ): OpenTurnEndJudge =>
  (onChange) => {
    const { reportsTurnEnds, model, sampleRate, time, logger } = means;
    switch (options.turnEnd.mode) {
      case 'recognizer':
        return judgeByRecognizer(options, reportsTurnEnds);
      case 'model':
        if (model !== null) return judgeByModel(options, model, { time, sampleRate, onChange });
        logger.warn('the turn model is unavailable: pauses decide the ends of turns');
        return judgeByPauses(options);
      default:
        return judgeByPauses(options);
    }
  };
