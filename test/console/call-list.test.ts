import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { notAllExported } from '#src/domain/call-export.ts';
import { wordsOfAllCalls } from '#src/persistence/migrations/call-search.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { readCsv } from '#test/helpers/read-csv.ts';
import { consoleTest, type ConsoleWorld } from './in-browser.ts';

const count = 130;

/** Calls a minute apart, the first of them the newest: `01000010001`, `01000010002` … */
const store = async ({ databaseUrl, gateway: { credentials } }: ConsoleWorld): Promise<void> => {
  await runStatement(
    databaseUrl,
    `insert into call (id, workspace_id, number_id, direction, own_number, counterparty, language, status, end_reason,
       instruction, summary, max_duration_sec, recording_enabled, started_at, answered_at, ended_at, duration_sec, node)
     select gen_random_uuid(), workspace_id, id, case when n % 2 = 0 then 'inbound' else 'outbound' end, number,
       '0100001' || lpad(n::text, 4, '0'), 'ko', 'completed', case when n % 10 = 0 then 'silence_timeout' else 'agent_hangup' end,
       case when n = 77 then '창가 자리로 예약을 옮겨 주세요' else '배송 시간을 물어보세요' end, null, 600, false, at, at, at, 65, 'test'
     from phone_number, generate_series(1, ${count}) as n, lateral (select now() - n * interval '1 minute' as at) as began
     where id = '${credentials.number_id}'`,
  );
  await runStatement(databaseUrl, wordsOfAllCalls);
};

const numberOf = (place: number): string => `0100001${String(place).padStart(4, '0')}`;

const rowsOf = (page: Page) => page.locator('.call-table tbody tr');

const rowOf = (page: Page, place: number) => page.getByRole('link', { name: numberOf(place) });

/** Which call has the focus. */
const focused = async (page: Page): Promise<string | null> =>
  page.evaluate('document.activeElement.textContent');

const violations = async (page: Page): Promise<unknown> =>
  page.evaluate("axe.run({ resultTypes: ['violations'] }).then((result) => result.violations)");

consoleTest(
  'further calls are there when somebody comes to them, and Back leads to the place',
  async (t, world) => {
    await store(world);
    const page = await world.open();
    await rowOf(page, 1).waitFor();
    t.is(await rowsOf(page).count(), 50);
    await rowOf(page, 50).scrollIntoViewIfNeeded();
    await rowsOf(page).nth(99).waitFor({ state: 'attached' });
    await rowOf(page, 100).scrollIntoViewIfNeeded();
    await rowOf(page, count).waitFor({ state: 'attached' });
    t.is(await rowsOf(page).count(), count);

    await rowOf(page, 88).click();
    await page.getByRole('heading', { name: numberOf(88) }).waitFor();
    await page.goBack();
    await page.locator('.call-table a:focus', { hasText: numberOf(88) }).waitFor();
    t.true(((await rowOf(page, 88).boundingBox())?.y ?? -1) > 0);
    t.is(await rowsOf(page).count(), count);
    // So does the way back that the page of the call has.
    await rowOf(page, 88).click();
    await page.getByRole('link', { name: '← Calls' }).click();
    await page.locator('.call-table a:focus', { hasText: numberOf(88) }).waitFor();
  },
);

consoleTest('calls are looked for, and the address says what was looked for', async (t, world) => {
  await store(world);
  const page = await world.open({ page: '/calls?end_reason=silence_timeout' });
  await rowOf(page, 10).waitFor();
  t.is(await rowsOf(page).count(), count / 10);
  await page.getByRole('button', { name: 'Show all calls' }).click();
  await rowOf(page, 1).waitFor();

  await page.getByLabel('Search').fill('창가 자리');
  await rowOf(page, 1).waitFor({ state: 'detached' });
  await rowOf(page, 77).waitFor();
  t.is(await rowsOf(page).count(), 1);
  t.deepEqual(new URLSearchParams(page.url().split('?')[1]).get('q'), '창가 자리');
  await page.getByLabel('Search').fill('0100001-0101');
  await rowOf(page, 101).waitFor();
  await page.getByLabel('Search').fill('헬리콥터');
  await page.getByText('No call fits these filters').waitFor();
  await page.getByLabel('Search').fill('…');
  await page.getByText('Search for one to 8 words, or for digits.').waitFor();
  await page.getByRole('button', { name: 'Show all calls' }).click();
  await rowOf(page, 1).waitFor();

  await page.getByRole('button', { name: /^Time/ }).click();
  await rowOf(page, count).waitFor();
  t.regex(page.url(), /order=oldest/);
  t.regex((await rowsOf(page).first().textContent()) ?? '', new RegExp(numberOf(count)));
  await page.getByLabel('First day').fill('2001-01-01');
  await page.getByLabel('Last day').fill('2001-01-31');
  await page.getByText('No call fits these filters').waitFor();
  await page.getByLabel('First day').fill('');
  await page.getByLabel('Last day').fill('');
  await page.getByLabel('Direction').selectOption('inbound');
  await rowOf(page, count - 1).waitFor({ state: 'detached' });

  const file = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await file).createReadStream()) chunks.push(Buffer.from(chunk));
  const [names, ...lines] = readCsv(Buffer.concat(chunks).subarray(3).toString());
  t.is(lines.length, count / 2);
  t.is(lines[0]?.[names?.indexOf('counterparty') ?? -1], numberOf(count));
  await page.getByText('Saved.', { exact: true }).waitFor();

  // As a file that has no room for all of them.
  await page.route('**/calls.csv*', (route) =>
    route.fulfill({ contentType: 'text/csv', body: `call_id\r\n"${notAllExported}"\r\n` }),
  );
  await page.getByRole('button', { name: 'Export CSV' }).click();
  await page.getByText('Saved, but not all: only the first 50,000 calls.').waitFor();
});

consoleTest('keys lead through the list', async (t, world) => {
  await store(world);
  const page = await world.open();
  await rowOf(page, 1).waitFor();
  await page.keyboard.press('j');
  t.is(await focused(page), numberOf(1));
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  t.is(await focused(page), numberOf(2));
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Next call').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  // A letter that is typed is a letter.
  await page.keyboard.type('jk');
  t.is(await page.getByLabel('Search').inputValue(), 'jk');
  await page.getByText('No call fits these filters').waitFor();
  await page.getByLabel('Search').fill('');
  await rowOf(page, 2).waitFor();
  await page.getByRole('heading', { name: 'Calls' }).focus();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: numberOf(2) }).waitFor();
});

consoleTest(
  'new calls come in at the top, and wait where somebody reads further down',
  async (t, world) => {
    await store(world);
    const page = await world.open();
    await rowOf(page, 1).waitFor();
    await world.gateway.call('01000000003');
    await page.getByRole('link', { name: /01000000003.*Busy/ }).waitFor();

    await rowOf(page, 40).scrollIntoViewIfNeeded();
    const place = (await rowOf(page, 40).boundingBox())?.y;
    await world.gateway.call('01000000003');
    await world.gateway.call('01000000003');
    const waiting = page.getByRole('button', { name: '2 new calls' });
    await waiting.waitFor();
    t.is((await rowOf(page, 40).boundingBox())?.y, place);
    t.is(await page.getByRole('link', { name: /01000000003/ }).count(), 1);
    await waiting.click();
    await page
      .getByRole('link', { name: /01000000003.*Busy/ })
      .nth(2)
      .waitFor();
    await waiting.waitFor({ state: 'detached' });
  },
  { GW_SIMULATOR_SPEED: '10' },
);

consoleTest(
  'the list can be read on a telephone, a tablet and at a desk, in the dark as in the light',
  async (t, world) => {
    await store(world);
    for (const [width, locale, dark] of [
      [390, 'ko-KR', true],
      [768, 'en-US', false],
      [1440, 'ko-KR', false],
    ] as const) {
      const page = await world.open({ width, locale, dark });
      await page.evaluate(axe.source);
      await rowOf(page, 1).waitFor();
      t.true(
        await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
        `${width} is too narrow`,
      );
      t.deepEqual(await violations(page), []);
      if (width === 390) {
        await page.getByRole('button', { name: '필터' }).click();
        await page.getByLabel('종료 사유').selectOption('silence_timeout');
        await rowOf(page, 1).waitFor({ state: 'detached' });
      }
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 1 }).focus();
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      t.deepEqual(await violations(page), []);
      await page.context().close();
    }
  },
);
