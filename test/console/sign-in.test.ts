import { runStatement } from '#test/helpers/database-statement.ts';
import { consoleTest } from './in-browser.ts';

consoleTest('a person signs in, and stays signed in until they sign out', async (t, { gateway, open }) => {
  const page = await open({ isSignedIn: false, page: '/numbers' });
  const token = page.getByLabel('Admin token');

  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Enter your admin token.').first().waitFor();

  await token.fill('gw_admin_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This token is not valid here.').first().waitFor();
  t.is(await token.getAttribute('aria-invalid'), 'true');
  t.is(await token.inputValue(), 'gw_admin_wrong');
  t.is(await page.evaluate('document.activeElement.name'), 'token');

  await token.fill(gateway.credentials.admin_token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Numbers' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Numbers' }).waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.reload();
  await page.getByLabel('Admin token').waitFor();
});

consoleTest(
  'with a token that is revoked meanwhile, one signs in again and loses nothing',
  async (t, { gateway, databaseUrl, open }) => {
    const page = await open({ page: '/numbers/new' });
    await page.getByLabel('Number', { exact: true }).fill('070-1234-5678');
    await runStatement(databaseUrl, 'update admin_token set revoked_at = now()');
    await page.getByRole('button', { name: 'Add number' }).click();

    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    t.is(await page.getByLabel('Number', { exact: true }).inputValue(), '070-1234-5678');
    await page.keyboard.press('Escape');
    t.true(await dialog.isVisible());

    await runStatement(databaseUrl, 'update admin_token set revoked_at = null');
    await dialog.getByLabel('Admin token').fill(gateway.credentials.admin_token);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    // The request that was refused is sent again.
    await page.getByRole('heading', { name: '07012345678' }).waitFor();
    t.false(await dialog.isVisible());
  },
);

consoleTest('it speaks the language of the browser, or the one that was chosen', async (t, { open }) => {
  const page = await open({ locale: 'ko-KR' });
  await page.getByRole('heading', { name: '통화', exact: true }).waitFor();
  t.is(await page.locator('html').getAttribute('lang'), 'ko');
  await page.getByText('아직 통화가 없습니다').waitFor();

  await page.getByRole('button', { name: 'English' }).click();
  await page.getByRole('heading', { name: 'Calls', exact: true }).waitFor();
  t.is(await page.title(), 'Calls · Trunkline');
  await page.reload();
  await page.getByRole('heading', { name: 'Calls', exact: true }).waitFor();
  t.is(await page.locator('html').getAttribute('lang'), 'en');
});

consoleTest('a lost connection shows, and heals by itself', async (t, { gateway, open }) => {
  const page = await open();
  await page.getByText('No calls yet').waitFor();
  await page.context().setOffline(true);
  await page.getByText('Connection lost. Trying again').waitFor();
  t.true(await page.getByText('No calls yet').isVisible());

  await gateway.call('01000000003');
  await page.context().setOffline(false);
  await page.getByText('Connected again.').waitFor();
  await page.getByRole('link', { name: '01000000003' }).waitFor();
});
