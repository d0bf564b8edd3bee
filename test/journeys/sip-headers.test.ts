/** Headers of an INVITE on the simulated line, which has none: the rules and the records are those of a real one. */
import test from 'ava';
import { z } from 'zod';
import { finalStatuses, testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

const addTrunk = async ({ admin }: TestGateway, name: string, more: object): Promise<string> => {
  const trunk = { name, host: 'sip.example.com', ...more };
  const { body } = await admin.post('/api/v1/admin/trunks', trunk);
  return z.string().parse(body['id']);
};

/** The answer to its request. */
const placed = async (gateway: TestGateway, headers: Record<string, string>) =>
  (await gateway.client.post('/api/v1/calls', { to: '01000000004', sip_headers: headers })).body;

const refusal = (...names: string[]) => ({
  code: 'invalid_request',
  errors: names.map((name) => ({
    path: `sip_headers.${name}`,
    message: 'No trunk of this number has all headers of the call in its "headers_out": this one is missing.',
  })),
});

test('a call has the headers that one trunk of its number names, all of them, or it is not placed', async (t) => {
  const gateway = await testGateway(t);
  t.like(await placed(gateway, { 'X-Ticket': '1' }), refusal('X-Ticket'), 'there is no trunk');
  const first = await addTrunk(gateway, 'first', { headers_out: ['X-Ticket', 'X-Queue'] });
  const other = await addTrunk(gateway, 'other', { headers_out: ['X-Other'], headers_in: ['X-In'] });

  const call = await placed(gateway, { 'x-ticket': '1', 'X-Queue': '2' });
  t.like(await gateway.untilStatus(z.uuid().parse(call['call_id']), ...finalStatuses), {
    sip: { headers: { 'x-ticket': '1', 'X-Queue': '2' } },
  });
  t.like(await placed(gateway, { 'X-Ticket': '1', 'X-Other': '2' }), refusal('X-Other'), 'of two trunks');
  t.like(await placed(gateway, { 'X-In': '1' }), refusal('X-In'), 'it is taken, not sent');

  await gateway.admin.patch(gateway.numberPath, { trunk_id: other });
  t.like(await placed(gateway, { 'X-Ticket': '1' }), refusal('X-Ticket'), 'the number has another trunk');
  await gateway.admin.patch(gateway.numberPath, { trunk_id: first });
  await gateway.admin.patch(`/api/v1/admin/trunks/${first}`, { enabled: false });
  t.like(await placed(gateway, { 'X-Ticket': '1' }), refusal('X-Ticket'), 'its trunk is disabled');
  const { body } = await gateway.client.get('/api/v1/calls');
  t.is(z.array(z.unknown()).parse(body['calls']).length, 1);
});

const told = z.object({ type: z.string(), call: z.looseObject({ id: z.string() }) });

test('of a caller those that a trunk takes stand in the call, its events and its record', async (t) => {
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const gateway = await testGateway(t);
  const { body } = await gateway.admin.post('/api/v1/admin/webhooks', { url: receiver.url });
  receiver.trust(z.string().parse(body['secret']));
  await addTrunk(gateway, 'first', { headers_in: ['X-Ticket'], headers_out: ['X-Out'] });
  const arrive = async (headers?: object): Promise<string> => {
    const { body: call } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
      to: gateway.credentials.number,
      from: '01012345678',
      script: [{ hang_up: true }],
      ...(headers === undefined ? {} : { sip_headers: headers }),
    });
    const callId = z.uuid().parse(call['call_id']);
    await gateway.untilStatus(callId, ...finalStatuses);
    return callId;
  };
  const headers = { 'X-Ticket': 'ticket of Sora' };
  const known = await arrive({ 'x-ticket': 'ticket of Sora', 'X-Out': 'a', 'X-Other': 'b' });
  const unknown = await arrive({ 'X-Other': 'b' });
  const plain = await arrive();

  const read = async (callId: string) => (await gateway.client.get(`/api/v1/calls/${callId}`)).body['sip'];
  const none = { status: null, reason: null, call_id: null };
  t.deepEqual(await read(known), { ...none, headers });
  t.deepEqual(await read(unknown), none);
  t.deepEqual(await read(plain), none);
  const events = await until('the ends of all three have arrived', () => {
    const all = receiver.received.map(({ rawBody }) => told.parse(JSON.parse(rawBody)));
    return all.filter(({ type }) => type === 'call.ended').length === 3 ? all : undefined;
  });
  for (const { type, call } of events)
    if (call.id === known) t.deepEqual(call['sip'], { headers }, type);
    else t.false('sip' in call, type);
  t.notRegex(gateway.logged.join(''), /sora|ticket/i);
});
