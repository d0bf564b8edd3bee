/**
 * An agent is created for one call and streams replies in pieces. The gateway treats the built-in agent and a
 * customer's server alike, whatever the wire format (guides/design/agents.md).
 */
import type { Control } from '#machines/control.ts';
import type { Message, ReplyFailure } from '#machines/reply.ts';

export type AgentRequest = {
  /** Number of the reply within the call, from 1. */
  turn: number;
  /** The history; ends with the user's new turn, or with the kickoff. */
  messages: readonly Message[];
};

/** The sentence so far is complete, even if its text does not show it: it will not be continued. */
export const sentenceEnd = Symbol('sentence end');

/** Retracts the text so far: the model was thinking aloud, which only the end of its thoughts shows. */
export const retraction = Symbol('retraction');

/**
 * A remark for the log; the reply is still valid. Safe to log. `endsEarly`: the server ended the reply before it was
 * complete; the reply fails if that cut a sentence.
 */
export type Remark = { remark: string; endsEarly?: true };

/** Controls that an answer lists beside its text, unparsed. */
export type ListedControls = { controls: unknown };

/** An act of the built-in agent after the words so far, requested by its model through a tool call. */
export type ToolControl = { control: Control };

export type ReplyPiece =
  string | typeof sentenceEnd | typeof retraction | Remark | ListedControls | ToolControl;

export type Agent = {
  /** Whether the binding allows controls; otherwise tags are plain text and listed controls are ignored. */
  writesControls?: boolean;
  /**
   * Whether the agent is the customer's endpoint. Only endpoints receive secret DTMF digits; the built-in agent would
   * read them back.
   */
  getsSecretKeys?: boolean;
  /** The other party is on the line: the agent may prepare its first reply now. Never throws. */
  begin?(): void;
  /**
   * Yields the reply's text in pieces, cut anywhere. Ending without text means chosen silence, which must be declared
   * in the agent's own format; any other reply without words is a failure. Throws an AgentFailure or EndpointFailure if
   * the reply cannot be obtained; earlier pieces remain valid. An aborted signal means that the reply is no longer
   * wanted; errors after that are ignored.
   */
  reply(request: AgentRequest, signal: AbortSignal): AsyncIterable<ReplyPiece>;
  /** The call has ended: releases all resources of the agent. Never throws. */
  close?(): void;
};

/** A reply that could not be obtained. The message is safe to log: it contains no speech, URL or token. */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
  readonly failure: ReplyFailure;
  /** The server's own error text, for the endpoint's owner. Not for the log: it may repeat the conversation. */
  readonly serverSays: string | undefined;
  /** HTTP status of an `http_error`. */
  readonly status: number | undefined;

  constructor(
    failure: ReplyFailure,
    detail: string,
    options: { cause?: unknown; serverSays?: string; status?: number } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.failure = failure;
    this.serverSays = options.serverSays;
    this.status = options.status;
  }
}
