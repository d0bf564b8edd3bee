import type Srf from 'drachtio-srf';

/** As long as a transaction may last (RFC 3261, timer B). */
const rememberMs = 32_000;

/**
 * Finds the same INVITE that came by another way, forked on its way here (RFC 3261 section 8.2.2.2): one call. What is
 * merely sent again on the same way drachtio-server keeps to itself.
 */
export const createRepeats = (now: () => number) => {
  const seen = new Map<string, number>();
  return {
    isRepeat(request: Pick<Srf.SrfRequest, 'get'>): boolean {
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
