/** SIP in the API: messages of a call, pcap, headers and inbound credentials. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { pcapOf } from '#src/api/calls/pcap.ts';
import type { SipMessage } from '#src/domain/sip-message.ts';
import { keepSipMessages, type StoredSipMessage } from '#src/persistence/calls/sip-messages.ts';
import { whereInstalled } from '#test/helpers/where-installed.ts';
import { addWorkspace, fakeGateway, type FakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

// Get call SIP

const at = Date.UTC(2026, 10, 21, 3, 0, 0) * 1_000;

const invite =
  'INVITE sip:01000000001@trunk.example SIP/2.0\r\nCall-ID: one@gw\r\nCSeq: 1 INVITE\r\n\r\nv=0\r\n';
const busy = 'SIP/2.0 486 Busy Here\r\ni: one@gw\r\nCSeq: 1 INVITE\r\n\r\n';

const messagesOf = (callId: string): StoredSipMessage[] => {
  const line = { callId, transport: 'udp', local: '192.0.2.7:5060', leftOut: 0 } as const;
  return [
    { ...line, atMicros: at + 12_345, direction: 'in', remote: '198.51.100.9:5060', text: busy, leftOut: 2 },
    { ...line, atMicros: at + 7, direction: 'out', remote: 'trunk.example:5060', text: invite },
  ];
};

const storeLadder = async (gateway: FakeGateway): Promise<string> => {
  const { id } = await storeCall(gateway);
  await keepSipMessages(gateway.database, messagesOf(id));
  return `/api/v1/admin/calls/${id}/sip`;
};

test.serial('returns the SIP messages of a call in order', async (t) => {
  const gateway = await fakeGateway(t);
  const path = await storeLadder(gateway);
  const { status, body } = await gateway.admin.get(path);
  t.is(status, 200);
  const line = { transport: 'udp', local: '192.0.2.7:5060', sip_call_id: 'one@gw' };
  t.deepEqual(body, {
    call_id: path.split('/')[5],
    messages: [
      {
        ...line,
        at: '2026-11-21T12:00:00.000+09:00',
        elapsed_ms: 0,
        direction: 'out',
        remote: 'trunk.example:5060',
        start_line: 'INVITE sip:01000000001@trunk.example SIP/2.0',
        text: invite,
        left_out: 0,
      },
      {
        ...line,
        at: '2026-11-21T12:00:00.012+09:00',
        elapsed_ms: 12.338,
        direction: 'in',
        remote: '198.51.100.9:5060',
        start_line: 'SIP/2.0 486 Busy Here',
        text: busy,
        left_out: 2,
      },
    ],
    empty_because: null,
  });
});

test.serial('formats SIP messages as text, each after a line with its time and addresses', async (t) => {
  const gateway = await fakeGateway(t);
  const { headers, bytes } = await gateway.admin.get(`${await storeLadder(gateway)}?format=text`);
  t.is(headers.get('content-type'), 'text/plain; charset=utf-8');
  t.regex(headers.get('content-disposition') ?? '', /^attachment; filename="[\w-]+\.txt"$/);
  t.is(
    bytes.toString(),
    [
      '2026-11-21T12:00:00.000007+09:00 udp 192.0.2.7:5060 -> trunk.example:5060',
      '',
      'INVITE sip:01000000001@trunk.example SIP/2.0',
      'Call-ID: one@gw',
      'CSeq: 1 INVITE',
      '',
      'v=0',
      '',
      '',
      '(2 not kept)',
      '2026-11-21T12:00:00.012345+09:00 udp 198.51.100.9:5060 -> 192.0.2.7:5060',
      '',
      'SIP/2.0 486 Busy Here',
      'i: one@gw',
      'CSeq: 1 INVITE',
      '',
    ].join('\n'),
  );
});

test.serial('formats SIP messages as a capture file with one packet each', async (t) => {
  const gateway = await fakeGateway(t);
  const { headers, bytes } = await gateway.admin.get(`${await storeLadder(gateway)}?format=pcap`);
  t.is(headers.get('content-type'), 'application/vnd.tcpdump.pcap');
  t.is(bytes.readUInt32LE(0), 0xa1b2c3d4);
  t.is(bytes.toString('latin1').split('Call-ID: one@gw').length - 1, 1);
});

test.serial('returns the reason when a call has no stored SIP messages', async (t) => {
  const reasons = [
    [{ isSimulated: true, days: 7 }, 0, 'simulated'],
    [{ isSimulated: false, days: 0 }, 0, 'switched_off'],
    [{ isSimulated: false, days: 7 }, 7 * 86_400_000 + 60_000, 'too_old'],
    [{ isSimulated: false, days: 7 }, 7 * 86_400_000 - 60_000, 'none'],
  ] as const;
  for (const [sipTrace, age, because] of reasons) {
    const gateway = await fakeGateway(t, { sipTrace });
    const { id } = await storeCall(gateway, { startedAt: new Date(Date.now() - age) });
    const { body } = await gateway.admin.get(`/api/v1/admin/calls/${id}/sip`);
    t.deepEqual(body, { call_id: id, messages: [], empty_because: because });
  }
});

test.serial("responds with 404 for SIP messages of another workspace's call", async (t) => {
  const gateway = await fakeGateway(t);
  const path = await storeLadder(gateway);
  const { adminToken } = await addWorkspace(gateway.database);
  for (const wanted of [path, `/api/v1/admin/calls/${randomUUID()}/sip`])
    t.is((await gateway.admin.as(adminToken).get(wanted)).body['code'], 'call_not_found');
});

// PCAP
// Capture files, read by an independent reader written from the format specifications, and by tshark if it is
// installed.

const message = (change: Partial<SipMessage>): SipMessage => ({
  atMicros: 1_795_000_000_123_456,
  direction: 'out',
  transport: 'udp',
  local: '192.0.2.7:5060',
  remote: '198.51.100.9:5080',
  text: 'OPTIONS sip:x SIP/2.0\r\nCall-ID: one\r\n\r\n',
  leftOut: 0,
  ...change,
});

/** The sum of all 16-bit words including the checksum is 0xffff. */
const sumOf = (bytes: Buffer): number => {
  let sum = 0;
  for (const [index, byte] of bytes.entries()) sum += index % 2 === 0 ? byte * 256 : byte;
  while (sum > 65_535) sum = (sum % 65_536) + Math.floor(sum / 65_536);
  return sum;
};

const packetsIn = (file: Buffer) => {
  const packets = [];
  for (let at = 24; at < file.length;) {
    const length = file.readUInt32LE(at + 8);
    const frame = file.subarray(at + 16, at + 16 + length);
    const isV6 = frame.readUInt16BE(12) === 0x86dd;
    const ip = frame.subarray(14);
    const [ipLength, from, to] = isV6
      ? [40, ip.subarray(8, 24).toString('hex'), ip.subarray(24, 40).toString('hex')]
      : [20, ip.subarray(12, 16).join('.'), ip.subarray(16, 20).join('.')];
    const udp = ip.subarray(ipLength);
    const addresses = ip.subarray(isV6 ? 8 : 12, ipLength);
    const pseudo = Buffer.concat([addresses, Buffer.from([0, 17]), udp.subarray(4, 6)]);
    packets.push({
      micros: file.readUInt32LE(at) * 1_000_000 + file.readUInt32LE(at + 4),
      from: `${from} ${udp.readUInt16BE(0)}`,
      to: `${to} ${udp.readUInt16BE(2)}`,
      isWhole:
        udp.readUInt16BE(4) === udp.length &&
        (isV6 ? ip.readUInt16BE(4) === udp.length : ip.readUInt16BE(2) === ip.length) &&
        (isV6 || sumOf(ip.subarray(0, 20)) === 0xffff) &&
        sumOf(Buffer.concat([pseudo, udp])) === 0xffff,
      text: udp.subarray(8).toString(),
    });
    at += 16 + length;
  }
  return packets;
};

test.serial('writes a SIP message over IPv4 as one datagram with its addresses and checksums', (t) => {
  const messages = [message({}), message({ direction: 'in', text: 'an odd number of bytes: 옛' })];
  const file = pcapOf(messages);
  t.deepEqual([file.readUInt32LE(0), file.readUInt16LE(4), file.readUInt16LE(6)], [0xa1b2c3d4, 2, 4]);
  t.is(file.readUInt32LE(20), 1, 'Ethernet');
  const [here, there] = ['192.0.2.7 5060', '198.51.100.9 5080'];
  const shared = { micros: 1_795_000_000_123_456, isWhole: true };
  t.deepEqual(packetsIn(file), [
    { ...shared, from: here, to: there, text: messages[0]?.text ?? '' },
    { ...shared, from: there, to: here, text: messages[1]?.text ?? '' },
  ]);
});

test.serial('writes a SIP message over IPv6 as one datagram for any notation of the addresses', (t) => {
  const [packet] = packetsIn(
    pcapOf([message({ local: '[2001:db8::1:7]:5060', remote: '[::ffff:192.0.2.9]:5080' })]),
  );
  t.like(packet, {
    from: '20010db8000000000000000000010007 5060',
    to: '00000000000000000000ffffc0000209 5080',
    isWhole: true,
  });
});

test.serial('replaces a host name by the address that responded, or marks it as unknown', (t) => {
  const named = { remote: 'trunk.example:5060' };
  const packets = packetsIn(
    pcapOf([
      message(named),
      message({ direction: 'in' }),
      message({ ...named, text: 'INVITE sip:x SIP/2.0\r\nCall-ID: two\r\n\r\n' }),
      message({ ...named, local: '[2001:db8::1]:5060', text: 'INVITE sip:x SIP/2.0\r\nCall-ID: 3\r\n\r\n' }),
    ]),
  );
  t.deepEqual(
    packets.map(({ to, isWhole }) => [to, isWhole]),
    [
      ['198.51.100.9 5080', true],
      ['192.0.2.7 5060', true],
      ['0.0.0.0 5060', true],
      ['00000000000000000000ffff00000000 5060', true],
    ],
  );
});

const request = message({
  text: 'INVITE sip:x@y SIP/2.0\r\nVia: SIP/2.0/UDP a;branch=z9hG4bK1\r\nFrom: <sip:a>;tag=1\r\nTo: <sip:x>\r\nCall-ID: one\r\nCSeq: 1 INVITE\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n',
});

whereInstalled('tshark')('tshark reads it as SIP without errors', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-pcap-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'call.pcap');
  const overIpv6 = { local: '[2001:db8::1]:5060', remote: '[2001:db8::2]:5060' };
  await writeFile(path, pcapOf([request, { ...request, ...overIpv6 }]));
  const read = spawnSync(
    'tshark',
    [
      ['-r', path, '-T', 'fields', '-o', 'ip.check_checksum:TRUE', '-o', 'udp.check_checksum:TRUE'],
      ['-e', 'sip.Method', '-e', 'udp.checksum.status', '-e', 'ip.checksum.status', '-e', '_ws.malformed'],
    ].flat(),
    { encoding: 'utf8' },
  );
  t.is(read.stdout, 'INVITE\t1\t1\t\nINVITE\t1\t\t\n', read.stderr);
});

// SIP headers

const to = '01000000001';

test.serial('accepts custom headers of a call and keeps their spelling', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  const headers = { 'X-Ticket_id': '1042', 'x-note': '예약, "둘"; a=b' };
  t.is((await client.post('/api/v1/calls', { to, sip_headers: headers })).status, 201);
  t.is((await client.post('/api/v1/calls', { to, sip_headers: {} })).status, 201);
  const placing = { numberId: number.id, to, instruction: null, maxDurationSec: null };
  t.deepEqual(asked, [
    ['placeCall', { ...placing, sipHeaders: headers }],
    ['placeCall', placing],
  ]);
});

const refused = test.macro<[unknown]>({
  async exec(t, headers) {
    const { client, asked } = await fakeGateway(t);
    const { status, body } = await client.post('/api/v1/calls', { to, sip_headers: headers });
    t.like({ status, code: body.code }, { status: 400, code: 'invalid_request' });
    t.deepEqual(asked, []);
  },
  title: (name = '') => `rejects custom headers: ${name}`,
});
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'a']));
test.serial('eleven headers', refused, many(11));
test.serial('thousands of headers', refused, many(4_000));
for (const name of ['Via', 'Contact', 'Authorization', 'From', 'Route', 'Content-Length', 'Privacy', 'x', ''])
  test.serial(`"${name}"`, refused, { [name]: 'a' });
test.serial('another header in the name', refused, { 'X-A: b\r\nVia': 'a' });
test.serial('another header in the value', refused, { 'X-A': 'a\r\nVia: SIP/2.0/UDP 192.0.2.1' });
test.serial('another header after a line feed', refused, { 'X-A': 'a\nContact: <sip:b@c>' });
test.serial('another header after a carriage return', refused, { 'X-A': 'a\rContact: <sip:b@c>' });
test.serial('a folded line', refused, { 'X-A': 'a\r\n b' });
test.serial('an empty line that would end the headers', refused, { 'X-A': 'a\r\n\r\nv=0' });
test.serial('NUL', refused, { 'X-A': 'a\0b' });
test.serial('a control character', refused, { 'X-A': 'a\u001bb' });
test.serial('an empty value', refused, { 'X-A': '' });
test.serial('a value of spaces', refused, { 'X-A': '  ' });
test.serial('a value of 256 bytes', refused, { 'X-A': '가'.repeat(85) + 'a' });
test.serial('the same header twice', refused, { 'X-A': '1', 'x-a': '2' });
test.serial('a number', refused, { 'X-A': 5 });
test.serial('a list', refused, [['X-A', '1']]);
test.serial('null', refused, null);

test.serial(
  'returns the custom headers of the INVITE, if any, in every response with the call',
  async (t) => {
    const { client, admin, ...gateway } = await fakeGateway(t);
    const sipHeaders = { 'X-Ticket': '1042' };
    const { id } = await storeCall(gateway, { direction: 'inbound', sipHeaders });
    const plain = await storeCall(gateway, { direction: 'inbound' });
    const sip = { status: null, reason: null, call_id: null };
    t.deepEqual((await client.get(`/api/v1/calls/${id}`)).body.sip, { ...sip, headers: sipHeaders });
    t.deepEqual((await admin.get(`/api/v1/admin/calls/${id}`)).body.sip, { ...sip, headers: sipHeaders });
    t.deepEqual((await client.get(`/api/v1/calls/${plain.id}`)).body.sip, sip);
  },
);

test.serial('returns the Reason headers from the end of a call, if any', async (t) => {
  const { client, admin, ...gateway } = await fakeGateway(t);
  const reasons = [{ protocol: 'Q.850', cause: 41, text: 'Temporary failure' }];
  const callInfo = ['https://block.example/1'];
  const { id } = await storeCall(gateway, { sipExplanation: { reasons, callInfo } });
  const sip = { status: null, reason: null, call_id: null, reasons, call_info: callInfo };
  t.deepEqual((await client.get(`/api/v1/calls/${id}`)).body.sip, sip);
  t.deepEqual((await admin.get(`/api/v1/admin/calls/${id}`)).body.sip, sip);
});

// Put inbound auth

const url = 'https://auth.example.com/callers';

test.serial('returns the secret of the handshake only once, at creation', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const path = `/api/v1/admin/numbers/${number.id}/inbound-auth`;
  const first = await admin.put(path, { method: 'handshake', url });
  t.is(first.status, 200);
  t.like(first.body, { method: 'handshake', url });
  t.regex(String(first.body.secret), /^whsec_/);

  const moved = await admin.put(path, { method: 'handshake', url: `${url}/v2` });
  t.deepEqual(moved.body, { method: 'handshake', url: `${url}/v2` });
  const read = await admin.get(`/api/v1/admin/numbers/${number.id}`);
  t.like(read.body, { inbound_auth: { method: 'handshake', url: `${url}/v2` } });
  t.false(read.bytes.includes('whsec_'));

  t.deepEqual((await admin.put(path, { method: 'none' })).body, { method: 'none', url: null });
  const again = await admin.put(path, { method: 'handshake', url });
  t.not(again.body.secret, first.body.secret);
});

test.serial('requires a permitted URL for the handshake', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const path = `/api/v1/admin/numbers/${number.id}/inbound-auth`;
  const faults = [
    [{ method: 'handshake' }, 'url'],
    [{ method: 'handshake', url: '' }, 'url'],
    [{ method: 'handshake', url: null }, 'url'],
    [{ method: 'handshake', url: 'http://auth.example.com' }, 'url'],
    [{ method: 'basic', url }, 'method'],
    [{ method: 'none', secret: 'x' }, 'secret'],
  ] as const;
  for (const [body, field] of faults) {
    const answer = await admin.put(path, body);
    t.is(answer.status, 400);
    t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
  }
});
