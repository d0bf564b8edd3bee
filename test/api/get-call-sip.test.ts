import { randomUUID } from 'node:crypto';
import test from 'ava';
import { keepSipMessages, type StoredSipMessage } from '#src/persistence/sip-messages.ts';
import { addWorkspace, fakeGateway, type FakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

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

test('the SIP messages of a call are read in order', async (t) => {
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

test('as text each message stands behind a line that says when and where', async (t) => {
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

test('as a capture file it has one packet for each message', async (t) => {
  const gateway = await fakeGateway(t);
  const { headers, bytes } = await gateway.admin.get(`${await storeLadder(gateway)}?format=pcap`);
  t.is(headers.get('content-type'), 'application/vnd.tcpdump.pcap');
  t.is(bytes.readUInt32LE(0), 0xa1b2c3d4);
  t.is(bytes.toString('latin1').split('Call-ID: one@gw').length - 1, 1);
});

test('where there are no messages it is said why', async (t) => {
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

test('the SIP messages of another workspace’s call do not exist', async (t) => {
  const gateway = await fakeGateway(t);
  const path = await storeLadder(gateway);
  const { adminToken } = await addWorkspace(gateway.database);
  for (const wanted of [path, `/api/v1/admin/calls/${randomUUID()}/sip`])
    t.is((await gateway.admin.as(adminToken).get(wanted)).body['code'], 'call_not_found');
});
