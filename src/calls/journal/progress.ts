/**
 * The progress of each call, kept behind its back, so that another process can go on with it (`CallRevival`): only the
 * last word on a call counts, however much has happened since the one before. No call waits for it, and none is harmed
 * by what could not be kept.
 */
import type { SnapshotFrom } from 'xstate';
import { noKeysYet } from '#machines/collected-keys.ts';
import type { callMachine } from '#machines/call.ts';
import { byOtherClock, type CallProgress, type KeptProgress } from '#src/persistence/call-revivals.ts';
import { stateName } from '../live/chart-watch.ts';
import { createBatchWriter, type BatchWriterOptions } from './batch-writer.ts';

type CallSnapshot = SnapshotFrom<typeof callMachine>;

export type Progress = {
  /** Something has happened in the call, after this fact of its journal. Never throws. */
  note(callId: string, snapshot: CallSnapshot, facts: number): void;
  /** It goes on elsewhere, from where it is now: that is written still, though it is released. */
  leave(callId: string): void;
  release(callId: string): void;
  /** Resolves when all that is to be kept until now is written; while the database is away, when that was found out. */
  written(): Promise<void>;
  /** Writes what waits, once; what cannot be written is lost. */
  close(): Promise<void>;
};

type Last = { snapshot: CallSnapshot; facts: number; waits: boolean };

const progressOf = ({ snapshot, facts }: Last): CallProgress | undefined => {
  const conversation = snapshot.children.conversation?.getSnapshot();
  // While it resumes, the progress kept before the taking over still holds.
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
      // Secret ones are kept nowhere: they have to be pressed once more.
      collected: collected?.wanted.secret === true ? noKeysYet(collected.wanted) : collected,
    },
  };
};

export const createProgress = (
  options: Omit<BatchWriterOptions<string>, 'what' | 'write' | 'weightOf'> & {
    write: (kept: readonly KeptProgress[]) => Promise<void>;
    /** Which holder of a call this gateway is. */
    epochOf: (callId: string) => number;
    /** How far the time of the call is ahead of the clock that its charts go by, in milliseconds. */
    shiftOf: (callId: string) => number;
    /** The same, of the database's clock. */
    aheadOf: (callId: string) => number;
    /** The time of the call. */
    nowIn: (callId: string) => number;
  },
): Progress => {
  const calls = new Map<string, Last>();

  /** The last word on those that were left. */
  const left = new Map<string, KeptProgress>();

  const keptOf = (callId: string): KeptProgress | undefined => {
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
    what: 'how far calls have come',
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
      // Before the answer there is nothing to go on with.
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
