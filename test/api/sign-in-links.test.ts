import test from 'ava';
import { deleteEndedSessions } from '#src/persistence/console-sessions.ts';
import { deleteOldLinks } from '#src/persistence/sign-in-links.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import {
  browserOf,
  byConsole,
  cookieIn,
  makeLink,
  numbersPath,
  signIn,
  tokenId,
  turnedClock,
} from './console-browser.ts';
import { fakeGateway, sealing, type FakeGateway } from './fake-gateway.ts';

test('a link signs in once, within ten minutes, and says why it does not any more', async (t) => {
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
});

test('a link of a token that was revoked meanwhile signs nobody in', async (t) => {
  const gateway = await fakeGateway(t);
  const { code } = await makeLink(gateway);
  await gateway.database.execute('update admin_token set revoked_at = now() where workspace_id = $1', [
    gateway.workspaceId,
  ]);
  t.is((await signIn(gateway, { code })).body.code, 'sign_in_link_expired');
});

test('a link is refused from anywhere but this machine, and stays good for it', async (t) => {
  const gateway = await fakeGateway(t);
  const { code } = await makeLink(gateway);
  for (const headers of [{ 'x-forwarded-for': '192.0.2.1' }, { origin: 'https://gateway.example' }]) {
    const { status, body } = await signIn(gateway, { code }, headers);
    t.deepEqual([status, body.code], [403, 'not_on_this_machine']);
  }
  t.is((await signIn(gateway, { code })).status, 204);
});

/** The rows of this token alone: the tests of a file share a database. */
const count = async (gateway: FakeGateway, table: string): Promise<number | undefined> => {
  const [row] = await gateway.database.execute<{ n: number }>(
    `select count(*)::int as n from ${table} where admin_token_id = $1`,
    [await tokenId(gateway)],
  );
  return row?.n;
};

test('sessions and links that are over are cleared away, and nothing else', async (t) => {
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
