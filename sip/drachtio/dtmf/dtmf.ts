/** DTMF digits by SIP INFO (RFC 6086), and deduplication of digits that arrive in two ways. */
import type Srf from 'drachtio-srf';
import { requestInDialog } from '../dialog/sent-requests.ts';

/** Digits by event number as in RFC 4733, which some senders write for `*`, `#` and the letters. */
const byEvent: Readonly<Record<string, string>> = {
  10: '*',
  11: '#',
  12: 'A',
  13: 'B',
  14: 'C',
  15: 'D',
};

const relay = 'application/dtmf-relay';

export const dtmfMediaTypes = [relay, 'application/dtmf', 'audio/telephone-event'] as const;

/** Returns the digit of an INFO; `null` for a DTMF body without a digit, undefined for other bodies. */
export const dtmfOf = (contentType: string, body: string): string | null | undefined => {
  const [mediaType = ''] = contentType.toLowerCase().split(';');
  if (!dtmfMediaTypes.some((known) => known === mediaType.trim())) return undefined;
  const [, signal = body] = /^[ \t]*Signal[ \t]*=[ \t]*(\S+)/im.exec(body) ?? [];
  const key = byEvent[signal.trim()] ?? signal.trim().toUpperCase();
  return /^[0-9*#A-D]$/.test(key) ? key : null;
};

type Message = Pick<Srf.SipMessage, 'has' | 'get'>;

const headerOf = (message: Message, name: string): string => (message.has(name) ? message.get(name) : '');

/** Whether the sender of this INVITE or answer accepts INFO (RFC 3261 section 20.5, RFC 6086 section 5.2). */
export const takesInfo = (message: Message): boolean =>
  headerOf(message, 'Allow')
    .split(',')
    .some((method) => method.trim().toUpperCase() === 'INFO') ||
  headerOf(message, 'Recv-Info')
    .split(',')
    .some((name) => /^(?:dtmf|infodtmf)\b/i.test(name.trim()));

const pressedMs = 160;

/** Sends a digit by INFO. Rejects if the far end does not accept it. */
export const pressByInfo = async (dialog: Srf.Dialog, digit: string): Promise<void> => {
  const { status } = await requestInDialog(dialog, 'INFO', {
    headers: { 'Content-Type': relay },
    body: `Signal=${digit}\r\nDuration=${pressedMs}\r\n`,
  });
  if (status < 200 || status > 299) throw new Error(`The far end does not take a digit by INFO: ${status}`);
};

export type DtmfSource = 'rtp' | 'info' | 'tone';

const sources: readonly DtmfSource[] = ['rtp', 'info', 'tone'];

/** Time within which the duplicate arrives from a trunk that sends each digit in two ways. */
const echoMs = 1_000;

/**
 * Filters duplicates of digits that arrive in two ways. A digit that was just reported in another way is a duplicate.
 * Each report cancels one expected duplicate of each other way, so a digit pressed twice counts twice.
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
      const until = now() + echoMs;
      for (const from of sources) if (from !== source) awaited.push({ key, from, until });
      return true;
    },
  };
};
