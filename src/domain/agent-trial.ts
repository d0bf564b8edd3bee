/** A trial of an agent endpoint without a call: request and result. */
import type { Direction } from '#machines/line.ts';
import type { ReplyFailure } from '#machines/reply.ts';
import type { Control } from '#machines/control.ts';
import { agentTypes, type ControlMode } from './agent-binding.ts';
import type { AgentHeaders } from './agent-headers.ts';

/** Agents that can be tried: any type of endpoint, or the built-in agent with the operator's language model. */
export const trialAgents = [...agentTypes, 'builtin'] as const;
export type TrialAgent = (typeof trialAgents)[number];

export type TrialRequest = {
  agentType: TrialAgent;
  /** Null for the built-in agent. */
  chatUrl: string | null;
  assistantId: string | null;
  agentId: string | null;
  controls: ControlMode;
  /** For `Authorization: Bearer` in either direction. */
  token: string | null;
  headers: AgentHeaders;
  direction: Direction;
  language: string;
  /** Outbound only: part of the kickoff, which is then the first turn. */
  instruction: string | null;
  /** Words of the other party, turn by turn. */
  say: readonly string[];
  /** The number that would be called; an invented one if absent. */
  ownNumber?: string;
  /** Where that number lets its calls be transferred; absent where it lets them nowhere. */
  transferTo?: readonly string[];
};

/** One request and its response. Times are milliseconds since the beginning of the turn. */
export type Exchange = {
  sent: {
    atMs: number;
    method: 'POST';
    url: string;
    /** The bearer token and the values of custom headers are masked. */
    headers: Record<string, string>;
    body: string;
  };
  /** Null without a response. */
  received: {
    status: number;
    headers: Record<string, string>;
    firstByteMs: number | null;
    /** Null while the response is incomplete. */
    endMs: number | null;
    /** Size of the body as far as it was read. */
    bytes: number;
    /** Beginning of the body. */
    body: string;
  } | null;
  /** Why there was no response, or why it broke off. */
  error: string | null;
};

export type TriedTurn = {
  /** Counted from 1. */
  turn: number;
  /** Words of the other party, or the kickoff. */
  message: string;
  exchanges: Exchange[];
  /** Sentences to speak, and when each was ready. */
  spoken: { text: string; atMs: number }[];
  /** Acts of the agent and when they arrived; in a call they take effect after the words before them were heard. */
  controls: (Control & { atMs: number })[];
  /** Times of the reply itself, without preparatory requests. */
  firstByteMs: number | null;
  firstSentenceMs: number | null;
  endMs: number;
  remarks: string[];
  failure: { kind: ReplyFailure; detail: string; serverSays: string | null } | null;
  /** Advice. */
  advice: string | null;
};

export type AgentTrial = {
  /** Call id of the trial, used as the session's name. */
  callId: string;
  agentType: TrialAgent;
  direction: Direction;
  language: string;
  /** Whether every turn got a spoken reply or an act. */
  ok: boolean;
  /** Given fields that this direction or type does not use. */
  notes: string[];
  /** Turns up to the first failure. */
  turns: TriedTurn[];
};
