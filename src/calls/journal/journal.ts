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
import type { CallToSummarize } from '#src/domain/call-summary.ts';
import type { JournalPlace, RecordedFact, WrittenFact } from '#src/persistence/call-facts.ts';
import { createCallJournals, type CallJournal } from './call-journals.ts';
import { createFactWriter, type FactOutcome, type RetryTimes } from './fact-writer.ts';

type Unstamped<Fact> = Fact extends { at: number } ? Omit<Fact, 'at'> & { at?: number } : never;

/** A fact as a journal takes it in: one that carries no time is stamped on arrival. */
export type JournalFact = Unstamped<RecordedFact>;

/** `ended`: of a call that has ended with this fact, what the database knows of it, where that is known here. */
export type FollowFact = (callId: string, fact: RecordedFact, ended?: CallToSummarize | null) => void;

export type Journal = {
  /** Begins the journal of a call that is born here, or goes on with that of one that was taken over. */
  open(callId: string, place?: JournalPlace): void;
  /** Which holder of the call this gateway is; the first one of a call that it knows nothing of. */
  epochOf(callId: string): number;
  /** The last fact that was written of a call that is held here. */
  placeOf(callId: string): JournalPlace;
  /** Queues a fact; a fact without a time is stamped now. Never throws. */
  publish(callId: string, fact: JournalFact): void;
  /** Calls back after each fact is safely written. `follow` must not throw. */
  onWritten(follow: FollowFact): void;
  /**
   * Calls back when it is found out that another gateway holds a call, or has ended it: nothing more is written of it.
   * Must not throw.
   */
  onTaken(follow: (callId: string) => void): void;
  /** A fact of a call was written with its row: what follows a written fact follows. */
  wasWritten(callId: string, fact: RecordedFact): void;
  /** Resolves when all that was published of a call until now is written or given up. */
  written(callId: string): Promise<void>;
  /** Resolves when all that was published of a call is written, which another gateway goes on with: no more is. */
  letGo(callId: string): Promise<void>;
  /** Facts of this call that wait to be written. */
  waitingOf(callId: string): number;
  /** Facts that wait to be written, over all calls. */
  backlog(): number;
  /** Facts that were given up since `giveUp`. */
  lost(): number;
  /** Resolves when everything published so far is written or given up. */
  settled(): Promise<void>;
  /** From now on nothing waits for an absent database: a fact that cannot be written is given up at once. */
  giveUp(): void;
};

export type JournalOptions = {
  /**
   * Writes one fact. Writing the same sequence again must change nothing. Rejects with `CallTaken` where another gateway
   * holds the call, or has ended it.
   */
  write: (callId: string, sequence: number, fact: RecordedFact, epoch: number) => Promise<WrittenFact | null>;
  /** Where the journal of a call stands that is not open here. */
  placeOf: (callId: string) => Promise<JournalPlace>;
  /** Whether this error means that the database is away, so that the same fact may succeed later. */
  isPassing: (error: unknown) => boolean;
  retry: RetryTimes;
  clock: Clock;
  logger: Logger;
  /** Facts that may wait at once, over all calls. */
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
