/** Custom headers of INVITEs through a whole gateway: those of calls, and those read from callers. */
import { z } from 'zod';
import { finalStatuses, type TestGateway } from '#test/helpers/gateway.ts';
import { onRealServers } from './on-real-servers.ts';
import { realGateway } from './real-gateway.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { callIn, startTrunk } from './trunk-ends.ts';

const callee = '01099998888';

const addTrunk = async ({ admin }: TestGateway, trunk: object): Promise<void> => {
  const { status } = await admin.post('/api/v1/admin/trunks', {
    host: '127.0.0.1',
    health_check: false,
    ...trunk,
  });
  if (status !== 201) throw new Error(`The trunk was not added: ${status}`);
};

const trunkStates = z.object({ trunks: z.array(z.object({ state: z.string() })) });

const trunksAreReady = (gateway: TestGateway): Promise<void> =>
  until(async () => {
    const { trunks } = trunkStates.parse((await gateway.admin.get('/api/v1/admin/trunks')).body);
    return trunks.every(({ state }) => state === 'ready');
  });

const listed = z.object({ calls: z.array(z.object({ id: z.string(), direction: z.string() })) });

/** Places a call and ends it as soon as it is answered. */
const place = async (gateway: TestGateway, more: object): Promise<string> => {
  const { body } = await gateway.client.post('/api/v1/calls', { to: callee, ...more });
  const callId = z.uuid().parse(body['call_id']);
  await gateway.untilStatus(callId, 'active', ...finalStatuses);
  await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  return callId;
};

onRealServers('headers of an INVITE', (servers) => {
  realTimeTest(
    'sends custom headers to a trunk that permits them, also after a challenge, and to no other',
    async (t) => {
      const { folder } = servers();
      const first = await startTrunk('silent', folder);
      t.teardown(first.close);
      const second = await startTrunk('trunk-challenging', folder);
      t.teardown(second.close);
      const gateway = await realGateway(t, servers(), second.port, { GW_TRUNK: '' });
      await addTrunk(gateway, { name: 'first', port: first.port, priority: 1 });
      await addTrunk(gateway, {
        name: 'second',
        port: second.port,
        priority: 2,
        username: 'gw',
        password: 'correct',
        headers_out: ['X-Ticket', 'X-Note'],
      });
      await trunksAreReady(gateway);
      const headers = { 'X-Ticket': '1042; via="a,b" <c>', 'x-note': '예약 확인' };
      const callId = await place(gateway, { sip_headers: headers, metadata: { order: 'A-1042' } });
      const { sip, ...record } = await gateway.untilStatus(callId, ...finalStatuses);
      t.like(sip, { status: 200, headers });
      t.deepEqual(record['metadata'], { order: 'A-1042' });
      const sent = await second.messages();
      t.is(sent.match(/^INVITE sip:/gm)?.length, 2, 'before and after the challenge');
      t.is(sent.match(/^X-Ticket: 1042; via="a,b" <c>\r?$/gm)?.length, 2);
      t.is(sent.match(/^x-note: 예약 확인\r?$/gm)?.length, 2);
      t.notRegex(sent, /A-1042/, 'metadata is no header');
      t.is(await first.messages(), '');

      await place(gateway, {});
      const plain = await first.messages();
      t.regex(plain, /^INVITE sip:/m);
      t.notRegex(plain, /^X-/im);
    },
  );

  realTimeTest('sends and receives headers of the configured trunk as its settings specify', async (t) => {
    const { folder, sipPort } = servers();
    const end = await startTrunk('silent', folder);
    t.teardown(end.close);
    const gateway = await realGateway(t, servers(), end.port, {
      GW_TRUNK_HEADERS_OUT: 'X-Ticket',
      GW_TRUNK_HEADERS_IN: 'X-Queue',
    });
    const refused = await gateway.client.post('/api/v1/calls', {
      to: callee,
      sip_headers: { 'X-Queue': '3' },
    });
    t.is(refused.status, 400);
    await place(gateway, { sip_headers: { 'x-ticket': '1042' } });
    t.regex(await end.messages(), /^x-ticket: 1042\r?$/m);

    const headers = ['X-Queue: 3', 'X-Ticket: 1042'];
    const { asExpected, messages } = await callIn(folder, {
      sipPort,
      to: gateway.credentials.number,
      expect: 200,
      headers,
    });
    t.true(asExpected, messages);
    const { calls } = listed.parse((await gateway.client.get('/api/v1/calls')).body);
    const { sip } = await gateway.untilStatus(calls[0]?.id ?? '', ...finalStatuses);
    t.like(sip, { headers: { 'X-Queue': '3' } });
    t.false(JSON.stringify(sip).includes('1042'));
  });

  realTimeTest("stores a caller's headers that the trunk permits, within limits", async (t) => {
    const { folder, sipPort } = servers();
    const gateway = await realGateway(t, servers(), 9, { GW_TRUNK: '' });
    await addTrunk(gateway, {
      name: 'carrier',
      port: 9,
      inbound_addresses: ['127.0.0.1'],
      headers_in: ['X-Ticket', 'X-Queue', 'X-Note', 'X-Long', 'X-Bell', 'X-Empty', 'X-Absent', 'X-Twice'],
    });
    await trunksAreReady(gateway);
    const to = gateway.credentials.number;
    const called = async (headers: readonly string[]): Promise<unknown> => {
      const { asExpected, messages } = await callIn(folder, { sipPort, to, expect: 200, headers });
      t.true(asExpected, messages);
      const { calls } = listed.parse((await gateway.client.get('/api/v1/calls')).body);
      return (await gateway.untilStatus(calls[0]?.id ?? '', ...finalStatuses))['sip'];
    };
    t.like(
      await called([
        'X-Ticket: 1042; a="b"',
        'x-queue:   3  ',
        'X-Note: 예약',
        `X-Long: ${'x'.repeat(5_000)}`,
        'X-Bell: a\u0007b',
        'X-Empty:',
        'X-Other: nobody asked for it',
        'X-Twice: 1',
        'X-Twice: 2',
      ]),
      { headers: { 'X-Ticket': '1042; a="b"', 'X-Queue': '3', 'X-Note': '예약', 'X-Twice': '1,2' } },
    );
    const sip = await called(['X-Other: nobody asked for it']);
    t.false('headers' in z.looseObject({}).parse(sip));
    t.notRegex(gateway.logged.join(''), /1042; a=|nobody asked/);
  });
});
