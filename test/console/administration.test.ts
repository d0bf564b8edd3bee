/** The workspace, its tokens, numbers in use, the view of a viewer, the gateways, and the audit log. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { en } from '#src/console/language/en.ts';
import { rehearsalWords as rehearsalWordsInEnglish } from '#src/console/language/en/rehearsal-words.ts';
import { ko } from '#src/console/language/ko.ts';
import { rehearsalWords as rehearsalWordsInKorean } from '#src/console/language/ko/rehearsal-words.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { until } from '#test/helpers/until.ts';
import { downloadedText } from './downloaded.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, pressInPlace, turnTo, type ConsoleWorld } from './in-browser.ts';
import { hangUp, heldCallee, placeHeldCall } from './lasting-calls.ts';

// Pages

const tokens = '/api/v1/admin/tokens';

/** Real speed of simulated lines, so that a held call outlasts its test. */
const slowLines = { GW_SIMULATOR_SPEED: '1' };

const viewerToken = async ({ gateway: { admin } }: Pick<ConsoleWorld, 'gateway'>): Promise<string> => {
  const { body } = await admin.post(tokens, { name: 'Visitor', role: 'viewer' });
  return z.object({ token: z.string() }).parse(body).token;
};

consoleTest(
  'changes the policy, the time zone and the limits of the workspace',
  async (t, { gateway, open }) => {
    const page = await open({ page: '/workspace' });
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const save = () => page.getByRole('button', { name: 'Save' }).click();
    t.is(await field('Longest allowed call').getAttribute('placeholder'), 'Default: 1800');
    await field('Longest allowed call').fill('9000');
    await save();
    await page.getByText('This must be at most 1800.').waitFor();
    await field('Longest allowed call').fill('300');
    await field('Time zone').selectOption('Europe/Berlin');
    await field('Calls at once, all numbers').fill('7');
    await page.getByText('Used today: 0 min.').waitFor();
    await field('Outbound minutes per day').fill('600');
    await field('Recording').selectOption('Do not record');
    await save();
    await page.getByText('Saved.').waitFor();
    t.like((await gateway.admin.get('/api/v1/admin/workspace')).body, {
      max_duration_sec: 300,
      time_zone: 'Europe/Berlin',
      max_calls_in_progress: 7,
      daily_minutes: 600,
      recording_enabled: false,
    });

    await page.getByRole('link', { name: 'Numbers' }).click();
    await page.getByRole('link', { name: gateway.credentials.number }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.locator('input[placeholder="Default: 300"]').first().waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page
      .locator('.changes')
      .filter({ hasText: /Longest call \(s\)\s*(from\s*)?–\s*→\s*(to\s*)?300/ })
      .first()
      .waitFor();
  },
);

consoleTest(
  'chooses destinations by kind and prefix, and restricts them further for a number',
  async (t, { gateway, open }) => {
    const page = await open({ page: '/workspace' });
    const save = () => page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Allowed: Mobile numbers, Fixed lines, /).waitFor();
    await page.getByLabel('Destinations').selectOption('Only these');
    t.true(await page.getByLabel('Mobile numbers').isChecked(), 'it begins with what holds');
    t.false(await page.getByLabel('Premium-rate numbers').isChecked());
    await page.getByLabel('Pagers').uncheck();
    await page.getByLabel(/^Denied prefixes/).fill('0505, 02-1');
    await save();
    await page.getByText('This is no beginning of a number, such as 0505 or +1242.').waitFor();
    await page.getByLabel(/^Denied prefixes/).fill('0505, +1242');
    await save();
    await page.getByText('Saved.').waitFor();
    const { body } = await gateway.admin.get('/api/v1/admin/workspace');
    t.like(body['destinations'], { allowed_prefixes: [], denied_prefixes: ['0505', '+1242'] });
    t.false(JSON.stringify(body['destinations']).includes('pager'));

    await page.getByRole('link', { name: 'Numbers' }).click();
    await page.getByRole('link', { name: gateway.credentials.number }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('A number can only narrow what its workspace allows').waitFor();
    await page.getByLabel('Destinations').selectOption('Only these');
    t.false(await page.getByLabel('Pagers').isChecked());
  },
);

consoleTest('creates a token, shows it once, lists and revokes it', async (t, { gateway, open }) => {
  const page = await open({ page: '/tokens' });
  await page.locator('.row', { hasText: 'test' }).getByText('(you)').waitFor();
  await page.getByRole('link', { name: 'Create a token' }).click();
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('This is required.').waitFor();
  await page.getByLabel('Name').fill('Dashboard');
  await page.getByRole('radio', { name: /Viewer/ }).check();
  await page.getByLabel('Valid').selectOption('For 30 days');
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.getByRole('group', { name: 'Dashboard' }).locator('code').textContent();
  const viewer = gateway.client.as(token ?? '');
  t.is((await viewer.get('/api/v1/admin/numbers')).status, 200);
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.locator('.row', { hasText: 'Dashboard' });
  await row.getByText('Viewer', { exact: true }).waitFor();
  await row.getByText(/Last used .* · valid until /).waitFor();
  t.false((await page.content()).includes(token ?? ''));

  const revoke = (within: typeof page | typeof row) => within.getByRole('button', { name: 'Revoke' });
  await revoke(row).click();
  await page
    .getByRole('dialog', { name: 'Revoke “Dashboard”?' })
    .getByRole('button', { name: 'Cancel' })
    .click();
  t.is((await viewer.get('/api/v1/admin/numbers')).status, 200);
  await revoke(row).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await row.waitFor({ state: 'detached' });
  t.is((await viewer.get('/api/v1/admin/numbers')).status, 401);

  await revoke(page).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('This is the only valid token of the role admin').waitFor();
});

test('names the action on the button of every confirmation, beside the button that cancels it', (t) => {
  for (const [words, rehearsals] of [
    [en, rehearsalWordsInEnglish],
    [ko, rehearsalWordsInKorean],
  ] as const) {
    const { shell, numbers, tokens, trunks, webhooks } = words;
    const actions = [
      shell.signOutEverywhere,
      numbers.key.reissue,
      numbers.remove.title,
      tokens.revoke,
      trunks.remove,
      webhooks.remove,
      webhooks.rotate,
      rehearsals.cancel,
    ];
    t.false(actions.includes(shell.form.cancel));
  }
});

consoleTest('requires typing the digits of a number before deleting it', async (t, { gateway, open }) => {
  const { number, number_id: id } = gateway.credentials;
  const page = await open({ page: `/numbers/${id}/settings` });
  await pressInPlace(page.getByRole('button', { name: 'Delete number' }));
  const dialog = page.getByRole('dialog', { name: `Delete ${number}?` });
  const press = () => dialog.getByRole('button', { name: 'Delete number' }).click();
  await press();
  await dialog.getByText('These are not its digits.').waitFor();
  await dialog.getByLabel('The number').fill('070');
  await press();
  await dialog.getByText('These are not its digits.').waitFor();
  t.is((await gateway.admin.get(gateway.numberPath)).status, 200);
  await dialog.getByLabel('The number').fill(`${number.slice(0, 3)}-${number.slice(3)}`);
  await press();
  await page.getByRole('heading', { name: 'No numbers yet' }).waitFor();
  t.is((await gateway.admin.get(gateway.numberPath)).status, 404);
});

consoleTest(
  'does not delete a number with a call in progress, and shows the reason',
  async (t, { gateway, open }) => {
    const { number, number_id: id } = gateway.credentials;
    const callId = await placeHeldCall(gateway);
    const page = await open({ page: `/numbers/${id}/settings`, locale: 'ko-KR' });
    await pressInPlace(page.getByRole('button', { name: '번호 삭제' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('번호').fill(number);
    await dialog.getByRole('button', { name: '번호 삭제' }).click();
    await dialog.getByText('진행 중인 통화가 있습니다.').waitFor();
    t.is((await gateway.admin.get(gateway.numberPath)).status, 200);
    await hangUp(gateway, callId);
  },
  slowLines,
);

/** Buttons that a viewer may press, because they change nothing. */
const harmless =
  /^(Menu|English|한국어|Sign out|Sign out everywhere|Copy|Play|Play the replay|Step (back|forward)|Show more|Keyboard shortcuts \?|Filters|Export CSV|Time ↓ newest first|Duration|Boxes|Arrows|Call|Conversation|Voicemail|Line|Outbound leg|Inbound leg|Save as JSON)$/;

consoleTest(
  'shows a viewer every page, without actions that the API would reject',
  async (t, world) => {
    const { gateway, open } = world;
    const { admin, call, untilStatus, credentials } = gateway;
    const ids = z.object({ id: z.string() });
    const trunk = ids.parse(
      (await admin.post('/api/v1/admin/trunks', { name: 'carrier', host: 'sip.example.com' })).body,
    );
    const webhook = ids.parse(
      (await admin.post('/api/v1/admin/webhooks', { url: 'http://127.0.0.1:9/' })).body,
    );
    const over = await call('01000000003');
    await untilStatus(over, 'no_answer');
    const held = await placeHeldCall(gateway);
    await admin.patch(gateway.numberPath, { transfer_to: ['01000000013'] });
    const rung = { to: '01000000013', ring_timeout_sec: 120 };
    t.is((await gateway.client.post(`/api/v1/calls/${held}/transfer`, rung)).status, 202);
    const page = await open({ token: await viewerToken(world) });
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() === 403) refused.push(answer.url());
    });
    page.on('websocket', (socket) => refused.push(socket.url()));
    const number = `/numbers/${credentials.number_id}`;
    const paths: [string, string | RegExp][] = [
      ['/calls', 'Calls'],
      [`/calls/${over}`, /01000000003/],
      [`/calls/${held}`, heldCallee],
      ['/numbers', 'Numbers'],
      [`${number}/inbound`, credentials.number],
      [`${number}/outbound`, credentials.number],
      [`${number}/settings`, credentials.number],
      ['/rehearsals', 'Rehearsals'],
      ['/webhooks', 'Webhooks'],
      [`/webhooks/${webhook.id}`, /127\.0\.0\.1:9/],
      ['/trunks', 'Trunks'],
      [`/trunks/${trunk.id}`, 'carrier'],
      ['/audit', 'Audit log'],
      ['/workspace', 'Workspace'],
      ['/tokens', 'Admin tokens'],
      ['/gateways', 'Gateways'],
    ];
    for (const [path, heading] of paths) {
      await page.evaluate(`location.hash = '${path}'`);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await page.locator('.loading').waitFor({ state: 'detached' });
      const buttons = await page.getByRole('button').allTextContents();
      t.deepEqual(
        buttons.map((text) => text.trim()).filter((text) => text !== '' && !harmless.test(text)),
        [],
        path,
      );
      const links = await page
        .locator('main a')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
      t.deepEqual(
        links.filter((link) => /\/new$|place-call|#\/agents/.test(link ?? '')),
        [],
        path,
      );
      for (const input of await page.locator('main form').getByRole('textbox').all())
        t.false(await input.isEnabled());
    }
    for (const path of [
      '/place-call',
      '/agents',
      '/numbers/new',
      '/webhooks/new',
      '/trunks/new',
      '/tokens/new',
    ]) {
      await page.evaluate(`location.hash = '${path}'`);
      await page.getByRole('heading', { level: 1, name: 'Admins only' }).waitFor();
      await page.evaluate(`location.hash = '/calls'`);
      await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
    }
    t.deepEqual(refused, []);
    await hangUp(gateway, held);
  },
  slowLines,
);

/** A lost gateway without calls. A trigger keeps its row, which the running gateway would delete. */
const keepLostGateway = async (t: ExecutionContext, databaseUrl: string): Promise<void> => {
  await runStatement(
    databaseUrl,
    `create function keep_row() returns trigger language plpgsql as 'begin return null; end';
     create trigger keep_row before delete on node for each row when (old.name = 'other') execute function keep_row();
     insert into node (name, instance, seen_at, lost_at) values ('other', gen_random_uuid(), now(), now())`,
  );
  t.teardown(() => runStatement(databaseUrl, 'drop function keep_row cascade').then(() => undefined));
};

consoleTest(
  'lists gateways with their calls in progress and the calls they took over from other gateways',
  async (t, { gateway, databaseUrl, open }) => {
    const callId = await placeHeldCall(gateway);
    const page = await open({ page: '/gateways' });
    const own = page.getByRole('listitem').filter({ hasText: 'gateway (this console)' });
    await own.getByText('1 call in progress').waitFor();
    await own.getByText('Running').waitFor();
    await own.getByText(/load [\d.]+% · memory [\d.]+% · timer delay .* · version /).waitFor();
    await keepLostGateway(t, databaseUrl);
    const other = page.getByRole('listitem').filter({ hasText: 'other' });
    await other.getByText('Lost').waitFor();
    await other.getByText('0 calls in progress').waitFor();
    await other.getByText('the others continue its calls').waitFor();
    await runStatement(databaseUrl, `update call set epoch = 2 where id = '${callId}'`);
    await own.getByText('1 of them taken over').waitFor();
    await hangUp(gateway, callId);
    t.pass();
  },
  slowLines,
);

consoleTest('reads a list again after a rejected read', async (t, { open }) => {
  const page = await open({ page: '/tokens' });
  const answers = [429, 200, 403];
  let reads = 0;
  await page.route('**/api/v1/admin/gateways', (route) => {
    const status = answers[reads] ?? 200;
    reads += 1;
    return status === 200 ? route.continue() : route.fulfill({ status, json: { code: 'rejected' } });
  });
  await turnTo(page, '/gateways');
  const own = page.getByRole('listitem').filter({ hasText: 'gateway (this console)' });
  await own.waitFor();
  await until('the list is read after the second rejection', () => reads > answers.length || undefined);
  await own.waitFor();
  t.pass();
});

consoleTest('names an address that leads to no page, and offers the pages', async (t, { open }) => {
  const page = await open({ page: '/gateway' });
  await page.getByText('There is no page at #/gateway').waitFor();
  await everybodyCanUse(t, page, 'an address without a page');
  await page.locator('main').getByRole('link', { name: 'Gateways' }).click();
  await page.getByRole('heading', { level: 1, name: 'Gateways' }).waitFor();
});

// Audit log

consoleTest('filters the audit log and keeps the filters in the URL', async (t, { gateway, open }) => {
  const { admin, numberPath, credentials } = gateway;
  await admin.patch(numberPath, { max_duration_sec: 600 });
  await admin.patch(numberPath, { max_duration_sec: 900 });
  await admin.post('/api/v1/admin/trunks', { name: 'carrier', host: 'sip.example.com' });
  const suite = 'cases:\n  - name: rings\n    callee: [{ does_not_answer: true }]\n';
  const { body: run } = await admin.post('/api/v1/admin/rehearsals', { suite, name: 'bookings.yaml' });
  await admin.post(`/api/v1/admin/rehearsals/${String(run['id'])}/cancel`);
  const page = await open({ page: '/audit' });
  const rows = page.locator('.rows .row');
  await page.getByText('Trunk added').last().waitFor();
  t.regex(
    await page.locator('.changes').first().innerText(),
    /Longest call \(s\)\s+(from\s+)?600 →\s+(to\s+)?900/,
  );
  await page
    .getByRole('link', { name: `Number ${credentials.number}` })
    .first()
    .waitFor();
  const ofRun = page.getByRole('link', { name: 'Rehearsal bookings.yaml' });
  await ofRun.nth(1).waitFor();
  t.is(await ofRun.count(), 2);
  t.is(await ofRun.first().getAttribute('href'), `#/rehearsals/${String(run['id'])}`);

  await page.getByRole('searchbox', { name: 'Search' }).fill('carrier');
  await rows.getByText('Key issued').or(page.locator('.changes')).first().waitFor({ state: 'detached' });
  await rows.getByText('Trunk added').waitFor();
  await page.getByRole('searchbox', { name: 'Search' }).fill('');
  await page.locator('.changes').first().waitFor();

  await page.getByLabel('Target').selectOption({ label: `Number ${credentials.number}` });
  await rows.getByText('Trunk added').waitFor({ state: 'detached' });
  t.is(new URLSearchParams(page.url().split('?')[1]).get('subject'), `number:${credentials.number_id}`);
  await page.getByLabel('What', { exact: true }).selectOption('number.changed');
  await rows.nth(2).waitFor({ state: 'detached' });
  await rows.nth(1).waitFor();
  t.is(await rows.count(), 2);
  await everybodyCanUse(t, page, 'the audit log');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const lines = (await downloadedText(await download)).trim().split('\r\n');
  t.is(lines.length, 3);

  await page.reload();
  await rows.nth(1).waitFor();
  t.is(await rows.count(), 2);
  await page.getByLabel('Last day').fill('2020-01-01');
  await page.getByText('No matching entries').waitFor();
  await page.getByRole('button', { name: 'Show all entries' }).click();
  await rows.getByText('Trunk added').waitFor();

  const narrow = await open({
    page: '/audit?action=number.changed',
    locale: 'ko-KR',
    width: 390,
    dark: true,
  });
  await narrow.locator('.changes').first().waitFor();
  await narrow.getByRole('button', { name: '필터' }).click();
  t.is(await narrow.getByLabel('한 일').inputValue(), 'number.changed');
  await everybodyCanUse(t, narrow, 'the audit log, narrow');
});
