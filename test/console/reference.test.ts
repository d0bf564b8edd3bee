/** The API reference at `/docs`, as somebody reads and tries it who is signed in, or is not. */
import type { Page } from 'playwright-core';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, type ConsoleWorld, type Visit } from './in-browser.ts';

const openReference = async (world: ConsoleWorld, operation: string, visit: Visit = {}): Promise<Page> => {
  const page = await world.open({ ...visit, page: '/overview' });
  await page.goto(`${world.gateway.credentials.base_url}/docs#${operation}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
};

const send = (page: Page): Promise<void> => page.getByRole('button', { name: 'Send' }).click();

/** What was answered, once it is there. */
const answerOf = async (page: Page): Promise<string> =>
  (await page.locator('.received pre').textContent()) ?? '';

consoleTest(
  'everybody can use it: on a telephone and at a desk, in Korean and English, in the light and the dark',
  async (t, world) => {
    for (const [locale, width, dark, isSignedIn] of [
      ['ko-KR', 390, false, false],
      ['en-US', 390, true, true],
      ['ko-KR', 768, false, true],
      ['ko-KR', 1440, true, true],
      ['en-US', 1440, false, false],
    ] as const) {
      const page = await openReference(world, '', { locale, width, dark, isSignedIn });
      await everybodyCanUse(t, page, `the reference, ${locale}, ${width}`);
      for (const operation of [
        'createCall',
        'listWorkspaceCalls',
        'updateNumber',
        'signIn',
        'nothingLikeIt',
      ]) {
        await page.goto(`${world.gateway.credentials.base_url}/docs#/${operation}`);
        await page.locator('.back').waitFor();
        for (const inside of await page.locator('summary').all()) await inside.press('Enter');
        await everybodyCanUse(t, page, `${operation}, ${locale}, ${width}`);
      }
    }
  },
);

consoleTest('the key / leads to the search, also where that is folded away', async (t, world) => {
  for (const width of [768, 1440]) {
    const page = await openReference(world, '', { width });
    const search = page.getByRole('searchbox');
    await page.keyboard.press('/');
    await search.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('/hangup');
    t.is(await search.inputValue(), '/hangup');
    await everybodyCanUse(t, page, `searching, ${width}`);
  }
});

consoleTest(
  'who is not signed in reads everything, and tries what takes a session after signing in elsewhere',
  async (t, world) => {
    const page = await openReference(world, 'getOverview', { isSignedIn: false });
    for (const part of ['Parameters', 'As a command', 'Answers', 'Errors'])
      await page.getByRole('heading', { name: part, exact: true }).waitFor();
    t.is(await page.getByRole('button', { name: 'Send' }).count(), 0);

    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Sign in to the console' }).click();
    const console = await opened;
    await console.getByLabel('Admin token').fill(world.gateway.credentials.admin_token);
    await console.keyboard.press('Enter');

    await send(page);
    t.regex(await answerOf(page), /"end_reasons": \[/);
    await page.getByText(/^200 after/).waitFor();
  },
);

consoleTest('a token that may only read tries what only reads', async (t, world) => {
  const { body } = await world.gateway.admin.post('/api/v1/admin/tokens', { name: 'looks', role: 'viewer' });
  const page = await openReference(world, 'createNumber', { token: String(body['token']) });
  await page.getByText('Trying this takes that of an admin.').waitFor();
  t.is(await page.getByRole('button', { name: 'Send' }).count(), 0);
  await page.getByRole('link', { name: 'List the numbers' }).click();
  await send(page);
  t.regex(await answerOf(page), /"numbers": \[/);
});

consoleTest('a filter that nobody chose is not sent, and one that somebody chose is', async (t, world) => {
  const page = await openReference(world, 'listWorkspaceCalls');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url().replace(/^.*\/admin\//, '')));
  await send(page);
  await answerOf(page);
  await page.getByLabel('direction').selectOption('outbound');
  await page.getByLabel('metadata').fill('order=A-1042, desk=3 b');
  await page.getByText(/direction=outbound&metadata\.order=A-1042&metadata\.desk=3\+b' \\/).waitFor();
  const second = page.waitForResponse(/direction=/);
  await send(page);
  t.is((await second).status(), 200);
  t.deepEqual(asked, ['calls', 'calls?direction=outbound&metadata.order=A-1042&metadata.desk=3+b']);
});

consoleTest('a call is placed with the key of a number, which no command shows', async (t, world) => {
  const { number_key: key } = world.gateway.credentials;
  const page = await openReference(world, 'createCall', { isSignedIn: false });
  await send(page);
  await page.getByText('This is required.').first().waitFor();
  t.is(await page.evaluate('document.activeElement.name'), 'key');

  await page.getByLabel('Key of the number').fill(key);
  const body = page.getByLabel('Body (JSON)');
  t.deepEqual(JSON.parse(await body.inputValue()), { to: '010-0000-0001' });
  await body.fill('{ "to": ');
  await send(page);
  await page
    .getByText(/^This is no JSON\./)
    .first()
    .waitFor();

  await body.fill(`{ "to": "01000000001", "instruction": "it's late" }`);
  await send(page);
  const placed: unknown = JSON.parse(await answerOf(page));
  t.like(placed, { status: 'ringing' });
  await page.getByText(/^201 after/).waitFor();
  const command = await page.locator('.card > pre').first().textContent();
  t.true(command?.includes('Bearer $NUMBER_KEY'));
  t.true(command?.includes(`"it'\\''s late"`));
  t.false(command?.includes(key));

  await page.getByRole('link', { name: 'List the calls of the number' }).click();
  t.is(await page.getByLabel('Key of the number').inputValue(), key);
  await send(page);
  t.regex(await answerOf(page), /"next_cursor"/);
});

consoleTest('an answer that does not end is shown as it comes, and stopped', async (t, world) => {
  const call = await world.gateway.call('01000000002');
  const page = await openReference(world, 'getWorkspaceCallEvents');
  await page.getByLabel('call_id').fill(call);
  await page.getByLabel('Answer as').selectOption('text/event-stream');
  await send(page);
  await page.locator('.received pre', { hasText: 'event: state' }).waitFor();
  await page.getByText('Still receiving …').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Still receiving …').waitFor({ state: 'detached' });
  t.regex(await answerOf(page), /event: state/);
});

consoleTest('operations are found by word, field and code, and each has an address', async (t, world) => {
  const page = await openReference(world, '', { isSignedIn: false });
  const search = page.getByRole('searchbox');
  const found = page.locator('nav section li a');
  await search.fill('max_duration_sec invalid_to');
  await page.getByText('One operation fits.').waitFor();
  t.is(await found.count(), 1);
  await found.click();
  await page.getByRole('heading', { name: 'Place a call', level: 1 }).waitFor();
  t.is(new URL(page.url()).hash, '#/createCall');
  await search.fill('nothinglikeit');
  await page.getByText('No operation fits.').waitFor();
  await page.goto(`${world.gateway.credentials.base_url}/docs#/Calls/hangUp`);
  await page.getByRole('heading', { name: 'Ask a call to hang up', level: 1 }).waitFor();
});
