/**
 * Closes the journal after all published facts are written. If no fact could be written for a while, the remaining
 * facts are dropped.
 */
import type { Logger } from 'pino';
import type { Journal } from './journal.ts';
import type { Summaries } from '../summaries/summaries.ts';
import type { Transitions } from './transitions.ts';
import type { Clock } from '#src/domain/clock.ts';

export type JournalClosing = {
  /**
   * Resolves when every fact, summary and transition is written. Rejects if the database stayed unreachable and facts
   * are lost.
   */
  close(): Promise<void>;
  /** Shortens the wait of `close`, before or after it begins. */
  hurry(): void;
};

export const createJournalClosing = (options: {
  journal: Pick<Journal, 'backlog' | 'lost' | 'settled' | 'giveUp'>;
  summaries: Pick<Summaries, 'hurry' | 'settled'>;
  transitions: Pick<Transitions, 'close'>;
  /** Times without a written fact after which `close` stops waiting: the normal one, and the one after `hurry`. */
  times: { journalMs: number; hurriedJournalMs: number };
  clock: Clock;
  logger: Logger;
}): JournalClosing => {
  const { journal, summaries, transitions, times, clock, logger } = options;
  let limitMs = times.journalMs;
  /** Timer of the deadline; there is no deadline before `close`. */
  let timer: unknown;

  const giveUpLater = (): void => {
    clock.clearTimeout(timer);
    const before = journal.backlog();
    timer = clock.setTimeout(() => {
      // While the database accepts facts, the deadline is postponed and no fact is dropped.
      if (journal.backlog() < before) giveUpLater();
      else journal.giveUp();
    }, limitMs);
  };

  return {
    async close() {
      const facts = journal.backlog();
      if (facts > 0) {
        const limit = `giving up after ${limitMs / 1000} s without a response of the database`;
        logger.info({ facts }, `writing the remaining facts of calls (${limit})`);
      }
      giveUpLater();
      await journal.settled();
      summaries.hurry();
      await summaries.settled();
      await journal.settled();
      await transitions.close();
      clock.clearTimeout(timer);
      const lost = journal.lost();
      if (lost > 0) throw new Error(`${lost} facts of calls are lost: the database is unavailable`);
    },
    hurry() {
      limitMs = times.hurriedJournalMs;
      if (timer !== undefined) giveUpLater();
    },
  };
};
