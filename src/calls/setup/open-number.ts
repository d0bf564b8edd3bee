/** A number with all data for its calls, including decrypted secrets: for one call, only in memory. */
import type { AgentHeaders } from '#src/domain/agent-headers.ts';
import type { CallPolicy } from '#src/domain/call-policy.ts';
import type { CallableNumber } from '#src/persistence/callable-numbers.ts';
import { openHeaders } from '#src/persistence/sealed-headers.ts';
import type { Sealing } from '#src/persistence/sealing.ts';

export type InboundAuth = { method: 'none' } | { method: 'handshake'; url: string; secret: string };

export type OpenNumber = Omit<CallableNumber, 'outboundTokenSealed' | 'headersSealed' | 'inboundAuth'> & {
  /** The bearer token for the outbound agent endpoint. */
  outboundToken: string | null;
  /** Custom headers for the agent endpoints. */
  headers: { inbound: AgentHeaders; outbound: AgentHeaders };
  inboundAuth: InboundAuth;
};

/** The effective policy for a number's next call. */
export type PolicyOf = (number: Pick<OpenNumber, 'policy' | 'workspace'>) => CallPolicy;

/** Opens data sealed for the number's id. */
export const openNumber = (
  { outboundTokenSealed, headersSealed, inboundAuth, ...number }: CallableNumber,
  sealing: Pick<Sealing, 'open'>,
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
