import type { AgentBinding } from './agent-binding.ts';
import type { AgentContext } from './agent-context.ts';
import type { AgentHeaders } from './agent-headers.ts';

/**
 * A call as its agent is made from it; fixed for the whole call. It lives in memory for as long as the call, token and
 * headers included.
 */
export type AgentCall = {
  context: AgentContext;
  binding: AgentBinding;
  /**
   * For `Authorization: Bearer`: the stored token outbound, the handshake's session token inbound
   * (guides/design/agents.md, "Bearer token").
   */
  bearerToken: string | null;
  /** Of the customer's own, for its endpoint. */
  headers: AgentHeaders;
  instruction: string | null;
  /** So many turns of the other party its server knows already, where another process began the call. */
  turnsTold?: number;
};

/**
 * The verdict of a customer's authentication URL on a caller (guides/design/agents.md, "Handshake"). `reason` is safe
 * to log.
 */
export type HandshakeResult = { allowed: true; sessionToken: string } | { allowed: false; reason: string };
