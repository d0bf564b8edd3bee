/** `npm run admin` as the operator calls it, beside a gateway that runs on the same database. */
import { readdir } from 'node:fs/promises';
import test from 'ava';
import { z } from 'zod';
import { main } from '#src/commands/admin.ts';
import { commands, help } from '#src/commands/admin/run-command.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { testSettings } from '#test/helpers/gateway.ts';
import { emptyFolder } from '#test/start/gateway-process.ts';
import { failure, operated } from './operated.ts';

test.serial('help tells of every command', async (t) => {
  for (const args of [[], ['help'], ['--help'], ['numbers', 'key', '--help']]) {
    const printed: string[] = [];
    await main(args, { GW_PORT: 'nonsense' }, (text) => void printed.push(text));
    t.deepEqual(printed, [help]);
  }
  t.true(commands.length > 10);
  for (const { name, usage, options } of commands) {
    t.true(help.includes(`  ${name}`), name);
    if (!usage.includes('settings')) continue;
    for (const option of Object.keys(options)) t.regex(help, new RegExp(`--${option}[ ,\n]`), option);
  }
});

test.serial('a link signs in as the token that is named, or that of the gateway', async (t) => {
  const { gateway, run, runAtHome, baseUrl } = await operated(t);
  await run('tokens', 'create', 'Dashboard', '--role', 'viewer');
  const signIn = async (link: string) => {
    const { status, body } = await apiClient(baseUrl).post(
      '/console/session',
      { code: link.slice(link.lastIndexOf('/') + 1) },
      { 'x-trunkline-console': '1', origin: baseUrl },
    );
    return body.code ?? status;
  };
  const printed = z.object({ link: z.string(), token: z.object({ name: z.string(), role: z.string() }) });
  const byName = printed.parse(JSON.parse(await runAtHome('sign-in-link', 'Dashboard', '--json')));
  t.like(byName.token, { name: 'Dashboard', role: 'viewer' });
  t.true(byName.link.startsWith(`${baseUrl}/#/sign-in/`));
  t.is(await signIn(byName.link), 204);

  const [own = ''] = (await runAtHome('sign-in-link')).split('\n');
  t.is(await signIn(own), 204);
  t.is(await signIn(own), 'sign_in_link_used');
  const audit = await gateway.admin.get('/api/v1/admin/audit');
  t.like(audit.body, { entries: [{ action: 'session.began' }, { action: 'sign_in_link.created' }] });

  const away = await failure(t, run('sign-in-link'));
  t.regex(away?.line ?? '', /^There is no dev-credentials\.json here: say for which token/);
  // The gateway of the test chose its port itself.
  const unknown = await failure(t, run('sign-in-link', 'Dashboard'));
  t.regex(unknown?.line ?? '', /^GW_PORT is 0 and there is no dev-credentials\.json here/);
  await run('tokens', 'revoke', 'Dashboard');
  t.regex((await failure(t, run('sign-in-link', 'Dashboard')))?.line ?? '', /^There is no token "Dashboard"/);
});

test.serial(
  'a workspace is made with its first admin token, which works on the running gateway at once',
  async (t) => {
    const { run, json, baseUrl } = await operated(t);
    const made = await json(z.looseObject({ id: z.uuid(), admin_token: z.string() }), [
      'workspaces',
      'create',
      'Sales',
      '--time-zone',
      'Europe/Berlin',
      '--max-duration-sec',
      '300',
    ]);
    const admin = apiClient(baseUrl, made.admin_token);
    t.like((await admin.get('/api/v1/admin/workspace')).body, {
      id: made.id,
      name: 'Sales',
      time_zone: 'Europe/Berlin',
      max_duration_sec: 300,
    });
    t.deepEqual((await admin.get('/api/v1/admin/numbers')).body, { numbers: [] });
    t.regex(
      await run('workspaces', 'list'),
      /^NAME +TIME ZONE +ID\nTrunkline +Asia\/Seoul +\S+\nSales +Europe/,
    );
    t.regex(
      await run('workspaces', 'show', 'Sales'),
      /\nmax-duration-sec +300\n.*\nsilence-timeout-sec +\(30\)\n/,
    );
    const audit = z.object({ entries: z.array(z.object({ action: z.string(), actor: z.string() })) });
    t.deepEqual(audit.parse((await admin.get('/api/v1/admin/audit')).body).entries, [
      { action: 'admin_token.created', actor: 'operator' },
      { action: 'workspace.created', actor: 'operator' },
    ]);
  },
);

test.serial('a workspace is changed for the next call of the running gateway', async (t) => {
  const { gateway, run } = await operated(t);
  const place = (maxDurationSec: number) =>
    gateway.client.post('/api/v1/calls', { to: '01000000003', max_duration_sec: maxDurationSec });
  t.is((await place(900)).status, 201);
  const shown = await run('workspaces', 'set', '--max-duration-sec', '300', '--recording-enabled', 'false');
  t.regex(await run('workspaces', 'set', '--barge-in', '{"mode": "stop"}'), /barge-in +\{"mode":"stop"/);
  t.regex(shown, /\nmax-duration-sec +300\n/);
  t.like((await place(900)).body, { code: 'max_duration_exceeds_policy', maximum: 300 });
  await run('workspaces', 'set', 'Trunkline', '--max-duration-sec', 'default');
  t.is((await place(900)).status, 201);
  t.like((await gateway.admin.get('/api/v1/admin/workspace')).body, {
    max_duration_sec: null,
    recording_enabled: false,
  });
});

test.serial('where calls may go is set for the next call', async (t) => {
  const { gateway, run } = await operated(t);
  const place = async () => (await gateway.client.post('/api/v1/calls', { to: '01000000003' })).status;
  t.is(await place(), 201);
  t.regex(await run('workspaces', 'show'), /\ndaily-minutes +\(none\)\n/);
  const shown = await run('workspaces', 'set', '--destinations', 'fixed_line, +4420,!0505');
  t.regex(shown, /\ndestinations +fixed_line,\+4420,!0505\n/);
  t.is(await place(), 403);
  t.regex(
    await run('workspaces', 'set', '--destinations', 'default'),
    /\ndestinations +\(mobile,fixed_line,/,
  );
  t.is(await place(), 201);
  await run('workspaces', 'set', '--destinations', '');
  t.is(await place(), 403);
});

test.serial('tokens are made, listed with their last use, and revoked', async (t) => {
  const { run, json, baseUrl } = await operated(t);
  const made = await json(
    z.looseObject({ id: z.uuid(), token: z.string(), role: z.literal('viewer'), expires_at: z.string() }),
    ['tokens', 'create', 'Dashboard', '--role', 'viewer', '--expires-in-days', '90'],
  );
  const viewer = apiClient(baseUrl, made.token);
  t.is((await viewer.get('/api/v1/admin/numbers')).status, 200);
  t.is((await viewer.patch('/api/v1/admin/workspace', { name: 'Mine' })).status, 403);
  const listed = await run('tokens', 'list');
  t.regex(listed, /\nDashboard +viewer +(never|20\S+) +20\S+ +\S+$/);
  t.false(listed.includes(made.token));
  t.is(await run('tokens', 'revoke', 'Dashboard'), 'The token "Dashboard" is revoked.');
  t.is((await viewer.get('/api/v1/admin/numbers')).status, 401);

  const [first] = (
    await json(z.object({ tokens: z.array(z.object({ id: z.string() })) }), ['tokens', 'list'])
  ).tokens;
  const last = await failure(t, run('tokens', 'revoke', first?.id ?? ''));
  t.is(last?.code, 1);
  t.regex(last?.line ?? '', /^This is the only valid token of the role admin/);
});

test.serial('commands run beside each other, also where all processes have the same number', async (t) => {
  const { run } = await operated(t);
  const printed = await Promise.all([
    run('workspaces', 'list'),
    run('tokens', 'list'),
    run('numbers', 'list'),
  ]);
  t.true(printed.every((text) => text.length > 0));
});

test.serial(
  'where there are several workspaces one must be named, and only its own things are touched',
  async (t) => {
    const { run } = await operated(t);
    await run('workspaces', 'create', '--name', 'Sales');
    const asked = await failure(t, run('tokens', 'list'));
    t.is(asked?.code, 2);
    t.regex(
      asked?.line ?? '',
      /^Say which workspace: "Trunkline" \(\S+\), "Sales" \(\S+\) \(--help explains\)$/,
    );
    t.regex(await run('tokens', 'list', '--workspace', 'Sales'), /\nfirst token +admin/);
    const foreign = await failure(t, run('numbers', 'delete', '07000000000', '--workspace', 'Sales'));
    t.regex(foreign?.line ?? '', /belongs to another workspace/);
    await run('workspaces', 'create', 'Sales');
    t.regex((await failure(t, run('workspaces', 'show', 'Sales')))?.line ?? '', /take the id/);
  },
);

const wrong = test.macro<[string[], RegExp]>({
  async exec(t, args, line) {
    const url = await testDatabaseUrl(t);
    const settings = testSettings(url, await emptyFolder(t));
    await main(['workspaces', 'create', 'Trunkline'], settings, () => {});
    const before: string[] = [];
    const show = (into: string[]) => main(['workspaces', 'show'], settings, (text) => void into.push(text));
    await show(before);
    const told = await failure(
      t,
      main(args, settings, () => t.fail()).then(() => ''),
    );
    t.is(told?.code, 2);
    t.regex(told?.line ?? '', line);
    t.false(told?.line.includes('\n'));
    const after: string[] = [];
    await show(after);
    t.deepEqual(after, before);
  },
  title: (_, args) => `called wrongly: ${args.join(' ')}`,
});

test.serial(wrong, ['numbers'], /^There is no command "numbers" \(there are: numbers list, /);
test.serial(wrong, ['nothing', 'list'], /^There is no command "nothing list" \(there are: workspaces list, /);
test.serial(wrong, ['numbers', 'list', '--all'], /^Unknown option '--all' \(--help explains\)$/);
test.serial(wrong, ['numbers', 'list', 'more'], /^It is called as: npm run admin -- numbers list /);
test.serial(wrong, ['numbers', 'key'], /^It is called as: npm run admin -- numbers key NUMBER/);
test.serial(wrong, ['numbers', 'delete', '12'], /^"12" is no telephone number/);
test.serial(wrong, ['numbers', 'delete', '07012345678'], /^There is no number 07012345678/);
test.serial(wrong, ['numbers', 'create', '07012345678', '--language', 'xx'], /^--language: /);
test.serial(wrong, ['tokens', 'create'], /^It is called as: npm run admin -- tokens create NAME/);
test.serial(wrong, ['tokens', 'create', 'Me', '--role', 'owner'], /^--role: /);
test.serial(wrong, ['tokens', 'create', 'Me', '--expires-at', 'soon'], /^--expires-at: /);
test.serial(
  wrong,
  ['tokens', 'create', 'Me', '--expires-at', '2020-01-01T00:00:00Z'],
  /^--expires-at: .*future/,
);
test.serial(wrong, ['tokens', 'revoke', 'nobody'], /^There is no token "nobody"/);
test.serial(wrong, ['workspaces', 'set'], /^Say what to set: --name, /);
test.serial(wrong, ['workspaces', 'set', '--name', ''], /^--name: This is required/);
test.serial(wrong, ['workspaces', 'set', '--max-duration-sec', 'long'], /^--max-duration-sec: /);
test.serial(
  wrong,
  ['workspaces', 'set', '--destinations', 'mobile,landline'],
  /^--destinations: "landline" is no prefix and none of mobile, /,
);
test.serial(wrong, ['workspaces', 'set', '--time-zone', 'default'], /^--time-zone: /);
test(
  wrong,
  ['workspaces', 'show', 'Elsewhere'],
  /^There is no workspace "Elsewhere" \(there are: "Trunkline" /,
);

test.serial('without a database the operator is told where to look, and nothing is made', async (t) => {
  const dataFolder = await emptyFolder(t);
  const told = await failure(
    t,
    main(['workspaces', 'list'], { GW_DATA_DIR: dataFolder }, () => t.fail()).then(() => ''),
  );
  t.is(told?.code, 1);
  t.regex(told?.line ?? '', /^there is no database in .*GW_DATA_DIR/);
  t.deepEqual(await readdir(dataFolder), []);
});
