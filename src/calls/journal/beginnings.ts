/**
 * Resume data of calls that were not answered yet. An unanswered call cannot be taken over, so the data is written with
 * the answer, in one statement.
 */
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { CallBeginning, NewRevival } from '#src/persistence/call-revivals.ts';
import { sealHeaders } from '#src/persistence/sealed-headers.ts';
import type { Sealing } from '#src/persistence/sealing.ts';

type AgentSecrets = Pick<AgentCall, 'bearerToken' | 'headers'>;

export type Beginnings = {
  /** `secrets`: credentials for requests to its agent. */
  keep(callId: string, beginning: CallBeginning, secrets: AgentSecrets): void;
  /** The data in stored form; null for a call that is unknown here. */
  revivalOf(callId: string): NewRevival | null;
  /** The data was written, or is no longer required. */
  release(callId: string): void;
};

export const createBeginnings = (
  sealing: Pick<Sealing, 'seal'>,
  /** Offset of a call's time from the database's clock, in milliseconds. */
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
