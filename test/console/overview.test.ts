/** The overview: metrics of the calls, its charts and the links into the list of calls. */
import test from 'ava';
import type { Page } from 'playwright-core';
import { topOf } from '#src/console/overview/scale.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, pressInPlace, turnInto, type ConsoleWorld } from './in-browser.ts';

// Page

/** Each day the same four calls: two that were answered, one that was busy, and one that its agent failed. */
const store = async ({ databaseUrl, gateway: { credentials } }: ConsoleWorld): Promise<void> => {
  await runStatement(
    databaseUrl,
    `insert into call (id, workspace_id, number_id, direction, own_number, counterparty, language, status, end_reason,
       instruction, summary, max_duration_sec, recording_enabled, started_at, answered_at, ended_at, duration_sec, node,
       trunk_id, trunk_name)
     select gen_random_uuid(), workspace_id, id, 'outbound', number, '0100001000' || n, 'ko',
       (array['completed', 'completed', 'no_answer', 'failed'])[n],
       (array['agent_hangup', 'counterparty_hangup', 'busy', 'agent_error'])[n],
       'Ask.', null, 600, false, at, case when n = 3 then null else at end, at, 65, 'test', 'configured', 'GW_TRUNK'
     from phone_number, generate_series(1, 4) as n, generate_series(0, 9) as day,
       lateral (select now() - day * interval '24 hours' as at) as began
     where id = '${credentials.number_id}'`,
  );
  await runStatement(
    databaseUrl,
    `insert into call_fact (call_id, sequence, type, at, data)
     select id, 1001, 'turn.spoken', started_at, '{"latency": {"endpointingMs": 300, "firstAudioMs": 450}}'
     from call where counterparty = '01000010001' and number_id = '${credentials.number_id}'`,
  );
};

const figure = (page: Page, name: string) =>
  page.locator('.today > div', { hasText: name }).locator('dd').first();

consoleTest('shows statistics on the overview, each with a link to its calls', async (t, world) => {
  await store(world);
  const page = await world.open({ page: '/' });
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await page.getByRole('heading', { name: 'End reasons' }).waitFor();
  t.is(await figure(page, 'Calls today').textContent(), '4');
  t.is(await figure(page, 'Answer rate today').textContent(), '75%');
  t.is(await figure(page, 'Latency p95 today').textContent(), '750 ms');

  await page.getByText('As a table').press('Enter');
  const table = page.getByRole('table', { name: 'Calls and answer rate' });
  t.is(await table.locator('tbody tr').count(), 7);
  t.regex((await table.locator('tbody tr').first().textContent()) ?? '', /4375%$/);
  await everybodyCanUse(t, page, 'the overview');

  await page.getByRole('link', { name: /^Busy/ }).click();
  await page.getByRole('link', { name: '01000010003' }).first().waitFor();
  t.is(await page.locator('.call-table tbody tr').count(), 7);
  await page.goBack();
  await page.getByRole('link', { name: '7 of 28 calls' }).click();
  await page.getByRole('link', { name: '01000010004' }).first().waitFor();
  t.is(await page.locator('.call-table tbody tr').count(), 7);
  await page.goBack();
  await page.getByRole('button', { name: 'Last 30 days' }).click();
  await page.getByText('10 of 40 calls').waitFor();
  t.regex(page.url(), /days=30/);
});

/** Stores a reply with a known wait in a call of each day. */
const storeWaits = async (world: ConsoleWorld): Promise<void> => {
  await store(world);
  const wait = { agent: 'webhook', endpointingMs: 300, queuedMs: 0, firstSentenceMs: 400, firstAudioMs: 450 };
  await runStatement(
    world.databaseUrl,
    `update call_fact set data = '${JSON.stringify({ latency: wait })}'
     where call_id in (select id from call where number_id = '${world.gateway.credentials.number_id}')`,
  );
};

const share = {
  'en-US': '750 ms: 400 your agent, 300 end of speech, 50 voice',
  'ko-KR': '750 ms: 에이전트 400, 말 끝 감지 300, 음성 50',
} as const;

for (const [what, pathOf, visits] of [
  [
    'the overview',
    () => '/overview',
    [
      ['en-US', 1440, false, 'everything'],
      ['ko-KR', 390, true, 'look'],
    ],
  ],
  [
    'the page of a number',
    (numberId: string) => `/numbers/${numberId}/latency`,
    [
      ['ko-KR', 768, false, 'everything'],
      ['en-US', 390, true, 'look'],
    ],
  ],
] as const)
  consoleTest(
    `shows on ${what} how long callers wait for replies, and whose share it is`,
    async (t, world) => {
      await storeWaits(world);
      const path = pathOf(world.gateway.credentials.number_id);
      const page = await world.open({ page: path });
      const card = page.locator('.card', { has: page.locator('.share-line') });
      await card.locator('summary').press('Enter');
      t.is(await card.locator('tbody tr').count(), 5);
      for (const [locale, width, dark, checks] of visits) {
        await turnInto(page, { locale, width, dark });
        t.is(await page.locator('.share-line').textContent(), share[locale]);
        await everybodyCanUse(t, page, `${what}, ${locale}, ${width}`, checks);
      }
    },
  );

consoleTest('links failures of a trunk to the calls of that trunk', async (t, world) => {
  await store(world);
  await runStatement(
    world.databaseUrl,
    `update call set trunk_id = n, trunk_name = n, end_reason = 'trunk_error'
     from (select id as failed, (array['one', 'one', 'two'])[row_number() over ()] as n
       from call where end_reason = 'busy' and number_id = '${world.gateway.credentials.number_id}' order by started_at desc limit 3) as last
     where id = failed`,
  );
  const page = await world.open({ page: '/overview' });
  await page.getByRole('link', { name: '1 of 1 calls' }).click();
  await page.locator('.call-table tbody tr').first().waitFor();
  t.is(await page.locator('.call-table tbody tr').count(), 1);
  await page.goBack();
  await page.getByRole('link', { name: '2 of 2 calls' }).click();
  await page.locator('.call-table tbody tr').nth(1).waitFor();
  t.is(await page.locator('.call-table tbody tr').count(), 2);
  t.regex(page.url(), /trunk_id=one/);
});

consoleTest('leads a workspace without calls through its first steps', async (t, { gateway, open }) => {
  const { admin, credentials } = gateway;
  const page = await open({ page: '/overview' });
  const step = (name: string) => page.locator('.first-steps li', { hasText: name });
  await step('Add a number').getByText('(done)').waitFor();
  t.is(await page.locator('.first-steps li').count(), 4);
  // The gateway knows what exists, so nobody has to tick off a step.
  await admin.post('/api/v1/admin/webhooks', { url: 'http://127.0.0.1:9/events' });
  await step('Add a webhook endpoint').getByText('(done)').waitFor();
  await admin.put(`/api/v1/admin/numbers/${credentials.number_id}/agents/inbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: 'http://127.0.0.1:9/',
  });
  await step('Connect an agent').getByText('(done)').waitFor();
  t.is(await page.locator('.today').count(), 0);
  await page.getByRole('link', { name: 'Place a call' }).last().click();
  await pressInPlace(page.getByRole('button', { name: 'Place the call' }));
  await page.getByRole('heading', { level: 1, name: /01000000001/ }).waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await figure(page, 'Calls today').getByText('1', { exact: true }).waitFor();
});

consoleTest('keeps the remaining first steps on the day of the first call', async (t, world) => {
  await world.gateway.call('01000000003');
  const page = await world.open({ page: '/overview' });
  await page.getByText('2 of 4 first steps are done.', { exact: true }).waitFor();
  await page.locator('.first-steps').getByRole('link', { name: 'Connect' }).waitFor();
  await figure(page, 'Calls today').getByText('1', { exact: true }).waitFor();
  await store(world);
  await page.reload();
  await page.locator('.day-chart').waitFor();
  t.is(await page.locator('.first-steps').count(), 0);
});

consoleTest('the overview is accessible with and without calls', async (t, world) => {
  const page = await world.open({ page: '/overview', width: 390 });
  await page.getByText('No calls in this period').waitFor();
  await page.getByText('1 of 4 first steps are done.').waitFor();
  await everybodyCanUse(t, page, 'without calls');
  await store(world);
  await page.reload();
  await page.locator('.day-chart').waitFor();
  await page.locator('.overview summary').press('Enter');
  for (const [look, checks] of [
    [{ locale: 'ko-KR', dark: true }, 'everything'],
    [{ locale: 'en-US', width: 768, dark: false }, 'look'],
  ] as const) {
    await turnInto(page, look);
    await everybodyCanUse(t, page, JSON.stringify(look), checks);
  }
});

// Axis of the chart

test('labels the axis with whole numbers at top and half, high enough for every bar', (t) => {
  for (let calls = 0; calls <= 20_000; calls += 1) {
    const top = topOf(calls);
    t.true(Number.isInteger(top / 2) && top >= calls, `${calls}: ${top}`);
    t.true(top <= Math.max(2, 2 * calls), `${calls}: ${top}`);
  }
  t.deepEqual([0, 1, 3, 5, 7, 11, 50, 99, 101, 1_000].map(topOf), [2, 2, 4, 6, 10, 20, 60, 100, 200, 1_000]);
});
