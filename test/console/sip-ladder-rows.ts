/** The SIP messages of a call as a gateway on real lines leaves them in the database. */
import { runStatement } from '#test/helpers/database-statement.ts';

const at = Date.UTC(2026, 10, 21, 3, 0, 0) * 1_000;

type Said = { ms: number; way: 'in' | 'out'; line: string; method?: string; body?: string; leftOut?: number };

const sdp = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  'c=IN IP4 127.0.0.1',
  't=0 0',
  'm=audio 30000 RTP/AVP 0 101',
  'a=rtpmap:101 telephone-event/8000',
].join('\r\n');

const invite = 'INVITE sip:01099998888@127.0.0.1 SIP/2.0';

const attempts: readonly { sipCallId: string; remote: string; said: readonly Said[] }[] = [
  {
    sipCallId: 'dd2339d7-611d-1240-c8a0-62a89614c020',
    remote: '127.0.0.1:5080',
    said: [
      { ms: 0, way: 'out', line: invite, body: sdp },
      { ms: 13.4, way: 'in', line: 'SIP/2.0 503 Service Unavailable' },
    ],
  },
  {
    sipCallId: 'dda577c5-611d-1240-c8a0-62a89614c020',
    remote: '127.0.0.1:5090',
    said: [
      { ms: 18, way: 'out', line: invite, body: sdp },
      { ms: 21, way: 'in', line: 'SIP/2.0 401 Unauthorized\r\nWWW-Authenticate: Digest realm="carrier"' },
      {
        ms: 24,
        way: 'out',
        line: `${invite}\r\nAuthorization: Digest realm="carrier", response=***`,
        body: sdp,
      },
      { ms: 320, way: 'in', line: 'SIP/2.0 180 Ringing' },
      { ms: 4_218, way: 'in', line: 'SIP/2.0 200 OK', body: sdp },
      { ms: 4_219, way: 'out', line: 'ACK sip:far@127.0.0.1:5090 SIP/2.0', method: 'ACK' },
      { ms: 65_000, way: 'in', line: 'INFO sip:127.0.0.1:5060 SIP/2.0', method: 'INFO' },
      { ms: 65_002, way: 'out', line: 'SIP/2.0 200 OK', method: 'INFO' },
      { ms: 121_500, way: 'out', line: 'BYE sip:far@127.0.0.1:5090 SIP/2.0', method: 'BYE', leftOut: 2 },
      { ms: 121_540, way: 'in', line: 'SIP/2.0 200 OK', method: 'BYE' },
    ],
  },
];

const rowOf = (callId: string, sipCallId: string, remote: string, said: Said): string => {
  const { ms, way, line, method = 'INVITE', body = '', leftOut = 0 } = said;
  const text = [
    line,
    'Via: SIP/2.0/UDP 127.0.0.1:5060;rport;branch=z9hG4bKHD6X4j8e8pr0m',
    'From: <sip:07012345678@127.0.0.1>;tag=ejyUeFFNt20ce',
    'To: <sip:01099998888@127.0.0.1>',
    `Call-ID: ${sipCallId}`,
    `CSeq: 1 ${method}`,
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
  return `('${callId}', ${at + ms * 1_000}, '${way}', 'udp', '127.0.0.1:5060', '${remote}', '${text}', ${leftOut})`;
};

export const storeSipLadder = async (databaseUrl: string, callId: string): Promise<void> => {
  const rows = attempts.flatMap(({ sipCallId, remote, said }) =>
    said.map((one) => rowOf(callId, sipCallId, remote, one)),
  );
  await runStatement(
    databaseUrl,
    `insert into sip_message (call_id, at_micros, direction, transport, local, remote, text, left_out)
     values ${rows.join(', ')}`,
  );
};
