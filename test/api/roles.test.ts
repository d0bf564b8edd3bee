/** The roles of the admin API: an admin everything, a viewer nothing that changes something or shows a secret. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { systemClock } from '#src/clocks.ts';
import { newAdminToken } from '#src/administration/new-key.ts';
import { routes } from '#src/api/routes.ts';
import { adminRoles, type AdminRole } from '#src/domain/admin-role.ts';
import { createAdminToken, fingerprintOf } from '#src/persistence/admin-tokens.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { until } from '#test/helpers/until.ts';
import { fakeGateway, sealing, type FakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

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

/** Of the one that asks for something. */
const queries: Readonly<Record<string, string>> = { findRoute: '?to=01000000042' };

/** The only one that changes nothing and is for admins alone. */
const showsSecret = ['revealKey'];

test('a viewer is refused by every route of the admin API that changes something or shows a secret, and by no other', async (t) => {
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
    const reads = method === 'get' && !showsSecret.includes(operationId);
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
});

test('an admin is forbidden nothing', async (t) => {
  const gateway = await fakeGateway(t);
  t.deepEqual(adminRoles, ['admin', 'viewer']);
  for (const { method, path, operationId } of adminRoutes) {
    const target = path.replaceAll(/\{\w+\}/g, randomUUID());
    const { status } = await gateway.admin.send(method.toUpperCase(), target, sent(method));
    t.false([401, 403].includes(status), `${operationId}: ${status}`);
  }
});

test('a token that has come to its end is unknown', async (t) => {
  const gateway = await fakeGateway(t);
  const ended = await addToken(gateway, 'admin', new Date(Date.now() - 1));
  t.is((await gateway.admin.as(ended).get('/api/v1/admin/numbers')).status, 401);
  const running = await addToken(gateway, 'admin', new Date(Date.now() + 60_000));
  t.is((await gateway.admin.as(running).get('/api/v1/admin/numbers')).status, 200);
});

test('the last use of a token is noted once a minute', async (t) => {
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

test('a request goes on while the use of its token cannot be noted', async (t) => {
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
