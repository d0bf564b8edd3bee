import test from 'ava';
import { fakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

const to = '01000000001';

test('headers of a call are taken as they are spelled', async (t) => {
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
  title: (name = '') => `headers are refused: ${name}`,
});
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'a']));
test('eleven', refused, many(11));
test('thousands', refused, many(4_000));
for (const name of ['Via', 'Contact', 'Authorization', 'From', 'Route', 'Content-Length', 'Privacy', 'x', ''])
  test(`"${name}"`, refused, { [name]: 'a' });
test('another header in the name', refused, { 'X-A: b\r\nVia': 'a' });
test('another header in the value', refused, { 'X-A': 'a\r\nVia: SIP/2.0/UDP 192.0.2.1' });
test('another header behind a line feed', refused, { 'X-A': 'a\nContact: <sip:b@c>' });
test('another header behind a carriage return', refused, { 'X-A': 'a\rContact: <sip:b@c>' });
test('a folded line', refused, { 'X-A': 'a\r\n b' });
test('the end of the head', refused, { 'X-A': 'a\r\n\r\nv=0' });
test('NUL', refused, { 'X-A': 'a\0b' });
test('a control character', refused, { 'X-A': 'a\u001bb' });
test('an empty value', refused, { 'X-A': '' });
test('a value of spaces', refused, { 'X-A': '  ' });
test('256 bytes', refused, { 'X-A': '가'.repeat(85) + 'a' });
test('the same header twice', refused, { 'X-A': '1', 'x-a': '2' });
test('a number', refused, { 'X-A': 5 });
test('a list', refused, [['X-A', '1']]);
test('null', refused, null);

test('every read of one call has the headers of its INVITE, where there are any', async (t) => {
  const { client, admin, ...gateway } = await fakeGateway(t);
  const sipHeaders = { 'X-Ticket': '1042' };
  const { id } = await storeCall(gateway, { direction: 'inbound', sipHeaders });
  const plain = await storeCall(gateway, { direction: 'inbound' });
  const sip = { status: null, reason: null, call_id: null };
  t.deepEqual((await client.get(`/api/v1/calls/${id}`)).body.sip, { ...sip, headers: sipHeaders });
  t.deepEqual((await admin.get(`/api/v1/admin/calls/${id}`)).body.sip, { ...sip, headers: sipHeaders });
  t.deepEqual((await client.get(`/api/v1/calls/${plain.id}`)).body.sip, sip);
});
