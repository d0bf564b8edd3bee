/**
 * An agent whose server does not answer fails at once for a while, so that the other party hears the apology instead
 * of seconds of silence, and nothing is held for a server that is not there. Only what says that nobody answers counts,
 * and only from several calls in a row: one bad call cuts off no other.
 */
import type { CircuitBreaker } from '#src/domain/circuit-breaker.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { AgentFailure, type Agent, type AgentRequest, type ReplyPiece } from './agent.ts';

const unanswered: ReadonlySet<string> = new Set([
  'connect_timeout',
  'connection_failed',
  'tls_failed',
  'first_token_timeout',
]);

/** Whether an error means that nobody answers; undefined for what says nothing of the server. */
const isUnanswered = (error: unknown): boolean | undefined => {
  if (error instanceof EndpointFailure && error.failure === 'over_capacity') return undefined;
  return error instanceof EndpointFailure || error instanceof AgentFailure
    ? unanswered.has(error.failure)
    : undefined;
};

export const withBreaker = (
  agent: Agent,
  {
    callId,
    breaker,
    onOpened,
  }: {
    callId: string;
    breaker: CircuitBreaker;
    /** The endpoint is left alone from now on. */ onOpened: () => void;
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
    // A time limit says why it aborts; whoever just does not want the reply any more says nothing of the server.
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
      // An open breaker lets one reply through as a trial, and that reply prepares itself.
      if (breaker.state() === 'closed') agent.begin?.();
    },
  };
};
