/** Inspection of an INVITE by the rules of SIP itself, whatever it asks for (RFC 3261 section 8.2.2). */
import type Srf from 'drachtio-srf';
import type { InviteRefusal } from './refusals.ts';

/** Extensions that a request may require (RFC 3261 section 20.32): session timers and confirmed provisional answers. */
const known: ReadonlySet<string> = new Set(['timer', '100rel']);

const requiredBy = (request: Pick<Srf.SipMessage, 'has' | 'get'>): string[] =>
  request.has('Require')
    ? request
        .get('Require')
        .split(',')
        .map((option) => option.trim())
        .filter((option) => option !== '')
    : [];

/**
 * 420 for a call that requires what is not known here (RFC 3261 section 8.2.2.3), 483 for one that has no hop left: it
 * has run in a circle (RFC 3261 section 16.3). Undefined for a request that may be looked at.
 */
export const requestProblem = (request: Pick<Srf.SipMessage, 'has' | 'get'>): InviteRefusal | undefined => {
  const unknown = requiredBy(request).filter((option) => !known.has(option.toLowerCase()));
  if (unknown.length > 0)
    return { status: 420, reason: 'Bad Extension', headers: { Unsupported: unknown.join(', ') } };
  if (request.has('Max-Forwards') && /^\s*0+\s*$/.test(request.get('Max-Forwards')))
    return { status: 483, reason: 'Too Many Hops' };
  return undefined;
};

/** As long as a transaction may last (RFC 3261, timer B). */
const rememberMs = 32_000;

/**
 * Finds the same INVITE that came by another way, forked on its way here (RFC 3261 section 8.2.2.2): one call. What is
 * merely sent again on the same way drachtio-server keeps to itself.
 */
export const createMergedRequests = (now: () => number) => {
  const seen = new Map<string, number>();
  return {
    isMerged(request: Pick<Srf.SrfRequest, 'get'>): boolean {
      for (const [key, at] of seen) {
        if (now() - at < rememberMs) break;
        seen.delete(key);
      }
      const [, tag = ''] = /;\s*tag=([^;\s]+)/i.exec(request.get('From')) ?? [];
      const key = JSON.stringify([request.get('Call-ID'), tag, request.get('CSeq')]);
      if (seen.has(key)) return true;
      seen.set(key, now());
      return false;
    },
  };
};
