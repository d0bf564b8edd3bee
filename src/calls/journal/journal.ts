/**
 * The journal of facts: the facts of a call are written in order, each in one transaction with its events
 * (guides/design/architecture.md, "A journal of facts").
 *
 * A call never waits for the database. Facts queue per call, so one call's facts stay in order and calls do not delay
 * each other. While the database is down facts wait, bounded by `limit` over all calls, and are written when it is
 * available again; a fact may then be written twice, which its sequence number makes harmless.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { CallToSummarize } from '#src/domain/call-summary.ts';
import type { JournalPlace, RecordedFact, WrittenFact } from '#src/persistence/call-facts.ts';
import { createCallJournals, type CallJournal } from './call-journals.ts';
import { createFactWriter, type FactOutcome, type RetryTimes } from './fact-writer.ts';

type Unstamped<Fact> = Fact extends { at: number } ? Omit<Fact, 'at'> & { at?: number } : never;

/** A fact as passed to the journal: one without a time is stamped on arrival. */
export type JournalFact = Unstamped<RecordedFact>;

/** `ended`: the database row of a call that ended with this fact, if known here. */
export type FollowFact = (callId: string, fact: RecordedFact, ended?: CallToSummarize | null) => void;

export type Journal = {
  /** Begins the journal of a new call, or continues that of a call that was taken over. */
  open(callId: string, place?: JournalPlace): void;
  /** The call's holder number (epoch) of this gateway; the first one for an unknown call. */
  epochOf(callId: string): number;
  /** The last written fact of a call on this gateway. */
  placeOf(callId: string): JournalPlace;
  /** Queues a fact; a fact without a time is stamped now. Never throws. */
  publish(callId: string, fact: JournalFact): void;
  /** Calls back after each fact was committed. `follow` must not throw. */
  onWritten(follow: FollowFact): void;
  /**
   * Calls back when another gateway proves to hold a call, or to have ended it: this gateway then writes no further
   * facts of it. Must not throw.
   */
  onTaken(follow: (callId: string) => void): void;
  /** A fact of a call was written with its row: triggers the same callbacks as any written fact. */
  wasWritten(callId: string, fact: RecordedFact): void;
  /** Resolves when all facts of a call published so far are written or given up. */
  written(callId: string): Promise<void>;
  /** Resolves when all published facts of a call are written; from then on another gateway writes them. */
  letGo(callId: string): Promise<void>;
  /** Number of waiting facts of this call. */
  waitingOf(callId: string): number;
  /** Number of waiting facts over all calls. */
  backlog(): number;
  /** Number of facts given up since `giveUp`. */
  lost(): number;
  /** Resolves when everything published so far is written or given up. */
  settled(): Promise<void>;
  /**
   * From now on facts do not wait for an unavailable database: a fact that cannot be written is given up immediately.
   */
  giveUp(): void;
};

export type JournalOptions = {
  /**
   * Writes one fact. Writing the same sequence again must have no effect. Rejects with `CallTaken` if another gateway
   * holds the call, or has ended it.
   */
  write: (callId: string, sequence: number, fact: RecordedFact, epoch: number) => Promise<WrittenFact | null>;
  /** Reads the journal position of a call that is not open here. */
  placeOf: (callId: string) => Promise<JournalPlace>;
  /** Whether this error means that the database is unavailable, so that a retry may succeed. */
  isPassing: (error: unknown) => boolean;
  retry: RetryTimes;
  clock: Clock;
  logger: Logger;
  /** Maximum of waiting facts over all calls. */
  limit: number;
};

export const createJournal = (options: JournalOptions): Journal => {
  const { clock, limit, logger } = options;
  const journals = createCallJournals();
  const draining = new Set<Promise<void>>();
  const followers: FollowFact[] = [];
  const takenFollowers: ((callId: string) => void)[] = [];
  const writer = createFactWriter(options);
  let backlog = 0;
  let isGivingUp = false;
  let lost = 0;

  const tellFollowers: FollowFact = (callId, fact, ended) => {
    for (const follow of followers) follow(callId, fact, ended);
  };

  const write = (callId: string, journal: CallJournal, fact: RecordedFact): Promise<FactOutcome> =>
    writer.write(callId, fact, async () => {
      const place = (journal.place ??= await options.placeOf(callId));
      const written = await options.write(callId, place.sequence + 1, fact, place.epoch);
      place.sequence += 1;
      return written;
    });

  const giveAway = (callId: string, journal: CallJournal): void => {
    backlog -= journal.waiting.splice(0).length;
    if (journal.stage === 'taken') return;
    journal.stage = 'taken';
    logger.warn({ call_id: callId }, 'this call goes on, or ended, elsewhere; this gateway lets go of it');
    for (const follow of takenFollowers) follow(callId);
  };

  const drain = async (callId: string, journal: CallJournal): Promise<void> => {
    for (let fact = journal.waiting[0]; fact !== undefined; fact = journal.waiting[0]) {
      const outcome = await write(callId, journal, fact);
      if (outcome === 'taken') {
        giveAway(callId, journal);
        break;
      }
      journal.waiting.shift();
      backlog -= 1;
      if (fact.type === 'call.ended') journal.stage = 'over';
      if (outcome === 'given up') lost += isGivingUp ? 1 : 0;
      else tellFollowers(callId, fact, outcome.written?.ended);
    }
    journal.drained = null;
    if (journal.stage !== 'held') journals.leave(callId);
  };

  const startDraining = (callId: string, journal: CallJournal): void => {
    if (journal.drained !== null) return;
    const drained = drain(callId, journal).finally(() => draining.delete(drained));
    journal.drained = drained;
    draining.add(drained);
  };

  return {
    open: journals.open,
    epochOf: (callId) => journals.placeOf(callId).epoch,
    placeOf: journals.placeOf,
    publish(callId, fact) {
      if (backlog >= limit) {
        const about = { call_id: callId, fact: fact.type, waiting: backlog };
        logger.error(about, 'a fact of a call is lost: too many wait for the database');
        return;
      }
      const journal = journals.of(callId);
      if (journal.stage === 'taken') return;
      journal.waiting.push({ ...fact, at: fact.at ?? clock.now() });
      backlog += 1;
      startDraining(callId, journal);
    },
    onWritten: (follow) => void followers.push(follow),
    onTaken: (follow) => void takenFollowers.push(follow),
    wasWritten: tellFollowers,
    written: journals.written,
    letGo: journals.letGo,
    waitingOf: journals.waitingOf,
    backlog: () => backlog,
    lost: () => lost,
    async settled() {
      while (draining.size > 0) await Promise.all(draining);
    },
    giveUp() {
      isGivingUp = true;
      writer.giveUp();
    },
  };
};
