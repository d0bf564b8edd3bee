/** A whole gateway that carries the sound of its calls itself: everything is there, but for what needs FreeSWITCH. */
import test from 'ava';
import { describeSound } from '#test/doubles/session-description.ts';
import { startServers, trunkAddress } from '#test/doubles/sip-edge.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';

test.serial('it is ready, and hangs up a call that goes on and one that rings', async (t) => {
  const { drachtio, trunk } = await startServers(t, 0);
  const gateway = await testGateway(t, {
    GW_LINES: 'drachtio',
    GW_DRACHTIO: `127.0.0.1:${drachtio.control.port}`,
    GW_DRACHTIO_SECRET: drachtio.control.secret,
    GW_FREESWITCH: 'none',
    GW_TRUNK: trunkAddress,
    GW_RTP_PORTS: '23000-23398',
  });
  await until(
    'the gateway is ready',
    async () => (await gateway.client.get('/readyz')).status === 200 || undefined,
  );
  t.deepEqual((await gateway.client.get('/readyz')).body, { status: 'ready' });

  const standing = await gateway.call('01099998888');
  const answered = await trunk.receives('INVITE');
  answered.answers(200, { sdp: describeSound() });
  await answered.receives('ACK');
  await gateway.untilStatus(standing, 'active');
  t.is((await gateway.client.post(`/api/v1/calls/${standing}/hangup`, { immediate: true })).status, 202);
  await answered.receives('BYE');
  answered.answers(200);
  t.like(await gateway.untilStatus(standing, ...finalStatuses), { status: 'completed' });

  const rings = await gateway.call('01099997777');
  const ringing = await trunk.receives('INVITE');
  ringing.answers(180);
  await gateway.untilStatus(rings, 'ringing');
  t.is((await gateway.client.post(`/api/v1/calls/${rings}/cancel`)).status, 202);
  await ringing.receives('CANCEL');
  ringing.answers(487, { to: 'INVITE' });
  t.like(await gateway.untilStatus(rings, ...finalStatuses), {
    status: 'no_answer',
    end_reason: 'cancelled',
  });
});
