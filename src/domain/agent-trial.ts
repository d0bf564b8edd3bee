/** A conversation with an agent endpoint without a call: what is asked for, and what came of it. */
import type { Direction } from '#machines/line.ts';
import type { ReplyFailure } from '#machines/reply.ts';
import type { Control } from '#machines/control.ts';
import { agentTypes, type ControlMode } from './agent-binding.ts';
import type { AgentHeaders } from './agent-headers.ts';

/**
 * The kinds of agents that can be tried: any type of endpoint, or the built-in agent with the operator's language
 * model.
 */
export const trialAgents = [...agentTypes, 'builtin'] as const;
export type TrialAgent = (typeof trialAgents)[number];

export type TrialRequest = {
  agentType: TrialAgent;
  /** Null for the built-in agent. */
  chatUrl: string | null;
  assistantId: string | null;
  agentId: string | null;
  controls: ControlMode;
  /** For `Authorization: Bearer`, in either direction. */
  token: string | null;
  headers: AgentHeaders;
  direction: Direction;
  language: string;
  /** Outbound only: it goes into the kickoff, which is the first turn then. */
  instruction: string | null;
  /** What the other party says, turn by turn. */
  say: readonly string[];
  /** The number that the call would be made with; an invented one when absent. */
  ownNumber?: string;
};

/** One request and what came of it. Times are milliseconds since the turn began. */
export type Exchange = {
  sent: {
    atMs: number;
    method: 'POST';
    url: string;
    /** The bearer token and the values of the customer's own headers are masked. */
    headers: Record<string, string>;
    body: string;
  };
  /** Null where there was no response. */
  received: {
    status: number;
    headers: Record<string, string>;
    firstByteMs: number | null;
    /** Null while it has not ended. */
    endMs: number | null;
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
  spoken: { text: string; atMs: number }[];
  /** What the agent would do, and when that came; it is done when what stands before it was heard. */
  controls: (Control & { atMs: number })[];
  /** Of the reply itself, not of the requests that prepare for it. */
  firstByteMs: number | null;
  firstSentenceMs: number | null;
  endMs: number;
  remarks: string[];
  failure: { kind: ReplyFailure; detail: string; serverSays: string | null } | null;
  /** What to change. */
  advice: string | null;
};

export type AgentTrial = {
  /** Of no call; the session was named with it. */
  callId: string;
  agentType: TrialAgent;
  direction: Direction;
  language: string;
  /** Whether every turn got a reply that would be spoken, or acts. */
  ok: boolean;
  /** What was given and is not used in this direction or by this type. */
  notes: string[];
  /** Up to the first one that failed. */
  turns: TriedTurn[];
};
