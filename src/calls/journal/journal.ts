/**
 * The journal of facts. The facts of a call are written in order, each in one transaction with its events
 * (guides/design/architecture.md, "A journal of facts").
 *
 * A call never waits for the database. Facts queue per call, so that one call's facts stay in order and calls do not
 * delay each other. While the database is unavailable, facts wait, bounded by `limit` over all calls. A fact may be
 * written twice; its sequence number makes the second write harmless.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import {
  type JournalPosition,
  type RecordedFact,
  type WrittenFact,
  firstEpoch,
  CallTaken,
} from '#src/persistence/calls/call-facts.ts';
import type { CallBus } from '../call-bus.ts';

type Unstamped<Fact> = Fact extends { at: number } ? Omit<Fact, 'at'> & { at?: number } : never;

/** A fact as passed to the journal: one without a time is stamped on arrival. */
export type JournalFact = Unstamped<RecordedFact>;

export type Journal = {
  /** Begins the journal of a new call, or continues that of a call that was taken over. */
  open(callId: string, position?: JournalPosition): void;
  /** Begins again with a call that this gateway claimed in order to end it; `epoch` is that of the claim. */
  reopen(callId: string, epoch: number): void;
  /** Epoch of the call that this gateway holds; the first epoch for an unknown call. */
  epochOf(callId: string): number;
  /** The last written fact of a call on this gateway. */
  positionOf(callId: string): JournalPosition;
  /** Queues a fact; a fact without a time is stamped now. Never throws. */
  append(callId: string, fact: JournalFact): void;
  /** Resolves when all facts of a call appended so far are written or dropped. */
  written(callId: string): Promise<void>;
  /** Resolves when all appended facts of a call are written; another gateway writes the later ones. */
  letGo(callId: string): Promise<void>;
  /** Number of waiting facts of this call. */
  waitingOf(callId: string): number;
  /** Number of waiting facts over all calls. */
  backlog(): number;
  /** Number of facts dropped since `giveUp`. */
  lost(): number;
  /** Resolves when everything appended so far is written or dropped. */
  settled(): Promise<void>;
  /** Ends waiting for an unavailable database: a fact that cannot be written is dropped immediately. */
  giveUp(): void;
};

/** Delay between two attempts: initial value, and maximum of the backoff. */
export type RetryTimes = { firstMs: number; longestMs: number };

export type JournalOptions = {
  /** Receives `stored` after each commit, and `taken`. */
  bus: CallBus;
  /**
   * Writes one fact. Writing the same sequence again must have no effect. Rejects with `CallTaken` if another gateway
   * holds the call, or has ended it.
   */
  write: (callId: string, sequence: number, fact: RecordedFact, epoch: number) => Promise<WrittenFact | null>;
  /** Reads the journal position of a call that is not open here. */
  positionOf: (callId: string) => Promise<JournalPosition>;
  /** Whether this error means that the database is unavailable, so that a retry may succeed. */
  isPassing: (error: unknown) => boolean;
  retry: RetryTimes;
  clock: Clock;
  logger: Logger;
  /** Maximum of waiting facts over all calls. */
  limit: number;
};

/** Waiting facts of one call, in order. */
type CallJournal = {
  /** The last written fact; `null` until the database was read. */
  position: JournalPosition | null;
  /** Epoch of the claim of a call that is to be ended; otherwise the database has the epoch. */
  claimed: number | null;
  waiting: RecordedFact[];
  /** `taken`: another gateway holds the call; this gateway no longer writes its facts. */
  stage: 'held' | 'over' | 'taken';
  /** Resolves when all waiting facts are written; `null` if none wait. */
  drained: Promise<void> | null;
};

/** Maximum of ended calls whose next sequence number is cached. */
const rememberedCalls = 1_000;

/** Journal position of a new call. */
const beginning: JournalPosition = { epoch: firstEpoch, sequence: 0 };

/** Opens a call that is not open here: it ended long ago, or began in another process. */
const continued = (): CallJournal => ({
  position: null,
  claimed: null,
  waiting: [],
  stage: 'over',
  drained: null,
});

/** The journal of each call: facts that wait to be written, and the number of the next fact. */
const createCallJournals = () => {
  const journals = new Map<string, CallJournal>();
  /** Ended calls in the order of their last use. */
  const left = new Set<string>();

  const of = (callId: string): CallJournal => {
    const journal = journals.get(callId) ?? continued();
    journals.set(callId, journal);
    return journal;
  };

  /**
   * Keeps the next sequence number of an ended call without waiting facts. Facts soon after the end (summary,
   * recording) use it; later facts read it from the database. An older journal of a call that was opened again is
   * forgotten.
   */
  const leave = (callId: string, journal: CallJournal): void => {
    if (journals.get(callId) !== journal) return;
    left.delete(callId);
    left.add(callId);
    const [oldest] = left;
    if (left.size <= rememberedCalls || oldest === undefined) return;
    left.delete(oldest);
    if (journals.get(oldest)?.drained === null) journals.delete(oldest);
  };

  return {
    of,
    leave,
    /** Whether this gateway has not opened the call again, under a later epoch, since this journal began. */
    isOpen: (callId: string, journal: CallJournal): boolean => journals.get(callId) === journal,
    /** Described at `Journal`. */
    waitingOf: (callId: string): number => journals.get(callId)?.waiting.length ?? 0,
    async written(callId: string): Promise<void> {
      await journals.get(callId)?.drained;
    },
    async letGo(callId: string): Promise<void> {
      const journal = of(callId);
      await journal.drained;
      journal.stage = 'taken';
      leave(callId, journal);
    },
    /** Opens the journal of a call of this gateway: new, or taken over. */
    open(callId: string, position: JournalPosition = beginning): void {
      left.delete(callId);
      journals.set(callId, { ...continued(), position: { ...position }, stage: 'held' });
    },
    /** Described at `Journal`. */
    reopen(callId: string, epoch: number): void {
      left.delete(callId);
      journals.set(callId, { ...continued(), claimed: epoch });
    },
    positionOf: (callId: string): JournalPosition => ({ ...(journals.get(callId)?.position ?? beginning) }),
  };
};

/** `taken`: another gateway holds the call, or has ended it. */
type FactOutcome = { written: WrittenFact | null } | 'given up' | 'taken';

type FactWriter = {
  /** Retries `write` until it succeeds, is told to give up, or rejects with `CallTaken`. */
  write(callId: string, fact: RecordedFact, write: () => Promise<WrittenFact | null>): Promise<FactOutcome>;
  /** Ends waiting for an unavailable database: a fact that cannot be written is dropped immediately. */
  giveUp(): void;
};

/** Maximum attempts for a fact that fails although the database is available. */
const triesOfABrokenFact = 3;

/**
 * Writes facts with retries: without a limit while the database is unavailable, and a few times if the database rejects
 * a fact. Keeps no state between facts.
 */
const createFactWriter = (options: {
  /** Whether this error means that the database is unavailable, so that a retry may succeed. */
  isPassing: (error: unknown) => boolean;
  retry: RetryTimes;
  clock: Clock;
  logger: Logger;
}): FactWriter => {
  const { isPassing, retry, clock, logger } = options;
  const pauses = new Set<() => void>();
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

  /** Returns whether to retry, and logs the decision. */
  const mayTryAgain = (callId: string, fact: RecordedFact, error: unknown, tries: number): boolean => {
    const about = { call_id: callId, fact: fact.type, err: error };
    if (isGivenUp || (!isPassing(error) && tries >= triesOfABrokenFact)) {
      logger.error(about, 'a fact of a call could not be written');
      return false;
    }
    if (tries === 1) logger.warn(about, 'a fact of a call waits for the database');
    return true;
  };

  return {
    async write(callId, fact, write) {
      let delayMs = retry.firstMs;
      for (let tries = 1; ; tries += 1) {
        try {
          return { written: await write() };
        } catch (error) {
          if (error instanceof CallTaken) return 'taken';
          if (!mayTryAgain(callId, fact, error, tries)) return 'given up';
        }
        await pause(delayMs);
        delayMs = Math.min(delayMs * 2, retry.longestMs);
      }
    },
    giveUp() {
      isGivenUp = true;
      for (const end of pauses) end();
    },
  };
};

export const createJournal = (options: JournalOptions): Journal => {
  const { bus, clock, limit, logger } = options;
  const journals = createCallJournals();
  const draining = new Set<Promise<void>>();
  const writer = createFactWriter(options);
  let backlog = 0;
  let isGivingUp = false;
  let lost = 0;

  const lastWritten = async (callId: string, { claimed }: CallJournal): Promise<JournalPosition> => {
    const { sequence, epoch } = await options.positionOf(callId);
    return { sequence, epoch: claimed ?? epoch };
  };

  const write = (callId: string, journal: CallJournal, fact: RecordedFact): Promise<FactOutcome> =>
    writer.write(callId, fact, async () => {
      const position = (journal.position ??= await lastWritten(callId, journal));
      const written = await options.write(callId, position.sequence + 1, fact, position.epoch);
      position.sequence += 1;
      return written;
    });

  const giveAway = (callId: string, journal: CallJournal): void => {
    backlog -= journal.waiting.splice(0).length;
    if (journal.stage === 'taken') return;
    journal.stage = 'taken';
    // The write of an earlier holding says nothing about the call that this gateway holds again.
    if (!journals.isOpen(callId, journal)) return;
    logger.warn(
      { call_id: callId },
      'another gateway holds this call or has ended it; this gateway releases it',
    );
    bus.publish('taken', { callId });
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
      else bus.publish('stored', { callId, fact, ended: outcome.written?.ended ?? null });
    }
    journal.drained = null;
    if (journal.stage !== 'held') journals.leave(callId, journal);
  };

  const startDraining = (callId: string, journal: CallJournal): void => {
    if (journal.drained !== null) return;
    const drained = drain(callId, journal).finally(() => draining.delete(drained));
    journal.drained = drained;
    draining.add(drained);
  };

  return {
    open: journals.open,
    reopen: journals.reopen,
    epochOf: (callId) => journals.positionOf(callId).epoch,
    positionOf: journals.positionOf,
    append(callId, fact) {
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
