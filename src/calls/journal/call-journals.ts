/** Where the journal of each call stands: what waits to be written, and the number of the next fact. */
import { firstEpoch, type JournalPlace, type RecordedFact } from '#src/persistence/call-facts.ts';

/** Facts of one call that wait, in their order. */
export type CallJournal = {
  /** The last fact that is written; `null` until the database was asked. */
  place: JournalPlace | null;
  waiting: RecordedFact[];
  /** `taken`: another gateway holds the call, and nothing is written of it here. */
  stage: 'held' | 'over' | 'taken';
  /** Until what waits is written; `null` while nothing does. */
  drained: Promise<void> | null;
};

/** Calls that have ended whose next number is known without asking the database. */
const rememberedCalls = 1_000;

/** Of a call that is born. */
const beginning: JournalPlace = { epoch: firstEpoch, sequence: 0 };

/** A call that is not open here: it ended long ago, or another process began it. */
const continued = (): CallJournal => ({ place: null, waiting: [], stage: 'over', drained: null });

export const createCallJournals = () => {
  const journals = new Map<string, CallJournal>();
  /** Calls that are over, the one that was left last at the end. */
  const left = new Set<string>();

  const of = (callId: string): CallJournal => {
    const journal = journals.get(callId) ?? continued();
    journals.set(callId, journal);
    return journal;
  };

  /**
   * Nothing of it waits, and it is over. What soon follows its end (summary, recording) has its number here, and what
   * comes later in the database.
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
    /** See `Journal`, for all three. */
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
    /** Of a call that is held here: born, or taken over. */
    open(callId: string, place: JournalPlace = beginning): void {
      left.delete(callId);
      journals.set(callId, { ...continued(), place: { ...place }, stage: 'held' });
    },
    placeOf: (callId: string): JournalPlace => ({ ...(journals.get(callId)?.place ?? beginning) }),
  };
};
