import type { Logger } from 'pino';
import { once } from '#src/domain/once.ts';

/** Tracks audio of a call that was dropped before any engine processed it. Logged once. */
export const createUnheardSound = (tell: (samples: number) => void, logger: Logger) => {
  /** Audio given to the current engine without an answer; `null` once it answers. */
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
