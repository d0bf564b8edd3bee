/** A whole gateway on telephone lines whose servers cannot be reached when somebody wants to hang up. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import type { FarCall } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { startServers, trunkAddress } from '#test/doubles/sip-edge.ts';
import { testGateway, finalStatuses } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';

const startGateway = async (t: ExecutionContext) => {
  const servers = await startServers(t);
  const { drachtio, freeSwitches } = servers;
  const [freeSwitch] = freeSwitches;
  if (freeSwitch === undefined) throw new Error('There is no media server');
  const gateway = await testGateway(t, {
    GW_LINES: 'drachtio',
    GW_DRACHTIO: `127.0.0.1:${drachtio.control.port}`,
    GW_DRACHTIO_SECRET: drachtio.control.secret,
    GW_FREESWITCH: `127.0.0.1:${freeSwitch.eventSocket.port}`,
    GW_FREESWITCH_SECRET: freeSwitch.eventSocket.secret,
    GW_TRUNK: trunkAddress,
  });
  const isReady = async (): Promise<boolean> => (await gateway.client.get('/readyz')).status === 200;
  await until('the gateway is ready', async () => (await isReady()) || undefined);
  return { ...servers, freeSwitch, gateway, isReady };
};

type Started = Awaited<ReturnType<typeof startGateway>>;

/** A call that rings, and its far end. */
const ringing = async ({ gateway, trunk }: Started): Promise<{ callId: string; farCall: FarCall }> => {
  const callId = await gateway.call('01099998888');
  const farCall = await trunk.receives('INVITE');
  farCall.answers(180);
  return { callId, farCall };
};

const answered = async (started: Started): Promise<{ callId: string; farCall: FarCall }> => {
  const call = await ringing(started);
  call.farCall.answers(200, { sdp: describeSound() });
  await call.farCall.receives('ACK');
  await started.gateway.untilStatus(call.callId, 'active');
  return call;
};

const refusal = z.object({ status: z.number(), body: z.object({ code: z.string() }) });

test.serial('while no media server is reached a call cannot be hung up, and goes on', async (t) => {
  const started = await startGateway(t);
  const { gateway, freeSwitch, isReady } = started;
  const [standing, rings] = [await answered(started), await ringing(started)];
  await freeSwitch.closeEventSocket();
  await until('it is found out', async () => !(await isReady()) || undefined);
  for (const path of [`${standing.callId}/hangup`, `${rings.callId}/cancel`]) {
    const answer = refusal.parse(await gateway.client.post(`/api/v1/calls/${path}`));
    t.deepEqual([answer.status, answer.body.code], [502, 'hangup_failed'], path);
  }
  await gateway.untilStatus(standing.callId, 'active');
  await gateway.untilStatus(rings.callId, 'ringing');

  freeSwitch.openEventSocket();
  await until('it is reached again', async () => (await isReady()) || undefined);
  t.is((await gateway.client.post(`/api/v1/calls/${rings.callId}/cancel`)).status, 202);
  await rings.farCall.receives('CANCEL');
  rings.farCall.answers(487, { to: 'INVITE' });
  await gateway.untilStatus(rings.callId, ...finalStatuses);
  t.is(
    (await gateway.client.post(`/api/v1/calls/${standing.callId}/hangup`, { immediate: true })).status,
    202,
  );
  await standing.farCall.receives('BYE');
  standing.farCall.answers(200);
  await gateway.untilStatus(standing.callId, ...finalStatuses);
});

test.serial(
  'when drachtio-server is gone its calls are over, and there is nothing to be hung up',
  async (t) => {
    const started = await startGateway(t);
    const { gateway, drachtio, isReady } = started;
    const { callId } = await answered(started);
    await drachtio.kill();
    await until('it is found out', async () => !(await isReady()) || undefined);
    await gateway.untilStatus(callId, ...finalStatuses);
    const answer = refusal.parse(await gateway.client.post(`/api/v1/calls/${callId}/hangup`));
    t.deepEqual([answer.status, answer.body.code], [409, 'call_not_active']);
  },
);
