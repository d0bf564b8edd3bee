import { randomUUID } from 'node:crypto';
import test from 'ava';
import { createAdminToken, fingerprintOf } from '#src/persistence/admin-tokens.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import {
  browserOf,
  byConsole,
  everywherePath,
  makeLink,
  numbersPath,
  sessionPath,
  signIn,
  tokenId,
  turnedClock,
} from './console-browser.ts';
import { addWorkspace, fakeGateway, sealing, testLimits } from './fake-gateway.ts';

test('a pasted token makes a session, which reads and changes as the token does', async (t) => {
  const gateway = await fakeGateway(t);
  const browser = await browserOf(gateway);
  t.is(browser.answer.status, 204);
  t.regex(
    browser.answer.headers.get('set-cookie') ?? '',
    /^trunkline_session_\d+=gw_session_\w{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
  );
  t.is(await browser.get(), 200);
  const current = await browser.send('GET', '/api/v1/admin/tokens/current');
  t.like(current.body, { id: await tokenId(gateway), role: 'admin', is_current: true });
  const changed = await browser.send('PATCH', '/api/v1/admin/workspace', byConsole, { name: 'Changed' });
  t.is(changed.status, 200);
  const rows = await gateway.database.execute<{ action: string; detail: unknown }>(
    `select action, detail from audit_entry where workspace_id = $1 and action = 'session.began'`,
    [gateway.workspaceId],
  );
  t.deepEqual(rows, [{ action: 'session.began', detail: { by: 'token' } }]);
});

test('the database holds a fingerprint of the session and of the link, and no secret is logged', async (t) => {
  const gateway = await fakeGateway(t);
  const { cookie } = await browserOf(gateway);
  const { code } = await makeLink(gateway);
  const kept = await gateway.database.execute(
    'select encode(secret_hash, $1) as kept from console_session union all select encode(code_hash, $1) from sign_in_link',
    ['escape'],
  );
  const written = JSON.stringify([kept, gateway.logged]);
  t.true(kept.length >= 2);
  for (const secret of [cookie.slice(cookie.indexOf('=') + 1), code]) t.false(written.includes(secret));
});

test('a session is of no use to a page from elsewhere, whatever it asks for', async (t) => {
  const gateway = await fakeGateway(t);
  const browser = await browserOf(gateway);
  const elsewhere: Record<string, string>[] = [
    {},
    { 'x-trunkline-console': '1', origin: 'http://127.0.0.1:3000' },
    { 'x-trunkline-console': '1', 'sec-fetch-site': 'same-site' },
    { 'x-trunkline-console': '1', 'sec-fetch-site': 'cross-site', origin: gateway.baseUrl },
    { 'sec-fetch-site': 'same-origin', origin: gateway.baseUrl },
  ];
  for (const headers of elsewhere) {
    for (const [method, path, body] of [
      ['GET', numbersPath],
      ['PATCH', '/api/v1/admin/workspace', { name: 'Taken' }],
      ['DELETE', sessionPath],
      ['DELETE', everywherePath],
      ['POST', sessionPath, { token: gateway.adminToken }],
    ] as const) {
      const { status, body: problem } = await browser.send(method, path, headers, body);
      t.deepEqual([status, problem.code], [403, 'not_from_console'], `${method} ${JSON.stringify(headers)}`);
    }
  }
  // Without what a browser says of the page, nothing is changed; reading gives another page nothing.
  const silent = { 'x-trunkline-console': '1' };
  t.is((await browser.send('DELETE', sessionPath, silent)).status, 403);
  t.is(await browser.get(), 200);
  t.is((await browser.send('GET', numbersPath, { ...silent, origin: gateway.baseUrl })).status, 200);
});

test('a token in the header counts, whatever the cookie says', async (t) => {
  const gateway = await fakeGateway(t);
  const { cookie } = await browserOf(gateway);
  t.is(
    (await gateway.admin.get(numbersPath, { cookie: `trunkline_session_${gateway.port}=nobody` })).status,
    200,
  );
  t.is((await gateway.admin.as('gw_admin_wrong').get(numbersPath, { cookie, ...byConsole })).status, 401);
  const odd = await apiClient(gateway.baseUrl).get(numbersPath, {
    cookie,
    ...byConsole,
    authorization: 'Basic a',
  });
  t.is(odd.status, 401);
  // Calls are placed with the key of a number: a session is none.
  t.is((await apiClient(gateway.baseUrl).get('/api/v1/calls', { cookie, ...byConsole })).status, 401);
});

test('what is pasted instead of an admin token gets a clear word', async (t) => {
  const gateway = await fakeGateway(t);
  const byKey = await signIn(gateway, { token: gateway.number.key });
  t.deepEqual([byKey.status, byKey.body.code], [401, 'number_key_given']);
  const byNobody = await signIn(gateway, { token: 'gw_admin_wrong' });
  t.deepEqual([byNobody.status, byNobody.body.code], [401, 'unauthorized']);
  t.is(byKey.headers.get('set-cookie'), null);
});

test('tokens and codes of nobody are counted by the address they come from', async (t) => {
  const gateway = await fakeGateway(t, {
    limits: { ...testLimits, failuresPerAddress: { points: 2, perSeconds: 60 } },
  });
  t.is((await signIn(gateway, { token: 'gw_admin_wrong' })).status, 401);
  t.is((await signIn(gateway, { code: 'wrong' })).status, 410);
  t.is((await signIn(gateway, { token: gateway.number.key })).status, 429);
  t.is((await signIn(gateway, { token: gateway.adminToken })).status, 204);
});

test('signing out ends this session, signing out everywhere those of the token and no others', async (t) => {
  const gateway = await fakeGateway(t);
  const other = randomUUID();
  await createAdminToken(gateway.database, {
    id: other,
    workspaceId: gateway.workspaceId,
    name: 'other',
    role: 'viewer',
    ...fingerprintOf(sealing, `gw_admin_${other}`),
    createdAt: new Date(),
  });
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => browserOf(gateway)));
  const viewer = await browserOf(gateway, `gw_admin_${other}`);
  const out = await first?.send('DELETE', sessionPath);
  t.is(out?.status, 204);
  t.regex(out?.headers.get('set-cookie') ?? '', /^trunkline_session_\d+=; Path=\/; Max-Age=0;/);
  t.deepEqual([await first?.get(), await second?.get(), await viewer.get()], [401, 200, 200]);
  t.is((await first?.send('DELETE', sessionPath))?.status, 204, 'signing out again is none the worse');
  t.is((await second?.send('DELETE', everywherePath))?.status, 204);
  t.deepEqual([await second?.get(), await third?.get(), await viewer.get()], [401, 401, 200]);
  t.is((await gateway.admin.get(numbersPath)).status, 200, 'the token itself stays good');
});

test('a revoked token ends its sessions at once, at every gateway; so does its end', async (t) => {
  const gateway = await fakeGateway(t);
  const [revoked, over] = [randomUUID(), randomUUID()];
  const { clock, turn } = turnedClock();
  for (const id of [revoked, over])
    await createAdminToken(gateway.database, {
      id,
      workspaceId: gateway.workspaceId,
      name: id,
      ...fingerprintOf(sealing, `gw_admin_${id}`),
      createdAt: new Date(),
      ...(id === over ? { expiresAt: new Date(clock.now() + 60_000) } : {}),
    });
  // Another gateway of the same database.
  const next = {
    ...(await fakeGateway(t, { database: gateway.database, clock })),
    database: gateway.database,
  };
  const sessions = [
    await browserOf(gateway, `gw_admin_${revoked}`),
    await browserOf(gateway, `gw_admin_${over}`),
  ];
  // As behind one address: browsers keep it by the port that they asked.
  const atNext = (cookie: string) =>
    apiClient(next.baseUrl)
      .get(numbersPath, { cookie: cookie.replace(/_\d+=/, `_${next.port}=`), ...byConsole })
      .then(({ status }) => status);
  t.deepEqual(await Promise.all(sessions.map(({ cookie }) => atNext(cookie))), [200, 200]);
  t.is((await gateway.admin.delete(`/api/v1/admin/tokens/${revoked}`)).status, 204);
  t.deepEqual(await Promise.all(sessions.map(({ cookie }) => atNext(cookie))), [401, 200]);
  turn(61);
  t.deepEqual(await Promise.all(sessions.map(({ cookie }) => atNext(cookie))), [401, 401]);
});

test('a session ends after a week without use, and after thirty days whatever is done', async (t) => {
  const { clock, turn } = turnedClock();
  const gateway = await fakeGateway(t, { clock });
  const days = 86_400;
  const [used, unused] = [await browserOf(gateway), await browserOf(gateway)];
  const usedAt = async (): Promise<boolean> => {
    const [row] = await gateway.database.execute<{ recent: boolean }>(
      'select bool_or(last_used_at > $1) as recent from console_session where admin_token_id = $2',
      [new Date(clock.now() - 60_000), await tokenId(gateway)],
    );
    return row?.recent === true;
  };
  for (let week = 1; week <= 4; week += 1) {
    turn(6 * days);
    t.is(await used.get(), 200);
    // It is noted beside the request.
    while (!(await usedAt())) await new Promise(setImmediate);
  }
  t.is(await unused.get(), 401);
  turn(6 * days);
  t.is(await used.get(), 401);
});

test('a session is of its own workspace alone', async (t) => {
  const gateway = await fakeGateway(t);
  const other = await addWorkspace(gateway.database);
  const browser = await browserOf(gateway, other.adminToken);
  const { body } = await browser.send('GET', numbersPath);
  t.deepEqual(body, { numbers: [] });
});
