/** The audit log: who changed what from what to what, filtered, and as a file. */
import { readFile } from 'node:fs/promises';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest } from './in-browser.ts';

consoleTest('the audit log is filtered, and the address says by what', async (t, { gateway, open }) => {
  const { admin, numberPath, credentials } = gateway;
  await admin.patch(numberPath, { max_duration_sec: 600 });
  await admin.patch(numberPath, { max_duration_sec: 900 });
  await admin.post('/api/v1/admin/trunks', { name: 'carrier', host: 'sip.example.com' });
  const page = await open({ page: '/audit' });
  const rows = page.locator('.rows .row');
  await page.getByText('Trunk added').last().waitFor();
  t.regex(
    await page.locator('.changes').first().innerText(),
    /max_duration_sec\s+(from\s+)?600 →\s+(to\s+)?900/,
  );
  await page
    .getByRole('link', { name: `Number ${credentials.number}` })
    .first()
    .waitFor();

  await page.getByLabel('Of what').selectOption({ label: `Number ${credentials.number}` });
  await rows.getByText('Trunk added').waitFor({ state: 'detached' });
  t.is(new URLSearchParams(page.url().split('?')[1]).get('subject'), `number:${credentials.number_id}`);
  await page.getByLabel('What', { exact: true }).selectOption('number.changed');
  await rows.nth(2).waitFor({ state: 'detached' });
  await rows.nth(1).waitFor();
  t.is(await rows.count(), 2);
  await everybodyCanUse(t, page, 'the audit log');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
  t.is(lines.length, 3);

  await page.reload();
  await rows.nth(1).waitFor();
  t.is(await rows.count(), 2);
  await page.getByLabel('Last day').fill('2020-01-01');
  await page.getByText('Nothing fits these filters').waitFor();
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
