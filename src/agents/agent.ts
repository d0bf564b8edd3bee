/**
 * An agent is created for one call and streams replies in pieces. The gateway treats the built-in agent and a
 * customer's server alike, whatever the wire format (guides/design/agents.md).
 */
import type { Control } from '#machines/control.ts';
import type { Message, ReplyFailure } from '#machines/reply.ts';
import type { AgentKind } from '#src/domain/agent-binding.ts';
import type { CircuitBreaker } from '#src/domain/circuit-breaker.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';

export type AgentRequest = {
  /** Number of the reply within the call, from 1. */
  turn: number;
  /** History of the conversation. The last message is the user's new turn, or the kickoff. */
  messages: readonly Message[];
};

/** Marks the text so far as a complete sentence that will not be continued, even if its text does not show this. */
export const sentenceEnd = Symbol('sentence end');

/** Retracts the text so far, which was a thought of the model; only the mark at its end shows this. */
export const retraction = Symbol('retraction');

/**
 * A remark for the log, which is safe to log; the reply is still valid. With `endsEarly`, the server ended the reply
 * before it was complete; if that cut a sentence, the reply fails.
 */
export type Remark = { remark: string; endsEarly?: true };

/** Controls that a response lists beside its text, before parsing. */
export type ListedControls = { controls: unknown };

/** A control of the built-in agent after the words so far, requested by its model through a tool call. */
export type ToolControl = { control: Control };

export type ReplyPiece =
  | string
  | typeof sentenceEnd
  | typeof retraction
  | Remark
  | ListedControls
  | ToolControl;

export type Agent = {
  /** Kind of the agent, for statistics. */
  kind?: AgentKind;
  /** Identifies the server and its agent or model. Calls share the knowledge whether the server thinks aloud. */
  server?: string;
  /** Whether the binding allows controls. If not, tags are plain text, and listed controls are ignored. */
  writesControls?: boolean;
  /**
   * Whether the agent is the customer's endpoint. Only endpoints receive secret DTMF digits, because the built-in agent
   * would read the digits back.
   */
  getsSecretKeys?: boolean;
  /** Called when the other party is on the line, so that the agent may prepare its first reply. Never throws. */
  begin?(): void;
  /**
   * Yields the text of the reply in pieces, cut anywhere. A reply that ends without text means chosen silence, which
   * must be declared in the agent's own format; any other reply without words is a failure. Throws an AgentFailure or
   * EndpointFailure if the reply cannot be obtained; earlier pieces remain valid. If the signal is aborted, the reply
   * is no longer wanted, and later errors are ignored.
   */
  reply(request: AgentRequest, signal: AbortSignal): AsyncIterable<ReplyPiece>;
  /** Releases all resources of the agent after the end of the call. Never throws. */
  close?(): void;
};

/** A reply that could not be obtained. The message is safe to log: it contains no speech, URL or token. */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
  readonly failure: ReplyFailure;
  /**
   * The server's own error text, for the endpoint's owner. The text must not be logged, because it may repeat the
   * conversation.
   */
  readonly serverSays: string | undefined;
  /** HTTP status; only for the failure `http_error`. */
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

const unanswered: ReadonlySet<string> = new Set([
  'connect_timeout',
  'connection_failed',
  'tls_failed',
  'first_token_timeout',
]);

/** Whether an error shows an unresponsive server; undefined for an error that is no evidence about the server. */
const isUnanswered = (error: unknown): boolean | undefined => {
  if (error instanceof EndpointFailure && error.failure === 'over_capacity') return undefined;
  return error instanceof EndpointFailure || error instanceof AgentFailure
    ? unanswered.has(error.failure)
    : undefined;
};

/**
 * Adds a circuit breaker to an agent. An agent whose server does not respond then fails immediately for a while, so
 * that the other party hears the apology without seconds of silence, and no resources wait for an unreachable server.
 * Only errors that show an unresponsive server count, and only from several consecutive calls: a single failed call
 * does not affect other calls.
 */
export const withBreaker = (
  agent: Agent,
  {
    callId,
    breaker,
    onOpened,
  }: {
    callId: string;
    breaker: CircuitBreaker;
    /** Called when the circuit breaker of the endpoint has opened. */
    onOpened: () => void;
  },
): Agent => {
  async function* reply(request: AgentRequest, signal: AbortSignal): AsyncGenerator<ReplyPiece> {
    if (!breaker.mayTry()) {
      throw new EndpointFailure('circuit_open', 'the server has not answered several calls in a row');
    }
    let hasAnswered = false;
    const judge = (error: unknown): void => {
      const verdict = hasAnswered ? undefined : isUnanswered(error);
      if (verdict === undefined) return;
      hasAnswered = true;
      if (!verdict) breaker.worked();
      else if (breaker.failed(callId)) onOpened();
    };
    // Judges an abort. The reason of a time-out counts as evidence about the server; an abort for an unwanted reply
    // does not.
    const onAbort = (): void => judge(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for await (const piece of agent.reply(request, signal)) {
        if (!hasAnswered && typeof piece === 'string' && piece !== '') {
          hasAnswered = true;
          breaker.worked();
        }
        yield piece;
      }
      if (!hasAnswered) breaker.worked();
    } catch (error) {
      if (!signal.aborted) judge(error);
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  return {
    ...agent,
    reply,
    begin() {
      // The agent prepares only while the breaker is closed. A half-open breaker allows one reply as a trial, which
      // does its own preparation.
      if (breaker.state() === 'closed') agent.begin?.();
    },
  };
};
