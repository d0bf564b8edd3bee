/** Workspaces: settings, admin tokens, roles and the audit log. */
import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { platformCallPolicy } from '#config/policy.ts';
import { newAdminToken } from '#src/administration/new-key.ts';
import { routes } from '#src/api/routes.ts';
import { systemClock } from '#src/clocks.ts';
import { type AdminRole, adminRoles } from '#src/domain/admin-role.ts';
import { createAdminToken, fingerprintOf } from '#src/persistence/workspaces/admin-tokens.ts';
import { appendAudit } from '#src/persistence/workspaces/audit-entries.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { until } from '#test/helpers/until.ts';
import { addNumber, addWorkspace, fakeGateway, type FakeGateway, sealing } from './fake-gateway.ts';
import { recordingsOf, storeCall, storeRecording } from './stored-calls.ts';

// Workspace

test.serial('lists the calls of all numbers of the workspace only', async (t) => {
  const gateway = await fakeGateway(t);
  const own = await storeCall(gateway, { startedAt: new Date('2026-11-21T03:00:01Z') });
  const ofOther = await storeCall({ ...gateway, number: await addNumber(gateway) });
  const { status, body } = await gateway.admin.get('/api/v1/admin/calls');
  t.is(status, 200);
  t.like(body, { calls: [{ id: own.id }, { id: ofOther.id }], next_cursor: null });

  const { adminToken } = await addWorkspace(gateway.database);
  t.like((await gateway.admin.as(adminToken).get('/api/v1/admin/calls')).body, { calls: [] });
});

test.serial(
  'filters calls by a number of the workspace, and returns none for a foreign number',
  async (t) => {
    const gateway = await fakeGateway(t);
    const { id } = await storeCall(gateway);
    const other = await addNumber(gateway);
    await storeCall({ ...gateway, number: other });
    const path = `/api/v1/admin/calls?number_id=${gateway.number.id}`;
    const { body } = await gateway.admin.get(path);
    t.deepEqual(
      z
        .object({ calls: z.array(z.object({ id: z.string() })) })
        .parse(body)
        .calls.map((call) => call.id),
      [id],
    );
    const { adminToken } = await addWorkspace(gateway.database);
    t.like((await gateway.admin.as(adminToken).get(path)).body, { calls: [] });
    t.is((await gateway.admin.get('/api/v1/admin/calls?number_id=x')).status, 400);
  },
);

test.serial('reads a call of any number of the workspace', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall({ ...gateway, number: await addNumber(gateway) });
  t.is((await gateway.admin.get(`/api/v1/admin/calls/${id}`)).body.call_id, id);
  const stranger = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  for (const answer of [
    await stranger.get(`/api/v1/admin/calls/${id}`),
    await gateway.admin.get(`/api/v1/admin/calls/${randomUUID()}`),
    await gateway.admin.get('/api/v1/admin/calls/x'),
  ]) {
    t.is(answer.status, 404);
    t.is(answer.body.code, 'call_not_found');
  }
});

test.serial('returns transcript and recording for any number of the workspace, and no others', async (t) => {
  const content = Buffer.from('sound');
  const gateway = await fakeGateway(t, { recordings: recordingsOf(content) });
  const { id } = await storeCall({ ...gateway, number: await addNumber(gateway) });
  await storeRecording(gateway.database, id, {
    status: 'completed',
    file: 'a.ogg',
    contentType: 'audio/ogg',
  });
  const path = `/api/v1/admin/calls/${id}`;
  t.deepEqual((await gateway.admin.get(`${path}/transcript`)).body, { call_id: id, transcript: [] });
  const whole = await gateway.admin.get(`${path}/recording`);
  t.is(whole.headers.get('content-type'), 'audio/ogg');
  t.deepEqual(whole.bytes, content);
  const part = await gateway.admin.get(`${path}/recording`, { range: 'bytes=1-2' });
  t.is(part.status, 206);
  t.is(part.bytes.toString(), 'ou');

  const stranger = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  for (const part of ['transcript', 'recording']) {
    for (const answer of [
      await stranger.get(`${path}/${part}`),
      await gateway.admin.get(`/api/v1/admin/calls/${randomUUID()}/${part}`),
      await gateway.admin.get(`/api/v1/admin/calls/x/${part}`),
    ]) {
      t.is(answer.status, 404);
      t.is(answer.body.code, 'call_not_found');
    }
    t.is((await gateway.client.get(`${path}/${part}`)).status, 401);
  }
});

test.serial('returns the chart drawings only to admins', async (t) => {
  const { admin, client } = await fakeGateway(t);
  const { status, headers, bytes } = await admin.get('/api/v1/admin/charts/conversation');
  t.is(status, 200);
  t.is(headers.get('content-type'), 'image/svg+xml');
  t.is(bytes.toString(), '<svg id="conversation"/>');
  t.is((await admin.get('/api/v1/admin/charts/toString')).status, 400);
  t.is((await client.get('/api/v1/admin/charts/call')).status, 401);
});

const workspacePage = z.object({
  entries: z.array(z.object({ id: z.number(), actor: z.string(), action: z.string() })),
  next_cursor: z.string().nullable(),
});

test.serial('returns the chart definitions as JSON', async (t) => {
  const { admin, client } = await fakeGateway(t);
  const { status, headers, body } = await admin.get('/api/v1/admin/charts/conversation.json');
  t.is(status, 200);
  t.is(headers.get('content-type'), 'application/json');
  t.deepEqual(body, { id: 'conversation' });
  t.is((await admin.get('/api/v1/admin/charts/delivery.json')).status, 400);
  t.is((await client.get('/api/v1/admin/charts/call.json')).status, 401);
});

test.serial('adds an audit log entry for each change; consecutive pages have no gap', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `/api/v1/admin/numbers/${number.id}`;
  await admin.patch(one, { greeting: 'Hello.' });
  await admin.put(`${one}/agents/inbound`, { agent: 'builtin' });
  await admin.put(`${one}/inbound-auth`, { method: 'none' });
  await admin.patch(one, { greeting: 5 });

  const first = workspacePage.parse((await admin.get('/api/v1/admin/audit?limit=2')).body);
  const second = workspacePage.parse(
    (await admin.get(`/api/v1/admin/audit?limit=2&cursor=${first.next_cursor}`)).body,
  );
  t.deepEqual(
    [...first.entries, ...second.entries].map(({ action }) => action),
    ['inbound_auth.changed', 'agent.changed', 'number.changed'],
  );
  t.is(second.next_cursor, null);
  for (const { actor } of first.entries) t.regex(actor, /^admin:[0-9a-f-]{36}$/);
  t.is((await admin.get('/api/v1/admin/audit?cursor=x')).status, 400);
});

test.serial('hides audit log entries from other workspaces', async (t) => {
  const { admin, database, number } = await fakeGateway(t);
  await admin.patch(`/api/v1/admin/numbers/${number.id}`, { greeting: 'Hello.' });
  const { adminToken } = await addWorkspace(database);
  t.deepEqual((await admin.as(adminToken).get('/api/v1/admin/audit')).body, {
    entries: [],
    next_cursor: null,
  });
});

// Workspace settings

const settingsPath = '/api/v1/admin/workspace';

test.serial('gives a new workspace the policy of the platform', async (t) => {
  const { admin, workspaceId } = await fakeGateway(t);
  const { status, body } = await admin.get(settingsPath);
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

test.serial('changes the given fields of a workspace, resets null ones and keeps absent ones', async (t) => {
  const { admin, workspaceId } = await fakeGateway(t);
  const first = {
    max_duration_sec: 300,
    recording_enabled: false,
    max_calls_in_progress: 5,
    name: 'Front desk',
  };
  const { status, body } = await admin.patch(settingsPath, first);
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
  const second = await admin.patch(settingsPath, { max_duration_sec: null, silence_timeout_sec: 20 });
  t.like(second.body, {
    ...first,
    max_duration_sec: null,
    silence_timeout_sec: 20,
    effective: { max_duration_sec: 1800, default_duration_sec: 600, silence_timeout_sec: 20 },
  });
  t.deepEqual((await admin.get(settingsPath)).body, second.body);
});

test.serial(
  'replaces the permitted destinations completely; null restores those of the platform',
  async (t) => {
    const { admin } = await fakeGateway(t);
    const destinations = { kinds: ['mobile'], allowed_prefixes: ['+4420'], denied_prefixes: ['0505'] };
    const { body } = await admin.patch(settingsPath, { destinations });
    t.like(body, { destinations, effective: { destinations } });
    const [number] = z
      .object({ numbers: z.array(z.object({ id: z.string() })) })
      .parse((await admin.get('/api/v1/admin/numbers')).body).numbers;
    const narrower = { kinds: [], allowed_prefixes: ['010'], denied_prefixes: [] };
    const changed = await admin.patch(`/api/v1/admin/numbers/${number?.id}`, { destinations: narrower });
    t.deepEqual(changed.body['destinations'], narrower);
    const { body: back } = await admin.patch(settingsPath, { destinations: null });
    t.like(back, { destinations: null, effective: { destinations: { allowed_prefixes: [] } } });
    t.like((await admin.get('/api/v1/admin/audit')).body, {
      entries: [
        { detail: { changes: { destinations: { from: 'mobile, +4420, !0505', to: null } } } },
        { detail: { changes: { destinations: { from: null, to: '010' } } } },
        { detail: { changes: { destinations: { from: null, to: 'mobile, +4420, !0505' } } } },
      ],
    });
  },
);

test.serial('returns the daily usage beside the limits, by number', async (t) => {
  const gateway = await fakeGateway(t);
  const { admin, number } = gateway;
  await admin.patch(settingsPath, { daily_minutes: 10 });
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

test.serial('writes timestamps in a new time zone from its change on', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, { startedAt: new Date('2026-11-21T03:00:00Z') });
  const startedAt = async () => (await gateway.client.get(`/api/v1/calls/${id}`)).body['started_at'];
  t.is(await startedAt(), '2026-11-21T12:00:00.000+09:00');
  t.is((await gateway.admin.patch(settingsPath, { time_zone: 'America/New_York' })).status, 200);
  t.is(await startedAt(), '2026-11-20T22:00:00.000-05:00');
});

const refusedSettings = test.macro<[object, string]>({
  async exec(t, body, field) {
    const { admin } = await fakeGateway(t);
    const before = (await admin.get(settingsPath)).body;
    const answer = await admin.patch(settingsPath, { name: 'Other', ...body });
    t.is(answer.status, 400);
    t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
    t.deepEqual((await admin.get(settingsPath)).body, before, 'nothing was changed');
  },
  title: (_, body) => `rejects the workspace setting ${JSON.stringify(body)}`,
});

test.serial(refusedSettings, { time_zone: 'Mars/Olympus' }, 'time_zone');
test.serial(refusedSettings, { time_zone: '+09:00' }, 'time_zone');
test.serial(refusedSettings, { time_zone: '' }, 'time_zone');
test.serial(refusedSettings, { time_zone: null }, 'time_zone');
test.serial(refusedSettings, { max_duration_sec: 59 }, 'max_duration_sec');
test.serial(refusedSettings, { max_duration_sec: 1801 }, 'max_duration_sec');
test.serial(refusedSettings, { max_calls_in_progress: 0 }, 'max_calls_in_progress');
test.serial(refusedSettings, { max_calls_in_progress: 1.5 }, 'max_calls_in_progress');
test.serial(refusedSettings, { daily_minutes: 0 }, 'daily_minutes');
test.serial(refusedSettings, { recording_enabled: 'yes' }, 'recording_enabled');
const rules = { kinds: ['mobile'], allowed_prefixes: [], denied_prefixes: [] };
test.serial(refusedSettings, { destinations: { ...rules, kinds: ['landline'] } }, 'destinations.kinds.0');
test.serial(
  refusedSettings,
  { destinations: { ...rules, kinds: ['mobile', 'mobile'] } },
  'destinations.kinds',
);
test.serial(
  refusedSettings,
  { destinations: { ...rules, allowed_prefixes: ['02-1'] } },
  'destinations.allowed_prefixes.0',
);
test.serial(
  refusedSettings,
  { destinations: { ...rules, denied_prefixes: ['!02'] } },
  'destinations.denied_prefixes.0',
);
test.serial(refusedSettings, { destinations: { ...rules, zones: [] } }, 'destinations.zones');
test.serial(refusedSettings, { destinations: { kinds: ['mobile'] } }, 'destinations.allowed_prefixes');
test.serial(refusedSettings, { id: 'x' }, 'id');

test.serial('writes old and new values to the audit log, and no entry without a change', async (t) => {
  const { admin, workspaceId } = await fakeGateway(t);
  await admin.patch(settingsPath, { max_duration_sec: 300, time_zone: 'Asia/Seoul' });
  await admin.patch(settingsPath, { max_duration_sec: 300 });
  await admin.patch(settingsPath, { max_duration_sec: 600, time_zone: 'UTC' });
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

test.serial('changes no settings of other workspaces', async (t) => {
  const { admin, database } = await fakeGateway(t);
  const other = admin.as((await addWorkspace(database)).adminToken);
  const before = (await other.get(settingsPath)).body;
  await admin.patch(settingsPath, { max_duration_sec: 300 });
  t.deepEqual((await other.get(settingsPath)).body, before);
});

// Tokens

const tokensPath = '/api/v1/admin/tokens';

const made = z.object({ id: z.uuid(), token: z.string().regex(/^gw_admin_[0-9A-Za-z]{43}$/) });

const make = async ({ admin }: FakeGateway, body: object) => {
  const answer = await admin.post(tokensPath, body);
  return { ...made.parse(answer.body), ...answer };
};

const listed = async ({ admin }: FakeGateway) =>
  z
    .object({ tokens: z.array(z.looseObject({ id: z.string(), name: z.string() })) })
    .parse((await admin.get(tokensPath)).body).tokens;

test.serial('creates a token for a role, which works at once and is returned only once', async (t) => {
  const gateway = await fakeGateway(t);
  const { status, id, token, body } = await make(gateway, { name: '  Dashboard ', role: 'viewer' });
  t.is(status, 201);
  t.like(body, {
    name: 'Dashboard',
    role: 'viewer',
    state: 'active',
    expires_at: null,
    last_used_at: null,
    gateway: null,
    is_current: false,
  });
  const viewer = gateway.admin.as(token);
  t.is((await viewer.get('/api/v1/admin/numbers')).status, 200);
  t.is((await viewer.post(tokensPath, { name: 'More', role: 'admin' })).status, 403);
  t.like((await viewer.get(`${tokensPath}/current`)).body, { id, role: 'viewer', is_current: true });

  const tokens = await listed(gateway);
  t.deepEqual(
    tokens.map(({ name, is_current: isCurrent }) => [name, isCurrent]),
    [
      ['test', true],
      ['Dashboard', false],
    ],
  );
  t.false(JSON.stringify(tokens).includes(token));
});

test.serial('returns the expiry of a token, which is valid for the given number of days', async (t) => {
  const gateway = await fakeGateway(t);
  const before = Date.now();
  const { body } = await make(gateway, { name: 'A week', role: 'admin', expires_in_days: 7 });
  const end = Date.parse(z.string().parse(body['expires_at']));
  t.true(end >= before + 7 * 86_400_000 && end <= Date.now() + 7 * 86_400_000);
  const at = '2999-01-01T00:00:00.000+09:00';
  t.is((await make(gateway, { name: 'Long', role: 'admin', expires_at: at })).body['expires_at'], at);
  const { token } = await make(gateway, { name: 'Over', role: 'admin', expires_in_days: 1 });
  await gateway.database.execute(`update admin_token set expires_at = now() where name = 'Over'`);
  t.is((await gateway.admin.as(token).get(tokensPath)).status, 401);
  t.like(
    (await listed(gateway)).find(({ name }) => name === 'Over'),
    { state: 'expired' },
  );
});

const refusedTokens = test.macro<[object, string]>({
  async exec(t, body, field) {
    const gateway = await fakeGateway(t);
    const answer = await gateway.admin.post(tokensPath, body);
    t.is(answer.status, 400);
    t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
    t.is((await listed(gateway)).length, 1, 'nothing was made');
  },
  title: (_, body) => `rejects the token ${JSON.stringify(body)}`,
});

test.serial(refusedTokens, { role: 'viewer' }, 'name');
test.serial(refusedTokens, { name: ' ', role: 'viewer' }, 'name');
test.serial(refusedTokens, { name: 'a\u0000b', role: 'viewer' }, 'name');
test.serial(refusedTokens, { name: 'x'.repeat(101), role: 'viewer' }, 'name');
test.serial(refusedTokens, { name: 'Me' }, 'role');
test.serial(refusedTokens, { name: 'Me', role: 'owner' }, 'role');
test.serial(refusedTokens, { name: 'Me', role: 'admin', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at');
test.serial(refusedTokens, { name: 'Me', role: 'admin', expires_at: 'tomorrow' }, 'expires_at');
test.serial(refusedTokens, { name: 'Me', role: 'admin', expires_in_days: 0 }, 'expires_in_days');
test.serial(
  refusedTokens,
  { name: 'Me', role: 'admin', expires_in_days: 1, expires_at: '2999-01-01T00:00:00Z' },
  'expires_in_days',
);
test.serial(refusedTokens, { name: 'Me', role: 'admin', workspace_id: '…' }, 'workspace_id');

test.serial('rejects a revoked token at once, and rejects revoking the last admin token', async (t) => {
  const gateway = await fakeGateway(t);
  const { admin } = gateway;
  const [own] = await listed(gateway);
  const viewer = await make(gateway, { name: 'Viewer', role: 'viewer' });
  t.like((await admin.delete(`${tokensPath}/${own?.id}`)).body, { code: 'last_admin_token' });
  t.is((await admin.delete(`${tokensPath}/${viewer.id}`)).status, 204);
  t.is((await admin.as(viewer.token).get(tokensPath)).status, 401);
  t.is((await admin.delete(`${tokensPath}/${viewer.id}`)).status, 404);
  t.is((await admin.delete(`${tokensPath}/x`)).status, 404);

  const other = await make(gateway, { name: 'Other', role: 'admin' });
  t.is((await admin.delete(`${tokensPath}/${own?.id}`)).status, 204, 'it may revoke itself');
  t.is((await admin.get(tokensPath)).status, 401);
  t.is((await admin.as(other.token).get(tokensPath)).status, 200);
});

test.serial('does not list or revoke tokens of another workspace', async (t) => {
  const gateway = await fakeGateway(t);
  const { id, token } = await make(gateway, { name: 'Mine', role: 'admin' });
  const stranger = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  t.is((await stranger.delete(`${tokensPath}/${id}`)).status, 404);
  t.is(JSON.stringify((await stranger.get(tokensPath)).body).includes(id), false);
  t.is((await gateway.admin.as(token).get(tokensPath)).status, 200);
});

test.serial('records the creator and revoker of tokens in the audit log, without the token', async (t) => {
  const gateway = await fakeGateway(t);
  const [own] = await listed(gateway);
  const { id, token } = await make(gateway, { name: 'Dashboard', role: 'viewer', expires_in_days: null });
  await gateway.admin.delete(`${tokensPath}/${id}`);
  const { body, bytes } = await gateway.admin.get('/api/v1/admin/audit');
  const entry = { actor: `admin:${own?.id}`, subject: `admin_token:${id}` };
  t.like(body, {
    entries: [
      { ...entry, action: 'admin_token.revoked', detail: { name: 'Dashboard', role: 'viewer' } },
      {
        ...entry,
        action: 'admin_token.created',
        detail: { name: 'Dashboard', role: 'viewer' },
      },
    ],
  });
  t.false(bytes.includes(token));
  t.false(JSON.stringify(gateway.logged).includes(token));
});

// Roles
// The roles of the admin API: an admin may do everything, a viewer may neither change something nor see a secret.

const addToken = async (
  { database, workspaceId }: FakeGateway,
  role: AdminRole,
  expiresAt: Date | null = null,
): Promise<string> => {
  const token = newAdminToken();
  await createAdminToken(database, {
    id: randomUUID(),
    workspaceId,
    name: role,
    role,
    ...fingerprintOf(sealing, token),
    createdAt: new Date(),
    expiresAt,
  });
  return token;
};

const adminRoutes = routes.filter(({ path }) => path.startsWith('/api/v1/admin/'));

const sent = (method: string) => (method === 'get' ? {} : { body: {} });

/** Headers of the requesting user. */
const queries: Readonly<Record<string, string>> = { findRoute: '?to=01000000042' };

/** Routes for admins alone that change no data. */
const onlyForAdmins = ['revealKey', 'exportCall', 'getFleet'];

test.serial(
  'rejects a viewer on exactly the admin routes that change something or are for admins alone',
  async (t) => {
    const gateway = await fakeGateway(t);
    const viewer = gateway.admin.as(await addToken(gateway, 'viewer'));
    const { id: callId } = await storeCall(gateway);
    const stored = () =>
      gateway.database.execute('select * from phone_number where workspace_id = $1', [gateway.workspaceId]);
    const before = await stored();
    t.true(adminRoutes.length > 35);
    for (const { method, path, operationId } of adminRoutes) {
      const ids = { id: path.includes('/numbers/') ? gateway.number.id : randomUUID(), call_id: callId };
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === 'id' || name === 'call_id' ? ids[name] : name === 'name' ? 'call' : '01000000042',
      );
      const reads = method === 'get' && !onlyForAdmins.includes(operationId);
      const query = queries[operationId] ?? '';
      const { status, body } = await viewer.send(method.toUpperCase(), `${target}${query}`, sent(method));
      if (reads) t.true([200, 404, 409].includes(status), `${operationId}: ${status}`);
      else t.deepEqual([status, body['code']], [403, 'forbidden'], operationId);
    }
    t.deepEqual(
      gateway.asked.map(([what]) => what),
      ['routeTo'],
      'which only looks',
    );
    t.deepEqual(await stored(), before);
  },
);

test.serial('permits every admin route to an admin', async (t) => {
  const gateway = await fakeGateway(t);
  t.deepEqual(adminRoles, ['admin', 'viewer']);
  for (const { method, path, operationId } of adminRoutes) {
    const target = path.replaceAll(/\{\w+\}/g, randomUUID());
    const { status } = await gateway.admin.send(method.toUpperCase(), target, sent(method));
    t.false([401, 403].includes(status), `${operationId}: ${status}`);
  }
});

test.serial('rejects an expired token as unknown', async (t) => {
  const gateway = await fakeGateway(t);
  const ended = await addToken(gateway, 'admin', new Date(Date.now() - 1));
  t.is((await gateway.admin.as(ended).get('/api/v1/admin/numbers')).status, 401);
  const running = await addToken(gateway, 'admin', new Date(Date.now() + 60_000));
  t.is((await gateway.admin.as(running).get('/api/v1/admin/numbers')).status, 200);
});

test.serial('records the last use of a token at most once a minute', async (t) => {
  let now = Date.parse('2026-11-21T03:00:00.000Z');
  const clock = { ...systemClock, now: () => now };
  const database = await testDatabase();
  let written = 0;
  const counting = scriptedStatements((sql, parameters) => {
    if (sql.includes('set "last_used_at"')) written += 1;
    return database.execute(sql, parameters);
  });
  const gateway = await fakeGateway(t, { clock, database: { ...database, ...counting } });
  const useIsNoted = () =>
    until('the use is noted', async () => {
      const [row] = await database.execute<{ at: Date | null }>(
        'select last_used_at as at from admin_token where workspace_id = $1',
        [gateway.workspaceId],
      );
      return row?.at?.getTime() === now || undefined;
    });
  const use = () => gateway.admin.get('/api/v1/admin/numbers');
  await use();
  await useIsNoted();
  now += 59_999;
  await use();
  t.is(written, 1);
  now += 1;
  await use();
  await useIsNoted();
  t.is(written, 2);
});

test.serial('continues a request when the use of its token cannot be recorded', async (t) => {
  const gateway = await fakeGateway(t);
  const { database } = gateway;
  const [token] = await database.execute<{ id: string }>(
    'select id from admin_token where workspace_id = $1',
    [gateway.workspaceId],
  );
  await database.entityManager().transactional(async (manager) => {
    await manager.execute(`select 1 from admin_token where id = '${token?.id}' for update`);
    for (let count = 0; count < 3; count++)
      t.is((await gateway.admin.get('/api/v1/admin/numbers')).status, 200);
  });
});

// Audit

const auditPath = '/api/v1/admin/audit';
const auditPage = z.object({ entries: z.array(z.object({ action: z.string() })) });

const setUpAudit = async (t: ExecutionContext) => {
  const gateway = await fakeGateway(t);
  const { database, workspaceId } = gateway;
  const write = (action: string, actor: string, subject: string, at: string) =>
    appendAudit(database, {
      workspaceId,
      action,
      actor,
      subject,
      at: new Date(at),
      detail: { note: '=1+1' },
    });
  await write('number.created', 'admin:one', 'number:one', '2026-11-20T10:00:00Z');
  await write('number.changed', 'admin:two', 'number:two', '2026-11-21T14:59:59Z');
  await write('trunk.changed', 'operator', 'trunk:one', '2026-11-21T15:00:00Z');
  const found = async (query: string): Promise<string[]> =>
    auditPage
      .parse((await gateway.admin.get(`${auditPath}?${query}`)).body)
      .entries.map(({ action }) => action);
  return { ...gateway, found };
};

test.serial('finds audit log entries by actor, action, object and days of the workspace', async (t) => {
  const { found } = await setUpAudit(t);
  t.deepEqual(await found(''), ['trunk.changed', 'number.changed', 'number.created']);
  t.deepEqual(await found('actor=admin:two'), ['number.changed']);
  t.deepEqual(await found('action=trunk.changed'), ['trunk.changed']);
  t.deepEqual(await found('subject=number'), ['number.changed', 'number.created']);
  t.deepEqual(await found('subject=number:one'), ['number.created']);
  t.deepEqual(await found('subject=numb'), []);
  // The day of Seoul begins at 15:00 UTC.
  t.deepEqual(await found('first_day=2026-11-22'), ['trunk.changed']);
  t.deepEqual(await found('first_day=2026-11-21&last_day=2026-11-21'), ['number.changed']);
  t.deepEqual(await found('subject=number&actor=operator'), []);
});

test.serial('finds audit log entries by a text in them or in the name of their object', async (t) => {
  const { found, admin, database, workspaceId, number } = await setUpAudit(t);
  t.deepEqual(await found('q=TRUNK'), ['trunk.changed']);
  t.deepEqual(await found('q=operator'), ['trunk.changed']);
  t.deepEqual(await found(`q=${encodeURIComponent('=1+1')}`), [
    'trunk.changed',
    'number.changed',
    'number.created',
  ]);
  t.deepEqual(await found('q=%25'), []);
  await appendAudit(database, {
    workspaceId,
    action: 'number_key.issued',
    actor: 'operator',
    subject: `number:${number.id}`,
    at: new Date('2026-11-22T15:00:00Z'),
  });
  t.deepEqual(await found(`q=${number.number}`), ['number_key.issued']);
  t.deepEqual(await found(`q=${number.number.slice(0, 3)}-${number.number.slice(3)}`), ['number_key.issued']);
  const url = 'https://events.example.com/hook?key=hidden';
  await admin.post('/api/v1/admin/webhooks', { url });
  t.deepEqual(await found('q=events.example'), ['webhook.created']);
  t.is((await admin.get(`${auditPath}?q=`)).status, 400);
  const csv = (await admin.get(`${auditPath}.csv?q=trunk`)).bytes.toString('utf8');
  t.is(csv.trim().split('\r\n').length, 2);
});

test.serial('writes old and new settings of webhook endpoints and agents to the audit log', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const path = '/api/v1/admin/webhooks';
  const { id } = z
    .object({ id: z.string() })
    .parse((await admin.post(path, { url: 'https://one.example.com/hook?key=hidden' })).body);
  await admin.patch(`${path}/${id}`, { url: 'https://two.example.com/', state: 'paused' });
  await admin.delete(`${path}/${id}`);
  await admin.put(`/api/v1/admin/numbers/${number.id}/agents/inbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: 'https://agent.example.com/chat?code=hidden',
  });
  const { body, bytes } = await admin.get(auditPath);
  t.like(body, {
    entries: [
      {
        action: 'agent.changed',
        detail: {
          direction: 'inbound',
          changes: {
            agent: { from: 'builtin', to: 'endpoint' },
            agent_type: { from: null, to: 'webhook' },
            chat_url: { from: null, to: 'https://agent.example.com/chat?…' },
          },
        },
      },
      { action: 'webhook.deleted', detail: { url: 'https://two.example.com/' } },
      {
        action: 'webhook.changed',
        detail: {
          changes: {
            url: { from: 'https://one.example.com/hook?…', to: 'https://two.example.com/' },
            state: { from: 'active', to: 'paused' },
          },
        },
      },
      { action: 'webhook.created', detail: { url: 'https://one.example.com/hook?…' } },
    ],
  });
  t.false(bytes.includes('hidden'));
});

test.serial('returns the same audit log entries as CSV without executable formulas', async (t) => {
  const { admin, database } = await setUpAudit(t);
  const { status, headers, bytes } = await admin.get(`${auditPath}.csv?subject=number`);
  t.is(status, 200);
  t.is(headers.get('content-disposition'), 'attachment; filename="audit.csv"');
  const lines = bytes.toString('utf8').split('\r\n');
  t.is(lines[0], '\uFEFFat,actor,action,subject,detail');
  t.deepEqual(lines.slice(1), [
    '2026-11-21T23:59:59.000+09:00,admin:two,number.changed,number:two,"{""note"":""=1+1""}"',
    '2026-11-20T19:00:00.000+09:00,admin:one,number.created,number:one,"{""note"":""=1+1""}"',
    '',
  ]);
  const { adminToken } = await addWorkspace(database);
  t.is((await admin.as(adminToken).get(`${auditPath}.csv`)).bytes.toString('utf8').split('\r\n').length, 2);
});

test.serial('writes every audit log entry once into a file of more than one page', async (t) => {
  const { admin, database, workspaceId } = await fakeGateway(t);
  for (let number = 1; number <= 501; number += 1)
    await appendAudit(database, {
      workspaceId,
      actor: 'operator',
      action: 'number.changed',
      subject: `number:${number}`,
      at: new Date(0),
    });
  const { bytes } = await admin.get(`${auditPath}.csv`);
  const subjects = bytes.toString('utf8').match(/number:\d+/g) ?? [];
  t.is(subjects.length, 501);
  t.is(new Set(subjects).size, 501);
});
