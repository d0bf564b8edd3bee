import type { Logger } from 'pino';
import { once } from '#src/domain/once.ts';

/** Sound of a call that was given up, and whether anybody has heard it. The log is told once. */
export const createUnheardSound = (tell: (samples: number) => void, logger: Logger) => {
  /** What the current engine was given and has not answered; `null` once it answers. */
  let doubtful: number | null = 0;
  const warn = once(() => logger.warn('no recognizer answers: what a caller says is given up'));

  const lose = (samples: number): void => {
    if (samples === 0) return;
    tell(samples);
    warn();
  };

  return {
    givenUp(samples: number, hasEngine: boolean): void {
      if (!hasEngine) lose(samples);
      else if (doubtful !== null) doubtful += samples;
    },
    answered(): void {
      doubtful = null;
    },
    failed(): void {
      lose(doubtful ?? 0);
      doubtful = 0;
    },
  };
};
