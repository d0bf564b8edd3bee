import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { apiClient } from '#test/helpers/api-client.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const credentials = z.object({
  base_url: z.string(),
  number_key: z.string(),
  number_id: z.string(),
  admin_token: z.string(),
});

/** A gateway as a newcomer starts it: a process of its own with the embedded database. */
const startProcess = async (t: ExecutionContext, dataFolder: string) => {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: {
      ...process.env,
      GW_DATA_DIR: dataFolder,
      GW_PORT: '0',
      GW_SIMULATOR_SPEED: '2',
      // Calls are placed on busy machines, too.
      GW_MAX_DELAY_MS: '0',
      GW_DRAIN_SEC: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await until('the gateway is ready', () => (printed.includes('Trunkline is ready') ? true : undefined));
  const known = credentials.parse(
    JSON.parse(await readFile(join(dataFolder, 'dev-credentials.json'), 'utf8')),
  );
  return {
    ...known,
    client: apiClient(known.base_url, known.number_key),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

test('a restart keeps what is stored, goes on with who talks, and ends once what rang', async (t) => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'trunkline-restart-'));
  t.teardown(() => rm(dataFolder, { recursive: true, force: true }));
  const first = await startProcess(t, dataFolder);
  const metadata = { order: 'A-1042' };
  const place = async (to: string): Promise<string> => {
    const { body } = await first.client.post('/api/v1/calls', { to, metadata });
    return z.string().parse(body['call_id']);
  };
  const finished = await place('01000000007');
  const before = await until('the first call has ended', async () => {
    const { body } = await first.client.get(`/api/v1/calls/${finished}`);
    return body['status'] === 'completed' && body['summary'] !== null ? body : undefined;
  });
  const talking = await place('01000000006');
  const ringing = await place('01000000002');
  await until('the second call talks', async () => {
    const { body } = await first.client.get(`/api/v1/calls/${talking}`);
    return body['status'] === 'active' ? true : undefined;
  });
  await first.kill();

  const second = await startProcess(t, dataFolder);
  t.is(second.number_key, first.number_key);
  t.is(second.number_id, first.number_id);
  const after = (await second.client.get(`/api/v1/calls/${finished}`)).body;
  t.like(after, {
    id: finished,
    status: 'completed',
    end_reason: before['end_reason'],
    duration_sec: before['duration_sec'],
  });
  t.deepEqual(after['metadata'], metadata);
  t.like((await second.client.get(`/api/v1/calls/${ringing}`)).body, {
    metadata,
    status: 'failed',
    end_reason: 'system_error',
    recording: { status: 'none' },
  });
  const events = z.array(z.object({ sequence: z.number(), type: z.string() }));
  const story = async () => {
    const { body } = await second.client.get(`/api/v1/calls/${talking}/events`);
    return events.parse(body['events']);
  };
  await until('it goes on', async () =>
    (await story()).some(({ type }) => type === 'call.taken_over') ? true : undefined,
  );
  t.is((await second.client.get(`/api/v1/calls/${talking}`)).body['status'], 'active');
  t.is((await second.client.post(`/api/v1/calls/${talking}/hangup`, { immediate: true })).status, 202);
  await until('it has ended', async () => {
    const { body } = await second.client.get(`/api/v1/calls/${talking}`);
    return body['status'] === 'completed' && body['summary'] !== null ? body : undefined;
  });
  t.deepEqual((await second.client.get(`/api/v1/calls/${talking}`)).body['metadata'], metadata);
  const told = await story();
  t.deepEqual(
    told.map(({ sequence }) => sequence),
    told.map((_, index) => index + 1),
    'no fact is missing, and none twice',
  );
  t.is(told.filter(({ type }) => type === 'call.ended').length, 1);
  const { body } = await second.client.get('/api/v1/calls');
  t.is(z.array(z.unknown()).parse(body['calls']).length, 3);
});

test('deliveries that a crash broke off are made again as soon as the gateway is back', async (t) => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'trunkline-restart-'));
  t.teardown(() => rm(dataFolder, { recursive: true, force: true }));
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const first = await startProcess(t, dataFolder);
  const created = await first.client
    .as(first.admin_token)
    .post('/api/v1/admin/webhooks', { url: receiver.url, events: ['call.ringing'] });
  receiver.trust(z.string().parse(created.body['secret']));
  // As many as an endpoint may have under way at once.
  receiver.answer(...Array.from({ length: 5 }, () => 'hang' as const));
  for (let call = 0; call < 5; call += 1) await first.client.post('/api/v1/calls', { to: '01000000002' });
  const brokenOff = (await receiver.until(5)).map(({ id }) => id);
  await first.kill();

  await startProcess(t, dataFolder);
  // Their claims would last for 45 s.
  const again = await until(
    'they have arrived again',
    () => (receiver.received.length >= 10 ? receiver.received.slice(5, 10).map(({ id }) => id) : undefined),
    30_000,
  );
  for (const id of brokenOff) t.true(again.includes(id));
});
