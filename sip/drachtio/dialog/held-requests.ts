/** In-dialog requests of the far end that are held until the gateway is ready for them. */
import type Srf from 'drachtio-srf';

/**
 * Holds or releases in-dialog requests of the far end, including BYE, because drachtio-srf would itself answer requests
 * without a listener. This setter is missing in the types of drachtio-srf.
 */
export const holdRequests = (dialog: object, areHeld: boolean): void =>
  void Object.assign(dialog, { queueRequests: areHeld });

/**
 * Creates a dialog whose requests are held from the beginning, including requests that arrive together with the message
 * that creates the dialog.
 */
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
 * Whether the far end is still in the call. Its BYE may arrive together with drachtio-server's report of our answer,
 * before a listener is added. The property is missing in the types of drachtio-srf.
 */
export const isStanding = (dialog: Srf.Dialog): boolean => Reflect.get(dialog, 'connected') !== false;

const isRequest = (value: unknown): value is Srf.SrfRequest =>
  typeof value === 'object' && value !== null && 'method' in value && 'body' in value && 'has' in value;

/** Finds a held request of the far end (`holdRequests`). */
const waiting = (dialog: Srf.Dialog, method: 'INVITE' | 'BYE'): Srf.SrfRequest | undefined => {
  const queued: unknown = Reflect.get(dialog, 'queuedRequests');
  for (const entry of Array.isArray(queued) ? queued : []) {
    const { req }: { req?: unknown } = entry;
    if (isRequest(req) && req.method === method) return req;
  }
  return undefined;
};

export const waitingInvite = (dialog: Srf.Dialog): Srf.SrfRequest | undefined => waiting(dialog, 'INVITE');

/** Whether the far end has hung up with a BYE that is still held. */
export const isByeWaiting = (dialog: Srf.Dialog): boolean => waiting(dialog, 'BYE') !== undefined;
