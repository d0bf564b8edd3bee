/**
 * The progress of each call, stored in the background, so that another process can take it over (`CallCheckpoint`): only
 * the latest state of a call counts. Calls do not wait for it and are unaffected if it cannot be stored.
 */
import type { SnapshotFrom } from 'xstate';
import { noKeysYet } from '#machines/collected-keys.ts';
import type { callMachine } from '#machines/call.ts';
import {
  byOtherClock,
  type CallProgress,
  type StoredProgress,
} from '#src/persistence/calls/call-checkpoints.ts';
import { stateName } from '#src/calls/live/chart-watch.ts';
import { createBatchWriter, type BatchWriterOptions } from '#src/calls/journal/batch-writer.ts';

type CallSnapshot = SnapshotFrom<typeof callMachine>;

export type Progress = {
  /** Stores the state after this fact of the call's journal. Never throws. */
  note(callId: string, snapshot: CallSnapshot, facts: number): void;
  /** Stores the current state of a call that is handed over; it is written although the call is released here. */
  leave(callId: string): void;
  release(callId: string): void;
  /** Resolves when all progress so far is written, or when the database proves to be down. */
  written(): Promise<void>;
  /** Writes the waiting progress once; what cannot be written is lost. */
  close(): Promise<void>;
};

type Last = { snapshot: CallSnapshot; facts: number; waits: boolean };

const progressOf = ({ snapshot, facts }: Last): CallProgress | undefined => {
  const conversation = snapshot.children.conversation?.getSnapshot();
  // Stores no progress while the call resumes: the progress from before the take-over remains valid.
  if (conversation === undefined || conversation.matches('resuming')) return undefined;
  const { callId: _callId, input: _input, messages: _messages, ...kept } = conversation.context;
  const { collected } = kept;
  return {
    facts,
    endReason: snapshot.context.endReason,
    pausedForSecret: snapshot.context.keys.secret?.pausedRecording ?? false,
    leftAt: null,
    conversation: {
      ...kept,
      state: stateName(conversation.value),
      // Leaves out secret digits: they have to be entered again.
      collected: collected?.wanted.secret === true ? noKeysYet(collected.wanted) : collected,
    },
  };
};

export const createProgress = (
  options: Omit<BatchWriterOptions<string>, 'what' | 'write' | 'weightOf'> & {
    write: (kept: readonly StoredProgress[]) => Promise<void>;
    /** Epoch of the call that this gateway holds. */
    epochOf: (callId: string) => number;
    /** Offset of the call's time from the clock of its charts, in milliseconds. */
    shiftOf: (callId: string) => number;
    /** Offset of the call's time from the database's clock, in milliseconds. */
    aheadOf: (callId: string) => number;
    /** Current time of the call. */
    nowIn: (callId: string) => number;
  },
): Progress => {
  const calls = new Map<string, Last>();

  /** The final progress of calls that were handed over. */
  const left = new Map<string, StoredProgress>();

  const keptOf = (callId: string): StoredProgress | undefined => {
    const last = calls.get(callId);
    const progress = last && progressOf(last);
    return (
      progress && {
        callId,
        epoch: options.epochOf(callId),
        progress: byOtherClock(progress, options.shiftOf(callId)),
        aheadMs: options.aheadOf(callId),
      }
    );
  };

  const writer = createBatchWriter<string>({
    ...options,
    what: 'checkpoints of calls',
    async write(callIds) {
      const kept = callIds
        .map((callId) => left.get(callId) ?? keptOf(callId))
        .filter((one) => one !== undefined);
      for (const callId of callIds) {
        const last = calls.get(callId);
        if (last !== undefined) last.waits = false;
      }
      if (kept.length > 0) await options.write(kept);
      for (const callId of callIds) left.delete(callId);
    },
  });

  return {
    note(callId, snapshot, facts) {
      const last = calls.get(callId);
      if (last?.waits === true) {
        Object.assign(last, { snapshot, facts });
        return;
      }
      // Stores no progress before the answer: there is no state to resume.
      if (!snapshot.matches('active')) return;
      calls.set(callId, { snapshot, facts, waits: writer.add(callId) });
    },
    leave(callId) {
      const last = keptOf(callId);
      if (last === undefined) return;
      left.set(callId, { ...last, progress: { ...last.progress, leftAt: options.nowIn(callId) } });
      writer.add(callId);
    },
    release: (callId) => void calls.delete(callId),
    written: writer.written,
    close: writer.close,
  };
};
