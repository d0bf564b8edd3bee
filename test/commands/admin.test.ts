/** `npm run admin` beside a gateway on the same database, from a workspace to a change of the master key. */
import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { main } from '#src/commands/admin.ts';
import { commands, help } from '#src/commands/admin/run-command.ts';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { fileScope } from '#test/helpers/file-scope.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { testSettings } from '#test/helpers/test-settings.ts';
import { until } from '#test/helpers/until.ts';
import { emptyFolder } from '#test/start/gateway-process.ts';
import { failure, operated, sharedOperated } from './operated.ts';

// Workspaces and tokens

const sharing = sharedOperated();

test.serial('--help describes every command', async (t) => {
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

test.serial("creates a sign-in link for the named token, or for the gateway's own", async (t) => {
  const { gateway, run, runAtHome, baseUrl } = await sharing(t);
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
  'creates a workspace and its first admin token, which works on the running gateway at once',
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

test.serial('changes the settings of a workspace for the next call of the running gateway', async (t) => {
  const { gateway, run } = await sharing(t);
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

test.serial('sets the permitted destinations for the next call', async (t) => {
  const { gateway, run } = await sharing(t);
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
  await run('workspaces', 'set', '--destinations', 'default');
});

test.serial('creates tokens, lists them with their last use, and revokes them', async (t) => {
  const { run, json, baseUrl } = await sharing(t);
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

test.serial('runs commands in parallel, even if all processes have the same pid', async (t) => {
  const { run } = await sharing(t);
  const printed = await Promise.all([
    run('workspaces', 'list'),
    run('tokens', 'list'),
    run('numbers', 'list'),
  ]);
  t.true(printed.every((text) => text.length > 0));
});

test.serial('requires a workspace name if there are several, and changes only that workspace', async (t) => {
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
});

const scope = fileScope();
let settingsOfOne: Promise<Record<string, string>> | undefined;

const createWorkspace = async (): Promise<Record<string, string>> => {
  const url = await testDatabaseUrl(scope);
  const settings = testSettings(url, await emptyFolder(scope));
  await main(['workspaces', 'create', 'Trunkline'], settings, () => {});
  return settings;
};

/** Settings for a database with one workspace, which wrong use does not change. */
const oneWorkspace = (): Promise<Record<string, string>> => (settingsOfOne ??= createWorkspace());

const wrong = test.macro<[string[], RegExp]>({
  async exec(t, args, line) {
    const settings = await oneWorkspace();
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
  title: (_, args) => `rejects wrong usage: ${args.join(' ')}`,
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
test.serial(
  wrong,
  ['workspaces', 'show', 'Elsewhere'],
  /^There is no workspace "Elsewhere" \(there are: "Trunkline" /,
);

test.serial('without a configured database, prints where to look for it and creates none', async (t) => {
  const dataFolder = await emptyFolder(t);
  const told = await failure(
    t,
    main(['workspaces', 'list'], { GW_DATA_DIR: dataFolder }, () => t.fail()).then(() => ''),
  );
  t.is(told?.code, 1);
  t.regex(told?.line ?? '', /^there is no database in .*GW_DATA_DIR/);
  t.deepEqual(await readdir(dataFolder), []);
});

// Numbers

test.serial(
  'adds a number with a valid key, prints and replaces the key, and deletes the number',
  async (t) => {
    const { run, json, baseUrl } = await sharing(t);
    const { key, number } = await json(z.looseObject({ key: z.string(), number: z.literal('07012345678') }), [
      'numbers',
      'create',
      '070-1234-5678',
      '--language',
      'en',
    ]);
    const client = apiClient(baseUrl, key);
    t.is((await client.get('/api/v1/calls')).status, 200);
    t.is(await run('numbers', 'key', number), key);
    t.regex(await run('numbers', 'list'), /\n07012345678 +en +issued +Trunkline +\S+$/);
    const fresh = await run('numbers', 'key', number, '--new');
    t.is((await client.get('/api/v1/calls')).status, 401);
    t.is((await client.as(fresh).get('/api/v1/calls')).status, 200);
    t.is(await run('numbers', 'delete', number), '07012345678 is deleted. Its calls and records stay.');
    t.is((await client.as(fresh).get('/api/v1/calls')).status, 401);
    t.false((await run('numbers', 'list')).includes(number));
  },
);

test.serial('changes every field of a number that the API can change', async (t) => {
  const { gateway, run } = await sharing(t);
  const { number, number_id: id } = gateway.credentials;
  const stored = async () => (await gateway.admin.get(`/api/v1/admin/numbers/${id}`)).body;
  const shown = await run('numbers', 'set', number, '--greeting', '114', '--silence-timeout-sec', '20');
  t.regex(shown, /\nsilence-timeout-sec +20\n/);
  t.regex(shown, /\nring-timeout-sec +\(default\)\n/);
  t.like(await stored(), { greeting: '114', silence_timeout_sec: 20 });
  const given = {
    greeting: 'default',
    language: 'en',
    'daily-minutes': '600',
    'barge-in': '{"mode": "off"}',
    destinations: 'mobile,!0505',
    'recording-enabled': 'false',
    voicemail: 'leave_message',
    'voicemail-message': 'Call us.',
  };
  const options = Object.entries(given).map(([option, value]) => `--${option}=${value}`);
  await run('numbers', 'set', number, ...options);
  t.like(await stored(), {
    greeting: null,
    language: 'en',
    daily_minutes: 600,
    barge_in: { mode: 'off' },
    destinations: { kinds: ['mobile'], allowed_prefixes: [], denied_prefixes: ['0505'] },
    recording_enabled: false,
    voicemail: 'leave_message',
    voicemail_message: 'Call us.',
    silence_timeout_sec: 20,
  });
  t.regex(await run('numbers', 'show', number), /^number +\d+\nlanguage +en\n/);
  for (const [option, value] of [
    ['--trunk-id', randomUUID()],
    ['--recognizer', 'nobody'],
    ['--silence-timeout-sec', 'long'],
  ] as const)
    t.regex(
      (await failure(t, run('numbers', 'set', number, option, value)))?.line ?? '',
      new RegExp(`^${option}: `),
    );
  t.regex((await failure(t, run('numbers', 'set', number)))?.line ?? '', /^Say what to set: --language, /);
});

test.serial('without GW_SYNTHESIZERS, a number may choose the installed synthesizer', async (t) => {
  const PATH = await emptyFolder(t);
  const settings = { ...testSettings(await testDatabaseUrl(t), await emptyFolder(t)), PATH };
  const run: (...args: string[]) => Promise<string> = async (...args) => {
    const printed: string[] = [];
    await main(args, settings, (text) => void printed.push(text));
    return printed.join('\n');
  };
  await run('workspaces', 'create', 'Trunkline');
  await run('numbers', 'create', '07012345678');
  const choose = ['numbers', 'set', '07012345678', '--synthesizer', 'espeak-ng'];
  t.regex((await failure(t, run(...choose)))?.line ?? '', /^--synthesizer: No synthesizer is configured/);
  await writeFile(join(PATH, 'espeak-ng'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  t.regex(await run(...choose), /\nsynthesizer +espeak-ng\n/);
});

// Master key

const masterKey = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

const answer = z.object({
  secrets: z.array(z.object({ kind: z.string(), resealed: z.number(), unreadable: z.number() })),
  admin_tokens_waiting: z.array(z.looseObject({ name: z.string() })),
});

test.serial('replaces the old master key step by step until it is no longer needed', async (t) => {
  const server = await startAgentServer(sendReply('Good day.'));
  t.teardown(server.close);
  const url = await testDatabaseUrl(t);
  const folder = await emptyFolder(t);
  const changing = { GW_MASTER_KEY: masterKey(8), GW_OLD_MASTER_KEYS: masterKey(7) };
  const start = (keys: Record<string, string>) =>
    testGateway(t, { GW_DATABASE_URL: url, GW_DATA_DIR: folder, ...keys });
  const reseal = async (...options: string[]): Promise<string> => {
    const printed: string[] = [];
    const settings = { ...testSettings(url, folder), ...changing };
    await main(['secrets', 'reseal', ...options], settings, (text) => void printed.push(text));
    return printed.join('\n');
  };
  const resealed = async () => answer.parse(JSON.parse(await reseal('--json')));

  const before = await start({ GW_MASTER_KEY: masterKey(7) });
  t.is(
    (
      await before.admin.put(`${before.numberPath}/agents/outbound`, {
        agent: 'endpoint',
        agent_type: 'webhook',
        chat_url: server.url,
        token: 'for-the-agent',
        headers: { 'x-api-key': 'key-of-the-agent' },
      })
    ).status,
    200,
  );
  await before.close();

  const during = await start(changing);
  const first = await resealed();
  t.deepEqual(
    first.secrets.map(({ kind, resealed: count }) => [kind, count]),
    [
      ['number_keys', 1],
      ['agent_tokens', 1],
      ['agent_headers', 1],
      ['handshake_secrets', 0],
      ['trunk_passwords', 0],
      ['webhook_secrets', 0],
      ['call_keys', 0],
      ['call_tokens', 0],
      ['call_headers', 0],
      ['call_scripts', 0],
    ],
  );
  t.deepEqual(
    first.admin_tokens_waiting.map(({ name }) => name),
    ['dev-credentials.json'],
  );
  t.regex(
    await reseal(),
    /\nkeys of numbers +0 +0\n[^]*These admin tokens change over .*"dev-credentials\.json"/,
  );
  t.is((await during.client.get('/api/v1/calls')).status, 200);
  t.is((await during.admin.get('/api/v1/admin/numbers')).status, 200);
  await until('the token has changed over', async () =>
    (await resealed()).admin_tokens_waiting.length === 0 ? true : undefined,
  );
  t.regex(await reseal(), /Nothing needs an older master key any more/);
  await during.close();

  const after = await start({ GW_MASTER_KEY: masterKey(8) });
  t.deepEqual(after.credentials.number_key, before.credentials.number_key);
  t.is((await after.client.get('/api/v1/calls')).status, 200);
  t.is((await after.admin.get('/api/v1/admin/numbers')).status, 200);
  await after.untilStatus(await after.call('01000000007'), ...finalStatuses);
  t.like(server.requests[0]?.headers, {
    authorization: 'Bearer for-the-agent',
    'x-api-key': 'key-of-the-agent',
  });
});
