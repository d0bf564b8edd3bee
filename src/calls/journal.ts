/**
 * The journal of facts: what a call publishes is written in order, each fact in one transaction with the events it
 * makes (guides/design/architecture.md, "A journal of facts").
 *
 * A call never waits for the database. Facts queue per call, so one call's facts stay in order and no call holds up
 * another. While the database is away facts wait, bounded by `limit` over all calls, and are written when it is back;
 * a fact may then be written twice, which its sequence number makes harmless.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { JournalFact, StampedFact } from './journal-fact.ts';

export type Journal = {
  /** Begins the journal of a call that is born here: its facts count from 1. */
  open(callId: string): void;
  /** Queues a fact; a fact without a time is stamped now. Never throws. */
  publish(callId: string, fact: JournalFact): void;
  /** A fact of a call was written with its row: what follows a written fact follows. */
  wasWritten(callId: string, fact: StampedFact): void;
  /** Facts that wait to be written, over all calls. */
  backlog(): number;
  /** Resolves when everything published so far is written or given up. */
  settled(): Promise<void>;
  /** From now on nothing waits for an absent database: a fact that cannot be written is given up at once. */
  giveUp(): void;
};

export type JournalOptions = {
  /** Writes one fact. Writing the same sequence again must change nothing. */
  write: (callId: string, sequence: number, fact: StampedFact) => Promise<void>;
  /** The highest sequence already written for a call that is not open here, 0 for none. */
  lastSequence: (callId: string) => Promise<number>;
  /** Called after a fact is safely written. Must not throw. */
  onWritten: (callId: string, fact: StampedFact) => void;
  /** Whether this error means that the database is away, so that the same fact may succeed later. */
  isPassing: (error: unknown) => boolean;
  clock: Clock;
  logger: Logger;
  /** Facts that may wait at once, over all calls. */
  limit: number;
};

type CallJournal = { next: number | null; waiting: StampedFact[]; isOver: boolean; isDraining: boolean };

const firstDelayMs = 100;
const longestDelayMs = 5_000;
/** A fact that fails for another reason than an absent database is not tried for ever. */
const triesOfABrokenFact = 3;

export const createJournal = (options: JournalOptions): Journal => {
  const { clock, logger } = options;
  const journals = new Map<string, CallJournal>();
  const writers = new Set<Promise<void>>();
  const pauses = new Set<() => void>();
  let waiting = 0;
  let isGivenUp = false;

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clock.clearTimeout(timer);
        pauses.delete(end);
        resolve();
      };
      const timer = clock.setTimeout(end, milliseconds);
      pauses.add(end);
    });

  const writeOne = async (callId: string, journal: CallJournal, fact: StampedFact): Promise<boolean> => {
    let delay = firstDelayMs;
    for (let tries = 1; ; tries += 1) {
      try {
        journal.next ??= (await options.lastSequence(callId)) + 1;
        await options.write(callId, journal.next, fact);
        journal.next += 1;
        return true;
      } catch (error) {
        const isBroken = !options.isPassing(error) && tries >= triesOfABrokenFact;
        if (isBroken || isGivenUp) {
          logger.error(
            { call_id: callId, fact: fact.type, err: error },
            'a fact of a call could not be written',
          );
          return false;
        }
        if (tries === 1)
          logger.warn(
            { call_id: callId, fact: fact.type, err: error },
            'a fact of a call waits for the database',
          );
        await pause(delay);
        delay = Math.min(delay * 2, longestDelayMs);
      }
    }
  };

  const drain = async (callId: string, journal: CallJournal): Promise<void> => {
    for (let fact = journal.waiting[0]; fact !== undefined; fact = journal.waiting[0]) {
      const isWritten = await writeOne(callId, journal, fact);
      journal.waiting.shift();
      waiting -= 1;
      if (fact.type === 'call.ended') journal.isOver = true;
      if (isWritten) options.onWritten(callId, fact);
    }
    journal.isDraining = false;
    // A later fact (recording, summary) finds its number in the database again.
    if (journal.isOver) journals.delete(callId);
  };

  return {
    open(callId) {
      journals.set(callId, { next: 1, waiting: [], isOver: false, isDraining: false });
    },
    publish(callId, fact) {
      const stamped = { ...fact, at: fact.at ?? clock.now() };
      if (waiting >= options.limit) {
        logger.error(
          { call_id: callId, fact: fact.type, waiting },
          'a fact of a call is lost: too many wait for the database',
        );
        return;
      }
      let journal = journals.get(callId);
      if (journal === undefined) {
        journal = { next: null, waiting: [], isOver: true, isDraining: false };
        journals.set(callId, journal);
      }
      journal.waiting.push(stamped);
      waiting += 1;
      if (journal.isDraining) return;
      journal.isDraining = true;
      const writer = drain(callId, journal).finally(() => writers.delete(writer));
      writers.add(writer);
    },
    wasWritten: options.onWritten,
    backlog: () => waiting,
    async settled() {
      while (writers.size > 0) await Promise.all(writers);
    },
    giveUp() {
      isGivenUp = true;
      for (const end of pauses) end();
    },
  };
};
