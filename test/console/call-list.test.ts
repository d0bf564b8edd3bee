/** The list of calls: loading, search, filters, keys, and new calls. */
import test from 'ava';
import type { Page } from 'playwright-core';
import type { CallListItem, CallListPage } from '#src/console/api/records.ts';
import { shownFirst, withMore, withNewest, withWaiting } from '#src/console/call-list/shown-calls.ts';
import { notAllExported } from '#src/domain/call-export.ts';
import { newSearch } from '#src/persistence/calls/call-search-words.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { readCsv } from '#test/helpers/read-csv.ts';
import { placeCallsWithMetadata } from './calls-with-metadata.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, turnInto, turnTo, type ConsoleWorld } from './in-browser.ts';
import { hangUp, heldCallee, placeHeldCall } from './lasting-calls.ts';

// Page

/** Speed of simulated lines: fast, but slow enough for a held call to outlast its test. */
const someSpeed = { GW_SIMULATOR_SPEED: '4' };

const count = 130;
/** The only call that is longer than the others. */
const longest = 42;

/** Calls a minute apart, the first of them the newest: `01000010001`, `01000010002` … */
const store = async ({ databaseUrl, gateway: { credentials } }: ConsoleWorld): Promise<void> => {
  await runStatement(
    databaseUrl,
    `insert into call (id, workspace_id, number_id, direction, own_number, counterparty, language, status, end_reason,
       instruction, summary, max_duration_sec, recording_enabled, started_at, answered_at, ended_at, duration_sec, node)
     select gen_random_uuid(), workspace_id, id, case when n % 2 = 0 then 'inbound' else 'outbound' end, number,
       '0100001' || lpad(n::text, 4, '0'), 'ko', 'completed', case when n % 10 = 0 then 'silence_timeout' else 'agent_hangup' end,
       case when n = 77 then '창가 자리로 예약을 옮겨 주세요' else '배송 시간을 물어보세요' end, null, 600, false, at, at, at,
       case when n = ${longest} then 650 else 65 end, 'test'
     from phone_number, generate_series(1, ${count}) as n, lateral (select now() - n * interval '1 minute' as at) as began
     where id = '${credentials.number_id}'`,
  );
  await runStatement(databaseUrl, `with call_after as (select * from call), ${newSearch} select 1`);
};

const numberOf = (place: number): string => `0100001${String(place).padStart(4, '0')}`;

const rowsOf = (page: Page) => page.locator('.call-table tbody tr');

const rowOf = (page: Page, place: number) => page.getByRole('link', { name: numberOf(place) });

const hasFocus = (page: Page, place: number): Promise<void> =>
  page.locator('.call-table a:focus', { hasText: numberOf(place) }).waitFor();

consoleTest(
  'loads further calls while scrolling; Back restores the position',
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
    await hasFocus(page, 88);
    t.true(((await rowOf(page, 88).boundingBox())?.y ?? -1) > 0);
    t.is(await rowsOf(page).count(), count);
    // The link back on the page of the call restores the position, too.
    await rowOf(page, 88).click();
    await page.getByRole('link', { name: '← Calls' }).click();
    await hasFocus(page, 88);
  },
  someSpeed,
);

consoleTest(
  'reads the list again after the gateway was asked too often',
  async (t, world) => {
    const page = await world.open({ page: '/tokens' });
    let reads = 0;
    await page.route('**/api/v1/admin/calls?*', (route) => {
      reads += 1;
      return reads === 1 ? route.fulfill({ status: 429, json: { code: 'rate_limited' } }) : route.continue();
    });
    await store(world);
    await turnTo(page, '/calls');
    await rowOf(page, 1).waitFor();
    t.true(reads > 1);
  },
  someSpeed,
);

consoleTest(
  'searches and filters calls and keeps the filters in the URL',
  async (t, world) => {
    await store(world);
    const page = await world.open({ page: '/calls?end_reason=silence_timeout' });
    await rowOf(page, 10).waitFor();
    t.is(await rowsOf(page).count(), count / 10);
    await page.getByRole('button', { name: 'Show all calls' }).click();
    await rowOf(page, 1).waitFor();

    await page.getByText(`${count} calls`).waitFor();
    await page.getByLabel('Search').fill('창가 자리');
    await rowOf(page, 1).waitFor({ state: 'detached' });
    await rowOf(page, 77).waitFor();
    t.is(await rowsOf(page).count(), 1);
    t.deepEqual(await rowsOf(page).locator('mark').allInnerTexts(), ['창가', '자리']);
    await page.getByText('1 call', { exact: true }).waitFor();
    t.deepEqual(new URLSearchParams(page.url().split('?')[1]).get('q'), '창가 자리');
    await page.getByLabel('Search').fill('0100001-0101');
    await rowOf(page, 101).waitFor();
    t.deepEqual(await rowsOf(page).locator('mark').allInnerTexts(), ['01000010101']);
    await page.getByLabel('Search').fill('헬리콥터');
    await page.getByText('No matching calls').waitFor();
    await page.getByLabel('Search').fill('…');
    await page.getByText('Search for one to 8 words, or for digits.').waitFor();
    await page.getByRole('button', { name: 'Show all calls' }).click();
    await rowOf(page, 1).waitFor();

    await page.getByRole('button', { name: /^Time/ }).click();
    await rowOf(page, count).waitFor();
    t.regex(page.url(), /order=oldest/);
    t.regex((await rowsOf(page).first().textContent()) ?? '', new RegExp(numberOf(count)));
    await page.getByRole('button', { name: 'Duration' }).click();
    await page.getByRole('columnheader', { name: 'Duration longest first' }).waitFor();
    await rowOf(page, longest).waitFor();
    t.regex(page.url(), /order=longest/);
    t.regex((await rowsOf(page).first().textContent()) ?? '', new RegExp(numberOf(longest)));
    await page.getByRole('button', { name: 'Duration' }).click();
    await rowOf(page, 1).waitFor();
    await page.getByRole('button', { name: /^Time/ }).click();
    await rowOf(page, count).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('First day').fill('2001-01-01');
    await page.getByLabel('Last day').fill('2001-01-31');
    await page.getByText('No matching calls').waitFor();
    const firstDay = page.getByRole('button', { name: 'Remove the filter First day: 2001-01-01' });
    await firstDay.click();
    await firstDay.waitFor({ state: 'detached' });
    t.is(await page.getByLabel('First day').inputValue(), '');
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

    // Imitates an export that exceeds the maximum number of calls.
    await page.route('**/calls.csv*', (route) =>
      route.fulfill({ contentType: 'text/csv', body: `call_id\r\n"${notAllExported}"\r\n` }),
    );
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await page.getByText('Saved the first 50,000 calls only.').waitFor();
  },
  someSpeed,
);

consoleTest(
  'navigates the list of calls by keyboard',
  async (t, world) => {
    await store(world);
    const page = await world.open();
    await rowOf(page, 1).waitFor();
    await page.keyboard.press('j');
    await hasFocus(page, 1);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await hasFocus(page, 2);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next call').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    // Letters typed into the field are text, not shortcuts.
    await page.keyboard.type('jk');
    t.is(await page.getByLabel('Search').inputValue(), 'jk');
    await page.getByText('No matching calls').waitFor();
    await page.getByLabel('Search').fill('');
    await rowOf(page, 2).waitFor();
    await page.getByRole('heading', { name: 'Calls' }).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: numberOf(2) }).waitFor();
  },
  someSpeed,
);

consoleTest(
  'shows new calls at the top, or behind a button while the list is scrolled down',
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
  someSpeed,
);

consoleTest(
  'the list of calls is accessible on telephone, tablet and desktop screens, light and dark',
  async (t, world) => {
    await store(world);
    const page = await world.open();
    await rowOf(page, 1).waitFor();
    for (const [width, locale, dark, checks] of [
      [1440, 'ko-KR', false, 'everything'],
      [768, 'en-US', false, 'look'],
      [390, 'ko-KR', true, 'look'],
    ] as const) {
      await turnInto(page, { width, locale, dark });
      await everybodyCanUse(t, page, `the list at ${width}`, checks);
      if (width === 390) {
        await page.getByRole('button', { name: '필터' }).click();
        await page.getByLabel('종료 사유').selectOption('silence_timeout');
        await rowOf(page, 1).waitFor({ state: 'detached' });
      }
      await page.getByRole('heading', { level: 1 }).focus();
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await everybodyCanUse(t, page, `the keys at ${width}`, checks);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  },
  someSpeed,
);

consoleTest(
  'shows a new call and its end in the list, the end in both languages, and filters the list',
  async (t, { gateway, open }) => {
    const page = await open();
    await page.getByText('No calls yet').waitFor();
    const held = await placeHeldCall(gateway);
    await page.getByRole('link', { name: /01055550000.*In conversation/ }).waitFor();
    await hangUp(gateway, held);
    await page.getByRole('link', { name: /01055550000.*Ended by our side/ }).waitFor();

    await gateway.call('01000000003');
    await page.getByRole('link', { name: /01000000003.*Busy/ }).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Status').selectOption('no_answer');
    await page.getByRole('link', { name: heldCallee }).waitFor({ state: 'detached' });
    t.regex(page.url(), /#\/calls\?status=no_answer$/);
    await page.getByLabel('Direction').selectOption('inbound');
    await page.getByText('No matching calls').waitFor();

    const korean = await open({ locale: 'ko-KR' });
    await korean.getByRole('link', { name: /01055550000.*이쪽에서 종료/ }).click();
    await korean.getByText('요청에 따라 통화를 바로 끊었습니다.').waitFor();
  },
  someSpeed,
);

consoleTest(
  'filters calls by metadata and keeps the filter in the URL',
  async (t, world) => {
    await placeCallsWithMetadata(world);
    const page = await world.open();
    const rows = page.locator('.call-table tbody tr');
    await rows.nth(1).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Metadata').fill('crm.note=<b>예약</b> = 두 명');
    await rows.nth(1).waitFor({ state: 'detached' });
    t.regex(await rows.first().innerText(), /01000000003/);
    const wanted = () => new URLSearchParams(page.url().split('?')[1]).get('metadata');
    t.is(wanted(), 'crm.note=<b>예약</b> = 두 명');
    await page.getByLabel('Metadata').fill('order');
    await page.getByLabel('Metadata').press('Enter');
    t.is(wanted(), 'crm.note=<b>예약</b> = 두 명', 'an incomplete filter is ignored');
    await page.getByLabel('Metadata').fill('order=A-1042');
    await page.getByLabel('Metadata').press('Enter');
    await rows.first().waitFor();
    t.is(wanted(), 'order=A-1042');
    t.is(await rows.count(), 1);
    await page.getByRole('button', { name: 'Show all calls' }).click();
    await rows.nth(1).waitFor();
  },
  someSpeed,
);

// Calls that the list shows

const call = (minute: number, changes: Partial<CallListItem> = {}): CallListItem => ({
  id: `call ${minute}`,
  number_id: 'number',
  number: '07000000000',
  direction: 'inbound',
  counterparty: '01000000001',
  status: 'completed',
  end_reason: 'agent_hangup',
  instruction: null,
  summary: null,
  transfer: null,
  started_at: new Date(Date.UTC(2026, 10, 21, 3, minute)).toISOString(),
  ended_at: null,
  duration_sec: null,
  turn_latency_p95_ms: null,
  excerpt: null,
  ...changes,
});

/** A page of calls that started at these minutes; `next` marks that more pages follow. */
const page = (minutes: readonly number[], next: string | null = null): CallListPage => ({
  calls: minutes.map((minute) => call(minute)),
  next_cursor: next,
});

const minutesOf = (calls: readonly CallListItem[]): number[] =>
  calls.map(({ id }) => Number(id.replace('call ', '')));

test('adds new calls to the list at once, or later while it is scrolled down', (t) => {
  const shown = withMore(shownFirst(page([9, 8, 7], 'x')), page([6, 5]));
  const now = page([11, 10, 9], 'x');
  t.deepEqual(minutesOf(withNewest(shown, now, true).calls), [11, 10, 9, 8, 7, 6, 5]);
  const waiting = withNewest(shown, now, false);
  t.deepEqual(minutesOf(waiting.calls), [9, 8, 7, 6, 5]);
  t.deepEqual(minutesOf(waiting.waiting), [11, 10]);
  t.is(waiting.cursor, null);
  t.deepEqual(minutesOf(withWaiting(waiting)?.calls ?? []), [11, 10, 9, 8, 7, 6, 5]);
});

test('updates calls in progress in the list and removes calls that no longer match', (t) => {
  const shown = shownFirst(page([9, 8, 7]));
  const now = { calls: [call(9, { status: 'active', end_reason: null }), call(7)], next_cursor: null };
  for (const takesNew of [true, false]) {
    const { calls } = withNewest(shown, now, takesNew);
    t.deepEqual(minutesOf(calls), [9, 7]);
    t.is(calls[0]?.status, 'active');
  }
});

test('reloads the list when more new calls exist than a page holds', (t) => {
  const shown = withMore(shownFirst(page([9, 8], 'x')), page([7, 6], 'y'));
  const now = page([20, 19], 'z');
  const anew = withNewest(shown, now, true);
  t.deepEqual(minutesOf(anew.calls), [20, 19]);
  t.is(anew.cursor, 'z');
  const waiting = withNewest(shown, now, false);
  t.deepEqual(minutesOf(waiting.calls), [9, 8, 7, 6]);
  t.true(waiting.hasGap);
  t.is(withWaiting(waiting), undefined);
});

test('adds new calls to an empty list at once', (t) => {
  const shown = withNewest(shownFirst(page([])), page([1]), false);
  t.deepEqual(minutesOf(shown.calls), [1]);
  t.deepEqual(shown.waiting, []);
});

test('distinguishes calls with equal start times by id, without duplicates', (t) => {
  const same = [3, 2, 1].map((minute) => call(minute, { started_at: '2026-11-21T03:00:00.000Z' }));
  const shown = withMore(shownFirst({ calls: same.slice(0, 2), next_cursor: 'x' }), {
    calls: same.slice(1),
    next_cursor: null,
  });
  t.deepEqual(minutesOf(shown.calls), [3, 2, 1]);
  t.deepEqual(
    minutesOf(withNewest(shown, { calls: same.slice(0, 2), next_cursor: 'x' }, true).calls),
    [3, 2, 1],
  );
});
