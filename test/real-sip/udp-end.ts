/** A far end of its own making: it answers what it is asked over UDP, and remembers every request once. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export type Heard = { method: string; user: string; at: number; text: string };

export const headerIn = (text: string, name: string): string =>
  new RegExp(`^${name}:[ \\t]*(.*?)\\r?$`, 'im').exec(text)?.[1] ?? '';

const sdp = (port: number, padding: string): string =>
  [
    'v=0',
    'o=far 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP 0 101`,
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:101 telephone-event/8000',
    padding,
  ].join('\r\n');

export const startUdpEnd = async ({
  /** What becomes of an INVITE, by the user that is called. */
  ringing = [],
  /** It is a proxy for somebody elsewhere, who cannot be reached but through it. */
  recordRoute = false,
}: { ringing?: readonly string[]; recordRoute?: boolean } = {}) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  const heard: Heard[] = [];
  const answers: string[] = [];
  const seen = new Set<string>();
  const invites = new Map<string, string>();
  let padding = '';

  const respond = (to: number, request: string, status: string, more: string[] = [], body = ''): void => {
    const lines = [
      `SIP/2.0 ${status}`,
      ...request.split('\r\n').filter((line) => /^(via|record-route):/i.test(line)),
      ...(recordRoute ? [`Record-Route: <sip:127.0.0.1:${port};lr>`] : []),
      `From: ${headerIn(request, 'From')}`,
      `To: ${headerIn(request, 'To').replace(/;tag=.*/, '')};tag=far`,
      `Call-ID: ${headerIn(request, 'Call-ID')}`,
      `CSeq: ${headerIn(request, 'CSeq')}`,
      `Contact: <sip:far@${recordRoute ? '192.0.2.1:9' : `127.0.0.1:${port}`}>`,
      ...more,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ];
    socket.send(lines.join('\r\n'), to, '127.0.0.1');
  };

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
        respond(to, text, '180 Ringing');
        if (!ringing.includes(user)) respond(to, text, '200 OK', [], sdp(port + 1, padding));
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
    /** From now on every session description ends with these lines. */
    pad(lines: string): void {
      padding = lines;
    },
    count: (method: string): number => heard.filter((one) => one.method === method).length,
    /** Calls a number at this port; the answers are in `answers`. `branch` tells its requests apart. */
    call(sipPort: number, number: string, callId: string): void {
      const body = sdp(port + 3, padding);
      const lines = [
        `INVITE sip:${number}@127.0.0.1:${sipPort} SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${callId}`,
        `From: <sip:01012345678@127.0.0.1:${port}>;tag=${callId}`,
        `To: <sip:${number}@127.0.0.1:${sipPort}>`,
        `Call-ID: ${callId}`,
        'CSeq: 1 INVITE',
        `Contact: <sip:caller@127.0.0.1:${port}>`,
        'Max-Forwards: 70',
        'Content-Type: application/sdp',
        `Content-Length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ];
      socket.send(lines.join('\r\n'), sipPort, '127.0.0.1');
    },
    /** Confirms the answer of such a call. */
    confirm(sipPort: number, answer: string): void {
      const lines = [
        `ACK ${/<([^>]+)>/.exec(headerIn(answer, 'Contact'))?.[1] ?? ''} SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bKack${headerIn(answer, 'Call-ID')}`,
        `From: ${headerIn(answer, 'From')}`,
        `To: ${headerIn(answer, 'To')}`,
        `Call-ID: ${headerIn(answer, 'Call-ID')}`,
        'CSeq: 1 ACK',
        'Max-Forwards: 70',
        'Content-Length: 0',
        '',
        '',
      ];
      socket.send(lines.join('\r\n'), sipPort, '127.0.0.1');
    },
    close: () => void socket.close(),
  };
};

export type UdpEnd = Awaited<ReturnType<typeof startUdpEnd>>;
