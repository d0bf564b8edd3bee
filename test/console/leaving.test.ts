/** What was typed and not saved is not lost without a question, and a dialog gives the focus back. */
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { until } from '#test/helpers/until.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, type ConsoleWorld } from './in-browser.ts';

const settingsOf = ({ gateway }: ConsoleWorld): string =>
  `/numbers/${gateway.credentials.number_id}/settings`;

const shownPage = (page: Page): string => new URL(page.url()).hash.slice(1);

const greeting = (page: Page) => page.getByLabel('Greeting');

/** The question stands there, and the page behind it is still the same. */
const isAsked = async (t: ExecutionContext, page: Page, path: string) => {
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.waitFor();
  await until('the address is that of the page again', () => shownPage(page) === path || undefined);
  t.is(shownPage(page), path);
  return question;
};

consoleTest('a link away from a form that was changed asks first', async (t, world) => {
  const path = settingsOf(world);
  const page = await world.open({ page: path });
  await greeting(page).fill('Good morning.');
  await page.getByRole('link', { name: 'Webhooks' }).click();
  const question = await isAsked(t, page, path);
  await everybodyCanUse(t, page, 'the question');
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'detached' });
  t.is(await greeting(page).inputValue(), 'Good morning.');
  t.is(await page.evaluate('document.activeElement.textContent'), 'Webhooks');

  await page.getByRole('link', { name: 'Inbound' }).click();
  await isAsked(t, page, path);
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await question.getByRole('button', { name: 'Leave without saving' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  t.is(shownPage(page), '/webhooks');
  await page.goBack();
  await greeting(page).waitFor();
  t.is(await greeting(page).inputValue(), '');
  await page.getByRole('link', { name: 'Calls' }).click();
  await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
});

consoleTest('going back and forward through the history asks as well', async (t, world) => {
  const path = settingsOf(world);
  const page = await world.open({ page: '/calls' });
  for (const name of ['Webhooks', 'Numbers']) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
  await page.evaluate(`location.hash = '${path}'`);
  await greeting(page).fill('Good morning.');
  await page.goBack();
  const question = await isAsked(t, page, path);
  await question.getByRole('button', { name: 'Stay' }).click();
  t.is(await greeting(page).inputValue(), 'Good morning.');

  await page.evaluate('history.go(-2)');
  await isAsked(t, page, path);
  await question.getByRole('button', { name: 'Leave without saving' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await page.goForward();
  await page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor();
  await page.goForward();
  t.is(await greeting(page).inputValue(), '');
});

consoleTest('a page that is closed or loaded anew asks in the words of the browser', async (t, world) => {
  const page = await world.open({ page: settingsOf(world) });
  await greeting(page).fill('Good morning.');
  const asked = page.waitForEvent('dialog');
  const closed = page.close({ runBeforeUnload: true });
  const question = await asked;
  t.is(question.type(), 'beforeunload');
  await question.dismiss();
  await closed;
  t.is(await greeting(page).inputValue(), 'Good morning.');
});

consoleTest('nobody is asked where nothing was changed, or it was saved', async (t, world) => {
  const page = await world.open({ page: settingsOf(world) });
  await greeting(page).fill('Good morning.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();

  await page.goBack();
  await greeting(page).fill('Good evening.');
  await greeting(page).fill('Good morning.');
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();

  await page.getByRole('link', { name: 'Place a call' }).click();
  await page.getByLabel('To', { exact: true }).fill('01000000003');
  await page.getByRole('button', { name: 'Place the call' }).click();
  await page.getByRole('heading', { level: 1, name: /01000000003/ }).waitFor();
  t.is(await page.getByRole('dialog').count(), 0);
});

consoleTest('the focus goes back to what opened a dialog', async (t, world) => {
  const number = `/numbers/${world.gateway.credentials.number_id}`;
  const page = await world.open({ page: `${number}/outbound` });
  const focused = () => page.evaluate('document.activeElement.textContent');
  await page.getByRole('button', { name: 'Reissue' }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.is(await focused(), 'Reissue');
  await page.getByRole('button', { name: 'Reissue' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reissue' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.is(await focused(), 'Reissue');

  await page.evaluate(`location.hash = '${number}/settings'`);
  await page.getByRole('button', { name: 'Delete number', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.is(await focused(), 'Delete number');
});
