/** State of the journal of each call: facts that wait to be written, and the number of the next fact. */
import { firstEpoch, type JournalPlace, type RecordedFact } from '#src/persistence/call-facts.ts';

/** Waiting facts of one call, in order. */
export type CallJournal = {
  /** The last written fact; `null` until the database was queried. */
  place: JournalPlace | null;
  waiting: RecordedFact[];
  /** `taken`: another gateway holds the call, so this one no longer writes facts of it. */
  stage: 'held' | 'over' | 'taken';
  /** Resolves when all waiting facts are written; `null` if none wait. */
  drained: Promise<void> | null;
};

/** Maximum of ended calls whose next number is cached. */
const rememberedCalls = 1_000;

/** Journal position of a new call. */
const beginning: JournalPlace = { epoch: firstEpoch, sequence: 0 };

/** A call that is not open here: it ended long ago, or began in another process. */
const continued = (): CallJournal => ({ place: null, waiting: [], stage: 'over', drained: null });

export const createCallJournals = () => {
  const journals = new Map<string, CallJournal>();
  /** Ended calls in the order of their last use. */
  const left = new Set<string>();

  const of = (callId: string): CallJournal => {
    const journal = journals.get(callId) ?? continued();
    journals.set(callId, journal);
    return journal;
  };

  /**
   * The call has ended and no facts wait. Facts soon after the end (summary, recording) take their number from this
   * cache, later ones from the database.
   */
  const leave = (callId: string): void => {
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
    /** These three are described at `Journal`. */
    waitingOf: (callId: string): number => journals.get(callId)?.waiting.length ?? 0,
    async written(callId: string): Promise<void> {
      await journals.get(callId)?.drained;
    },
    async letGo(callId: string): Promise<void> {
      const journal = of(callId);
      await journal.drained;
      journal.stage = 'taken';
      leave(callId);
    },
    /** For a call of this gateway: new, or taken over. */
    open(callId: string, place: JournalPlace = beginning): void {
      left.delete(callId);
      journals.set(callId, { ...continued(), place: { ...place }, stage: 'held' });
    },
    placeOf: (callId: string): JournalPlace => ({ ...(journals.get(callId)?.place ?? beginning) }),
  };
};
