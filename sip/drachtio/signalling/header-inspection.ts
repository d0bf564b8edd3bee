/** Inspection of an INVITE by the rules of SIP itself, whatever it asks for (RFC 3261 section 8.2.2). */
import { EventEmitter } from 'node:events';
import { headerOf, tokensIn, type Headers } from '../../headers/header-values.ts';
import { tagIn } from '../../headers/name-addresses.ts';
import type { InviteRefusal } from './refusals.ts';

/** Extensions that a request may require (RFC 3261 section 20.32): session timers and confirmed provisional answers. */
const known: ReadonlySet<string> = new Set(['timer', '100rel']);

/**
 * 420 for a call that requires what is not known here (RFC 3261 section 8.2.2.3), 483 for one that has no hop left: it
 * has run in a circle (RFC 3261 section 16.3). Undefined for a request that may be looked at.
 */
export const requestProblem = (request: Headers): InviteRefusal | undefined => {
  const unknown = tokensIn(headerOf(request, 'Require')).filter((option) => !known.has(option.toLowerCase()));
  if (unknown.length > 0)
    return { status: 420, reason: 'Bad Extension', headers: { Unsupported: unknown.join(', ') } };
  if (request.has('Max-Forwards') && /^\s*0+\s*$/.test(request.get('Max-Forwards')))
    return { status: 483, reason: 'Too Many Hops' };
  return undefined;
};

/** After 2xx an INVITE counts as the same for so long (RFC 6026 section 8.7, timer L). */
const acceptedMs = 32_000;

/** Longer than anything rings: an INVITE of whose end nothing is known. */
const longestMs = 600_000;

/** Beyond them the oldest are forgotten. */
const mostInvites = 10_000;

/** The server transaction of an INVITE, as far as its end is concerned. */
export type ServerTransaction = {
  request: Headers & { on(event: 'cancel', listener: () => void): unknown };
  /** An emitter of `end`, which the types of drachtio-srf leave out. */
  response: object;
};

/** With the status of the final response. */
const onFinalResponse = (response: object, listener: (status: number) => void): void => {
  if (!(response instanceof EventEmitter)) throw new Error('drachtio-srf is not as it is known here');
  response.once('end', ({ status }: { status: number }) => listener(status));
};

/**
 * Finds an INVITE that came by another way while the transaction of the first one exists, because it was forked on its
 * way here (RFC 3261 section 8.2.2.2): one call. A refusal or a CANCEL ends the transaction, and a proxy may then try
 * again. drachtio-server absorbs what is merely retransmitted.
 */
export const createMergedRequests = (now: () => number) => {
  /** Until when each counts. */
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
