import type { CallerIdentity } from './caller-identity.ts';
import type { SipHeaders } from './sip-headers.ts';

/** An inbound call before admission: unanswered and free of charge. */
export type Arrival = {
  /** Chosen by the driver; becomes the call's id and identifies the waiting caller's line. */
  callId: string;
  /** Caller number: domestic format, `+…` from abroad, `anonymous` if withheld; never empty. */
  from: string;
  /** Further identity from the network, if any. */
  identity?: CallerIdentity;
  /** Headers of the INVITE that the trunk accepts; null if there are none. */
  sipHeaders?: SipHeaders | null;
  /** Called number in domestic format. */
  to: string;
  /** Wall-clock milliseconds since the epoch. */
  at: number;
};

/** Admission decision. If accepted, the call's actor opens the line by its `callId`, which answers it. */
export type ArrivalVerdict =
  | { accepted: true }
  | {
      accepted: false;
      because:
        | 'unknown_number'
        | 'no_agent_endpoint'
        | 'caller_rejected'
        /** The number or its workspace has its maximum of calls. */
        | 'concurrency_limit'
        /** The gateway has its maximum of calls, or sheds load. */
        | 'over_capacity'
        | 'draining';
    };

/** Whether a rejected call was stored; some are not. */
export const isStored = (verdict: ArrivalVerdict): boolean =>
  verdict.accepted || verdict.because === 'no_agent_endpoint' || verdict.because === 'caller_rejected';
