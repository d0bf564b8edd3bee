/**
 * Settings that calls began with, for the checkpoints that are stored with their answers, in one statement. A call that
 * was not answered cannot be resumed.
 */
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { LineCheckpoint } from '#src/domain/sip-leg.ts';
import type { CallSettings, NewCheckpoint } from '#src/persistence/calls/call-checkpoints.ts';
import { sealScript } from '#src/persistence/calls/checkpoint-far-end.ts';
import { sealLegs } from '#src/persistence/calls/checkpoint-legs.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import { sealHeaders } from '#src/persistence/numbers/sealed-headers.ts';

type AgentSecrets = Pick<AgentCall, 'bearerToken' | 'headers'>;

export type CheckpointSettings = {
  /** `secrets`: credentials for requests to its agent. */
  keep(callId: string, settings: CallSettings, secrets: AgentSecrets): void;
  /** Whether the settings of this call wait for its answer. */
  has(callId: string): boolean;
  /** The checkpoint to store with the answer, with these far ends; null for a call that is unknown here. */
  checkpointOf(callId: string, farEnds: Pick<LineCheckpoint, 'legs' | 'farEnd'>): NewCheckpoint | null;
  /** The checkpoint was stored, or is no longer required. */
  release(callId: string): void;
};

export const createCheckpointSettings = (
  sealing: Sealing,
  /** Offset of a call's time from the database's clock, in milliseconds. */
  aheadOf: (callId: string) => number,
): CheckpointSettings => {
  const calls = new Map<string, { settings: CallSettings; secrets: AgentSecrets }>();
  return {
    keep: (callId, settings, { bearerToken, headers }) =>
      void calls.set(callId, { settings, secrets: { bearerToken, headers } }),
    has: (callId) => calls.has(callId),
    checkpointOf(callId, { legs, farEnd }) {
      const call = calls.get(callId);
      if (call === undefined) return null;
      const { bearerToken, headers } = call.secrets;
      return {
        settings: { ...call.settings, scriptSealed: sealScript(sealing, farEnd, callId) },
        tokenSealed: bearerToken && sealing.seal(bearerToken, callId),
        headersSealed: Object.keys(headers).length === 0 ? null : sealHeaders(sealing, headers, callId),
        aheadMs: aheadOf(callId),
        legs: sealLegs(sealing, legs),
      };
    },
    release: (callId) => void calls.delete(callId),
  };
};
