import type { AgentBinding } from './agent-binding.ts';
import type { CallerIdentity } from './caller-identity.ts';
import type { SipHeaders } from './sip-headers.ts';

/** An inbound call before admission, which is unanswered and free of charge. */
export type Arrival = {
  /** Id of the call, chosen by the driver. This id also identifies the waiting caller's line. */
  callId: string;
  /** Caller number: domestic format, `+…` from abroad, `anonymous` if withheld. Never empty. */
  from: string;
  /** Further identity data from the network, if there is any. */
  identity?: CallerIdentity;
  /** Headers of the INVITE that the trunk accepts; null if there are none. */
  sipHeaders?: SipHeaders | null;
  /** Agent of this call in a rehearsal; if absent, the agent of the number. */
  agent?: AgentBinding | undefined;
  /** Called number in domestic format. */
  to: string;
  /** Time of arrival in wall-clock milliseconds since the epoch. */
  at: number;
};

/**
 * Admission decision. After acceptance, the actor of the call opens the line by its `callId` and thereby answers the
 * call.
 */
export type ArrivalVerdict =
  | { accepted: true }
  | {
      accepted: false;
      because:
        | 'unknown_number'
        | 'no_agent_endpoint'
        | 'caller_rejected'
        /** The number or its workspace has reached its maximum of calls. */
        | 'concurrency_limit'
        /** The gateway has reached its maximum of calls, or sheds load. */
        | 'over_capacity'
        | 'draining';
    };

/** Whether the call was stored. Calls that are rejected for some reasons are not stored. */
export const isStored = (verdict: ArrivalVerdict): boolean =>
  verdict.accepted || verdict.because === 'no_agent_endpoint' || verdict.because === 'caller_rejected';
