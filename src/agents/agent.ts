/**
 * An agent is made for one call and gives replies, piece by piece. The gateway does not care whether it lives here or
 * on a customer's server, nor in which format it is asked (guides/design/agents.md).
 */
import type { Control } from '#machines/control.ts';
import type { Message, ReplyFailure } from '#machines/reply.ts';

export type AgentRequest = {
  /** Counts the replies of the call, from 1. */
  turn: number;
  /** The history; it ends with the new turn of the user, or with the kickoff. */
  messages: readonly Message[];
};

/** The sentence so far is complete, also where its words do not show it: nothing more will be added to it. */
export const sentenceEnd = Symbol('sentence end');

/** What came so far was no reply: the model thought aloud, and the end of its thoughts shows it. */
export const retraction = Symbol('retraction');

/**
 * A remark for the log; the reply stands. Safe to log. `endsEarly`: the server has ended the reply before it was
 * complete, so that it has failed where that tore a sentence apart.
 */
export type Remark = { remark: string; endsEarly?: true };

/** The controls that an answer lists beside its text, as they came. */
export type ListedControls = { controls: unknown };

/** An act of the built-in agent, behind the words so far: its model asked for it by a tool. */
export type ToolControl = { control: Control };

export type ReplyPiece =
  string | typeof sentenceEnd | typeof retraction | Remark | ListedControls | ToolControl;

export type Agent = {
  /** Whether the binding lets it act by controls; else they are text like any other, or nothing. */
  writesControls?: boolean;
  /** Whether it is the customer's endpoint, which alone gets secret keys; the built-in agent would read them back. */
  getsSecretKeys?: boolean;
  /** The other party is on the line: what a first reply needs may be prepared now. Never throws. */
  begin?(): void;
  /**
   * The reply's text in pieces, as they come; cut anywhere. Ending without any text is the agent choosing silence, and
   * silence must have been declared in the agent's own format: whatever else has no words is no reply.
   * Throws an AgentFailure or EndpointFailure when no reply can be had; what came before it stays said. Aborting the
   * signal means that nobody wants the reply any more; whatever it throws then is of no interest.
   */
  reply(request: AgentRequest, signal: AbortSignal): AsyncIterable<ReplyPiece>;
  /** The call is over: lets go of whatever the agent still holds. Never throws. */
  close?(): void;
};

/** A reply that cannot be had. The message is safe to log: nothing of what was said, no URL, no token. */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
  readonly failure: ReplyFailure;
  /** What the server itself said of it. Not for the log: it may repeat what was spoken. For the endpoint's owner. */
  readonly serverSays: string | undefined;
  /** The HTTP status of an `http_error`. */
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
