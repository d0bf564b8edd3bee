/** A conversation with an agent endpoint without a call, as it is shown: on a terminal, as JSON, by the admin API. */
import type { Direction } from '#machines/line.ts';
import type { ReplyFailure } from '#machines/reply.ts';
import type { TrialAgent } from './trial-request.ts';

/** One request and what came of it. Times are milliseconds since the turn began. */
export type Exchange = {
  sent: {
    at_ms: number;
    method: 'POST';
    url: string;
    /** The bearer token is masked. */
    headers: Record<string, string>;
    body: string;
  };
  /** Null where there was no response. */
  received: {
    status: number;
    headers: Record<string, string>;
    first_byte_ms: number | null;
    /** Null while it has not ended. */
    end_ms: number | null;
    /** Of the whole body, as far as it was read. */
    bytes: number;
    /** Its beginning. */
    body: string;
  } | null;
  /** Why there was no response, or why it broke off. */
  error: string | null;
};

export type TriedTurn = {
  /** From 1. */
  turn: number;
  /** What the other party said, or the kickoff. */
  message: string;
  exchanges: Exchange[];
  /** What would be spoken, and when it was ready for the voice. */
  spoken: { text: string; at_ms: number }[];
  /** Of the reply itself, not of the requests that prepare for it. */
  first_byte_ms: number | null;
  first_sentence_ms: number | null;
  end_ms: number;
  remarks: string[];
  failure: { kind: ReplyFailure; detail: string; server_says: string | null } | null;
  /** What to change. */
  advice: string | null;
};

export type AgentTrial = {
  call_id: string;
  agent_type: TrialAgent;
  direction: Direction;
  language: string;
  /** Whether every turn got a reply that would be spoken. */
  ok: boolean;
  /** What was given and is not used in this direction or by this type. */
  notes: string[];
  /** Up to the first one that failed. */
  turns: TriedTurn[];
};
