import { setTimeout } from 'node:timers/promises';
import { isTransient } from '#src/persistence/database/connection-errors.ts';

/** Pause before a step is repeated, and the number of repetitions: the database answers again within seconds. */
const usual = { pauseMs: 500, repetitions: 20 };

/**
 * Runs a step of the start, and repeats it while the database is unavailable. Loading modules blocks the event loop for
 * seconds on a busy machine, after which the database counts as silent for a moment; that must not end the start.
 */
export const patiently = async (
  step: () => Promise<void>,
  { pauseMs, repetitions }: typeof usual = usual,
): Promise<void> => {
  for (let left = repetitions; left > 0; left -= 1)
    try {
      return await step();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await setTimeout(pauseMs);
    }
  return step();
};
