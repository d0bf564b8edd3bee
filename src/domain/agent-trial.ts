/** A trial of an agent endpoint without a call: request and result. */
import type { Direction } from '#machines/line.ts';
import type { ReplyFailure } from '#machines/reply.ts';
import type { Control } from '#machines/control.ts';
import { agentTypes, type BuiltInSettings, type ControlMode } from './agent-binding.ts';
import type { AgentHeaders } from './agent-headers.ts';

/** Agents that can be tried: any type of endpoint, or the built-in agent with the operator's language model. */
export const trialAgents = [...agentTypes, 'builtin'] as const;
export type TrialAgent = (typeof trialAgents)[number];

export type TrialRequest = BuiltInSettings & {
  agentType: TrialAgent;
  /** Chat URL; null for the built-in agent. */
  chatUrl: string | null;
  assistantId: string | null;
  agentId: string | null;
  controls: ControlMode;
  /** Bearer token for the trial, whatever the direction. */
  token: string | null;
  headers: AgentHeaders;
  direction: Direction;
  language: string;
  /** Task of an outbound call, which is a part of the kickoff; the kickoff is then the first turn. */
  instruction: string | null;
  /** Words of the other party, one text for each turn. */
  say: readonly string[];
  /** The number from which the call would be placed or at which it would arrive; if absent, an invented number. */
  ownNumber?: string;
  /** Allowed transfer targets of the number; absent if there are no targets. */
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
  /** The response; null if none arrived. */
  received: {
    status: number;
    headers: Record<string, string>;
    firstByteMs: number | null;
    /** Time of the response's end; null while the response is incomplete. */
    endMs: number | null;
    /** Number of body bytes that were read. */
    bytes: number;
    /** Beginning of the response body. */
    body: string;
  } | null;
  /** Error of the request: there was no response, or the response broke off. */
  error: string | null;
};

export type TriedTurn = {
  /** Number of the turn, counted from 1. */
  turn: number;
  /** Words of the other party, or the kickoff. */
  message: string;
  exchanges: Exchange[];
  /** Sentences to speak, each with the time at which it was complete. */
  spoken: { text: string; atMs: number }[];
  /**
   * Controls of the agent, each with its time of arrival. In a call, a control takes effect after the words before it
   * were heard.
   */
  controls: (Control & { atMs: number })[];
  /** Times of the reply itself, without those of preparatory requests. */
  firstByteMs: number | null;
  firstSentenceMs: number | null;
  endMs: number;
  remarks: string[];
  failure: { kind: ReplyFailure; detail: string; serverSays: string | null } | null;
  /** Advice for the owner of the agent. */
  advice: string | null;
};

export type AgentTrial = {
  /** Call id of the trial, used as the session's name. */
  callId: string;
  agentType: TrialAgent;
  direction: Direction;
  language: string;
  /** Whether every turn had a spoken reply or a control. */
  ok: boolean;
  /** Notes about fields of the request that this direction or type does not use. */
  notes: string[];
  /** Turns up to the first failed one, inclusive. */
  turns: TriedTurn[];
};
