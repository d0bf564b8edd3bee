/**
 * What a call publishes: the facts of its journal. A fact is written once, in order; the row of the call and the
 * events for customers are made from it in one transaction.
 */
import type { SipDetails } from './line.ts';
import type { EndReason } from './outcome.ts';
import type { ReplyFailure } from './reply.ts';

/**
 * `at` is wall-clock milliseconds since the epoch. A fact that comes from a timer of the chart carries none:
 * the chart has no clock, so the journal stamps it on arrival.
 */
export type CallFact =
  | { type: 'call.answered'; at: number; sip?: SipDetails }
  | { type: 'call.hangup_requested'; at?: number; immediate: boolean }
  | { type: 'call.hangup_cancelled'; at?: number }
  /** Words that were really heard on the line, by either party; a row of the transcript. */
  | {
      type: 'turn.spoken';
      at: number;
      endedAt: number;
      role: 'assistant' | 'user';
      text: string;
      whole: boolean;
    }
  | { type: 'turn.digit'; at: number; digit: string }
  /** The agent pressed keys, as in `LineCommand`. */
  | { type: 'keys.pressed'; at?: number; keys: string }
  /** A reply that did not come; `turn` is the reply's number. */
  | { type: 'reply.failed'; at?: number; turn: number; failure: ReplyFailure; detail?: string }
  | { type: 'call.ended'; at?: number; reason: EndReason; status: FinalStatus; sip?: SipDetails };

export type FinalStatus = 'completed' | 'no_answer' | 'failed';
