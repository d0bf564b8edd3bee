/** Gateways that are killed and started again, as processes, in real time; and a wall clock that is set. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { type ApiClient, type ApiResponse, apiClient } from '#test/helpers/api-client.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { testGateway } from '#test/helpers/gateway.ts';
import { ownEnvironment, runProgram } from '#test/helpers/programs/run-program.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { serverSettings, startCommand, startedGateway } from '#test/start/gateway-process.ts';

// Restart

const root = fileURLToPath(new URL('../..', import.meta.url));

const credentials = z.object({
  base_url: z.string(),
  number_key: z.string(),
  number_id: z.string(),
  admin_token: z.string(),
});

/** A gateway as a new user starts it: a process of its own with the embedded database. */
const startProcess = async (t: ExecutionContext, dataFolder: string) => {
  let printed = '';
  const { ended, signal } = runProgram(process.execPath, startCommand, {
    cwd: root,
    env: {
      ...ownEnvironment(),
      GW_DATA_DIR: dataFolder,
      GW_PORT: '0',
      GW_SIMULATOR_SPEED: '2',
      // Load shedding is off, because tests also place calls on busy machines.
      GW_MAX_DELAY_MS: '0',
      GW_DRAIN_SEC: '0',
    },
    onOutput(from, text) {
      if (from === 'stdout') printed += text;
      else process.stderr.write(text);
    },
  });
  t.teardown(async () => {
    signal('SIGTERM');
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
      signal('SIGKILL');
      await ended;
    },
  };
};

test.serial('a restart keeps stored data, resumes active calls, and ends ringing ones once', async (t) => {
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

test.serial('repeats deliveries interrupted by a crash as soon as the gateway is back', async (t) => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'trunkline-restart-'));
  t.teardown(() => rm(dataFolder, { recursive: true, force: true }));
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const first = await startProcess(t, dataFolder);
  const created = await first.client
    .as(first.admin_token)
    .post('/api/v1/admin/webhooks', { url: receiver.url, events: ['call.ringing'] });
  receiver.trust(z.string().parse(created.body['secret']));
  // The maximum number of simultaneous deliveries of an endpoint.
  receiver.answer(...Array.from({ length: 5 }, () => 'hang' as const));
  for (let call = 0; call < 5; call += 1) await first.client.post('/api/v1/calls', { to: '01000000002' });
  const brokenOff = (await receiver.until(5)).map(({ id }) => id);
  await first.kill();

  await startProcess(t, dataFolder);
  // The lease of the killed process's claims would last for 45 s.
  const again = await until(
    'they have arrived again',
    () => (receiver.received.length >= 10 ? receiver.received.slice(5, 10).map(({ id }) => id) : undefined),
    30_000,
  );
  for (const id of brokenOff) t.true(again.includes(id));
});

// Repeated requests

/** Keys of a round, and the number of simultaneous requests with each. */
const keysAtOnce = 14;
const twins = 3;
/** Moments between the first response and the kill. */
const kills = [0, 10, 25, 50, 100];

const placedCall = z.object({ call_id: z.uuid(), status: z.literal('ringing') });

/** The placed call, or `undefined` without a response or if a request with the same key was in progress. */
const placedBy = (t: ExecutionContext, answer: ApiResponse | undefined): string | undefined => {
  if (answer === undefined) return undefined;
  if (answer.status === 201) return placedCall.parse(answer.body).call_id;
  t.like(answer, { status: 409, body: { code: 'idempotency_in_progress' } });
  return undefined;
};

const ask = (client: ApiClient, key: string): Promise<ApiResponse> =>
  client.post('/api/v1/calls', { to: '01000000004' }, { 'Idempotency-Key': key });

test.serial('returns the single call of a repeated request, whenever a gateway is killed', async (t) => {
  const settings = await serverSettings(t);
  const databaseUrl = settings['GW_DATABASE_URL'] ?? '';
  const asked: { key: string; callId: string | undefined; isLost: boolean }[] = [];

  for (const [round, killAfterMs] of kills.entries()) {
    const gateway = await startedGateway(t, settings);
    const client = apiClient(gateway.credentials.base_url, gateway.credentials.number_key);
    let first = true;
    const asking = Array.from({ length: keysAtOnce * twins }, async (_, index) => {
      const key = `round-${round}-key-${index % keysAtOnce}`;
      const answer = await ask(client, key).catch(() => undefined);
      if (answer !== undefined && first) {
        first = false;
        setTimeout(() => gateway.signal('SIGKILL'), killAfterMs);
      }
      asked.push({ key, callId: placedBy(t, answer), isLost: answer === undefined });
    });
    await Promise.all([...asking, gateway.ended]);
  }

  const gateway = await startedGateway(t, settings);
  const client = apiClient(gateway.credentials.base_url, gateway.credentials.number_key);
  const calls = new Map<string, string>();
  for (const { key, callId } of asked) {
    const answer = await ask(client, key);
    t.is(answer.status, 201);
    const repeated = placedBy(t, answer) ?? '';
    t.is(repeated, callId ?? repeated);
    t.is(repeated, calls.get(key) ?? repeated, 'twins have one call');
    calls.set(key, repeated);
  }
  t.is(new Set(calls.values()).size, keysAtOnce * kills.length);
  const [row] = await runStatement(databaseUrl, 'select count(*)::int as calls from call');
  t.deepEqual(row, { calls: calls.size }, 'no request has placed a second call');
  const lost = asked.filter(({ isLost }) => isLost).length;
  t.true(lost > 0, 'some requests have lost their answer');
  t.log(`${lost} of ${asked.length} requests lost their answer`);
});

// A clock that is set

const hourMs = 3_600_000;
const RealDate = Date;

/** Every reading of the wall clock in this process is off by this much until the end of the test. */
const setClock = (t: ExecutionContext, byMs: number): void => {
  const now = (): number => RealDate.now() + byMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: []) =>
      given.length === 0 ? new target(now()) : Reflect.construct(target, given),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  t.teardown(() => {
    globalThis.Date = RealDate;
  });
};

for (const [title, step] of Object.entries({ forward: hourMs, back: -hourMs })) {
  test.serial(
    `a clock set ${title} by an hour during a call changes neither its duration nor its event times`,
    async (t) => {
      const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
      const receiver = await startWebhookReceiver();
      t.teardown(receiver.close);
      const { status, body: endpoint } = await gateway.admin.post('/api/v1/admin/webhooks', {
        url: receiver.url,
        events: ['call.ended'],
      });
      t.is(status, 201);
      // The receiver accepts only signatures with the current time of the clock.
      receiver.trust(z.string().parse(endpoint['secret']));
      const told = (): number => new Set(receiver.received.map(({ id }) => id)).size;
      const begun = performance.now();
      const callId = await gateway.call('01000000006');
      await gateway.untilStatus(callId, 'active');
      setClock(t, step);
      await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
      const ended = await gateway.untilStatus(callId, 'completed');
      const lasted = z.number().parse(ended['duration_sec']);
      t.true(lasted > 0 && lasted <= (performance.now() - begun) / 1000, `${lasted} s`);
      const [started, over] = [ended['started_at'], ended['ended_at']].map((at) =>
        RealDate.parse(z.string().parse(at)),
      );
      t.true(
        (over ?? 0) - (started ?? 0) <= performance.now() - begun + 1,
        'the call keeps the time that it began in',
      );
      await until('its end is told', () => (told() === 1 ? true : undefined));
      const next = await gateway.call('01000000003');
      const { body } = await gateway.client.get(`/api/v1/calls/${next}`);
      const off = RealDate.parse(z.string().parse(body['started_at'])) - RealDate.now() - step;
      t.true(Math.abs(off) < hourMs / 2, 'a call that begins now has the time of the clock as it is now');
      await until('its end is told as well', () => (told() === 2 ? true : undefined));
      t.deepEqual(
        receiver.received.map(({ signedWith }) => signedWith.length),
        [1, 1],
        'none is told twice, and each is believed',
      );
    },
  );
}
