import type { CallerIdentity } from './caller-identity.ts';
import type { SipHeaders } from './sip-headers.ts';

/** A call that has come in and waits to be let in. Nothing is answered yet, nothing costs yet. */
export type Arrival = {
  /** Chosen by the driver; becomes the call's id, by which the line to the waiting caller is opened. */
  callId: string;
  /** The caller: domestic format, `+…` from abroad, `anonymous` where the number is not shown; never empty. */
  from: string;
  /** What its network tells beside the number, where there is one. */
  identity?: CallerIdentity;
  /** Of its INVITE, those that its trunk names; null where there is none. */
  sipHeaders?: SipHeaders | null;
  /** The number that was called, domestic format. */
  to: string;
  /** Wall-clock milliseconds since the epoch. */
  at: number;
};

/** The verdict on an arrival. Accepted: the call's actor opens the line by its `callId`, which answers it. */
export type ArrivalVerdict =
  | { accepted: true }
  | {
      accepted: false;
      because:
        | 'unknown_number'
        | 'no_agent_endpoint'
        | 'caller_rejected'
        /** The number or its workspace has all the calls that it may have. */
        | 'concurrency_limit'
        /** The gateway has, or sheds load. */
        | 'over_capacity'
        | 'draining';
    };

/** Whether there is a call in the database now: some callers that are not let in leave none. */
export const isStored = (verdict: ArrivalVerdict): boolean =>
  verdict.accepted || verdict.because === 'no_agent_endpoint' || verdict.because === 'caller_rejected';
