import test from 'ava';
import { z } from 'zod';
import { platformCallPolicy } from '#config/policy.ts';
import { addWorkspace, fakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

const path = '/api/v1/admin/workspace';

test('a workspace begins with the policy of the platform', async (t) => {
  const { admin, workspaceId } = await fakeGateway(t);
  const { status, body } = await admin.get(path);
  t.is(status, 200);
  t.like(body, {
    id: workspaceId,
    name: 'Test',
    time_zone: 'Asia/Seoul',
    max_duration_sec: null,
    max_calls_in_progress: null,
    effective: {
      max_duration_sec: platformCallPolicy.maxDurationSec,
      recording_enabled: platformCallPolicy.recordingEnabled,
      barge_in: { mode: 'pause', onset_ms: 80, speech_ms: 600, resume_ms: 500 },
      turn_end: { mode: 'pause', min_silence_ms: 200, max_silence_ms: 3_000 },
      max_calls_in_progress: 1000,
    },
  });
});

test('what is given is changed, what is null falls back, what is absent stays', async (t) => {
  const { admin, workspaceId } = await fakeGateway(t);
  const first = {
    max_duration_sec: 300,
    recording_enabled: false,
    max_calls_in_progress: 5,
    name: 'Front desk',
  };
  const { status, body } = await admin.patch(path, first);
  t.is(status, 200);
  t.like(body, {
    ...first,
    id: workspaceId,
    silence_timeout_sec: null,
    effective: {
      max_duration_sec: 300,
      default_duration_sec: 300,
      recording_enabled: false,
      ring_timeout_sec: 45,
    },
  });
  const second = await admin.patch(path, { max_duration_sec: null, silence_timeout_sec: 20 });
  t.like(second.body, {
    ...first,
    max_duration_sec: null,
    silence_timeout_sec: 20,
    effective: { max_duration_sec: 1800, default_duration_sec: 600, silence_timeout_sec: 20 },
  });
  t.deepEqual((await admin.get(path)).body, second.body);
});

test('where calls may go is set whole, and what is null is as the platform says', async (t) => {
  const { admin } = await fakeGateway(t);
  const destinations = { kinds: ['mobile'], allowed_prefixes: ['+4420'], denied_prefixes: ['0505'] };
  const { body } = await admin.patch(path, { destinations });
  t.like(body, { destinations, effective: { destinations } });
  const [number] = z
    .object({ numbers: z.array(z.object({ id: z.string() })) })
    .parse((await admin.get('/api/v1/admin/numbers')).body).numbers;
  const narrower = { kinds: [], allowed_prefixes: ['010'], denied_prefixes: [] };
  const changed = await admin.patch(`/api/v1/admin/numbers/${number?.id}`, { destinations: narrower });
  t.deepEqual(changed.body['destinations'], narrower);
  const { body: back } = await admin.patch(path, { destinations: null });
  t.like(back, { destinations: null, effective: { destinations: { allowed_prefixes: [] } } });
  t.like((await admin.get('/api/v1/admin/audit')).body, {
    entries: [
      { detail: { changes: { destinations: { from: 'mobile, +4420, !0505', to: null } } } },
      { detail: { changes: { destinations: { from: null, to: '010' } } } },
      { detail: { changes: { destinations: { from: null, to: 'mobile, +4420, !0505' } } } },
    ],
  });
});

test('what is used of the day stands beside its limits, by number', async (t) => {
  const gateway = await fakeGateway(t);
  const { admin, number } = gateway;
  await admin.patch(path, { daily_minutes: 10 });
  await admin.patch(`/api/v1/admin/numbers/${number.id}`, { daily_minutes: 5 });
  const today = new Date();
  await storeCall(gateway, { startedAt: today, durationSec: 90 });
  await storeCall(gateway, { startedAt: new Date(today.getTime() - 86_400_000), durationSec: 90 });
  const { status, body } = await admin.get('/api/v1/admin/usage');
  t.is(status, 200);
  const used = { talked_minutes: 1.5, held_minutes: 1.5 };
  t.like(body, {
    workspace: { limit: 10, ...used },
    numbers: [{ number_id: number.id, number: number.number, limit: 5, ...used }],
  });
  t.regex(String(body['until']), /T00:00:00\.000\+09:00$/);
  const other = admin.as((await addWorkspace(gateway.database)).adminToken);
  t.like((await other.get('/api/v1/admin/usage')).body, {
    workspace: { limit: null, talked_minutes: 0, held_minutes: 0 },
    numbers: [],
  });
});

test('timestamps are written in the time zone of the workspace from its change on', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, { startedAt: new Date('2026-11-21T03:00:00Z') });
  const startedAt = async () => (await gateway.client.get(`/api/v1/calls/${id}`)).body['started_at'];
  t.is(await startedAt(), '2026-11-21T12:00:00.000+09:00');
  t.is((await gateway.admin.patch(path, { time_zone: 'America/New_York' })).status, 200);
  t.is(await startedAt(), '2026-11-20T22:00:00.000-05:00');
});

const refused = test.macro<[object, string]>({
  async exec(t, body, field) {
    const { admin } = await fakeGateway(t);
    const before = (await admin.get(path)).body;
    const answer = await admin.patch(path, { name: 'Other', ...body });
    t.is(answer.status, 400);
    t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
    t.deepEqual((await admin.get(path)).body, before, 'nothing was changed');
  },
  title: (_, body) => `a workspace cannot be given ${JSON.stringify(body)}`,
});

test(refused, { time_zone: 'Mars/Olympus' }, 'time_zone');
test(refused, { time_zone: '+09:00' }, 'time_zone');
test(refused, { time_zone: '' }, 'time_zone');
test(refused, { time_zone: null }, 'time_zone');
test(refused, { max_duration_sec: 59 }, 'max_duration_sec');
test(refused, { max_duration_sec: 1801 }, 'max_duration_sec');
test(refused, { max_calls_in_progress: 0 }, 'max_calls_in_progress');
test(refused, { max_calls_in_progress: 1.5 }, 'max_calls_in_progress');
test(refused, { daily_minutes: 0 }, 'daily_minutes');
test(refused, { recording_enabled: 'yes' }, 'recording_enabled');
const rules = { kinds: ['mobile'], allowed_prefixes: [], denied_prefixes: [] };
test(refused, { destinations: { ...rules, kinds: ['landline'] } }, 'destinations.kinds.0');
test(refused, { destinations: { ...rules, kinds: ['mobile', 'mobile'] } }, 'destinations.kinds');
test(refused, { destinations: { ...rules, allowed_prefixes: ['02-1'] } }, 'destinations.allowed_prefixes.0');
test(refused, { destinations: { ...rules, denied_prefixes: ['!02'] } }, 'destinations.denied_prefixes.0');
test(refused, { destinations: { ...rules, zones: [] } }, 'destinations.zones');
test(refused, { destinations: { kinds: ['mobile'] } }, 'destinations.allowed_prefixes');
test(refused, { id: 'x' }, 'id');

test('the audit log tells from what to what, and nothing where nothing changed', async (t) => {
  const { admin, workspaceId } = await fakeGateway(t);
  await admin.patch(path, { max_duration_sec: 300, time_zone: 'Asia/Seoul' });
  await admin.patch(path, { max_duration_sec: 300 });
  await admin.patch(path, { max_duration_sec: 600, time_zone: 'UTC' });
  const { body } = await admin.get('/api/v1/admin/audit');
  t.like(body, {
    entries: [
      {
        action: 'workspace.changed',
        subject: `workspace:${workspaceId}`,
        detail: {
          changes: {
            max_duration_sec: { from: 300, to: 600 },
            time_zone: { from: 'Asia/Seoul', to: 'UTC' },
          },
        },
      },
      { detail: { changes: { max_duration_sec: { from: null, to: 300 } } } },
    ],
  });
  t.is(JSON.stringify(body).match(/workspace\.changed/g)?.length, 2);
});

test('another workspace stays as it is', async (t) => {
  const { admin, database } = await fakeGateway(t);
  const other = admin.as((await addWorkspace(database)).adminToken);
  const before = (await other.get(path)).body;
  await admin.patch(path, { max_duration_sec: 300 });
  t.deepEqual((await other.get(path)).body, before);
});
