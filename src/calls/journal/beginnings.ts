/**
 * The beginnings of calls that were not answered yet. Before its answer nobody could go on with a call, so it is
 * written with the answer, in one statement.
 */
import type { CallBeginning, NewRevival } from '#src/persistence/call-revivals.ts';
import type { Sealing } from '#src/persistence/sealing.ts';

export type Beginnings = {
  /** `bearerToken`: what its agent is asked with; null for an agent that needs none. */
  keep(callId: string, beginning: CallBeginning, bearerToken: string | null): void;
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
  const calls = new Map<string, { beginning: CallBeginning; bearerToken: string | null }>();
  return {
    keep: (callId, beginning, bearerToken) => void calls.set(callId, { beginning, bearerToken }),
    revivalOf(callId) {
      const call = calls.get(callId);
      if (call === undefined) return null;
      const { beginning, bearerToken } = call;
      const tokenSealed = bearerToken && sealing.seal(bearerToken, callId);
      return { beginning, tokenSealed, aheadMs: aheadOf(callId) };
    },
    release: (callId) => void calls.delete(callId),
  };
};
