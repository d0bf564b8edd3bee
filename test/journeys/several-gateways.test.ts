/** Gateways that share a database, as processes of their own: one dies, freezes, or is asked for a call of another. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { hasNatsServer, startNatsServer } from '#test/helpers/nats-server.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import {
  neverAnswers,
  oneDatabase,
  place,
  silent,
  statusOf,
  untilStatus,
  untilTakenOver,
} from './gateways-of-one-database.ts';

test.serial(
  'the calls of a gateway that was killed go on at the others, and what rang is ended',
  async (t) => {
    const { start, rows } = await oneDatabase(t);
    const doomed = await start('doomed');
    const one = await start('one');
    const two = await start('two');
    const calls = [
      await place(doomed, silent),
      await place(doomed, silent),
      await place(doomed, neverAnswers),
    ];
    const kept = await place(one, silent);
    for (const callId of [...calls.slice(0, 2), kept]) await untilStatus(one, callId, 'active');
    const killedAt = Date.now();
    doomed.signal('SIGKILL');
    await doomed.ended;

    const [talking = '', talkingToo = '', ringing = ''] = calls;
    await untilStatus(two, ringing, 'failed');
    const { body } = await two.client.get(`/api/v1/calls/${ringing}`);
    t.is(body['end_reason'], 'system_error');
    const endedAt = Date.parse(z.string().parse(body['ended_at']));
    t.true(endedAt - killedAt < 20_000, 'long before the lease of one that is only silent');
    for (const callId of [talking, talkingToo]) {
      await untilTakenOver(two, callId);
      t.is(await statusOf(two, callId), 'active');
      // Whoever holds it now.
      const hangup = await one.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
      t.is(hangup.status, 202);
      await untilStatus(two, callId, 'completed');
    }
    t.is(await statusOf(two, kept), 'active', 'the calls of the living go on');
    await until('the dead gateway is forgotten', async () => {
      const known = await rows('select name from node order by name');
      return known.length === 2 ? true : undefined;
    });
    const ends = await rows(
      `select call_id, count(*)::int as ends from event where type = 'call.ended' group by call_id`,
    );
    t.deepEqual(
      ends.map((row) => z.object({ ends: z.number() }).parse(row).ends),
      [1, 1, 1],
    );
    const again = await start('doomed');
    t.is(await statusOf(again, kept), 'active');
  },
);

test.serial('what a gateway that was killed had under way is delivered by the others', async (t) => {
  const { start } = await oneDatabase(t);
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const doomed = await start('doomed');
  const { body } = await doomed.admin.post('/api/v1/admin/webhooks', {
    url: receiver.url,
    events: ['call.ringing'],
  });
  receiver.trust(z.string().parse(body['secret']));
  // As many as an endpoint may have under way at once.
  receiver.answer(...Array.from({ length: 5 }, () => 'hang' as const));
  for (let call = 0; call < 5; call += 1) await place(doomed, neverAnswers);
  const brokenOff = (await receiver.until(5)).map(({ id }) => id);
  await start('one');
  doomed.signal('SIGKILL');
  await doomed.ended;
  const killedAt = performance.now();

  // Their claims would last for 45 s.
  const again = await until(
    'they have arrived again',
    () => (receiver.received.length >= 10 ? receiver.received.slice(5, 10).map(({ id }) => id) : undefined),
    25_000,
  );
  for (const id of brokenOff) t.true(again.includes(id));
  t.log(`after ${Math.round(performance.now() - killedAt)} ms`);
});

/** Asks one gateway for what another one does; `wokenBy` is how they hear of it. */
const askAnother = async (t: ExecutionContext, wokenBy: Record<string, string> = {}) => {
  const { start } = await oneDatabase(t);
  const holder = await start('holder', wokenBy);
  const other = await start('other', wokenBy);
  if ('GW_NATS_URL' in wokenBy) for (const gateway of [holder, other]) await gateway.printed('woken by NATS');
  const talking = await place(holder, silent);
  const ringing = await place(holder, neverAnswers);
  await untilStatus(other, talking, 'active');

  const post = (path: string, body?: unknown) => other.client.post(`/api/v1/calls/${path}`, body);
  for (const wrong of [await post(`${ringing}/hangup`), await post(`${talking}/cancel`)]) {
    t.deepEqual([wrong.status, wrong.body['code']], [409, 'call_not_active']);
  }
  t.is((await post(`${talking}/recording/pause`)).status, 200);
  const { body: paused } = await other.client.get(`/api/v1/calls/${talking}`);
  t.like(paused, { recording: { paused: true } });
  t.is((await post(`${talking}/recording/resume`)).status, 200);

  t.is((await post(`${talking}/hangup`, { immediate: true })).status, 202);
  t.is((await post(`${ringing}/cancel`)).status, 202);
  await untilStatus(other, talking, 'completed');
  await untilStatus(other, ringing, 'no_answer');
  t.like((await holder.client.get(`/api/v1/calls/${talking}`)).body, { end_reason: 'agent_hangup' });
  for (const over of [await post(`${talking}/hangup`), await post(`${ringing}/cancel`)]) {
    t.deepEqual([over.status, over.body['code']], [409, 'call_not_active']);
  }
};

test.serial('a call is hung up, cancelled and paused by any gateway', (t) => askAnother(t));

if (hasNatsServer) {
  test.serial('a call is hung up, cancelled and paused by any gateway that NATS wakes', async (t) => {
    const { port, stop } = await startNatsServer();
    t.teardown(stop);
    await askAnother(t, { GW_NATS_URL: `nats://127.0.0.1:${port}` });
  });
}

test.serial('a gateway that does not answer: 502, the call lives, and one more try hangs up', async (t) => {
  const { start } = await oneDatabase(t);
  const holder = await start('holder');
  const other = await start('other');
  const callId = await place(holder, silent);
  await untilStatus(other, callId, 'active');
  holder.signal('SIGSTOP');
  const refused = await other.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  holder.signal('SIGCONT');
  t.deepEqual([refused.status, refused.body['code']], [502, 'hangup_failed']);
  t.is(await statusOf(other, callId), 'active');
  t.is((await other.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true })).status, 202);
  await untilStatus(other, callId, 'completed');
});

test.serial('an active call that its gateway does not have: 409 room_unknown, here and there', async (t) => {
  const { start, rows } = await oneDatabase(t);
  const holder = await start('holder');
  const other = await start('other');
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
});

test.serial('a gateway without lines leaves the calls of a dead one to who goes on with them', async (t) => {
  const { start, rows } = await oneDatabase(t);
  const holder = await start('holder');
  const showing = await start('showing', { GW_LINES: 'none' });
  const callId = await place(holder, silent);
  await untilStatus(showing, callId, 'active');
  holder.signal('SIGKILL');
  await holder.ended;
  const looks = new Set<string>();
  await until('it was looked for six times', async () => {
    const [row] = await rows(`select seen_at from node where name = 'showing'`);
    return looks.add(JSON.stringify(row)).size > 6 ? true : undefined;
  });
  t.is(await statusOf(showing, callId), 'active');
  const again = await start('holder');
  await untilTakenOver(again, callId);
  t.is(await statusOf(showing, callId), 'active');
  t.is((await showing.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true })).status, 503);
  t.is((await again.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true })).status, 202);
  await untilStatus(showing, callId, 'completed');
});

test.serial('a gateway without lines shows calls, places none and hangs none up', async (t) => {
  const { start } = await oneDatabase(t);
  const holder = await start('holder');
  const showing = await start('showing', { GW_LINES: 'none' });
  const callId = await place(holder, silent);
  await untilStatus(showing, callId, 'active');
  t.is((await showing.client.get('/readyz')).status, 200);

  const post = (path: string) => showing.client.post(`/api/v1/calls${path}`, { to: silent });
  const refused = await post(`/${callId}/hangup`);
  t.deepEqual([refused.status, refused.body['code']], [503, 'hangup_unavailable']);
  const notPlaced = await post('');
  t.deepEqual([notPlaced.status, notPlaced.body['code']], [503, 'service_unavailable']);
  t.is(await statusOf(showing, callId), 'active');

  t.is((await holder.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true })).status, 202);
  await untilStatus(showing, callId, 'completed');
  const over = await post(`/${callId}/hangup`);
  t.deepEqual([over.status, over.body['code']], [409, 'call_not_active']);
});

test.serial('a recording is had from any gateway while the one that keeps it runs', async (t) => {
  const { start } = await oneDatabase(t);
  const fast = { GW_SIMULATOR_SPEED: '20' };
  const holder = await start('holder', fast);
  const other = await start('other', fast);
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

test.serial(
  'a frozen gateway whose lease is over: its calls go on at another, and it lets go of them when it wakes',
  async (t) => {
    const { start, rows } = await oneDatabase(t);
    const frozen = await start('frozen');
    const other = await start('other');
    const callId = await place(frozen, silent);
    await untilStatus(other, callId, 'active');
    // As if half a minute had gone by.
    await rows(`update node set lost_at = now() where name = 'frozen'`);
    frozen.signal('SIGSTOP');
    await untilTakenOver(other, callId);
    frozen.signal('SIGCONT');
    await frozen.printed('begins anew');
    t.is(await statusOf(frozen, callId), 'active');
    t.is((await frozen.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true })).status, 202);
    await untilStatus(frozen, callId, 'completed');
    const next = await place(frozen, silent);
    await untilStatus(other, next, 'active');
    t.deepEqual(
      await rows(
        `select count(*)::int as ends from event where call_id = '${callId}' and type = 'call.ended'`,
      ),
      [{ ends: 1 }],
    );
    t.is((await other.client.post(`/api/v1/calls/${next}/hangup`, { immediate: true })).status, 202);
    await untilStatus(other, next, 'completed');
  },
);
