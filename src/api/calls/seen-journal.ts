import type { CallRecord, JournalEntry } from '#src/calls/stored-calls.ts';

/** The journal of a call as far as it was read, and whether more facts may follow. */
export type SeenJournal = {
  /** Sequence number of the last fact; 0 before the first. */
  last(): number;
  add(entry: JournalEntry): void;
  /** Whether the last fact of the call was read, as far as the fact types show. */
  isWhole(): boolean;
  /** End of the call in milliseconds; infinite until its fact was read. */
  endedAt(): number;
};

export const createSeenJournal = (call: CallRecord): SeenJournal => {
  const types = new Set<string>();
  let last = 0;
  let endedAt = Infinity;
  return {
    last: () => last,
    add({ sequence, type, at }) {
      last = sequence;
      types.add(type);
      if (type === 'call.ended') endedAt = at.getTime();
    },
    isWhole() {
      if (!types.has('call.ended')) return call.endedAt !== null && types.size === 0;
      const isRecorded = call.recordingEnabled && types.has('call.answered');
      const recordingIsDone = types.has('recording.completed') || types.has('recording.failed');
      return types.has('call.summarized') && (!isRecorded || recordingIsDone);
    },
    endedAt: () => endedAt,
  };
};
