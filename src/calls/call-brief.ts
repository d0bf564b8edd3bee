import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { CallContext } from '#src/domain/call-context.ts';

/** What the agent of a call is made from. It lives in memory for as long as the call, tokens included. */
export type CallBrief = {
  context: CallContext;
  binding: AgentBinding;
  /** For `Authorization: Bearer`: the stored token outbound, the handshake's session token inbound. */
  bearerToken: string | null;
  instruction: string | null;
};
