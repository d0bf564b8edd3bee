import type { Logger } from 'pino';

/** Sound of a call that was given up, and whether anybody has heard it. The log is told once. */
export const createUnheardSound = (tell: (samples: number) => void, logger: Logger) => {
  let isAnswering = false;
  /** What the current engine was given, and has not answered. */
  let doubtful = 0;
  let isLogged = false;

  const lose = (samples: number): void => {
    if (samples === 0) return;
    tell(samples);
    if (!isLogged) logger.warn('no recognizer answers: what a caller says is given up');
    isLogged = true;
  };

  return {
    givenUp(samples: number, hasEngine: boolean): void {
      if (!hasEngine) lose(samples);
      else if (!isAnswering) doubtful += samples;
    },
    answered(): void {
      isAnswering = true;
      doubtful = 0;
    },
    failed(): void {
      lose(doubtful);
      doubtful = 0;
      isAnswering = false;
    },
  };
};
