/** The calls of a rehearsal, as its runner places and reads them. The gateway provides them. */
import type { ScriptProgress, ScriptRehearsal } from '#src/domain/simulated-callee.ts';
import type { JournalledStep } from './coverage.ts';
import type { SpokenTurn } from './transcripts.ts';

type Scripted = { script: readonly object[]; rehearsal: ScriptRehearsal };

/** An ended call as it is judged. */
export type EndedCallRecord = {
  status: string;
  endReason: string | null;
  /** Seconds since the answer; null without an answer. */
  durationSec: number | null;
  /** Target of the last transfer; null without one. */
  transferTo: string | null;
  turns: readonly SpokenTurn[];
  /** Types of the call's events. */
  facts: readonly string[];
  /** Verdicts about who answered, in order. */
  answeredBy: readonly string[];
  /** Known latencies of the replies in milliseconds. */
  latenciesMs: readonly number[];
  steps: readonly JournalledStep[];
  /** Progress of the script; undefined if the call was never answered. */
  progress: Readonly<ScriptProgress> | undefined;
};

export type RehearsedCalls = {
  /** Places a call to the number. Resolves to its id. Throws a Refusal. */
  callIn(call: Scripted & { from: string }): Promise<string>;
  /** Places a call from the number to a callee with this script. Resolves to its id. Throws a Refusal. */
  callOut(call: Scripted & { instruction: string | null }): Promise<string>;
  /**
   * Resolves when the call has ended. Hangs up and rejects if the call cannot be read, or with the signal's reason if it
   * aborts.
   */
  ended(callId: string, signal: AbortSignal): Promise<EndedCallRecord>;
};
