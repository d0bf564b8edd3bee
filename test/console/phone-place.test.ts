import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest } from './in-browser.ts';

/** The corners of what is seen of the two. */
const placeOf = async (t: ExecutionContext, page: Page) => {
  const [phone, content] = await Promise.all(
    ['.phone', 'main#content'].map((place) => page.locator(place).boundingBox()),
  );
  if (phone == null || content == null) throw t.fail('One of them is not on the page.');
  return { phone, content };
};

consoleTest(
  'the web phone stands beside the page and covers nothing; on a telephone it is a sheet at the bottom',
  async (t, { open }) => {
    for (const width of [1440, 1024, 768]) {
      const page = await open({ width, dark: width === 1024 });
      await page.getByRole('button', { name: 'Web phone' }).click();
      await page.getByRole('button', { name: 'Close the web phone' }).waitFor();
      const { phone, content } = await placeOf(t, page);
      t.true(content.x + content.width <= phone.x + 1, `at ${width} it covers the page`);
      t.true(content.width >= 340, `at ${width} the page has ${content.width}`);
      await everybodyCanUse(t, page, `the phone at ${width}`);
      await page.getByRole('button', { name: 'Close the web phone' }).click();
      await page.getByRole('button', { name: 'Web phone' }).waitFor();
      // Who uses the keyboard is where the phone was opened.
      await page.locator('.phone-button:focus').waitFor();
      await page.context().close();
    }
    const page = await open({ width: 390 });
    await page.getByRole('button', { name: 'Web phone' }).click();
    await page.getByRole('button', { name: 'Close the web phone' }).waitFor();
    const { phone } = await placeOf(t, page);
    t.deepEqual([phone.x, phone.width, Math.round(phone.y + phone.height)], [0, 390, 844]);
    t.true(phone.y > 100, 'the sheet leaves nothing of the page');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const hangUp = page.locator('.phone-tools .hang-up');
    await hangUp.waitFor();
    // However little room there is beside it.
    await page.evaluate("document.querySelector('.phone-tools').style.width = '3rem'");
    const box = await hangUp.boundingBox();
    t.true(box !== null && box.height < 45);
  },
);

const details = z.object({ calls: z.array(z.object({ id: z.string() })) });
const answered = z.object({ answered_at: z.string() });

consoleTest(
  'a page that is loaded again in a call has its words and its clock; after the end the phone goes away by itself',
  async (t, { gateway, open }) => {
    const page = await open();
    await page.getByRole('button', { name: 'Web phone' }).click();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const talk = page.getByRole('log');
    await talk.locator('.assistant').first().waitFor();
    await page.getByPlaceholder('Say something').fill('문의드릴 것이 있습니다.');
    await page.keyboard.press('Enter');
    await talk.locator('.user ~ .assistant').waitFor();
    const [call] = details.parse((await gateway.client.get('/api/v1/calls')).body).calls;
    const id = call?.id ?? '';
    const { answered_at: answeredAt } = answered.parse(
      (await gateway.client.get(`/api/v1/calls/${id}`)).body,
    );

    await page.clock.setFixedTime(Date.parse(answeredAt) + 125_000);
    await page.reload();
    await talk.locator('.user').getByText('문의드릴 것이 있습니다.').waitFor();
    await page.locator('.talk-time').getByText('2:05', { exact: true }).waitFor();
    t.is(await talk.locator('.user').count(), 1);

    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('You hung up.').waitFor();
    await page.clock.setFixedTime(Date.parse(answeredAt) + 180_000);
    await page.getByText('You hung up.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Web phone' }).waitFor();
    t.is(await page.locator('.phone-body').count(), 0);
  },
  { GW_SIMULATOR_SPEED: '2' },
);
