import type Srf from 'drachtio-srf';
import type { CallRoute, SipDetails, UnansweredCause } from '#machines/line.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { endDialog } from './dialog-requests.ts';
import type { TrackedLeg } from './leg-tracker.ts';
import type { MediaEndpoint } from '../../media/media-endpoint.ts';

/** A call that stands: a SIP dialog with the far end, and its sound on an endpoint. */
export type Connection = {
  /** By which the call goes. */
  trunk: Trunk;
  dialog: Srf.Dialog;
  trackedLeg: TrackedLeg;
  endpoint: MediaEndpoint;
  /** Whether it is for us to keep the session alive (RFC 4028). */
  weRefresh: boolean;
  /** Whether the far end takes INFO, by its INVITE or its answer. */
  takesInfo: boolean;
  sip: SipDetails;
};

export type Outcome =
  | {
      answered: true;
      connection: Connection;
      /** The person with whom the other party of an adopted call talks; missing where it talks with the agent. */
      person?: Outcome;
    }
  | { answered: false; cause: UnansweredCause; sip: SipDetails };

/** A call on its way to be answered, out or in. */
export type Attempt = {
  /** Never rejects. An attempt that was cancelled has let go of everything when it resolves. */
  outcome: Promise<Outcome>;
  /** What is known of the call by now. */
  sip(): SipDetails;
  /** By which trunk it goes; `null` while none was tried. */
  route(): CallRoute | null;
  cancel(): void;
  /** The connection to drachtio-server is lost: what was asked of it is never answered. */
  lose(): void;
};

/** The details where no SIP message was exchanged. */
export const noSip: SipDetails = { status: null, reason: null, callId: null };

/** An attempt that comes to nothing before any SIP message is exchanged. */
export const settledAttempt = (cause: UnansweredCause): Attempt => ({
  outcome: Promise.resolve({ answered: false, cause, sip: noSip }),
  sip: () => noSip,
  route: () => null,
  cancel() {},
  lose() {},
});

/** Methods that may be asked of a call; for the header `Allow`. */
export const allowed = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK';

/** The same, of a call that goes by this trunk: NOTIFY reports on a REFER of ours. */
export const allowedBy = ({ refer, acceptRefer }: Pick<Trunk, 'refer' | 'acceptRefer'>): string =>
  [allowed, ...(refer ? ['NOTIFY'] : []), ...(acceptRefer ? ['REFER'] : [])].join(', ');

/** Headers for those who ask what we can (RFC 3261 section 11). */
export const abilities = {
  Accept: 'application/sdp',
  Allow: allowed,
  Supported: 'timer, 100rel',
} as const;

/**
 * Lets what the far end asks within a dialog wait, a BYE too, or lets it through. What comes while nobody listens would
 * be answered by drachtio-srf alone. A setter that its types do not know.
 */
export const holdRequests = (dialog: Srf.Dialog, areHeld: boolean): void =>
  void Object.assign(dialog, { queueRequests: areHeld });

/** Makes a dialog whose requests are held from the start, also those that come together with the message that makes it. */
export const heldDialog = (
  create: (done: (error: unknown, dialog: Srf.Dialog) => void) => void,
): Promise<Srf.Dialog> =>
  new Promise((resolve, reject) => {
    create((error, dialog) => {
      if (error === null || error === undefined) {
        holdRequests(dialog, true);
        resolve(dialog);
      } else reject(error instanceof Error ? error : new Error('There is no dialog', { cause: error }));
    });
  });

/**
 * False once the far end has left. It may have said so together with what drachtio-server says of our answer, before
 * anybody could listen. A property that the types of drachtio-srf do not know.
 */
export const isStanding = (dialog: Srf.Dialog): boolean => Reflect.get(dialog, 'connected') !== false;

/** drachtio-server was asked, and has no such dialog or could not send anything within it. */
const isSettled = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENODIALOG' || error.code === 'EDRACHTIO');

/** Sends BYE, and lets go of the far end when there was an answer; without a connection it is ended later. */
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
