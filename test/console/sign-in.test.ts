/** Signing in and out, sessions, the language of the console, and the connection to the gateway. */
import type { Page } from 'playwright-core';
import { runStatement } from '#test/helpers/database-statement.ts';
import { until } from '#test/helpers/until.ts';
import { consoleTest, type ConsoleWorld } from './in-browser.ts';
import { willShow } from './will-show.ts';

// Sign-in and sessions

const hasSecret = (kept: unknown): boolean => /gw_(admin|session)_/.test(String(kept));

/** The part of a link behind the `#`. */
const pageIn = (link: string): string => link.slice(link.indexOf('#') + 1);

consoleTest('signs in a person until sign-out', async (t, { gateway, open }) => {
  const page = await open({ isSignedIn: false, page: '/numbers' });
  const token = page.getByLabel('Admin token');

  const focusedToken = page.locator('input[name=token]:focus');
  await focusedToken.waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Enter your admin token.').waitFor();
  // The field says it itself.
  t.is(await page.getByText('One field needs your attention.').count(), 0);
  await page.getByRole('button', { name: 'Copy' }).waitFor();

  await token.fill('gw_admin_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This token is not valid.').first().waitFor();
  t.is(await token.getAttribute('aria-invalid'), 'true');
  t.is(await token.inputValue(), 'gw_admin_wrong');
  await focusedToken.waitFor();

  await token.fill(gateway.credentials.admin_token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Numbers' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Numbers' }).waitFor();

  t.is(await page.evaluate('JSON.stringify(sessionStorage) + document.cookie').then(hasSecret), false);

  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByLabel('Admin token').waitFor();
  await page.reload();
  await page.getByLabel('Admin token').waitFor();
});

consoleTest('explains which key it is when a number key is used to sign in', async (t, { gateway, open }) => {
  const page = await open({ isSignedIn: false });
  await page.getByLabel('Admin token').fill(gateway.credentials.number_key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This is the API key of a number.').first().waitFor();
  await page.getByRole('button', { name: '한국어' }).click();
  await page.getByRole('button', { name: '로그인' }).click();
  await page.getByText('전화를 거는 데 쓰는 번호 키입니다.').first().waitFor();
  t.pass();
});

const linkOf = async ({ makeSignInLink }: ConsoleWorld['gateway']): Promise<string> =>
  (await makeSignInLink()) ?? '';

consoleTest('signs in by a link once and removes its code from the URL', async (t, { gateway, open }) => {
  const link = await linkOf(gateway);
  const page = await open({ isSignedIn: false, page: pageIn(link) });
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  t.is(page.url(), `${gateway.credentials.console_url}#/overview`);
  await page.getByText('Signed in as dev-credentials.json').waitFor();
  // The web phone is signed in by the same session.
  await page.getByRole('button', { name: 'Web phone' }).waitFor();
  // Opening the link again while signed in leads to the overview.
  await page.goto(link);
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();

  const other = await open({ isSignedIn: false, page: pageIn(link) });
  await other.getByText('This link was already used.').waitFor();
  await other.getByText('npm run admin -- sign-in-link').waitFor();
  await other.getByLabel('Admin token').waitFor();
  t.false(other.url().includes('sign-in'));
});

consoleTest(
  'explains an expired link and a link opened on another machine in both languages',
  async (t, { gateway, databaseUrl, open }) => {
    const link = await linkOf(gateway);
    const elsewhere = await open({ isSignedIn: false });
    await elsewhere.getByLabel('Admin token').waitFor();
    await elsewhere.context().setExtraHTTPHeaders({ 'X-Forwarded-For': '192.0.2.1' });
    await elsewhere.goto(link);
    await elsewhere.getByText('This link works only on the gateway’s own machine').waitFor();

    await runStatement(databaseUrl, 'update sign_in_link set expires_at = now()');
    const late = await open({ isSignedIn: false, locale: 'ko-KR', page: pageIn(link) });
    await late.getByText('더 이상 유효하지 않은 링크입니다.').waitFor();
    await late.getByRole('button', { name: 'English' }).click();
    await late.getByText('This link has expired. Links are valid for ten minutes.').waitFor();
    t.true(await late.getByLabel('Admin token').isVisible());
  },
);

/** A further tab of the same browser. */
const tabOf = async (page: Page): Promise<Page> => {
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  return tab;
};

consoleTest('shares the session between tabs of a browser', async (t, { gateway, open }) => {
  const page = await open({ isSignedIn: false });
  const tab = await tabOf(page);
  await tab.getByLabel('Admin token').waitFor();
  await page.getByLabel('Admin token').fill(gateway.credentials.admin_token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  for (const one of [page, tab]) await one.getByRole('heading', { name: 'Calls', exact: true }).waitFor();
  await tab.getByRole('button', { name: 'Sign out', exact: true }).click();
  for (const one of [page, tab]) await one.getByLabel('Admin token').waitFor();
  t.pass();
});

consoleTest('signing out everywhere ends the sessions of other browsers', async (t, { open }) => {
  const [page, other] = [await open(), await open({ page: '/numbers/new' })];
  await other.getByLabel('Number', { exact: true }).fill('070-1234-5678');
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByLabel('Admin token').waitFor();
  await other.getByRole('button', { name: 'Add number' }).click();
  await other.getByRole('dialog', { name: 'Sign in again' }).waitFor();
  t.is(await other.getByLabel('Number', { exact: true }).inputValue(), '070-1234-5678');
});

consoleTest(
  'keeps the fields of a form until the next sign-in after its token is revoked',
  async (t, { gateway, databaseUrl, open }) => {
    const ofWorkspace = `where workspace_id = '${gateway.credentials.workspace_id}'`;
    const page = await open({ page: '/numbers/new' });
    await page.getByLabel('Number', { exact: true }).fill('070-1234-5678');
    await runStatement(databaseUrl, `update admin_token set revoked_at = now() ${ofWorkspace}`);
    await page.getByRole('button', { name: 'Add number' }).click();

    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    t.is(await page.getByLabel('Number', { exact: true }).inputValue(), '070-1234-5678');
    await page.keyboard.press('Escape');
    t.true(await dialog.isVisible());

    await runStatement(databaseUrl, `update admin_token set revoked_at = null ${ofWorkspace}`);
    await dialog.getByLabel('Admin token').fill(gateway.credentials.admin_token);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    // The request that was refused is sent again.
    await page.getByRole('heading', { name: '07012345678' }).waitFor();
    t.false(await dialog.isVisible());
  },
);

consoleTest('uses the language of the browser, or the chosen one', async (t, { open }) => {
  const page = await open({ locale: 'ko-KR' });
  await page.getByRole('heading', { name: '통화', exact: true }).waitFor();
  await page.locator('html[lang=ko]').waitFor({ state: 'attached' });
  await page.getByText('아직 통화가 없습니다').waitFor();

  await page.getByRole('button', { name: 'English' }).click();
  await page.getByRole('heading', { name: 'Calls', exact: true }).waitFor();
  await until(
    'the title is in English',
    async () => (await page.title()) === 'Calls · Trunkline' || undefined,
  );
  await page.reload();
  await page.getByRole('heading', { name: 'Calls', exact: true }).waitFor();
  await page.locator('html[lang=en]').waitFor({ state: 'attached' });
  t.pass();
});

consoleTest('shows a lost connection and re-establishes it', async (t, { gateway, open }) => {
  const page = await open();
  await page.getByText('No calls yet').waitFor();
  await page.context().setOffline(true);
  await page.getByText('Connection lost. Trying again').waitFor();
  t.true(await page.getByText('No calls yet').isVisible());

  await gateway.call('01000000003');
  const isFound = willShow(page, 'Connected again.');
  await page.context().setOffline(false);
  await isFound;
  await page.getByRole('link', { name: '01000000003' }).waitFor();
  t.is(await page.getByText('Connection lost. Trying again').count(), 0);
});

// Korean texts fetched separately

const words = /\/ko-[^/]*\.js$/;

consoleTest('reloads a page of an earlier build to get its texts', async (t, { open }) => {
  const page = await open({ locale: 'en-US' });
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
  let isGone = true;
  await page.route(words, (route) => (isGone ? route.fulfill({ status: 404 }) : route.continue()));
  // Counts reloads: each gets the next build.
  page.on('framenavigated', () => (isGone = false));
  await page.getByRole('button', { name: '한국어' }).click();
  await page.getByRole('heading', { name: '통화', level: 1 }).waitFor();
  t.false(isGone);
});

consoleTest('retries a failed request for the Korean texts', async (t, { open }) => {
  const page = await open({ locale: 'ko-KR', page: '/nowhere' });
  let lost = 0;
  await page.route(words, (route) => {
    lost += 1;
    return lost === 1 ? route.abort() : route.continue();
  });
  await page.reload();
  await page.getByRole('button', { name: '로그아웃', exact: true }).waitFor();
  t.is(lost, 2);
});

consoleTest('reports missing Korean texts in English after one reload', async (t, { open }) => {
  const page = await open({ locale: 'ko-KR', page: '/nowhere' });
  let lost = 0;
  await page.route(words, (route) => {
    lost += 1;
    return route.abort();
  });
  await page.reload();
  await page.getByText('Part of this page could not be loaded.').waitFor();
  t.is(lost, 2);
  await page.unroute(words);
  await page.getByRole('button', { name: 'Load the page again' }).click();
  await page.getByRole('button', { name: '로그아웃', exact: true }).waitFor();
});
