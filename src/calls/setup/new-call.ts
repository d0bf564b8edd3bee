import type { AgentCall } from '#src/domain/agent-call.ts';
import type { CallerIdentity } from '#src/domain/caller-identity.ts';
import type { CallPolicy } from '#src/domain/call-policy.ts';
import type { Metadata } from '#src/domain/metadata.ts';
import type { SipHeaders } from '#src/domain/sip-headers.ts';
import type { NewCallRow } from '#src/persistence/calls/calls.ts';
import { callOpening } from '../journal/opening.ts';
import type { OpenNumber } from './open-number.ts';

export type NewCall = Pick<AgentCall, 'context' | 'instruction'> & {
  number: OpenNumber;
  policy: CallPolicy;
  /** Maximum duration in seconds, counted from the answer. */
  maxDurationSec: number;
  /** Metadata of the client that places the call; null without metadata. */
  metadata?: Metadata | null | undefined;
  /** Custom headers of the INVITE: those accepted from a caller, or those of an outbound call. */
  sipHeaders?: SipHeaders | null | undefined;
  /** Identity of a caller. */
  identity?: CallerIdentity | undefined;
  /** Start of the call in wall-clock milliseconds since the epoch. */
  startedAt: number;
  /** Name of the gateway that holds the call. */
  node: string;
};

/** Creates the row of a call as it is first stored, whether the call rings or was rejected. */
export const newCallRow = (call: NewCall): NewCallRow => {
  const { number, policy, context } = call;
  return {
    id: context.call_id,
    workspaceId: number.workspace.id,
    numberId: number.id,
    direction: context.direction,
    ownNumber: number.number,
    counterparty: context.direction === 'outbound' ? context.to : context.from,
    callerName: call.identity?.name ?? null,
    diversions:
      call.identity === undefined || call.identity.diversions.length === 0 ? null : call.identity.diversions,
    language: number.language,
    instruction: call.instruction,
    metadata: call.metadata ?? null,
    sipHeaders: call.sipHeaders ?? null,
    maxDurationSec: call.maxDurationSec,
    recordingEnabled: policy.recordingEnabled,
    startedAt: new Date(call.startedAt),
    node: call.node,
    opening: callOpening,
  };
};
