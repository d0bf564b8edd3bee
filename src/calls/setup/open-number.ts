/** A number with all data for one call, including decrypted secrets. This object exists in memory only. */
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { AgentHeaders } from '#src/domain/agent-headers.ts';
import { effectivePolicy, type CallPolicy, type PolicySettings } from '#src/domain/call-policy.ts';
import type { CallableNumber } from '#src/persistence/numbers/callable-numbers.ts';
import { openHeaders } from '#src/persistence/numbers/sealed-headers.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';

export type InboundAuth = { method: 'none' } | { method: 'handshake'; url: string; secret: string };

export type OpenNumber = Omit<CallableNumber, 'outboundTokenSealed' | 'headersSealed' | 'inboundAuth'> & {
  /** Bearer token for the outbound agent endpoint. */
  outboundToken: string | null;
  /** Custom headers for the agent endpoints. */
  headers: { inbound: AgentHeaders; outbound: AgentHeaders };
  inboundAuth: InboundAuth;
};

/** Returns the policy that applies to the number's next call. */
export const policyOf = (
  { policy, workspace }: Pick<OpenNumber, 'policy' | 'workspace'>,
  platformPolicy: PolicySettings,
): CallPolicy => effectivePolicy(policy, workspace.policy, platformPolicy);

/** Decrypts data that was sealed with the number's id. */
export const openNumber = (
  { outboundTokenSealed, headersSealed, inboundAuth, ...number }: CallableNumber,
  sealing: Sealing,
): OpenNumber => ({
  ...number,
  outboundToken: outboundTokenSealed === null ? null : sealing.open(outboundTokenSealed, number.id),
  headers: {
    inbound: openHeaders(sealing, headersSealed.inbound, number.id),
    outbound: openHeaders(sealing, headersSealed.outbound, number.id),
  },
  inboundAuth:
    inboundAuth.method === 'none'
      ? inboundAuth
      : {
          method: 'handshake',
          url: inboundAuth.url,
          secret: sealing.open(inboundAuth.secretSealed, number.id),
        },
});

/**
 * Returns the number with another agent for one call. This agent receives no token and no headers, because they are
 * stored for the agent of the number.
 */
export const withAgent = (number: OpenNumber, agent: AgentBinding | undefined): OpenNumber =>
  agent === undefined
    ? number
    : {
        ...number,
        bindings: { ...number.bindings, [agent.direction]: agent },
        outboundToken: null,
        headers: { inbound: {}, outbound: {} },
      };
