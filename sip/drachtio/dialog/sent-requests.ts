/** Sends the gateway's own in-dialog requests by drachtio-server. A challenged request is repeated with credentials. */
import type Srf from 'drachtio-srf';
import type { Authorizing, DigestClient } from '../../digest/digest-client.ts';

type Request = {
  headers: Record<string, string>;
  body: string;
  /**
   * Called with each final response, including a challenge, before any request of the far end that arrived with the
   * response is processed.
   */
  onResponse?: (response: Srf.SrfResponse) => void;
};

/** Digest client of each dialog whose requests may be challenged. */
const digestClients = new WeakMap<Srf.Dialog, DigestClient>();

/** Answers challenges in this dialog from now on. */
export const authorizeRequests = (dialog: Srf.Dialog, digest: DigestClient): void =>
  void digestClients.set(dialog, digest);

/**
 * Sends a request and acknowledges the final response of an INVITE. The method used is missing in the types of
 * drachtio-srf.
 */
const sendOnce = (
  dialog: Srf.Dialog,
  method: string,
  { onResponse, ...request }: Request,
): Promise<Srf.SrfResponse> => {
  const send: unknown = Reflect.get(dialog, 'request');
  if (typeof send !== 'function') throw new Error('drachtio-srf is not as it is known here');
  return new Promise((resolve, reject) => {
    Reflect.apply(send, dialog, [
      { method, ...request },
      (error: unknown, answer: Srf.SrfResponse) => {
        if (error === null || error === undefined) {
          if (answer.status < 200) return;
          onResponse?.(answer);
          resolve(answer);
        } else
          reject(error instanceof Error ? error : new Error(`${method} could not be sent`, { cause: error }));
      },
    ]);
  });
};

/** Returns the Request-URI as drachtio-server set it, from the request that is stored with the response. */
const sentUriOf = (response: Srf.SrfResponse): string => {
  const request: unknown = Reflect.get(response, 'req');
  const uri: unknown = typeof request === 'object' && request !== null ? Reflect.get(request, 'uri') : '';
  return typeof uri === 'string' ? uri : '';
};

/**
 * Sends a request. Resolves with the final response, whatever its status; a challenge is answered first. Unlike
 * `modify` of drachtio-srf, this function leaves no pending state after a refusal. Rejects if the request could not be
 * sent.
 */
export const requestInDialog = async (
  dialog: Srf.Dialog,
  method: string,
  { headers, ...request }: Request,
): Promise<Srf.SrfResponse> => {
  const authorizing: Authorizing | undefined = digestClients.get(dialog)?.begin();
  let response = await sendOnce(dialog, method, { headers, ...request });
  for (;;) {
    const credentials = authorizing?.answer(response, { method, uri: sentUriOf(response) }) ?? null;
    if (credentials === null) return response;
    response = await sendOnce(dialog, method, { headers: { ...headers, ...credentials }, ...request });
  }
};

/** Removes the dialog from drachtio-srf, which itself removes a dialog only after a response. */
const forget = (dialog: Srf.Dialog): void => {
  const srf: unknown = Reflect.get(dialog, 'srf');
  const remove: unknown = typeof srf === 'object' && srf !== null ? Reflect.get(srf, 'removeDialog') : null;
  if (typeof remove === 'function') Reflect.apply(remove, srf, [dialog]);
};

/**
 * Ends the dialog by BYE. Resolves with the response. Rejects with `ENODIALOG` or `EDRACHTIO` as `code` if
 * drachtio-server has no such dialog or could not send the BYE.
 */
export const endDialog = async (dialog: Srf.Dialog): Promise<void> => {
  // Held requests are discarded.
  Object.assign(dialog, { queuedRequests: [] });
  try {
    await requestInDialog(dialog, 'BYE', { headers: {}, body: '' });
  } finally {
    Object.assign(dialog, { connected: false });
    forget(dialog);
    dialog.removeAllListeners();
  }
};
