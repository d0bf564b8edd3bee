/**
 * Reads drachtio-server's reports of SIP messages, which drachtio-srf reads as well: a received message
 * (`sip|network|…`), a message sent on request (`response|…|OK|application|…`), and a message sent by drachtio-server
 * itself (`sip|application|…|unsolicited|…`). drachtio-server does not report 100 Trying, the ACK of a refusal, the
 * response to a CANCEL, and retransmissions.
 */
import { addressOf, sipTransports, type SipMessage, type SipTransport } from '#src/domain/sip-message.ts';

export type ReportedMessage = Pick<SipMessage, 'direction' | 'text'> & {
  /** Transport and addresses; `null` if drachtio-server does not report them, as for an ACK. */
  transport: SipTransport | null;
  local: string | null;
  remote: string | null;
  /** Time of the report: `HH:MM:SS` and a fraction, in the server's time zone. */
  time: string;
};

const addressIn = (host: string | undefined, port: string | undefined): string | null =>
  host === undefined || host === '' || port === undefined ? null : addressOf(host, port);

const transportIn = (name: string | undefined): SipTransport | null =>
  sipTransports.find((known) => known === name) ?? null;

/** Parses a report. Returns `null` for a report that does not concern a SIP message. */
export const readReportedMessage = (said: string): ReportedMessage | null => {
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
  // Address in the report: the source of a request, the target of a response.
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
 * Converts the time of day of a report to microseconds since the epoch. The report contains neither day nor time zone.
 * The function assumes a time close to now in some time zone, because the clocks of all time zones agree within a
 * quarter of an hour.
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
