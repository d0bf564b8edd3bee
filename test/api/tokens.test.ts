import test from 'ava';
import { z } from 'zod';
import { addWorkspace, fakeGateway, type FakeGateway } from './fake-gateway.ts';

const path = '/api/v1/admin/tokens';

const made = z.object({ id: z.uuid(), token: z.string().regex(/^gw_admin_[0-9A-Za-z]{43}$/) });

const make = async ({ admin }: FakeGateway, body: object) => {
  const answer = await admin.post(path, body);
  return { ...made.parse(answer.body), ...answer };
};

const listed = async ({ admin }: FakeGateway) =>
  z
    .object({ tokens: z.array(z.looseObject({ id: z.string(), name: z.string() })) })
    .parse((await admin.get(path)).body).tokens;

test('a token is made for a role, works at once and is never shown again', async (t) => {
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
  t.is((await viewer.post(path, { name: 'More', role: 'admin' })).status, 403);
  t.like((await viewer.get(`${path}/current`)).body, { id, role: 'viewer', is_current: true });

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

test('a token with an end says so, and lasts as many days as it was given', async (t) => {
  const gateway = await fakeGateway(t);
  const before = Date.now();
  const { body } = await make(gateway, { name: 'A week', role: 'admin', expires_in_days: 7 });
  const end = Date.parse(z.string().parse(body['expires_at']));
  t.true(end >= before + 7 * 86_400_000 && end <= Date.now() + 7 * 86_400_000);
  const at = '2999-01-01T00:00:00.000+09:00';
  t.is((await make(gateway, { name: 'Long', role: 'admin', expires_at: at })).body['expires_at'], at);
  const { token } = await make(gateway, { name: 'Over', role: 'admin', expires_in_days: 1 });
  await gateway.database.execute(`update admin_token set expires_at = now() where name = 'Over'`);
  t.is((await gateway.admin.as(token).get(path)).status, 401);
  t.like(
    (await listed(gateway)).find(({ name }) => name === 'Over'),
    { state: 'expired' },
  );
});

const refused = test.macro<[object, string]>({
  async exec(t, body, field) {
    const gateway = await fakeGateway(t);
    const answer = await gateway.admin.post(path, body);
    t.is(answer.status, 400);
    t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
    t.is((await listed(gateway)).length, 1, 'nothing was made');
  },
  title: (_, body) => `no token is made from ${JSON.stringify(body)}`,
});

test(refused, { role: 'viewer' }, 'name');
test(refused, { name: ' ', role: 'viewer' }, 'name');
test(refused, { name: 'a\u0000b', role: 'viewer' }, 'name');
test(refused, { name: 'x'.repeat(101), role: 'viewer' }, 'name');
test(refused, { name: 'Me' }, 'role');
test(refused, { name: 'Me', role: 'owner' }, 'role');
test(refused, { name: 'Me', role: 'admin', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at');
test(refused, { name: 'Me', role: 'admin', expires_at: 'tomorrow' }, 'expires_at');
test(refused, { name: 'Me', role: 'admin', expires_in_days: 0 }, 'expires_in_days');
test(
  refused,
  { name: 'Me', role: 'admin', expires_in_days: 1, expires_at: '2999-01-01T00:00:00Z' },
  'expires_in_days',
);
test(refused, { name: 'Me', role: 'admin', workspace_id: '…' }, 'workspace_id');

test('a revoked token is unknown at once; the last one of an admin stays', async (t) => {
  const gateway = await fakeGateway(t);
  const { admin } = gateway;
  const [own] = await listed(gateway);
  const viewer = await make(gateway, { name: 'Viewer', role: 'viewer' });
  t.like((await admin.delete(`${path}/${own?.id}`)).body, { code: 'last_admin_token' });
  t.is((await admin.delete(`${path}/${viewer.id}`)).status, 204);
  t.is((await admin.as(viewer.token).get(path)).status, 401);
  t.is((await admin.delete(`${path}/${viewer.id}`)).status, 404);
  t.is((await admin.delete(`${path}/x`)).status, 404);

  const other = await make(gateway, { name: 'Other', role: 'admin' });
  t.is((await admin.delete(`${path}/${own?.id}`)).status, 204, 'it may revoke itself');
  t.is((await admin.get(path)).status, 401);
  t.is((await admin.as(other.token).get(path)).status, 200);
});

test('tokens of another workspace are neither listed nor revoked', async (t) => {
  const gateway = await fakeGateway(t);
  const { id, token } = await make(gateway, { name: 'Mine', role: 'admin' });
  const stranger = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  t.is((await stranger.delete(`${path}/${id}`)).status, 404);
  t.is(JSON.stringify((await stranger.get(path)).body).includes(id), false);
  t.is((await gateway.admin.as(token).get(path)).status, 200);
});

test('the audit log tells who made and revoked which token, without the token', async (t) => {
  const gateway = await fakeGateway(t);
  const [own] = await listed(gateway);
  const { id, token } = await make(gateway, { name: 'Dashboard', role: 'viewer', expires_in_days: null });
  await gateway.admin.delete(`${path}/${id}`);
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
