/** The end of the journal: everything that was published is written, or given up when no fact could be written for a while. */
import type { Logger } from 'pino';
import type { Journal } from '#src/calls/journal/journal.ts';
import type { Summaries } from '#src/calls/summaries/summaries.ts';
import type { Transitions } from '#src/calls/journal/transitions.ts';
import type { Clock } from '#src/domain/clock.ts';

export type JournalClosing = {
  /**
   * Resolves when every fact, summary and transition is written. Rejects when the database stayed away and facts are
   * lost.
   */
  close(): Promise<void>;
  /** `close` waits no longer than it must, whether it has begun or not. */
  hurry(): void;
};

export const createJournalClosing = (options: {
  journal: Pick<Journal, 'backlog' | 'lost' | 'settled' | 'giveUp'>;
  summaries: Pick<Summaries, 'hurry' | 'settled'>;
  transitions: Pick<Transitions, 'close'>;
  /** How long `close` waits while no fact is written, and how long once it is hurried. */
  times: { journalMs: number; hurriedJournalMs: number };
  clock: Clock;
  logger: Logger;
}): JournalClosing => {
  const { journal, summaries, transitions, times, clock, logger } = options;
  let limitMs = times.journalMs;
  /** Until it is closed there is none. */
  let timer: unknown;

  const giveUpLater = (): void => {
    clock.clearTimeout(timer);
    const before = journal.backlog();
    timer = clock.setTimeout(() => {
      // As long as the database takes some of them, there is nothing to give up.
      if (journal.backlog() < before) giveUpLater();
      else journal.giveUp();
    }, limitMs);
  };

  return {
    async close() {
      const facts = journal.backlog();
      if (facts > 0) {
        const upTo = `up to ${limitMs / 1000} s while the database takes none`;
        logger.info({ facts }, `waiting for the facts of calls to be written, ${upTo}`);
      }
      giveUpLater();
      await journal.settled();
      summaries.hurry();
      await summaries.settled();
      await journal.settled();
      await transitions.close();
      clock.clearTimeout(timer);
      const lost = journal.lost();
      if (lost > 0) throw new Error(`${lost} facts of calls are lost: the database is away`);
    },
    hurry() {
      limitMs = times.hurriedJournalMs;
      if (timer !== undefined) giveUpLater();
    },
  };
};
