/**
 * The beginnings of calls that were not answered yet. Before its answer nobody could go on with a call, so it is
 * written with the answer, in one statement.
 */
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { CallBeginning, NewRevival } from '#src/persistence/call-revivals.ts';
import { sealHeaders } from '#src/persistence/sealed-headers.ts';
import type { Sealing } from '#src/persistence/sealing.ts';

type AgentSecrets = Pick<AgentCall, 'bearerToken' | 'headers'>;

export type Beginnings = {
  /** `secrets`: what its agent is asked with. */
  keep(callId: string, beginning: CallBeginning, secrets: AgentSecrets): void;
  /** As it is stored; null for a call that is not known here. */
  revivalOf(callId: string): NewRevival | null;
  /** It is written, or nobody goes on with the call. */
  release(callId: string): void;
};

export const createBeginnings = (
  sealing: Pick<Sealing, 'seal'>,
  /** How far the time of a call is ahead of the database's clock, in milliseconds. */
  aheadOf: (callId: string) => number,
): Beginnings => {
  const calls = new Map<string, { beginning: CallBeginning; secrets: AgentSecrets }>();
  return {
    keep: (callId, beginning, { bearerToken, headers }) =>
      void calls.set(callId, { beginning, secrets: { bearerToken, headers } }),
    revivalOf(callId) {
      const call = calls.get(callId);
      if (call === undefined) return null;
      const {
        beginning,
        secrets: { bearerToken, headers },
      } = call;
      return {
        beginning,
        tokenSealed: bearerToken && sealing.seal(bearerToken, callId),
        headersSealed: Object.keys(headers).length === 0 ? null : sealHeaders(sealing, headers, callId),
        aheadMs: aheadOf(callId),
      };
    },
    release: (callId) => void calls.delete(callId),
  };
};
