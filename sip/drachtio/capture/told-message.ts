/**
 * Reads drachtio-server's report of each SIP message, as drachtio-srf's `drachtio-agent` reads it: one that came in
 * (`sip|network|…`), one that was sent because it was asked for (`response|…|OK|application|…`), or by itself
 * (`sip|application|…|unsolicited|…`). It says nothing of what it sends or takes in its own hands: 100 Trying, the ACK
 * of a refusal, the answer to a CANCEL, and whatever is sent again.
 */
import { addressOf, sipTransports, type SipMessage, type SipTransport } from '#src/domain/sip-message.ts';

export type ToldMessage = Pick<SipMessage, 'direction' | 'text'> & {
  /** `null`: it is not said this time, as that of an ACK. */
  transport: SipTransport | null;
  local: string | null;
  remote: string | null;
  /** `HH:MM:SS` and a fraction, in the time zone of the server. */
  time: string;
};

const addressIn = (host: string | undefined, port: string | undefined): string | null =>
  host === undefined || host === '' || port === undefined ? null : addressOf(host, port);

const transportIn = (name: string | undefined): SipTransport | null =>
  sipTransports.find((known) => known === name) ?? null;

/** `null` for what is about no SIP message. */
export const readToldMessage = (said: string): ToldMessage | null => {
  const end = said.indexOf('\r\n');
  if (end === -1) return null;
  const text = said.slice(end + 2);
  const [, type, ...fields] = said.slice(0, end).split('|');
  if (type === 'sip') {
    const [source, , transport, host, port, time = '', , , ownHost, ownPort] = fields;
    const there = { time, text, transport: transportIn(transport) };
    return source === 'network'
      ? { ...there, direction: 'in', local: addressIn(ownHost, ownPort), remote: addressIn(host, port) }
      : { ...there, direction: 'out', local: addressIn(host, port), remote: null };
  }
  const [, verdict, source, , transport, host, port, time = ''] = fields;
  if (type !== 'response' || verdict !== 'OK' || source !== 'application') return null;
  // Of a request it says where it was sent from, of a response where to.
  const address = addressIn(host, port);
  const isResponse = text.startsWith('SIP/2.0 ');
  return {
    direction: 'out',
    transport: transportIn(transport),
    local: isResponse ? null : address,
    remote: isResponse ? address : null,
    time,
    text,
  };
};

const quarter = 900_000_000;

/**
 * Microseconds since the epoch of a time of day, given that it is about now. Neither day nor time zone is said, but the
 * clocks of all time zones agree within the quarter of an hour.
 */
export const momentOf = (time: string, nowMs: number): number => {
  const now = nowMs * 1_000;
  const [, minutes, seconds, fraction = ''] = /^\d\d:(\d\d):(\d\d)\.(\d{1,6})/.exec(time) ?? [];
  if (minutes === undefined) return now;
  const inQuarter =
    ((Number(minutes) % 15) * 60 + Number(seconds)) * 1_000_000 + Number(fraction.padEnd(6, '0'));
  const behind = (((now - inQuarter) % quarter) + quarter) % quarter;
  return behind > quarter / 2 ? now - behind + quarter : now - behind;
};
