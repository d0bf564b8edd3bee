/** The interface between a conversation and an agent: one reply at a time, sentence by sentence. */
import { fromCallback } from 'xstate';
import type { Control } from './control.ts';

/** One message of the history that an agent is given. What an interrupted reply holds is what was heard of it. */
export type Message = { role: 'user' | 'assistant'; content: string };

/** The input of a reply. `messages` ends with the new turn of the user (or with the kickoff). */
export type ReplyInput = {
  callId: string;
  /** Counts the replies of the call, from 1. */
  turn: number;
  messages: readonly Message[];
};

/** The failures of a reply; the words of the agent interface, safe to log. */
export type ReplyFailure =
  | 'connect_timeout'
  /** Its server has not answered lately, so it was not asked. */
  | 'circuit_open'
  /** The workspace has as many requests under way as it may. */
  | 'over_capacity'
  | 'first_token_timeout'
  | 'reply_timeout'
  | 'connection_failed'
  | 'tls_failed'
  | 'target_refused'
  | 'redirect_refused'
  | 'http_error'
  | 'invalid_reply'
  /** The server answered, but there was no reply in it. */
  | 'no_reply'
  /** The agent itself said, within an answer, that it has failed or refuses. */
  | 'agent_reported_error'
  /** The server ended the reply within a sentence. */
  | 'reply_cut_off'
  | 'reply_too_large'
  | 'agent_crashed'
  /** The gateway that had asked for it is no more. */
  | 'gateway_lost';

/** Events of a reply, for its conversation. After `reply.finished` or `reply.failed` it is silent. */
export type ReplyEvent =
  | { type: 'reply.sentence'; text: string }
  /** It acts when the sentences before it were heard. */
  | { type: 'reply.control'; control: Control }
  | { type: 'reply.finished' }
  | { type: 'reply.failed'; failure: ReplyFailure; detail?: string };

/** The actor's place in the charts; leaving the state that invokes it aborts the request behind it. */
export const reply = fromCallback<{ type: 'none' }, ReplyInput>(() => {
  throw new Error('No "reply" was provided to this machine');
});
