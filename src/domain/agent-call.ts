import type { AgentBinding } from './agent-binding.ts';
import type { AgentContext } from './agent-context.ts';
import type { AgentHeaders } from './agent-headers.ts';

/**
 * Properties of a call from which its agent is created; constant for the call. Kept in memory during the call,
 * including token and headers.
 */
export type AgentCall = {
  context: AgentContext;
  binding: AgentBinding;
  /**
   * For `Authorization: Bearer`: the stored token for outbound calls, the handshake's session token for inbound ones
   * (guides/design/agents.md, "Bearer token").
   */
  bearerToken: string | null;
  /** The customer's own headers for its endpoint. */
  headers: AgentHeaders;
  instruction: string | null;
  /** Allowed transfer targets of the number (`transfer-targets.ts`); absent if there are none. */
  transferTo?: readonly string[];
  /** Number of turns that a stateful agent server already knows from an earlier process. */
  turnsReceived?: number;
};

/**
 * Result of a customer's authentication URL for a caller (guides/design/agents.md, "Handshake"). `reason` may be
 * logged.
 */
export type HandshakeResult = { allowed: true; sessionToken: string } | { allowed: false; reason: string };
