/**
 * Gateways that share a database, as processes of their own: requests reach the gateway that holds the call, whichever
 * gateway gets them. Real processes, because one of them is frozen and killed; the same ones for all tests, as each
 * costs two seconds. The rules are tested with a simulated clock in test/cluster and test/simulation.
 */
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { hasNatsServer, startNatsServer } from '#test/helpers/nats-server.ts';
import { until } from '#test/helpers/until.ts';
import {
  bindAgent,
  neverAnswers,
  oneDatabase,
  place,
  sharedGateways,
  silent,
  statusOf,
  untilStatus,
  untilTakenOver,
  type Running,
} from './gateways-of-one-database.ts';

const gateways = sharedGateways(async ({ start, rows }, scope) => {
  const inspecting = { GW_INSPECT: '1' };
  const holder = await start('holder', inspecting);
  const [other, showing] = await Promise.all([
    start('other', inspecting),
    start('showing', { GW_LINES: 'none' }),
  ]);
  return { holder, other, showing, rows, scope };
});

const hangUp = async (t: ExecutionContext, { client }: Running, callId: string): Promise<void> => {
  const { status } = await client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  t.is(status, 202);
};

/**
 * Freezes a gateway, and resolves when it is frozen. The signal takes another way than the requests that follow: without
 * the wait, a busy machine could deliver one of these first.
 */
const freeze = async (gateway: Running): Promise<void> => {
  gateway.signal('SIGSTOP');
  await until('the gateway is frozen', () =>
    fetch(`${gateway.url}/healthz`, { signal: AbortSignal.timeout(500) }).then(
      () => undefined,
      () => true,
    ),
  );
};

/** Sends the requests about the calls of one gateway to another one. */
const askAnother = async (t: ExecutionContext, holder: Running, other: Running) => {
  const talking = await place(holder, silent);
  const ringing = await place(holder, neverAnswers);
  await untilStatus(other, talking, 'active');

  const post = (path: string, body?: unknown) => other.client.post(`/api/v1/calls/${path}`, body);
  for (const wrong of [await post(`${ringing}/hangup`), await post(`${talking}/cancel`)]) {
    t.deepEqual([wrong.status, wrong.body['code']], [409, 'call_not_active']);
  }
  t.is((await post(`${talking}/recording/pause`)).status, 200);
  // The gateway that owns the call stores the pause after responding to the request.
  await until('the recording is shown as paused', async () => {
    const { body } = await other.client.get(`/api/v1/calls/${talking}`);
    return (
      z.looseObject({ recording: z.looseObject({ paused: z.boolean() }) }).parse(body).recording.paused ||
      undefined
    );
  });
  t.is((await post(`${talking}/recording/resume`)).status, 200);

  await hangUp(t, other, talking);
  t.is((await post(`${ringing}/cancel`)).status, 202);
  await untilStatus(other, talking, 'completed');
  await untilStatus(other, ringing, 'no_answer');
  t.like((await holder.client.get(`/api/v1/calls/${talking}`)).body, { end_reason: 'agent_hangup' });
  for (const over of [await post(`${talking}/hangup`), await post(`${ringing}/cancel`)]) {
    t.deepEqual([over.status, over.body['code']], [409, 'call_not_active']);
  }
};

test.serial('any gateway hangs up, cancels and pauses a call', async (t) => {
  const { holder, other } = await gateways(t);
  await askAnother(t, holder, other);
});

if (hasNatsServer) {
  test.serial('any gateway that NATS wakes hangs up, cancels and pauses a call', async (t) => {
    const { port, stop } = await startNatsServer();
    t.teardown(stop);
    const { start } = await oneDatabase(t);
    const wokenBy = { GW_NATS_URL: `nats://127.0.0.1:${port}` };
    const [holder, other] = [await start('holder', wokenBy), await start('other', wokenBy)];
    for (const gateway of [holder, other]) await gateway.printed('notifications between gateways use NATS');
    await askAnother(t, holder, other);
  });
}

const assistantTurns = async ({ client }: Running, callId: string): Promise<string[]> => {
  const { body } = await client.get(`/api/v1/calls/${callId}/transcript`);
  const turns = z.array(z.object({ role: z.string(), text: z.string() })).parse(body['transcript']);
  return turns.filter(({ role }) => role === 'assistant').map(({ text }) => text);
};

test.serial('any gateway sends DTMF digits and speaks words in a call', async (t) => {
  const { holder, other } = await gateways(t);
  const words = '잠시만 기다려 주세요.';
  const agent = await startFakeAgent('webhook', (_, turn) => ({ pieces: [`${turn}번째 대답입니다.`] }));
  t.teardown(agent.close);
  t.is(await bindAgent(holder, agent.binding), 200);
  // A callee who speaks would interrupt the words.
  const callId = await place(holder, silent);
  await untilStatus(other, callId, 'active');
  const post = async (what: string, body: object): Promise<unknown> =>
    (await other.client.post(`/api/v1/calls/${callId}/${what}`, body)).body['status'];
  t.is(await post('keys', { keys: '1w#' }), 'keys_requested');
  t.is(await post('say', { text: words, interrupt: true }), 'say_requested');
  await until(
    'they were heard',
    async () => (await assistantTurns(other, callId)).includes(words) || undefined,
  );
  const { body } = await other.client.get(`/api/v1/calls/${callId}/events`);
  t.like(
    z
      .array(z.looseObject({ type: z.string() }))
      .parse(body['events'])
      .filter(({ type }) => ['keys.pressed', 'say.requested'].includes(type)),
    [
      { type: 'keys.pressed', data: { keys: '1w#' } },
      { type: 'say.requested', data: { text: words, interrupt: true } },
    ],
  );
  await hangUp(t, other, callId);
  await untilStatus(holder, callId, 'completed');
  const late = await other.client.post(`/api/v1/calls/${callId}/say`, { text: words });
  t.is(late.body['code'], 'call_not_active');
});

/** Opens a websocket of an admin, and reads its messages. */
const socketTo = async (t: ExecutionContext, { url, adminToken }: Running, path: string) => {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, ['trunkline', adminToken]);
  t.teardown(() => socket.terminate());
  const told: z.infer<typeof socketMessage>[] = [];
  socket.on('message', (data: Buffer) => told.push(socketMessage.parse(JSON.parse(data.toString()))));
  await once(socket, 'open');
  const next = (type: string, callId: string) =>
    until(`${type} of the call`, () =>
      told.find((one) => one.type === type && [one.call_id, one.callId].includes(callId)),
    );
  return { next, send: (message: object) => socket.send(JSON.stringify(message)) };
};

const socketMessage = z.looseObject({
  type: z.string(),
  call_id: z.string().optional(),
  callId: z.string().optional(),
});

test.serial('a web phone and an inspector at any gateway have the calls of all', async (t) => {
  const { holder, other } = await gateways(t);
  const phone = await socketTo(t, other, '/api/v1/admin/phone?phone=phone-0001');
  const inspector = await socketTo(t, other, '/inspect');
  const callId = await place(holder, '01055551234');
  await phone.next('ring', callId);
  await inspector.next('@xstate.actor', callId);
  phone.send({ type: 'answer', call_id: callId });
  await phone.next('answered', callId);
  await untilStatus(other, callId, 'active');
  phone.send({ type: 'hang_up' });
  await phone.next('ended', callId);
  await untilStatus(holder, callId, 'completed');
  t.like((await holder.client.get(`/api/v1/calls/${callId}`)).body, { end_reason: 'counterparty_hangup' });
});

test.serial('any gateway defines a callee, calls it, and reads the progress of its script', async (t) => {
  const { holder, other } = await gateways(t);
  const number = '01055554321';
  const script = [{ answer_after_sec: 0.1 }, { hang_up: true }];
  const path = `/api/v1/admin/simulator/callees/${number}`;
  t.is((await other.admin.put(path, { script, rehearsal: { step_timeout_sec: 30 } })).status, 200);
  t.deepEqual((await holder.admin.get(path)).body, { number, script });
  const callId = await place(holder, number);
  await untilStatus(other, callId, 'completed');
  t.deepEqual((await other.admin.get(`/api/v1/admin/simulator/calls/${callId}`)).body, {
    call_id: callId,
    steps: 2,
    steps_done: 2,
    outcome: 'done',
    persona: null,
  });
});

test.serial(
  'with a frozen gateway, a request gets 502 and the call continues, and a second request hangs up',
  async (t) => {
    const { holder, other } = await gateways(t);
    const callId = await place(holder, silent);
    await untilStatus(other, callId, 'active');
    await freeze(holder);
    const refused = await other.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
    holder.signal('SIGCONT');
    t.deepEqual([refused.status, refused.body['code']], [502, 'hangup_failed']);
    t.is(await statusOf(other, callId), 'active');
    await hangUp(t, other, callId);
    await untilStatus(other, callId, 'completed');
  },
);

test.serial('every gateway responds with 409 room_unknown for a call that no gateway owns', async (t) => {
  const { holder, other, rows } = await gateways(t);
  const callId = await place(holder, '01000000004');
  await untilStatus(other, callId, 'no_answer');
  await rows(`update call set status = 'active', answered_at = now(), ended_at = null, end_reason = null,
    duration_sec = null where id = '${callId}'`);
  for (const gateway of [holder, other]) {
    const { status, body } = await gateway.client.post(`/api/v1/calls/${callId}/hangup`);
    t.deepEqual([status, body['code']], [409, 'room_unknown']);
  }
  await rows(`update call set status = 'ringing' where id = '${callId}'`);
  for (const gateway of [holder, other]) {
    const { status, body } = await gateway.client.post(`/api/v1/calls/${callId}/hangup`);
    t.deepEqual([status, body['code']], [409, 'call_not_active']);
    const cancel = await gateway.client.post(`/api/v1/calls/${callId}/cancel`);
    t.deepEqual([cancel.status, cancel.body['code']], [409, 'room_unknown']);
  }
  await rows(`update call set status = 'no_answer', answered_at = null, ended_at = now(), end_reason = 'declined',
    duration_sec = 0 where id = '${callId}'`);
});

test.serial('a gateway without lines shows calls, but rejects placing and ending any', async (t) => {
  const { holder, showing } = await gateways(t);
  const callId = await place(holder, silent);
  await untilStatus(showing, callId, 'active');
  t.is((await showing.client.get('/readyz')).status, 200);

  const post = (path: string) => showing.client.post(`/api/v1/calls${path}`, { to: silent });
  const refused = await post(`/${callId}/hangup`);
  t.deepEqual([refused.status, refused.body['code']], [503, 'hangup_unavailable']);
  const notPlaced = await post('');
  t.deepEqual([notPlaced.status, notPlaced.body['code']], [503, 'service_unavailable']);
  t.is(await statusOf(showing, callId), 'active');

  await hangUp(t, holder, callId);
  await untilStatus(showing, callId, 'completed');
  const over = await post(`/${callId}/hangup`);
  t.deepEqual([over.status, over.body['code']], [409, 'call_not_active']);
});

test.serial(
  'another gateway takes over the calls of a frozen gateway when its lease has expired',
  async (t) => {
    const { holder, other, rows } = await gateways(t);
    const callId = await place(holder, silent);
    await untilStatus(other, callId, 'active');
    // Frozen first: a running gateway would notice at its next heartbeat that it was declared dead.
    await freeze(holder);
    await rows(`update node set lost_at = now() where name = 'holder'`);
    await untilTakenOver(other, callId);
    holder.signal('SIGCONT');
    await holder.printed('registers again');
    t.is(await statusOf(holder, callId), 'active');
    await hangUp(t, holder, callId);
    await untilStatus(holder, callId, 'completed');
    const next = await place(holder, silent);
    await untilStatus(other, next, 'active');
    t.deepEqual(
      await rows(
        `select count(*)::int as ends from event where call_id = '${callId}' and type = 'call.ended'`,
      ),
      [{ ends: 1 }],
    );
    await hangUp(t, other, next);
    await untilStatus(other, next, 'completed');
  },
);

// From here on gateways are killed.
test.serial('any gateway serves a recording while the gateway that stores it is running', async (t) => {
  const { holder, other } = await gateways(t);
  const callId = await place(holder, '01000000007');
  const path = `/api/v1/calls/${callId}/recording`;
  const own = await until('the recording is there', async () => {
    const answer = await holder.client.get(path);
    return answer.status === 200 ? answer : undefined;
  });
  t.true(own.bytes.length > 1_000);

  const whole = await other.client.get(path);
  t.is(whole.status, 200);
  t.deepEqual(whole.bytes, own.bytes);
  t.is(whole.headers.get('etag'), own.headers.get('etag'));
  const part = await other.client.get(path, { range: 'bytes=100-299' });
  t.is(part.status, 206);
  t.deepEqual(part.bytes, own.bytes.subarray(100, 300));
  t.is((await other.client.get(path, { range: 'bytes=99999999-' })).status, 416);
  const head = await other.client.send('HEAD', path);
  t.is(head.headers.get('content-length'), String(own.bytes.length));

  holder.signal('SIGKILL');
  await holder.ended;
  const away = await other.client.get(path);
  t.deepEqual([away.status, away.body['code']], [503, 'service_unavailable']);
});

/** More polls than a gateway with lines needs to declare another one dead, and far fewer than a lease has. */
const looks = 6;

test.serial('a gateway without lines leaves the calls of a killed gateway to others', async (t) => {
  const { other, showing, rows } = await gateways(t);
  const callId = await place(other, silent);
  await untilStatus(showing, callId, 'active');
  other.signal('SIGKILL');
  await other.ended;
  const seen = new Set<string>();
  await until('the dead gateway was looked for', async () => {
    const [row] = await rows(`select seen_at from node where name = 'showing'`);
    return seen.add(JSON.stringify(row)).size > looks ? true : undefined;
  });
  t.is(await statusOf(showing, callId), 'active');
  t.false(showing.stdout().includes('"dead_node":"other"'));
});
