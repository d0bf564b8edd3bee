/** Inspects an INVITE by the general rules of SIP (RFC 3261 section 8.2.2). */
import { EventEmitter } from 'node:events';
import { headerOf, tokensIn, type Headers } from '../headers/header-values.ts';
import { tagIn } from '../headers/name-addresses.ts';
import type { InviteRefusal } from './dialog/refusals.ts';

/**
 * Supported extensions in the header Require (RFC 3261 section 20.32): session timers and reliable provisional
 * responses.
 */
const known: ReadonlySet<string> = new Set(['timer', '100rel']);

/**
 * Returns the refusal of an INVITE: 420 for an unsupported extension (RFC 3261 section 8.2.2.3), 483 for Max-Forwards
 * 0, which indicates a loop (RFC 3261 section 16.3). Undefined for an acceptable request.
 */
export const requestProblem = (request: Headers): InviteRefusal | undefined => {
  const unknown = tokensIn(headerOf(request, 'Require')).filter((option) => !known.has(option.toLowerCase()));
  if (unknown.length > 0)
    return { status: 420, reason: 'Bad Extension', headers: { Unsupported: unknown.join(', ') } };
  if (request.has('Max-Forwards') && /^\s*0+\s*$/.test(request.get('Max-Forwards')))
    return { status: 483, reason: 'Too Many Hops' };
  return undefined;
};

/** Time for which an INVITE is remembered after 2xx (RFC 6026 section 8.7, timer L). */
const acceptedMs = 32_000;

/** Time for which an INVITE is remembered whose end is unknown, longer than any ringing time. */
const longestMs = 600_000;

/** Maximum number of remembered INVITEs. Beyond this number the oldest INVITEs are forgotten. */
const mostInvites = 10_000;

/** The server transaction of an INVITE: the data that shows its end. */
export type ServerTransaction = {
  request: Headers & { on(event: 'cancel', listener: () => void): unknown };
  /** Emitter of the event `end`, which is missing in the types of drachtio-srf. */
  response: object;
};

/** Calls the listener with the status of the final response. */
const onFinalResponse = (response: object, listener: (status: number) => void): void => {
  if (!(response instanceof EventEmitter)) throw new Error('drachtio-srf is not as it is known here');
  response.once('end', ({ status }: { status: number }) => listener(status));
};

/**
 * Detects a merged request (RFC 3261 section 8.2.2.2): a forked INVITE that arrives again while the transaction of its
 * first copy exists belongs to the same call. A refusal or CANCEL ends the transaction; after that, a proxy may try
 * again. Retransmissions do not arrive here, because drachtio-server absorbs them.
 */
export const createMergedRequests = (now: () => number) => {
  /** Expiry times of remembered INVITEs. */
  const known = new Map<string, number>();

  const forgetOld = (): void => {
    for (const [key, until] of known) {
      if (until > now() && known.size <= mostInvites) return;
      known.delete(key);
    }
  };

  const keepUntil = (key: string, until: number): void => {
    known.delete(key);
    known.set(key, until);
  };

  return {
    isMerged({ request, response }: ServerTransaction): boolean {
      forgetOld();
      const from = tagIn(headerOf(request, 'From'));
      const key = JSON.stringify([headerOf(request, 'Call-ID'), from, headerOf(request, 'CSeq')]);
      if ((known.get(key) ?? 0) > now()) return true;
      keepUntil(key, now() + longestMs);
      request.on('cancel', () => known.delete(key));
      onFinalResponse(response, (status) => {
        if (status >= 300) known.delete(key);
        else keepUntil(key, now() + acceptedMs);
      });
      return false;
    },
  };
};
