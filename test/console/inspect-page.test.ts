/** The page of the inspector, where stately.ai cannot be reached and where something answers in its place. */
import type { BrowserContext } from 'playwright-core';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest } from './in-browser.ts';

const settings = { GW_INSPECT: '1' };

/** As the inspector does: it says that it listens, and shows what it is told. */
const inspector = `<!doctype html><html lang="en"><title>Inspector</title><main><h1>Inspector</h1><p id="seen"></p></main><script>
  addEventListener('message', ({ data }) => { seen.textContent += ' ' + (data.name ?? ''); });
  (opener ?? parent).postMessage({ type: '@statelyai.connected' }, '*');
</script>`;

const answerAsStately = (context: BrowserContext) =>
  context.route('https://stately.ai/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'access-control-allow-origin': '*' },
      body: inspector,
    }),
  );

const away = (context: BrowserContext) => context.route('https://stately.ai/**', (route) => route.abort());

consoleTest(
  'where stately.ai cannot be reached, the page says so at once, offers a window, and leads to the inspector of the console',
  async (t, { open, gateway: { credentials }, complaints }) => {
    for (const [locale, width, dark, said] of [
      ['en-US', 390, true, 'stately.ai cannot be reached'],
      ['ko-KR', 768, false, 'stately.ai에 연결할 수 없어'],
    ] as const) {
      const page = await open({ locale, width, dark });
      await away(page.context());
      await page.goto(`${credentials.base_url}/inspect`);
      await page.getByRole('alert').getByText(said).waitFor();
      t.true(await page.locator('iframe').isHidden());
      t.is(await page.locator('#window').count(), 1);
      t.is(await page.getByRole('alert').getByRole('link').getAttribute('href'), '/#/inspect');
      await everybodyCanUse(t, page, `the inspector, ${locale}`);
    }
    t.deepEqual(complaints, []);
  },
  settings,
);

consoleTest(
  'a call is shown in the frame, and in a window as well',
  async (t, { open, gateway }) => {
    const page = await open({ locale: 'en-US' });
    await answerAsStately(page.context());
    const callee = '01055550000';
    await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, { script: [{ hold_sec: 600 }] });
    const call = await gateway.call(callee);
    await page.goto(`${gateway.credentials.base_url}/inspect#call=${call}`);
    await page
      .frameLocator('iframe')
      .getByText(/call.*line/)
      .waitFor();
    await page.getByRole('status').getByText('Watching').waitFor();
    t.true(await page.getByRole('alert').isHidden());
    const popup = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Open in a window' }).click();
    await (await popup).getByText(/call.*line/).waitFor();
    t.true(await page.locator('iframe').isHidden());
  },
  // At the pace of people: the call goes on for as long as it is looked at.
  { ...settings, GW_SIMULATOR_SPEED: '1' },
);
