import type { AgentBinding } from './agent-binding.ts';
import type { AgentContext } from './agent-context.ts';
import type { AgentHeaders } from './agent-headers.ts';

/**
 * Properties of a call from which its agent is created; they are constant during the call. The object, including token
 * and headers, is kept in memory during the call.
 */
export type AgentCall = {
  context: AgentContext;
  binding: AgentBinding;
  /**
   * Token for `Authorization: Bearer`: the stored token for outbound calls, the session token of the handshake for
   * inbound ones (guides/design/agents.md, "Bearer token").
   */
  bearerToken: string | null;
  /** The customer's own headers for its endpoint. */
  headers: AgentHeaders;
  instruction: string | null;
  /** Allowed transfer targets of the number (`transfer-targets.ts`); absent if there are no targets. */
  transferTo?: readonly string[];
  /** Number of turns that a stateful agent server already knows from an earlier process. */
  turnsReceived?: number;
};

/**
 * Result of a customer's authentication URL for a caller (guides/design/agents.md, "Handshake"). `reason` may be
 * logged.
 */
export type HandshakeResult = { allowed: true; sessionToken: string } | { allowed: false; reason: string };
