/** The policy of a workspace, changed while the gateway runs: it holds for the next call, and for no call before. */
import test from 'ava';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { testGateway } from '#test/helpers/gateway.ts';

const path = '/api/v1/admin/workspace';
const neverAnswers = '01000000002';
const polite = '01000000001';

test.serial(
  'the next call has the durations, the recording and the time zone of the workspace',
  async (t) => {
    const { admin, client, call, untilStatus } = await testGateway(t);
    const before = await call(polite);
    await admin.patch(path, {
      max_duration_sec: 300,
      default_duration_sec: 240,
      recording_enabled: false,
      time_zone: 'America/New_York',
    });
    t.like((await client.post('/api/v1/calls', { to: polite, max_duration_sec: 301 })).body, {
      code: 'max_duration_exceeds_policy',
      maximum: 300,
    });
    const after = await call(polite);
    const [first, second] = [await untilStatus(before, 'completed'), await untilStatus(after, 'completed')];
    t.like(first, { options: { max_duration_sec: 600, recording: true } });
    t.like(second, { options: { max_duration_sec: 240, recording: false }, recording: { status: 'none' } });
    t.regex(z.string().parse(second['started_at']), /-0[45]:00$/);
  },
);

test.serial('what a number sets itself goes before the workspace', async (t) => {
  const { admin, client, numberPath } = await testGateway(t);
  await admin.patch(path, { max_duration_sec: 300 });
  await admin.patch(numberPath, { max_duration_sec: 120 });
  const tooLong = { to: polite, max_duration_sec: 200 };
  t.like((await client.post('/api/v1/calls', tooLong)).body, { maximum: 120 });
  await admin.patch(numberPath, { max_duration_sec: null });
  t.is((await client.post('/api/v1/calls', tooLong)).status, 201);
});

test.serial('the workspace bounds the calls in progress over all of its numbers', async (t) => {
  const { admin, client } = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
  const made = await admin.post('/api/v1/admin/numbers', { number: '07012345678' });
  const { key } = z
    .object({ key: z.string() })
    .parse((await admin.post(`/api/v1/admin/numbers/${String(made.body['id'])}/key`)).body);
  await admin.patch(path, { max_calls_in_progress: 1 });
  t.is((await client.post('/api/v1/calls', { to: neverAnswers })).status, 201);
  const refused = await client.as(key).post('/api/v1/calls', { to: neverAnswers });
  t.like(refused, { status: 429, body: { code: 'concurrency_limit', maximum: 1 } });
  await admin.patch(path, { max_calls_in_progress: null });
  t.is((await client.as(key).post('/api/v1/calls', { to: neverAnswers })).status, 201);
});

test.serial('a viewer watches charts, and has no web phone', async (t) => {
  const { admin, credentials } = await testGateway(t, { GW_INSPECT: '1' });
  const { token } = z
    .object({ token: z.string() })
    .parse((await admin.post('/api/v1/admin/tokens', { name: 'Visitor', role: 'viewer' })).body);
  const statusAt = (place: string, key: string) =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(`${credentials.base_url.replace('http', 'ws')}${place}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      socket.on('upgrade', ({ statusCode }) => {
        resolve(statusCode ?? 0);
        socket.on('open', () => socket.terminate());
      });
      socket.on('unexpected-response', (request, { statusCode }) => {
        request.destroy();
        resolve(statusCode ?? 0);
      });
      socket.on('error', reject);
    });
  t.is(await statusAt('/api/v1/admin/phone?phone=phone-0001', token), 403);
  t.is(await statusAt('/api/v1/admin/phone?phone=phone-0001', credentials.admin_token), 101);
  t.is(await statusAt('/inspect', token), 101);
  t.is(await statusAt('/inspect', 'nobody'), 401);
});
