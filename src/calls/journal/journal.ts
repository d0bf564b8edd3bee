/**
 * The journal of facts. The facts of a call are written in order, each in one transaction with its events
 * (guides/design/architecture.md, "A journal of facts").
 *
 * A call never waits for the database. Facts wait in one queue per call, so that one call's facts stay in order and
 * calls do not delay each other. While the database is unavailable, facts wait, bounded by `limit` over all calls. A
 * fact may be written twice; its sequence number makes the second write harmless.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import {
  type JournalPosition,
  type RecordedFact,
  type WrittenFact,
  firstEpoch,
  sequencesOf,
  CallTaken,
} from '#src/persistence/calls/call-facts.ts';
import type { CallBus } from '../call-bus.ts';

type Unstamped<Fact> = Fact extends { at: number } ? Omit<Fact, 'at'> & { at?: number } : never;

/** A fact as passed to the journal. A fact without a time gets the time of its arrival. */
export type JournalFact = Unstamped<RecordedFact>;

export type Journal = {
  /** Begins the journal of a new call, or continues that of a call that was taken over. */
  open(callId: string, position?: JournalPosition): void;
  /**
   * Opens the journal of a call again, because this gateway claimed the call in order to end it. `epoch` is that of the
   * claim.
   */
  reopen(callId: string, epoch: number): void;
  /** Returns the epoch of a call that this gateway holds; the first epoch for an unknown call. */
  epochOf(callId: string): number;
  /** Returns the position of the last written fact of a call on this gateway. */
  positionOf(callId: string): JournalPosition;
  /** Queues a fact. A fact without a time gets the current time. Never throws. */
  append(callId: string, fact: JournalFact): void;
  /** Resolves when all facts of a call that were appended so far are written or dropped. */
  written(callId: string): Promise<void>;
  /** Resolves when all appended facts of a call are written. From then on another gateway writes the call's facts. */
  letGo(callId: string): Promise<void>;
  /** Returns the number of waiting facts of a call. */
  waitingOf(callId: string): number;
  /** Returns the number of waiting facts over all calls. */
  backlog(): number;
  /** Returns the number of facts dropped since `giveUp`. */
  lost(): number;
  /** Resolves when all facts that were appended so far are written or dropped. */
  settled(): Promise<void>;
  /** Stops waiting for an unavailable database. From then on, a fact that cannot be written is dropped immediately. */
  giveUp(): void;
};

/** Delay between two attempts: initial value, and maximum of the backoff. */
export type RetryTimes = { firstMs: number; longestMs: number };

export type JournalOptions = {
  /** Receives `stored` after each commit, and `taken`. */
  bus: CallBus;
  /**
   * Writes one fact. Writing the same sequence again must have no effect. Rejects with `CallTaken` if another gateway
   * holds the call or has ended it.
   */
  write: (callId: string, sequence: number, fact: RecordedFact, epoch: number) => Promise<WrittenFact | null>;
  /** Reads the journal position of a call that this journal has not opened. */
  positionOf: (callId: string) => Promise<JournalPosition>;
  /** Whether this gateway has to finish the recording of a call that has ended after another gateway took it. */
  finishesRecording: (callId: string) => Promise<boolean>;
  /** Whether this error means that the database is unavailable, so that a retry may succeed. */
  isPassing: (error: unknown) => boolean;
  retry: RetryTimes;
  clock: Clock;
  logger: Logger;
  /** Maximum number of waiting facts over all calls. */
  limit: number;
};

/** Waiting facts of one call, in order. */
type CallJournal = {
  /** Position of the last written fact; `null` until it was read from the database. */
  position: JournalPosition | null;
  /**
   * Epoch of the claim, for a call that was claimed in order to be ended; otherwise null, and the database has the
   * epoch.
   */
  claimed: number | null;
  waiting: RecordedFact[];
  /**
   * State of the call. `taken`: another gateway holds the call, and this gateway no longer writes its facts, except
   * those of its recording if the recording was left to this gateway (`finishing`).
   */
  stage: 'held' | 'over' | 'taken' | 'finishing';
  /** Resolves when all waiting facts are written; `null` if no facts wait. */
  drained: Promise<void> | null;
};

/** Maximum number of ended calls whose next sequence number is cached. */
const rememberedCalls = 1_000;

/** Journal position of a new call. */
const beginning: JournalPosition = { epoch: firstEpoch, sequence: 0 };

/** Journal of a call that is not open here, because it ended long ago or began in another process. */
const continued = (): CallJournal => ({
  position: null,
  claimed: null,
  waiting: [],
  stage: 'over',
  drained: null,
});

const isOfRecording = ({ type }: Pick<RecordedFact, 'type'>): boolean =>
  type === 'recording.completed' || type === 'recording.failed';

/** Stores the journal of each call: facts that wait to be written, and the number of the next fact. */
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
   * Caches the next sequence number of an ended call without waiting facts. Facts soon after the end (summary,
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
    /**
     * Whether this journal is still the current one of the call: this gateway has not opened the call again under a
     * later epoch.
     */
    isOpen: (callId: string, journal: CallJournal): boolean => journals.get(callId) === journal,
    /** See `Journal`. */
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
    /** Opens the journal of a call of this gateway, which is new or was taken over. */
    open(callId: string, position: JournalPosition = beginning): void {
      left.delete(callId);
      journals.set(callId, { ...continued(), position: { ...position }, stage: 'held' });
    },
    /** See `Journal`. */
    reopen(callId: string, epoch: number): void {
      left.delete(callId);
      journals.set(callId, { ...continued(), claimed: epoch });
    },
    /** Opens the journal of a call that another gateway has taken, for the facts of its recording. */
    finish(callId: string): CallJournal {
      const journal: CallJournal = { ...continued(), stage: 'finishing' };
      left.delete(callId);
      journals.set(callId, journal);
      return journal;
    },
    positionOf: (callId: string): JournalPosition => ({ ...(journals.get(callId)?.position ?? beginning) }),
  };
};

/** Result of writing a fact. `taken`: another gateway holds the call or has ended it. */
type FactOutcome = { written: WrittenFact | null } | 'given up' | 'taken';

type FactWriter = {
  /** Retries `write` until it succeeds, until `giveUp` is called, or until it rejects with `CallTaken`. */
  write(callId: string, fact: RecordedFact, write: () => Promise<WrittenFact | null>): Promise<FactOutcome>;
  /** Stops waiting for an unavailable database. From then on, a fact that cannot be written is dropped immediately. */
  giveUp(): void;
};

/** Maximum number of attempts for a fact that fails although the database is available. */
const triesOfABrokenFact = 3;

/**
 * Writes facts with retries: without a limit while the database is unavailable, and a few times if the database rejects
 * a fact. The writer has no state between facts.
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

/** Returns the end of a call without its summary; undefined for other facts, and for an end without a summary. */
const withoutSummary = (fact: RecordedFact): RecordedFact | undefined => {
  if (fact.type !== 'call.ended' || !('summary' in fact)) return undefined;
  const { summary: _, ...end } = fact;
  return end;
};

export const createJournal = (options: JournalOptions): Journal => {
  const { bus, clock, limit, logger } = options;
  const journals = createCallJournals();
  const draining = new Set<Promise<void>>();
  const writer = createFactWriter(options);
  let backlog = 0;
  let isGivingUp = false;
  let lost = 0;

  const lastWritten = async (callId: string, { claimed, stage }: CallJournal): Promise<JournalPosition> => {
    if (stage === 'finishing' && !(await options.finishesRecording(callId)))
      throw new CallTaken('Another gateway finishes this recording');
    const { sequence, epoch } = await options.positionOf(callId);
    return { sequence, epoch: claimed ?? epoch };
  };

  const write = (callId: string, journal: CallJournal, fact: RecordedFact): Promise<FactOutcome> =>
    writer.write(callId, fact, async () => {
      const position = (journal.position ??= await lastWritten(callId, journal));
      const written = await options.write(callId, position.sequence + 1, fact, position.epoch);
      position.sequence += sequencesOf(fact);
      // The gateway that ended the call may write further facts, such as the summary.
      if (journal.stage === 'finishing') journal.position = null;
      return written;
    });

  const giveAway = (callId: string, journal: CallJournal): void => {
    const dropped = journal.waiting.splice(0);
    backlog -= dropped.length;
    const { stage } = journal;
    journal.stage = 'taken';
    if (stage === 'taken') return;
    if (stage === 'finishing') {
      logger.warn({ call_id: callId }, 'another gateway finishes the recording of this call');
      return;
    }
    // The result belongs to an earlier journal of the call, which this gateway has opened again, so it is ignored.
    if (!journals.isOpen(callId, journal)) return;
    logger.warn(
      { call_id: callId },
      'another gateway holds this call or has ended it; this gateway releases it',
    );
    bus.publish('taken', { callId });
    for (const fact of dropped) if (isOfRecording(fact)) append(callId, fact);
  };

  const drain = async (callId: string, journal: CallJournal): Promise<void> => {
    for (let fact = journal.waiting[0]; fact !== undefined; fact = journal.waiting[0]) {
      let outcome = await write(callId, journal, fact);
      const end = outcome === 'given up' && !isGivingUp ? withoutSummary(fact) : undefined;
      if (end !== undefined) {
        // The summary quotes words, which may be what the database rejects. Without its end the call would stay in
        // progress.
        fact = end;
        outcome = await write(callId, journal, fact);
      }
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

  const append = (callId: string, fact: JournalFact): void => {
    // The end is kept beyond the limit: without it the call would stay in progress for ever.
    if (backlog >= limit && fact.type !== 'call.ended') {
      const about = { call_id: callId, fact: fact.type, waiting: backlog };
      logger.error(about, 'a fact of a call is lost: too many wait for the database');
      return;
    }
    const { stage } = journals.of(callId);
    if (!isOfRecording(fact) && (stage === 'taken' || stage === 'finishing')) return;
    const journal = stage === 'taken' ? journals.finish(callId) : journals.of(callId);
    journal.waiting.push({ ...fact, at: fact.at ?? clock.now() });
    backlog += 1;
    startDraining(callId, journal);
  };

  return {
    open: journals.open,
    reopen: journals.reopen,
    epochOf: (callId) => journals.positionOf(callId).epoch,
    positionOf: journals.positionOf,
    append,
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
