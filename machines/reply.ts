/** The interface between a conversation and an agent: one reply at a time, sentence by sentence. */
import { fromCallback } from 'xstate';
import type { Control } from './control.ts';

/** A message of the history for an agent. An interrupted reply contains only the part that was heard. */
export type Message = { role: 'user' | 'assistant'; content: string };

/** Input of a reply. `messages` ends with the new user turn (or with the kickoff). */
export type ReplyInput = {
  callId: string;
  /** Number of the reply within the call, counted from 1. */
  turn: number;
  messages: readonly Message[];
};

/**
 * Reasons for a failed reply, in the terms of the agent interface. The reasons contain no customer data and are safe to
 * log.
 */
export type ReplyFailure =
  | 'connect_timeout'
  /** The circuit breaker is open: the gateway sent no request, because the server did not answer recently. */
  | 'circuit_open'
  /** The workspace has reached its limit of concurrent requests. */
  | 'over_capacity'
  | 'first_token_timeout'
  | 'reply_timeout'
  | 'connection_failed'
  | 'tls_failed'
  | 'target_refused'
  | 'redirect_refused'
  | 'http_error'
  | 'invalid_reply'
  /** The server's response contained no reply. */
  | 'no_reply'
  /** The server's response reports a failure or refusal of the agent. */
  | 'agent_reported_error'
  /** The server ended the reply within a sentence. */
  | 'reply_cut_off'
  | 'reply_too_large'
  | 'agent_crashed'
  /** The gateway that requested the reply no longer exists. */
  | 'gateway_lost';

/** Events of a reply for its conversation. `reply.finished` and `reply.failed` are final. */
export type ReplyEvent =
  | { type: 'reply.sentence'; text: string }
  /** A control, which is executed after the sentences before it were heard. */
  | { type: 'reply.control'; control: Control }
  | { type: 'reply.finished' }
  | { type: 'reply.failed'; failure: ReplyFailure; detail?: string };

/** Placeholder of the reply actor. Leaving the state that invokes the actor aborts the request. */
export const reply = fromCallback<{ type: 'none' }, ReplyInput>(() => {
  throw new Error('No "reply" was provided to this machine');
});
