/** The embedded database is killed under a gateway with a call. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';

const journal = z.object({ events: z.array(z.object({ sequence: z.number(), type: z.string() })) });

test('the database is killed in a call: it comes back by itself, the call goes on, and no fact of it is lost', async (t) => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'trunkline-killed-'));
  t.teardown(() => rm(dataFolder, { recursive: true, force: true }));
  const gateway = await testGateway(t, {
    GW_DATABASE_URL: '',
    GW_DATA_DIR: dataFolder,
    GW_SIMULATOR_SPEED: '4',
  });
  const pidFile = join(dataFolder, 'postgresql', 'cluster', 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
  const callId = await gateway.call('01000000001', 'Confirm the reservation.');
  await gateway.untilStatus(callId, 'active');
  process.kill(pid, 'SIGKILL');
  const ended = await until('the call has ended and can be read', async () => {
    const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
    return body['status'] === 'completed' ? body : undefined;
  });
  t.is(ended['end_reason'], 'agent_hangup');
  const { events } = journal.parse((await gateway.client.get(`/api/v1/calls/${callId}/events`)).body);
  t.deepEqual(
    events.map(({ sequence }) => sequence).toSorted((one, other) => one - other),
    events.map((_, index) => index + 1),
  );
  const types = events.map(({ type }) => type);
  for (const type of ['call.answered', 'turn.spoken', 'call.ended']) t.true(types.includes(type), type);
  t.true(gateway.logged.some((line) => line.includes('the embedded database is back')));
  t.false(gateway.logged.some((line) => line.includes('could not be written')));
});
