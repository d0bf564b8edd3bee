/** Gateways that share a database, as processes of their own: one is asked to end while it has calls, or dies. */
import test from 'ava';
import { lockRows } from '#test/helpers/database-statement.ts';
import {
  oneDatabase,
  place,
  silent,
  statusOf,
  untilStatus,
  untilTakenOver,
} from './gateways-of-one-database.ts';

test.serial(
  'a gateway that is asked to end hands its calls over, and leaves nothing to clean up',
  async (t) => {
    const { start, rows } = await oneDatabase(t);
    const leaving = await start('leaving');
    const staying = await start('staying');
    const calls = [await place(leaving, silent), await place(leaving, silent)];
    for (const callId of calls) await untilStatus(staying, callId, 'active');
    leaving.signal('SIGTERM');
    await leaving.ended;
    t.regex(leaving.stdout(), /2 calls go on at staying, each when nobody speaks/);
    t.deepEqual(await rows('select name from node'), [{ name: 'staying' }]);
    for (const callId of calls) {
      await untilTakenOver(staying, callId);
      t.is(await statusOf(staying, callId), 'active');
      const hangup = await staying.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
      t.is(hangup.status, 202);
      await untilStatus(staying, callId, 'completed');
    }
    t.deepEqual(
      await rows(`select type, count(*)::int as count from event where type like 'call.%' and type <> 'call.summarized'
      group by type order by type`),
      [
        { type: 'call.answered', count: 2 },
        { type: 'call.ended', count: 2 },
        { type: 'call.hangup_requested', count: 2 },
        { type: 'call.ringing', count: 2 },
      ],
    );
    t.false(staying.stdout().includes('cleans up after it'));
  },
);

test.serial('a hangup that is asked for while nobody holds the call is done by who takes it', async (t) => {
  const { start, databaseUrl } = await oneDatabase(t);
  const leaving = await start('leaving');
  const staying = await start('staying');
  const calls = [await place(leaving, silent), await place(leaving, silent)] as const;
  for (const callId of calls) await untilStatus(staying, callId, 'active');
  // As long as their rows are locked nobody takes them.
  const unlock = await lockRows(t, databaseUrl, 'select id from call where ended_at is null');
  leaving.signal('SIGTERM');
  await leaving.printed('2 calls go on at staying');
  const hangups = [staying, leaving].map(({ client }, index) =>
    client.post(`/api/v1/calls/${calls[index]}/hangup`, { immediate: true }),
  );
  // What was asked behind them is answered: they have been looked for.
  for (const [index, gateway] of [staying, leaving].entries())
    await gateway.client.get(`/api/v1/calls/${calls[index]}`);
  await unlock();
  t.deepEqual(
    (await Promise.all(hangups)).map(({ status }) => status),
    [202, 202],
  );
  for (const callId of calls) await untilStatus(staying, callId, 'completed');
  await leaving.ended;
});

test.serial('a hang-up that is asked for behind a kill is done by who goes on with the call', async (t) => {
  const { start, rows, databaseUrl } = await oneDatabase(t);
  const doomed = await start('doomed');
  const other = await start('other');
  const calls = [await place(doomed, silent), await place(doomed, silent)];
  for (const callId of calls) await untilStatus(other, callId, 'active');
  // As long as their rows are locked nobody takes them.
  const unlock = await lockRows(t, databaseUrl, 'select id from call where ended_at is null');
  doomed.signal('SIGKILL');
  await doomed.ended;
  const [waits = '', atOnce = ''] = calls;
  const hangUp = (callId: string, immediate: boolean) =>
    other.client.post(`/api/v1/calls/${callId}/hangup`, { immediate });
  for (const { status, body } of [
    await hangUp(waits, false),
    await hangUp(atOnce, true),
    await hangUp(atOnce, false),
  ])
    t.deepEqual([status, body['status']], [202, 'hangup_requested']);
  await unlock();
  for (const callId of calls) {
    await untilStatus(other, callId, 'completed');
    t.like((await other.client.get(`/api/v1/calls/${callId}`)).body, { end_reason: 'agent_hangup' });
  }
  const asked = await rows(`select call_id, data->>'immediate' as immediate from call_fact
    where type = 'call.hangup_requested' order by immediate`);
  t.deepEqual(asked, [
    { call_id: waits, immediate: 'false' },
    { call_id: atOnce, immediate: 'true' },
  ]);
});

test.serial('a gateway that is told not to hand over waits for its calls, and says why', async (t) => {
  const { start, rows } = await oneDatabase(t);
  const leaving = await start('leaving', { GW_HAND_OVER: 'never' });
  const staying = await start('staying');
  const callId = await place(leaving, silent);
  await untilStatus(staying, callId, 'active');
  leaving.signal('SIGTERM');
  await leaving.ended;
  t.regex(leaving.stdout(), /waiting for one call, up to \d+ s, as GW_HAND_OVER=never says/);
  t.deepEqual(await rows('select name from node'), [{ name: 'staying' }]);
  t.is(await statusOf(staying, callId), 'failed');
});
