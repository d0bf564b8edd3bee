/** Authentication: keys, tokens, sessions, sign-in links and browsers. */
import { randomUUID } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import test from 'ava';
import { newNumberKey } from '#src/administration/new-key.ts';
import type { AnsweredRequest } from '#src/api/http/access-log.ts';
import { cookieOf, createReadBrowser } from '#src/api/http/browser.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { createAdminToken, fingerprintOf } from '#src/persistence/workspaces/admin-tokens.ts';
import { deleteEndedSessions } from '#src/persistence/workspaces/console-sessions.ts';
import { putNumberKey } from '#src/persistence/numbers/number-keys.ts';
import { deleteOldLinks } from '#src/persistence/workspaces/sign-in-links.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import {
  browserOf,
  byConsole,
  cookieIn,
  everywherePath,
  makeLink,
  numbersPath,
  sessionPath,
  signIn,
  tokenId,
  turnedClock,
} from './console-browser.ts';
import {
  addNumber,
  addWorkspace,
  fakeGateway,
  type FakeGateway,
  sealing,
  testLimits,
} from './fake-gateway.ts';

// Authenticate

const path = '/api/v1/calls';

test.serial('rejects requests without a valid key', async (t) => {
  const { client, admin, baseUrl, number } = await fakeGateway(t);
  const anonymous = apiClient(baseUrl);
  const credentials = [
    '',
    'Bearer',
    'Bearer ',
    number.key,
    `Basic ${number.key}`,
    `Bearer ${number.key}x`,
    `Bearer ${number.key.slice(0, -1)}`,
    `Bearer ${number.key} ${number.key}`,
    `Bearer ${newNumberKey()}`,
    'Bearer ключ',
    `Bearer ${'x'.repeat(5000)}`,
  ];
  const answers = [await anonymous.get(path)];
  for (const authorization of credentials) {
    if (/^[\0-\xff]*$/.test(authorization)) answers.push(await anonymous.get(path, { authorization }));
  }
  // An admin token is not a number key, and the other way round.
  answers.push(await admin.get(path), await client.get('/api/v1/admin/numbers'));
  for (const { status, body, headers } of answers) {
    t.is(status, 401);
    t.is(body.code, 'unauthorized');
    t.is(headers.get('www-authenticate'), 'Bearer');
  }
});

const full = new Refusal('over_capacity', 'There is no room.', { headers: { 'Retry-After': '5' } });

test.serial(
  'rejects a new call before authentication when the gateway is full, and no other request',
  async (t) => {
    const looked: string[] = [];
    const database = await testDatabase();
    const { client, admin, baseUrl, asked } = await fakeGateway(t, {
      database: {
        ...database,
        ...scriptedStatements((sql, parameters) => {
          looked.push(sql);
          return database.execute(sql, parameters);
        }),
      },
      approach: () => {
        throw full;
      },
    });
    const stranger = apiClient(baseUrl);
    const call = { to: '01000000001' };
    const refused = [
      await client.post(path, call, { 'idempotency-key': 'once' }),
      await stranger.post(path, call),
      await admin.post('/api/v1/admin/simulator/calls', { ...call, from: '01012345678' }),
    ];
    for (const { status, body, headers } of refused) {
      t.deepEqual([status, body.code, headers.get('retry-after')], [503, 'over_capacity', '5']);
    }
    t.deepEqual(looked, []);
    t.deepEqual(asked, []);
    t.is((await client.get(path)).status, 200);
    t.true(looked.length > 0);
    t.is((await stranger.get(path)).status, 401);
  },
);

test.serial(
  'a full gateway refuses a new call without logging it, with the headers of any response',
  async (t) => {
    const answered: AnsweredRequest[] = [];
    const { client, logged } = await fakeGateway(t, {
      refusal: () => full,
      onAnswered: (request) => answered.push(request),
    });
    const { status, body, headers } = await client.post(
      path,
      { to: '01000000001' },
      { 'x-request-id': 'mine' },
    );
    t.deepEqual([status, body.code, body.request_id], [503, 'over_capacity', 'mine']);
    t.is(headers.get('content-type'), 'application/problem+json');
    t.is(headers.get('retry-after'), '5');
    t.is(headers.get('x-request-id'), 'mine');
    t.deepEqual(answered, [{ method: 'POST', route: path, status: 503, seconds: 0, isStream: false }]);
    t.deepEqual(logged, []);
    const usual = await client.get('/nothing');
    for (const name of ['cache-control', 'content-security-policy', 'x-content-type-options'])
      t.is(headers.get(name), usual.headers.get(name), name);
  },
);

test.serial('accepts the authorization scheme in any letter case', async (t) => {
  const { baseUrl, number } = await fakeGateway(t);
  t.is((await apiClient(baseUrl).get(path, { authorization: `bearer ${number.key}` })).status, 200);
});

test.serial('rejects a replaced key immediately', async (t) => {
  const { client, database, number } = await fakeGateway(t);
  t.is((await client.get(path)).status, 200);
  const key = newNumberKey();
  await putNumberKey(database, {
    numberId: number.id,
    keyHash: sealing.fingerprint(key),
    keySealed: sealing.seal(key, number.id),
    issuedAt: new Date(),
  });
  t.is((await client.get(path)).status, 401);
  t.is((await client.as(key).get(path)).status, 200);
});

test.serial('authenticates before reading the body', async (t) => {
  const { baseUrl } = await fakeGateway(t);
  const answer = await apiClient(baseUrl).send('POST', path, {
    raw: '{',
    headers: { 'content-type': 'text/plain' },
  });
  t.is(answer.status, 401);
});

test.serial(
  'rejects a request if X-Number-Id is not empty and differs from the number of the key',
  async (t) => {
    const gateway = await fakeGateway(t);
    const other = await addNumber(gateway);
    for (const id of [gateway.number.id, gateway.number.id.toUpperCase(), '', 'null']) {
      t.is((await gateway.client.get(path, { 'X-Number-Id': id })).status, 200, id);
    }
    for (const id of [other.id, randomUUID(), 'nonsense', gateway.number.number]) {
      const { status, body } = await gateway.client.get(path, { 'X-Number-Id': id });
      t.is(status, 403, id);
      t.is(body.code, 'number_mismatch');
    }
  },
);

// Sessions

test.serial('creates a session with the permissions of a pasted token', async (t) => {
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

test.serial('stores only fingerprints of sessions and sign-in links, and logs no secret', async (t) => {
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

test.serial('rejects a session for any request from another origin', async (t) => {
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
  // Without the browser's origin headers, changes are rejected; reading is harmless.
  const silent = { 'x-trunkline-console': '1' };
  t.is((await browser.send('DELETE', sessionPath, silent)).status, 403);
  t.is(await browser.get(), 200);
  t.is((await browser.send('GET', numbersPath, { ...silent, origin: gateway.baseUrl })).status, 200);
});

test.serial('uses the token of the header if there is also a cookie', async (t) => {
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
  // Calls are placed with the key of a number, not with a session.
  t.is((await apiClient(gateway.baseUrl).get('/api/v1/calls', { cookie, ...byConsole })).status, 401);
});

test.serial('responds with an explanation when a pasted secret is not an admin token', async (t) => {
  const gateway = await fakeGateway(t);
  const byKey = await signIn(gateway, { token: gateway.number.key });
  t.deepEqual([byKey.status, byKey.body.code], [401, 'number_key_given']);
  const byNobody = await signIn(gateway, { token: 'gw_admin_wrong' });
  t.deepEqual([byNobody.status, byNobody.body.code], [401, 'unauthorized']);
  t.is(byKey.headers.get('set-cookie'), null);
});

test.serial('counts failed attempts with tokens and codes by client address', async (t) => {
  const gateway = await fakeGateway(t, {
    limits: { ...testLimits, failuresPerAddress: { points: 2, perSeconds: 60 } },
  });
  t.is((await signIn(gateway, { token: 'gw_admin_wrong' })).status, 401);
  t.is((await signIn(gateway, { code: 'wrong' })).status, 410);
  t.is((await signIn(gateway, { token: gateway.number.key })).status, 429);
  t.is((await signIn(gateway, { token: gateway.adminToken })).status, 204);
});

test.serial(
  'signing out ends one session; signing out everywhere ends all sessions of the token',
  async (t) => {
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
  },
);

test.serial('ends the sessions of a revoked or expired token at once on every gateway', async (t) => {
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
  // Another gateway on the same database.
  const next = {
    ...(await fakeGateway(t, { database: gateway.database, clock })),
    database: gateway.database,
  };
  const sessions = [
    await browserOf(gateway, `gw_admin_${revoked}`),
    await browserOf(gateway, `gw_admin_${over}`),
  ];
  // Gateways behind one host name: browsers send the cookies of all ports.
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

test.serial('ends a session after a week without use, and after thirty days in any case', async (t) => {
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
    // The use is recorded asynchronously.
    while (!(await usedAt())) await new Promise(setImmediate);
  }
  t.is(await unused.get(), 401);
  turn(6 * days);
  t.is(await used.get(), 401);
});

test.serial('limits a session to one workspace', async (t) => {
  const gateway = await fakeGateway(t);
  const other = await addWorkspace(gateway.database);
  const browser = await browserOf(gateway, other.adminToken);
  const { body } = await browser.send('GET', numbersPath);
  t.deepEqual(body, { numbers: [] });
});

// Sign in links

test.serial(
  'signs in by a link once within ten minutes; later uses get the reason for the rejection',
  async (t) => {
    const { clock, turn } = turnedClock();
    const gateway = await fakeGateway(t, { clock });
    const { link, code } = await makeLink(gateway);
    t.true(link.startsWith(`${gateway.baseUrl}/#/sign-in/`));
    const [one, two] = await Promise.all([signIn(gateway, { code }), signIn(gateway, { code })]);
    t.deepEqual(
      [one.status, two.status].toSorted((a, b) => a - b),
      [204, 410],
    );
    const cookie = cookieIn(one.status === 204 ? one : two);
    t.is((await apiClient(gateway.baseUrl).get(numbersPath, { cookie, ...byConsole })).status, 200);
    t.is((await signIn(gateway, { code })).body.code, 'sign_in_link_used');

    const late = await makeLink(gateway);
    turn(601);
    t.is((await signIn(gateway, { code: late.code })).body.code, 'sign_in_link_expired');
    t.is((await signIn(gateway, { code: 'never-made' })).body.code, 'sign_in_link_expired');
  },
);

test.serial('rejects a sign-in link whose token was revoked meanwhile', async (t) => {
  const gateway = await fakeGateway(t);
  const { code } = await makeLink(gateway);
  await gateway.database.execute('update admin_token set revoked_at = now() where workspace_id = $1', [
    gateway.workspaceId,
  ]);
  t.is((await signIn(gateway, { code })).body.code, 'sign_in_link_expired');
});

test.serial(
  "rejects a sign-in link on another machine and keeps it valid for the gateway's machine",
  async (t) => {
    const gateway = await fakeGateway(t);
    const { code } = await makeLink(gateway);
    for (const headers of [{ 'x-forwarded-for': '192.0.2.1' }, { origin: 'https://gateway.example' }]) {
      const { status, body } = await signIn(gateway, { code }, headers);
      t.deepEqual([status, body.code], [403, 'not_on_this_machine']);
    }
    t.is((await signIn(gateway, { code })).status, 204);
  },
);

/** The rows of this token alone: the tests of a file share a database. */
const count = async (gateway: FakeGateway, table: string): Promise<number | undefined> => {
  const [row] = await gateway.database.execute<{ n: number }>(
    `select count(*)::int as n from ${table} where admin_token_id = $1`,
    [await tokenId(gateway)],
  );
  return row?.n;
};

test.serial('deletes only expired sessions and sign-in links', async (t) => {
  const gateway = await fakeGateway(t);
  const { database } = gateway;
  const ended = await browserOf(gateway);
  await browserOf(gateway);
  const { code } = await makeLink(gateway);
  await makeLink(gateway);
  await signIn(gateway, { code });
  await database.execute(
    `update console_session set expires_at = now() - interval '1 second' where secret_hash = $1`,
    [sealing.fingerprint(ended.cookie.slice(ended.cookie.indexOf('=') + 1))],
  );
  await database.execute(
    `update sign_in_link set expires_at = now() - interval '25 hours' where code_hash = $1`,
    [sealing.fingerprint(code)],
  );
  await deleteEndedSessions(database, 7 * 86_400);
  await deleteOldLinks(database);
  t.is(await count(gateway, 'console_session'), 2);
  t.is(await count(gateway, 'sign_in_link'), 1);
  await database.execute(
    `update console_session set last_used_at = now() - interval '8 days' where admin_token_id = $1`,
    [await tokenId(gateway)],
  );
  await deleteEndedSessions(database, 7 * 86_400);
  t.is(await count(gateway, 'console_session'), 0);
});

// Browser

type PageRequest = { from?: string; method?: string; headers?: Record<string, string> };

const requestOf = ({ from = '127.0.0.1', method = 'POST', headers = {} }: PageRequest): IncomingMessage => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: from });
  const request = new IncomingMessage(socket);
  request.method = method;
  Object.assign(request.headers, { host: '127.0.0.1:8080', ...headers });
  return request;
};

const direct = createReadBrowser([]);
const proxied = createReadBrowser(['127.0.0.1/32']);

test('trusts a page if the browser reports the same origin', (t) => {
  const isOurs = (asked: PageRequest): boolean => direct(requestOf(asked)).isOurPage;
  t.true(isOurs({ headers: { 'sec-fetch-site': 'same-origin' } }));
  t.true(isOurs({ headers: { origin: 'http://127.0.0.1:8080' } }));
  t.true(isOurs({ headers: { host: 'gateway.example', origin: 'https://gateway.example' } }));
  t.true(isOurs({ headers: { host: 'gateway.example:443', origin: 'https://gateway.example' } }));
  t.true(isOurs({ method: 'GET' }));
  for (const headers of [
    {},
    { origin: 'null' },
    { origin: 'nonsense' },
    { origin: 'http://127.0.0.1:3000' },
    { origin: 'http://localhost:8080' },
    { origin: 'http://127.0.0.1:8080.example' },
    { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:8080' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:8080' },
    { 'sec-fetch-site': 'none', origin: 'http://127.0.0.1:8080' },
  ] as Record<string, string>[])
    t.false(isOurs({ headers }), JSON.stringify(headers));
  t.false(isOurs({ method: 'GET', headers: { upgrade: 'websocket' } }));
  t.false(isOurs({ method: 'GET', headers: { 'sec-fetch-site': 'cross-site' } }));
});

test('accepts forwarded host and scheme only from a trusted proxy', (t) => {
  const headers = {
    'x-forwarded-host': 'gateway.example',
    'x-forwarded-proto': 'https',
    origin: 'https://gateway.example',
  };
  t.like(proxied(requestOf({ headers })), { isOurPage: true, isHttps: true });
  t.like(direct(requestOf({ headers })), { isOurPage: false, isHttps: false });
});

test('treats a browser as local unless an address or header indicates another machine', (t) => {
  const isHere = (read: typeof direct, asked: PageRequest): boolean => read(requestOf(asked)).isOnThisMachine;
  t.true(isHere(direct, {}));
  t.true(isHere(direct, { from: '127.8.0.1', headers: { host: 'localhost:8080' } }));
  t.true(isHere(direct, { from: '::1', headers: { host: '[::1]:8080', origin: 'http://[::1]:8080' } }));
  t.true(isHere(direct, { from: '::ffff:127.0.0.1' }));
  t.true(isHere(proxied, { headers: { 'x-forwarded-for': '127.0.0.1' } }));
  for (const asked of [
    { from: '192.0.2.1' },
    { from: '::ffff:192.0.2.1' },
    { headers: { host: 'gateway.example' } },
    { headers: { host: '127.0.0.1.example' } },
    { headers: { origin: 'https://gateway.example' } },
    { headers: { 'x-forwarded-for': '127.0.0.1' } },
    { headers: { forwarded: 'for=127.0.0.1' } },
    { headers: { via: '1.1 proxy' } },
  ] as PageRequest[])
    t.false(isHere(direct, asked), JSON.stringify(asked));
  t.false(isHere(proxied, { headers: { 'x-forwarded-for': '192.0.2.1' } }));
});

test('finds the session cookie among other cookies', (t) => {
  const sessionIn = (cookie: string) => direct(requestOf({ headers: { cookie } })).session;
  t.is(sessionIn('trunkline_session_8080=gw_session_1'), 'gw_session_1');
  t.is(sessionIn('a=b; trunkline_session_8080=gw_session_1; c'), 'gw_session_1');
  for (const cookie of [
    '',
    'trunkline_session_8080=',
    'x_trunkline_session_8080=a',
    'trunkline_session_8080=a b',
  ])
    t.is(sessionIn(cookie), undefined, cookie);
});

test('uses separate cookies for gateways on different ports of a host', (t) => {
  const cookie = 'trunkline_session_8080=one; trunkline_session_8081=two; trunkline_session=three';
  const sessionAt = (host: string, read = direct, more = {}) =>
    read(requestOf({ headers: { host, cookie, ...more } })).session;
  t.is(sessionAt('127.0.0.1:8080'), 'one');
  t.is(sessionAt('127.0.0.1:8081'), 'two');
  t.is(sessionAt('[::1]:8081'), 'two');
  t.is(sessionAt('127.0.0.1:8082'), undefined);
  t.is(sessionAt('gateway.example'), 'three');
  const forwarded = { 'x-forwarded-host': 'gateway.example' };
  t.is(sessionAt('127.0.0.1:8080', proxied, forwarded), 'three');
  t.is(sessionAt('127.0.0.1:8080', direct, forwarded), 'one');
  const { cookieName } = direct(requestOf({}));
  t.regex(cookieOf('s', 60, { cookieName, isHttps: false }), /^trunkline_session_8080=s;/);
});

test('sets the cookie as HttpOnly, SameSite and, over https, Secure', (t) => {
  const cookieName = 'trunkline_session';
  t.is(
    cookieOf('s', 60, { cookieName, isHttps: false }),
    'trunkline_session=s; Path=/; Max-Age=60; HttpOnly; SameSite=Strict',
  );
  t.regex(cookieOf('s', 60, { cookieName, isHttps: true }), /; Secure$/);
  t.regex(cookieOf(null, 60, { cookieName, isHttps: false }), /^trunkline_session=; Path=\/; Max-Age=0;/);
});
