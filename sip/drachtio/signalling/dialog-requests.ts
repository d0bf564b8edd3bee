/** Requests of drachtio-srf's dialog that its types do not know. */
import type Srf from 'drachtio-srf';

type Request = { headers: Record<string, string>; body: string };

/**
 * Sends it, and confirms the answer of an INVITE. Unlike `modify` it says which status that has, and leaves nothing
 * behind it waiting where it is a refusal. Rejects when it could not be sent.
 */
export const requestInDialog = (
  dialog: Srf.Dialog,
  method: string,
  request: Request,
): Promise<Srf.SrfResponse> => {
  const send: unknown = Reflect.get(dialog, 'request');
  if (typeof send !== 'function') throw new Error('drachtio-srf is not as it is known here');
  return new Promise((resolve, reject) => {
    Reflect.apply(send, dialog, [
      { method, ...request },
      (error: unknown, answer: Srf.SrfResponse) => {
        if (error === null || error === undefined) resolve(answer);
        else reject(new Error(`${method} could not be sent`, { cause: error }));
      },
    ]);
  });
};

const isRequest = (value: unknown): value is Pick<Srf.SrfRequest, 'method' | 'body'> =>
  typeof value === 'object' && value !== null && 'method' in value && 'body' in value;

/** An INVITE of the far end that waits while its requests are held (`holdRequests`). */
export const waitingInvite = (dialog: Srf.Dialog): { body: string } | undefined => {
  const queued: unknown = Reflect.get(dialog, 'queuedRequests');
  for (const entry of Array.isArray(queued) ? queued : []) {
    const { req }: { req?: unknown } = entry;
    if (isRequest(req) && req.method === 'INVITE') return { body: req.body };
  }
  return undefined;
};
