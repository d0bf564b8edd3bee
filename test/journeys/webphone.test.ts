/** A person at a web phone, through a whole gateway. */
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { FromPhone } from '#src/domain/web-phone.ts';
import { testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';

const message = z.looseObject({
  type: z.string(),
  call_id: z.string().optional(),
  text: z.string().optional(),
});
type Message = z.infer<typeof message>;

const addressOf = ({ credentials }: TestGateway, query: Record<string, string>): string =>
  `${credentials.base_url.replace(/^http/, 'ws')}/api/v1/admin/phone?${new URLSearchParams(query).toString()}`;

/** The status of the answer that lets nobody in. */
const refusal = async (address: string): Promise<number> => {
  const [error] = await once(new WebSocket(address), 'error').catch((reason: unknown) => [reason]);
  return Number(/(\d{3})$/.exec(String(error))?.[1]);
};

const openPhone = async (t: ExecutionContext, gateway: TestGateway, name = 'phone-0001') => {
  const { admin_token: token } = gateway.credentials;
  const socket = new WebSocket(addressOf(gateway, { phone: name }), ['trunkline.phone', token]);
  const told: Message[] = [];
  socket.on('message', (data: Buffer) => void told.push(message.parse(JSON.parse(data.toString()))));
  t.teardown(() => socket.terminate());
  await once(socket, 'open');
  let read = 0;
  return {
    socket,
    told,
    send: (sent: FromPhone) => socket.send(JSON.stringify(sent)),
    /** The next message of this type, after those that were awaited before. */
    next: (type: string): Promise<Message> =>
      until(`the phone is told ${type}`, () => {
        const index = told.findIndex((one, at) => at >= read && one.type === type);
        if (index === -1) return undefined;
        read = index + 1;
        return told[index];
      }),
  };
};

test('the telephone that rings shows the headers that its INVITE would have', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '8' });
  await gateway.admin.post('/api/v1/admin/trunks', {
    name: 'carrier',
    host: 'sip.example.com',
    headers_out: ['X-Ticket'],
  });
  const phone = await openPhone(t, gateway);
  const place = (more: object) => gateway.client.post('/api/v1/calls', { to: '01055551234', ...more });
  await place({ sip_headers: { 'X-Ticket': '1042' } });
  t.like(await phone.next('ring'), { sip_headers: { 'X-Ticket': '1042' } });
  await place({});
  t.false('sip_headers' in (await phone.next('ring')));
});

test('any number rings in the browser, is answered there, and a conversation is held and recorded', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '8' });
  const phone = await openPhone(t, gateway);
  const other = await openPhone(t, gateway, 'phone-0002');
  const callId = await gateway.call('01055551234', '내일 오후 3시 예약을 확인해 주세요');
  t.like(await phone.next('ring'), { call_id: callId, to: '01055551234', direction: 'outbound' });
  t.like(await other.next('ring'), { call_id: callId });
  phone.send({ type: 'answer', call_id: callId });
  await phone.next('answered');
  t.like(await other.next('ended'), { reason: 'answered_elsewhere' });

  const first = await phone.next('agent_says');
  t.true((first.text ?? '').length > 0);
  phone.send({ type: 'say', text: '네, 오후 3시 좋습니다.' });
  await until('what was typed is heard', async () =>
    (await gateway.transcript(callId)).find(({ role, text }) => role === 'user' && text.includes('좋습니다')),
  );
  await phone.next('agent_says');
  phone.send({ type: 'digit', digit: '5' });
  phone.send({ type: 'hang_up' });
  t.like(await phone.next('ended'), { reason: 'hung_up' });
  const call = await gateway.untilStatus(callId, 'completed');
  t.is(call['end_reason'], 'counterparty_hangup');
  await until('the recording is there', async () => {
    const { status } = await gateway.client.get(`/api/v1/calls/${callId}/recording`);
    return status === 200 || undefined;
  });
  t.false(gateway.logged.some((line) => line.includes('좋습니다') || line.includes('01055551234')));
});

test('a call is declined; without a phone it rings on until the ring time-out', async (t) => {
  const gateway = await testGateway(t);
  await gateway.admin.patch(gateway.numberPath, { ring_timeout_sec: 10 });
  const alone = await gateway.call('01055551234');
  t.is((await gateway.untilStatus(alone, 'no_answer'))['end_reason'], 'no_answer');

  const phone = await openPhone(t, gateway);
  const callId = await gateway.call('01055551234');
  await phone.next('ring');
  phone.send({ type: 'decline', call_id: callId });
  t.is((await gateway.untilStatus(callId, 'no_answer'))['end_reason'], 'declined');
});

test('a phone that is lost comes back to its call, and one that does not has hung up', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '2' });
  const phone = await openPhone(t, gateway);
  const callId = await gateway.call('01055551234');
  await phone.next('ring');
  phone.send({ type: 'answer', call_id: callId });
  await phone.next('answered');
  phone.socket.terminate();
  const back = await openPhone(t, gateway);
  t.like(await back.next('answered'), { call_id: callId });
  back.socket.terminate();
  t.is((await gateway.untilStatus(callId, 'completed'))['end_reason'], 'counterparty_hangup');
});

test('a number of the workspace is dialled from the phone', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '8' });
  const phone = await openPhone(t, gateway);
  phone.send({ type: 'dial', to: '070-9999-9999' });
  t.like(await phone.next('refused'), { code: 'number_not_found' });
  phone.send({ type: 'dial', to: gateway.credentials.number });
  const { call_id: callId = '' } = await phone.next('answered');
  t.true(((await phone.next('agent_says')).text ?? '').length > 0, 'the greeting is heard');
  phone.send({ type: 'say', text: '문의드릴 것이 있습니다.' });
  await phone.next('agent_says');
  phone.send({ type: 'hang_up' });
  const call = await gateway.untilStatus(callId, 'completed');
  t.is(call['direction'], 'inbound');
  t.is(call['from'], '01055559999');
});

test('nobody gets in without a token or a name; what is no message is refused, and nothing more', async (t) => {
  const gateway = await testGateway(t);
  const { admin_token: token, number_key } = gateway.credentials;
  t.is(await refusal(addressOf(gateway, { phone: 'phone-0001' })), 401);
  t.is(await refusal(addressOf(gateway, { phone: 'phone-0001', token: number_key })), 401);
  t.is(await refusal(addressOf(gateway, { phone: '', token })), 400);
  t.is(await refusal(addressOf(gateway, { phone: 'phone-0001', token }).replace('/phone', '/fax')), 404);
  const phone = await openPhone(t, gateway);
  phone.socket.send('hello');
  t.like(await phone.next('refused'), { code: 'invalid_message' });
  phone.send({ type: 'hang_up' });
  phone.socket.send('x'.repeat(20_000));
  const [code] = await once(phone.socket, 'close');
  t.is(code, 1009);
  t.false(gateway.logged.some((line) => line.includes(token)));
});
