/** Keys of the telephone that arrive by SIP INFO (RFC 6086), and those that arrive twice. */

/** Some write `*`, `#` and the letters as numbers, as RFC 4733 does. */
const byEvent: Readonly<Record<string, string>> = {
  10: '*',
  11: '#',
  12: 'A',
  13: 'B',
  14: 'C',
  15: 'D',
};

export const dtmfMediaTypes = ['application/dtmf-relay', 'application/dtmf'] as const;

/** The key of an INFO; `null` where it is for keys and holds none, undefined where it is for something else. */
export const dtmfOf = (contentType: string, body: string): string | null | undefined => {
  const [mediaType = ''] = contentType.toLowerCase().split(';');
  if (!dtmfMediaTypes.some((known) => known === mediaType.trim())) return undefined;
  const [, signal = body] = /^[ \t]*Signal[ \t]*=[ \t]*(\S+)/im.exec(body) ?? [];
  const key = byEvent[signal.trim()] ?? signal.trim().toUpperCase();
  return /^[0-9*#A-D]$/.test(key) ? key : null;
};

export type DtmfSource = 'rtp' | 'info';

/** A trunk that sends a key both ways sends the second one within this time. */
const echoMs = 1_000;

/**
 * Tells which keys are new: one that was just reported by the other way is the same key. Each report takes one echo
 * away, so that a key that is pressed twice counts twice.
 */
export const createDtmfDeduplication = (now: () => number) => {
  let awaited: { key: string; from: DtmfSource; until: number }[] = [];
  return {
    isNew(key: string, source: DtmfSource): boolean {
      awaited = awaited.filter(({ until }) => until >= now());
      const echo = awaited.findIndex((one) => one.key === key && one.from === source);
      if (echo !== -1) {
        awaited.splice(echo, 1);
        return false;
      }
      awaited.push({ key, from: source === 'rtp' ? 'info' : 'rtp', until: now() + echoMs });
      return true;
    },
  };
};
