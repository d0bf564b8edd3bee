/** The ends of calls: hang-ups by the agent, and hang-ups without a media server. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import type { FarCall } from '#test/doubles/far-end.ts';
import type { FreeSwitch } from '#test/doubles/freeswitch.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { startServers, trunkAddress } from '#test/doubles/sip-edge.ts';
import { frameSamples } from '#test/doubles/unicast.ts';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';

// Farewells

const farewell = 'Thank you very much for your time today. Goodbye, and have a wonderful evening.';

/** Long enough for speech to interrupt the farewell on a busy machine. */
const longFarewell = Array.from({ length: 4 }, () => farewell).join(' ');

/**
 * An agent server that says something, and from the second request on requests the hangup and says goodbye: at length
 * first, then briefly.
 */
const politeAgent = (hangUp: (callId: string) => Promise<unknown>) => {
  let next = longFarewell;
  return startAgentServer(async (response, request) => {
    const { call_id, message } = z
      .object({ call_id: z.string(), message: z.string() })
      .parse(JSON.parse(request.body));
    if (message.startsWith('[outbound')) return sendReply('Hello, is everything fine?')(response, request);
    await hangUp(call_id);
    await sendReply(next)(response, request);
    next = farewell;
  });
};

test.serial(
  'speech during the farewell cancels the hangup, and the next farewell is heard to its end',
  async (t) => {
    const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '2' });
    const answers: unknown[] = [];
    const server = await politeAgent(async (callId) => {
      const { status, body } = await gateway.client.post(`/api/v1/calls/${callId}/hangup`);
      answers.push([status, body['status']]);
    });
    t.teardown(server.close);
    await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
      agent: 'endpoint',
      agent_type: 'webhook',
      chat_url: server.url,
    });
    const callId = await gateway.call('01000000005');
    t.like(await gateway.untilStatus(callId, ...finalStatuses), {
      status: 'completed',
      end_reason: 'agent_hangup',
    });
    t.deepEqual(answers, [
      [202, 'hangup_requested'],
      [202, 'hangup_requested'],
    ]);
    const said = (await gateway.transcript(callId))
      .filter(({ role }) => role === 'assistant')
      .map(({ text }) => text);
    t.is(said.at(-1), farewell);
    const cutOff = said.at(-2) ?? '';
    t.true(
      longFarewell.startsWith(cutOff) && cutOff.length < longFarewell.length,
      `"${cutOff}" is the part that was heard`,
    );
  },
);

test.serial('an immediate hangup does not wait for the farewell', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
  const server = await startAgentServer(sendReply(`${farewell} ${farewell}`));
  t.teardown(server.close);
  await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: server.url,
  });
  const callId = await gateway.call('01000000006');
  await gateway.untilStatus(callId, 'active');
  const { status } = await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  t.is(status, 202);
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'completed',
    end_reason: 'agent_hangup',
  });
  const again = await gateway.client.post(`/api/v1/calls/${callId}/hangup`);
  t.is(again.status, 409);
  t.is(again.body['code'], 'call_not_active');
});

test.serial('cancels a ringing call, but rejects its hangup', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
  const callId = await gateway.call('01000000002');
  const refused = await gateway.client.post(`/api/v1/calls/${callId}/hangup`);
  t.is(refused.body['code'], 'call_not_active');
  t.is((await gateway.client.post(`/api/v1/calls/${callId}/cancel`)).status, 202);
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'no_answer',
    end_reason: 'cancelled',
    duration_sec: 0,
  });
});

test.serial('the built-in agent hangs up by request and repeats an interrupted goodbye', async (t) => {
  // Slow enough for speech to interrupt its short farewell.
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '2' });
  const callId = await gateway.call('01000000005', '예약 확인');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
  const { body } = await gateway.admin.get(`/api/v1/admin/calls/${callId}`);
  t.is(body['status'], 'completed');
  const turns = await until('the transcript is complete', async () => {
    const all = await gateway.transcript(callId);
    return all.at(-1)?.text.includes('안녕히 계세요') === true ? all : undefined;
  });
  t.true(turns.some(({ role, text }) => role === 'user' && text.includes('잠깐만요')));
});

// A media server that is away

/** Channels send silence all the time, as those of a real FreeSWITCH: without frames the gateway ends the call. */
const sendSilence = (t: ExecutionContext, { channels }: FreeSwitch): void => {
  const silence = new Int16Array(frameSamples);
  const timer = setInterval(() => {
    for (const { sound } of channels()) sound?.tick(silence);
  }, 20);
  t.teardown(() => clearInterval(timer));
};

const startGateway = async (t: ExecutionContext) => {
  const servers = await startServers(t);
  const { drachtio, freeSwitches } = servers;
  const [freeSwitch] = freeSwitches;
  if (freeSwitch === undefined) throw new Error('There is no media server');
  sendSilence(t, freeSwitch);
  const gateway = await testGateway(t, {
    GW_LINES: 'drachtio',
    GW_DRACHTIO: `127.0.0.1:${drachtio.control.port}`,
    GW_RELAY: 'none',
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

/** Hangs a call up at once, before its far end has received any message. */
const hangUp = async ({ gateway }: Started, callId: string): Promise<void> => {
  const { status } = await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  if (status !== 202) throw new Error(`The hang-up was answered with ${status}`);
};

const untilNotReady = ({ isReady }: Started): Promise<unknown> =>
  until('it is found out', async () => !(await isReady()) || undefined);

test.serial('hangs up and cancels calls while no media server is reachable', async (t) => {
  const started = await startGateway(t);
  const { gateway, freeSwitch } = started;
  const [standing, rings] = [await answered(started), await ringing(started)];
  freeSwitch.closeEventSocket();
  await untilNotReady(started);
  t.is((await gateway.client.post(`/api/v1/calls/${rings.callId}/cancel`)).status, 202);
  await rings.farCall.receives('CANCEL');
  rings.farCall.answers(487, { to: 'INVITE' });
  await gateway.untilStatus(rings.callId, ...finalStatuses);
  await hangUp(started, standing.callId);
  await standing.farCall.receives('BYE');
  standing.farCall.answers(200);
  await gateway.untilStatus(standing.callId, ...finalStatuses);
});

test.serial(
  'accepts a hangup while drachtio-server is unreachable and sends the BYE after reconnection',
  async (t) => {
    const started = await startGateway(t);
    const { gateway, drachtio, isReady } = started;
    const { callId, farCall } = await answered(started);
    drachtio.goAway();
    await untilNotReady(started);
    await hangUp(started, callId);
    drachtio.comeBack();
    await farCall.receives('BYE');
    farCall.answers(200);
    t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
    await until('it is ready again', async () => (await isReady()) || undefined);
    t.false(drachtio.dialogs().includes(farCall.callId));
  },
);

test.serial(
  'ends calls when drachtio-server stays unreachable, and rejects later hangups as call_not_active',
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

// Without FreeSWITCH

test.serial('without FreeSWITCH, becomes ready and hangs up an active and a ringing call', async (t) => {
  const { drachtio, trunk } = await startServers(t, 0);
  const gateway = await testGateway(t, {
    GW_LINES: 'drachtio',
    GW_DRACHTIO: `127.0.0.1:${drachtio.control.port}`,
    GW_RELAY: 'none',
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
