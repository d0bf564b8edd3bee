/** A leg of a call: a SIP dialog with a far end, from its first INVITE to its BYE. */
import type Srf from 'drachtio-srf';
import type { CallRoute, SipDetails, UnansweredCause } from '#machines/line.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import type { SessionEndpoint } from './dialog/negotiate.ts';
import { endDialog } from './dialog/sent-requests.ts';
import type { AgreedTimer } from './dialog/session-timer.ts';
import type { TrackedLeg } from './resume/leg-tracker.ts';

/** An established call: a SIP dialog with the far end, and its audio on an endpoint. */
export type Connection = {
  /** Trunk that carries the call. */
  trunk: Trunk;
  dialog: Srf.Dialog;
  trackedLeg: TrackedLeg;
  endpoint: SessionEndpoint;
  /** Whether the gateway refreshes the session (RFC 4028). */
  weRefresh: boolean;
  /** Whether the far end accepts INFO, according to its INVITE or answer. */
  takesInfo: boolean;
  sip: SipDetails;
  /**
   * Subscribes to moves of the audio to another media server. The dialog has the new descriptions when the listener is
   * called.
   */
  onMoved?: (listener: OnMoved) => void;
};

export type OnMoved = (timer: AgreedTimer) => void;

export type Outcome =
  | {
      answered: true;
      connection: Connection;
      /**
       * The person with whom the other party of a taken-over call talks; missing if the other party talks with the
       * agent.
       */
      person?: Outcome;
    }
  | { answered: false; cause: UnansweredCause; sip: SipDetails };

/** A leg before its answer, outbound or inbound. */
export type PendingLeg = {
  /** Resolves with the outcome; never rejects. A cancelled leg has released all its resources when this resolves. */
  outcome: Promise<Outcome>;
  /** Returns the SIP details known so far. */
  sip(): SipDetails;
  /** Returns the route of the call so far; `null` before the first trunk is tried. */
  route(): CallRoute | null;
  cancel(): void;
  /**
   * Fails the leg after a loss of the connection to drachtio-server, because the leg's pending requests never get a
   * response.
   */
  lose(): void;
};

/** SIP details of a call without any SIP message. */
export const noSip: SipDetails = { status: null, reason: null, callId: null };

/** Creates a leg that fails before any SIP message is exchanged. */
export const failedLeg = (cause: UnansweredCause): PendingLeg => ({
  outcome: Promise.resolve({ answered: false, cause, sip: noSip }),
  sip: () => noSip,
  route: () => null,
  cancel() {},
  lose() {},
});

/** Whether drachtio-server has no such dialog, or could not send the request. */
const isSettled = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENODIALOG' || error.code === 'EDRACHTIO');

/** Sends BYE and releases the far end after the response. Without a connection, the BYE is sent later. */
export const hangUp = async ({
  dialog,
  trackedLeg,
}: Pick<Connection, 'dialog' | 'trackedLeg'>): Promise<void> => {
  try {
    await endDialog(dialog);
    trackedLeg.ended();
  } catch (error) {
    if (isSettled(error)) trackedLeg.ended();
    else trackedLeg.abandon();
    throw error;
  }
};
