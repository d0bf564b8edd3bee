/** What is wrong with a request by the rules of SIP itself, whatever it asks for. */
import type Srf from 'drachtio-srf';

export type RequestProblem = { status: number; reason: string; headers?: Record<string, string> };

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
export const requestProblem = (request: Pick<Srf.SipMessage, 'has' | 'get'>): RequestProblem | undefined => {
  const unknown = requiredBy(request).filter((option) => !known.has(option.toLowerCase()));
  if (unknown.length > 0)
    return { status: 420, reason: 'Bad Extension', headers: { Unsupported: unknown.join(', ') } };
  if (request.has('Max-Forwards') && /^\s*0+\s*$/.test(request.get('Max-Forwards')))
    return { status: 483, reason: 'Too Many Hops' };
  return undefined;
};
