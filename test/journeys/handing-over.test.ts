/**
 * A gateway is asked to end while it has calls, as a process of its own, and hands them over to another one. Real
 * processes, because SIGTERM and the exit of the process are part of it; one hand-over for all tests, as each process
 * costs two seconds. The rules of handing over are tested with a simulated clock in test/calls and test/simulation.
 */
import test from 'ava';
import { z } from 'zod';
import { lockRows } from '#test/helpers/database-statement.ts';
import type { EventStreamReader } from '#test/helpers/event-stream.ts';
import { until } from '#test/helpers/until.ts';
import {
  place,
  recordingOf,
  sharedGateways,
  silent,
  statusOf,
  untilStatus,
  untilTakenOver,
  type Running,
} from './gateways-of-one-database.ts';

const statesOf = ({ events }: EventStreamReader): unknown[] =>
  events.filter(({ event }) => event === 'state').map(({ data }) => data['conversation']);

const listed = (callIds: readonly string[]): string => callIds.map((callId) => `'${callId}'`).join(', ');

const takesCalls = '01000000011';

/** Two persons that talk to each other. */
const transferred = async (gateway: Running): Promise<string> => {
  const { body } = await gateway.admin.get('/api/v1/admin/numbers');
  const [number] = z.array(z.object({ id: z.string() })).parse(body['numbers']);
  await gateway.admin.patch(`/api/v1/admin/numbers/${number?.id}`, {
    transfer_to: [takesCalls],
    record_transfers: false,
  });
  const callId = await place(gateway, silent);
  await untilStatus(gateway, callId, 'active');
  const { status } = await gateway.client.post(`/api/v1/calls/${callId}/transfer`, { to: takesCalls });
  if (status !== 202) throw new Error(`The transfer was refused: ${status}`);
  await until('they are connected', async () => {
    const call = (await gateway.client.get(`/api/v1/calls/${callId}`)).body;
    return JSON.stringify(call['transfer']).includes('"connected"') || undefined;
  });
  return callId;
};

/**
 * A gateway has received SIGTERM while it had calls; the rows of some are locked, so that they are taken over later.
 */
const handOver = sharedGateways(async ({ start, rows, databaseUrl }, scope) => {
  const leaving = await start('leaving');
  const staying = await start('staying');
  const free = [await place(leaving, silent), await place(leaving, silent)];
  const locked = [await place(leaving, silent), await place(leaving, silent)] as const;
  const watched = await place(leaving, silent);
  for (const callId of [...free, ...locked, watched]) await untilStatus(staying, callId, 'active');
  const stream = await staying.watch(watched);
  await until('the agent listens', () => statesOf(stream).includes('listening.silent') || undefined);
  const bridged = await transferred(leaving);
  const unlock = await lockRows(scope, databaseUrl, `select id from call where id in (${listed(locked)})`);
  leaving.signal('SIGTERM');
  await leaving.printed('6 calls continue at staying');
  return { leaving, staying, free, locked, watched, bridged, stream, unlock, rows, start };
});

// Runs first, because the rows are locked until it has run.
test.serial(
  'executes a hangup after the take-over that was requested while no gateway owned the call',
  async (t) => {
    const { leaving, staying, locked, unlock } = await handOver(t);
    const hangups = [staying, leaving].map(({ client }, index) =>
      client.post(`/api/v1/calls/${locked[index]}/hangup`, { immediate: true }),
    );
    // These requests get their responses after the owners of the calls were looked up for the hangups.
    for (const [index, gateway] of [staying, leaving].entries())
      await gateway.client.get(`/api/v1/calls/${locked[index]}`);
    await unlock();
    t.deepEqual(
      (await Promise.all(hangups)).map(({ status }) => status),
      [202, 202],
    );
    for (const callId of locked) await untilStatus(staying, callId, 'completed');
  },
);

test.serial('hands over all calls at SIGTERM and leaves nothing to clean up', async (t) => {
  const { leaving, staying, free, rows } = await handOver(t);
  await leaving.ended;
  t.regex(leaving.stdout(), /6 calls continue at staying, each as soon as nobody speaks/);
  t.deepEqual(await rows('select name from node'), [{ name: 'staying' }]);
  for (const callId of free) {
    await untilTakenOver(staying, callId);
    t.is(await statusOf(staying, callId), 'active');
    const hangup = await staying.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
    t.is(hangup.status, 202);
    await untilStatus(staying, callId, 'completed');
  }
  t.deepEqual(
    await rows(`select type, count(*)::int as count from event
      where type like 'call.%' and type <> 'call.summarized' and call_id in (${listed(free)})
      group by type order by type`),
    [
      { type: 'call.answered', count: 2 },
      { type: 'call.ended', count: 2 },
      { type: 'call.hangup_requested', count: 2 },
      { type: 'call.ringing', count: 2 },
    ],
  );
  t.false(staying.stdout().includes('cleans up'));
});

test.serial('two connected persons keep talking after a hand-over', async (t) => {
  const { staying, bridged, rows } = await handOver(t);
  await untilTakenOver(staying, bridged);
  await untilStatus(staying, bridged, 'completed');
  const { body } = await staying.client.get(`/api/v1/calls/${bridged}`);
  t.is(body['end_reason'], 'transfer_completed');
  t.like(body['transfer'], { status: 'connected', reason: null });
  t.true(Number(body['duration_sec']) >= 10, 'the person hangs up ten seconds after it was connected');
  t.deepEqual(
    await rows(`select type from call_fact where call_id = '${bridged}' and type like 'recording.%'
      order by sequence limit 1`),
    [{ type: 'recording.paused' }],
  );
});

test.serial('an event stream on the next gateway has every fact once', async (t) => {
  const { staying, watched, stream } = await handOver(t);
  await untilTakenOver(staying, watched);
  const hangup = await staying.client.post(`/api/v1/calls/${watched}/hangup`, { immediate: true });
  t.is(hangup.status, 202);
  await stream.until('the end', ({ event }) => event === 'end');
  const { body } = await staying.client.get(`/api/v1/calls/${watched}/events`);
  t.deepEqual(
    stream.events.filter(({ event }) => event === 'fact').map(({ data }) => data),
    body['events'],
  );
});

test.serial('the recording of a call that was handed over is one file with both parts', async (t) => {
  const { staying, watched } = await handOver(t);
  const { truncated, longerBySec, turns, silentTurns } = await recordingOf(staying, watched);
  t.false(truncated);
  t.true(Math.abs(longerBySec) < 2, String(longerBySec));
  t.true(turns > 0);
  t.deepEqual(silentTurns, []);
});

test.serial('with GW_HAND_OVER=never, waits for the end of calls and logs the reason', async (t) => {
  const { start, rows } = await handOver(t);
  const leaving = await start('waiting', { GW_HAND_OVER: 'never' });
  const callId = await place(leaving, silent);
  await untilStatus(leaving, callId, 'active');
  leaving.signal('SIGTERM');
  await leaving.ended;
  t.regex(leaving.stdout(), /waiting up to \d+ s for one call to end, because GW_HAND_OVER is never/);
  t.deepEqual(await rows('select name from node'), [{ name: 'staying' }]);
  t.deepEqual(await rows(`select status from call where id = '${callId}'`), [{ status: 'failed' }]);
});
