/**
 * Circuit breaker: an agent whose server does not respond fails immediately for a while, so that the other party hears
 * the apology without seconds of silence, and no resources wait for an unreachable server. Only errors that show an
 * unresponsive server count, and only from several consecutive calls: a single failed call does not affect other calls.
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

/** Whether an error shows an unresponsive server; undefined for an error that says nothing about the server. */
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
    // A timeout aborts with its reason; an abort for an unwanted reply says nothing about the server.
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
      // An open breaker lets one reply through as a trial, and that reply does its own preparation.
      if (breaker.state() === 'closed') agent.begin?.();
    },
  };
};
