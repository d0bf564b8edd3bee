/** A raw UDP far end: it answers requests, and stores every request once. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

export type ReceivedRequest = { method: string; user: string; at: number; text: string };

export const headerIn = (text: string, name: string): string =>
  new RegExp(`^${name}:[ \\t]*(.*?)\\r?$`, 'im').exec(text)?.[1] ?? '';

const sdp = (address: string, port: number, padding: string): string =>
  [
    'v=0',
    `o=far 1 1 IN IP${isIP(address)} ${address}`,
    's=-',
    `c=IN IP${isIP(address)} ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP 0 101`,
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:101 telephone-event/8000',
    padding,
  ].join('\r\n');

type Place = { host: string; port: number };

const answerOf = (
  { host, port, recordRoute }: Place & { recordRoute: boolean },
  request: string,
  status: string,
  more: readonly string[] = [],
  body = '',
): string =>
  [
    `SIP/2.0 ${status}`,
    ...request.split('\r\n').filter((line) => /^(via|record-route):/i.test(line)),
    ...(recordRoute ? [`Record-Route: <sip:${host}:${port};lr>`] : []),
    `From: ${headerIn(request, 'From')}`,
    `To: ${headerIn(request, 'To').replace(/;tag=.*/, '')};tag=far`,
    `Call-ID: ${headerIn(request, 'Call-ID')}`,
    `CSeq: ${headerIn(request, 'CSeq')}`,
    `Contact: <sip:far@${recordRoute ? '192.0.2.1:9' : `${host}:${port}`}>`,
    ...more,
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');

const inviteOf = (
  { host, port }: Place,
  { sipPort, number, callId }: { sipPort: number; number: string; callId: string },
  body: string,
): string =>
  [
    `INVITE sip:${number}@${host}:${sipPort} SIP/2.0`,
    `Via: SIP/2.0/UDP ${host}:${port};branch=z9hG4bK${callId}`,
    `From: <sip:01012345678@${host}:${port}>;tag=${callId}`,
    `To: <sip:${number}@${host}:${sipPort}>`,
    `Call-ID: ${callId}`,
    'CSeq: 1 INVITE',
    `Contact: <sip:caller@${host}:${port}>`,
    'Max-Forwards: 70',
    'Content-Type: application/sdp',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');

const ackOf = ({ host, port }: Place, answer: string): string =>
  [
    `ACK ${/<([^>]+)>/.exec(headerIn(answer, 'Contact'))?.[1] ?? ''} SIP/2.0`,
    `Via: SIP/2.0/UDP ${host}:${port};branch=z9hG4bKack${headerIn(answer, 'Call-ID')}`,
    `From: ${headerIn(answer, 'From')}`,
    `To: ${headerIn(answer, 'To')}`,
    `Call-ID: ${headerIn(answer, 'Call-ID')}`,
    'CSeq: 1 ACK',
    'Max-Forwards: 70',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');

export const startUdpEnd = async ({
  /** The response to an INVITE, by the called user. */
  ringing = [],
  /** Acts as a proxy for a far end that can be reached only through it. */
  recordRoute = false,
  address = '127.0.0.1',
  /** Port of the far end's audio, for all calls or by the called user; 0: it receives none. */
  ear = 0,
  /** The answer to an offer of a call, instead of an unencrypted one. */
  describe,
}: {
  ringing?: readonly string[];
  recordRoute?: boolean;
  address?: string;
  ear?: number | ((user: string) => number);
  describe?: (callId: string, offer: string) => string;
} = {}) => {
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4').bind(0, address);
  const host = isIP(address) === 6 ? `[${address}]` : address;
  await once(socket, 'listening');
  const { port } = socket.address();
  const heard: ReceivedRequest[] = [];
  const answers: string[] = [];
  const seen = new Set<string>();
  const invites = new Map<string, string>();
  /** Called users by Call-ID; a re-INVITE is addressed to the Contact. */
  const users = new Map<string, string>();
  const earOf = (callId: string): number => (typeof ear === 'number' ? ear : ear(users.get(callId) ?? ''));
  let padding = '';
  const answerTo = (callId: string, invite: string): string =>
    describe === undefined
      ? sdp(address, earOf(callId) || port + 1, padding)
      : describe(callId, invite.slice(invite.indexOf('\r\n\r\n') + 4));

  const respond = (
    to: number,
    request: string,
    status: string,
    more?: readonly string[],
    body?: string,
  ): void => socket.send(answerOf({ host, port, recordRoute }, request, status, more, body), to, address);

  socket.on('message', (data, { port: to }) => {
    const text = data.toString();
    const [, method = '', user = ''] = /^([A-Z]+) sip:(?:([^@\s]*)@)?/.exec(text) ?? [];
    if (text.startsWith('SIP/2.0')) return void answers.push(text);
    const key = `${method} ${headerIn(text, 'Via')}`;
    const isNew = !seen.has(key);
    seen.add(key);
    const callId = headerIn(text, 'Call-ID');
    if (isNew) heard.push({ method, user, at: Date.now(), text });
    switch (method) {
      case 'INVITE':
        invites.set(callId, text);
        if (!users.has(callId)) users.set(callId, user);
        // After a 180 to a re-INVITE, drachtio-server (0.9.10) does not forward the 200.
        if (!headerIn(text, 'To').includes(';tag=')) respond(to, text, '180 Ringing');
        if (!ringing.includes(user)) respond(to, text, '200 OK', [], answerTo(callId, text));
        break;
      case 'CANCEL':
        respond(to, text, '200 OK');
        respond(to, invites.get(callId) ?? text, '487 Request Terminated');
        break;
      case 'ACK':
        break;
      default:
        respond(to, text, '200 OK');
    }
    return undefined;
  });

  return {
    port,
    heard,
    answers,
    /** From now on every SDP ends with these lines. */
    pad(lines: string): void {
      padding = lines;
    },
    count: (method: string): number => heard.filter((one) => one.method === method).length,
    /** Calls a number at this port; the responses are in `answers`. `branch` distinguishes its requests. */
    call(sipPort: number, number: string, callId: string): void {
      const body = sdp(address, earOf(callId) || port + 3, padding);
      socket.send(inviteOf({ host, port }, { sipPort, number, callId }, body), sipPort, address);
    },
    /** Acknowledges the answer of such a call. */
    confirm(sipPort: number, answer: string): void {
      socket.send(ackOf({ host, port }, answer), sipPort, address);
    },
    close: () => void socket.close(),
  };
};

export type UdpEnd = Awaited<ReturnType<typeof startUdpEnd>>;
