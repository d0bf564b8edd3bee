/** The API reference at `/docs`, signed in and signed out, its Korean texts, and explanations of API errors. */
import test from 'ava';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { readControlTag, readListedControls, unclosed } from '#src/agents/controls/read-control.ts';
import { sayings as englishSayings } from '#src/console/language/en/sayings.ts';
import { explain } from '#src/console/language/explain.ts';
import { sayings as koreanSayings } from '#src/console/language/ko/sayings.ts';
import { documentTexts } from '#src/console/language/ko/document-texts.ts';
import { referenceOf } from '#src/console/reference/document.ts';
import { fitsWindow } from '#test/helpers/browser/axe.ts';
import { storedDocument } from '#test/helpers/stored-document.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, turnInto, type ConsoleWorld, type Visit } from './in-browser.ts';
import { placeHeldCall } from './lasting-calls.ts';

// Page

const openReference = async (world: ConsoleWorld, operation: string, visit: Visit = {}): Promise<Page> => {
  const page = await world.open({ ...visit, page: '/overview' });
  await page.goto(`${world.gateway.credentials.base_url}/docs#${operation}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
};

const send = (page: Page): Promise<void> => page.getByRole('button', { name: 'Send' }).click();

/** The response, once it is shown. */
const answerOf = async (page: Page): Promise<string> =>
  (await page.locator('.received pre').textContent()) ?? '';

consoleTest(
  'the API reference is accessible on telephone and desktop screens, in Korean and English, light and dark',
  async (t, world) => {
    const signedOut = await openReference(world, '', { locale: 'ko-KR', width: 390, isSignedIn: false });
    const signedIn = await openReference(world, '', { width: 1440, dark: true });
    for (const operation of [
      '',
      'createCall',
      'listWorkspaceCalls',
      'updateNumber',
      'signIn',
      'nothingLikeIt',
    ]) {
      for (const [page, width, dark, checks] of [
        [signedOut, 390, false, 'look'],
        [signedIn, 1440, true, 'everything'],
      ] as const) {
        await turnInto(page, { width, dark });
        if (operation !== '') {
          await page.goto(`${world.gateway.credentials.base_url}/docs#/${operation}`);
          await page.locator('.back').waitFor();
          await page.evaluate(
            'for (const inside of document.querySelectorAll("details")) inside.open = true',
          );
        }
        await everybodyCanUse(t, page, `${operation} at ${width}`, checks);
        await page.setViewportSize({ width: 768, height: 860 });
        t.true(await fitsWindow(page), `${operation} at 768 is too wide`);
      }
    }
  },
);

consoleTest('names a field that the operation does not know beside the response', async (t, world) => {
  const page = await openReference(world, '/createCall', { locale: 'ko-KR', width: 390 });
  await page.getByLabel('키를 사용할 번호').waitFor();
  await page.getByLabel('본문 (JSON)').fill('{"to": "+821000000001", "max_duration_secs": 600}');
  await page.getByRole('button', { name: '보내기' }).click();
  await page.getByText('이 작업에 없는 필드라서 무시했습니다: max_duration_secs').waitFor();
  t.regex(await answerOf(page), /write 0 in place of \+82/);
  await everybodyCanUse(t, page, 'an answer that names ignored fields');
});

consoleTest('focuses the search at the key /, even if the search is collapsed', async (t, world) => {
  const page = await openReference(world, '', { width: 768 });
  const search = page.getByRole('searchbox');
  for (const width of [768, 1440]) {
    await turnInto(page, { width });
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('/');
    await search.and(page.locator(':focus')).waitFor();
    await search.fill('');
    await page.keyboard.type('/hangup');
    t.is(await search.inputValue(), '/hangup');
    await everybodyCanUse(t, page, `searching, ${width}`, width === 768 ? 'everything' : 'look');
  }
});

consoleTest(
  'shows everything without sign-in, and enables requests that need a session after sign-in in another tab',
  async (t, world) => {
    const page = await openReference(world, 'getOverview', { isSignedIn: false });
    for (const part of ['Parameters', 'As a command', 'Responses', 'Errors'])
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

consoleTest('lets a viewer send only requests that change nothing', async (t, world) => {
  const { body } = await world.gateway.admin.post('/api/v1/admin/tokens', { name: 'looks', role: 'viewer' });
  const page = await openReference(world, 'createNumber', { token: String(body['token']) });
  await page.getByText('Trying this requires an admin token.').waitFor();
  t.is(await page.getByRole('button', { name: 'Send' }).count(), 0);
  await page.getByRole('link', { name: 'List the numbers' }).click();
  await send(page);
  t.regex(await answerOf(page), /"numbers": \[/);
});

consoleTest('sends only the chosen filters of a request', async (t, world) => {
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

consoleTest('places a call with a number key, which the shown command omits', async (t, world) => {
  const { number_key: key } = world.gateway.credentials;
  const page = await openReference(world, 'createCall', { isSignedIn: false });
  await send(page);
  await page.getByText('This is required.').first().waitFor();
  await page.locator('[name=key]:focus').waitFor();

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

consoleTest(
  'sends client operations with the key of a number of the session, which the page never contains',
  async (t, world) => {
    const { number, number_key: key, base_url: baseUrl } = world.gateway.credentials;
    const page = await openReference(world, '');
    const reveals = async (): Promise<number> => {
      const { body } = await world.gateway.admin.get('/api/v1/admin/audit?action=number_key.revealed');
      return z.object({ entries: z.array(z.object({})) }).parse(body).entries.length;
    };
    await page.getByLabel('Use the key of').getByText(number).waitFor({ state: 'attached' });
    t.is(await page.getByLabel('Key of the number').count(), 0);
    t.is(await reveals(), 0, 'no key is revealed before it is used');
    await send(page);
    t.regex(await answerOf(page), /"next_cursor"/);
    await page.getByText(/^200 after/).waitFor();
    await page.getByRole('link', { name: 'Next: place a call' }).click();
    await page.getByRole('heading', { name: 'Place a call', level: 1 }).waitFor();
    await send(page);
    await page.getByText(/^201 after/).waitFor();
    await send(page);
    await page.getByText(/^201 after/).waitFor();
    t.is(await reveals(), 2, 'one for each operation');
    const held =
      'document.documentElement.outerHTML + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])';
    t.false(String(await page.evaluate(held)).includes(key));

    // After the session has ended in another tab, the page asks for a key.
    await page.context().request.delete(`${baseUrl}/console/session`, {
      headers: { origin: baseUrl, 'x-trunkline-console': '1' },
    });
    await page.reload();
    await page.getByLabel('Key of the number').waitFor();
    t.is(await page.getByLabel('Use the key of').count(), 0);
  },
);

consoleTest('sends nothing before the numbers of the session are known', async (t, world) => {
  const page = await openReference(world, 'createCall');
  const held = Promise.withResolvers<undefined>();
  await page.route('**/api/v1/admin/numbers', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.reload();
  const button = page.getByRole('button', { name: 'Send' });
  await button.waitFor();
  t.is(await button.getAttribute('aria-disabled'), 'true');
  held.resolve(undefined);
  await page.getByLabel('Use the key of').waitFor();
  await send(page);
  await page.getByText(/^201 after/).waitFor();
});

consoleTest('leads back to the console on every screen, also by the product name', async (t, world) => {
  for (const [width, isSignedIn] of [
    [390, true],
    [1440, false],
  ] as const) {
    const page = await openReference(world, 'createCall', { width, isSignedIn });
    const back = page.getByRole('link', { name: 'Console', exact: true });
    t.true(await back.isVisible());
    await back.click();
    await page.getByRole('heading', { level: 1, name: isSignedIn ? 'Overview' : 'Sign in' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Place a call' }).waitFor();
    await page.locator(`.brand[href="${isSignedIn ? '/' : '#/'}"]`).waitFor();
  }
});

consoleTest('leaves a form that was filled in without a question', async (t, world) => {
  const page = await openReference(world, 'listWorkspaceCalls');
  await page.getByLabel('metadata').fill('order=A-1042');
  await page.getByRole('link', { name: 'List the numbers' }).click();
  await page.getByRole('heading', { level: 1, name: 'List the numbers' }).waitFor();
  t.is(new URL(page.url()).hash, '#/listNumbers');
});

consoleTest('shows a streamed response while it arrives, and stops it on request', async (t, world) => {
  const call = await placeHeldCall(world.gateway);
  const page = await openReference(world, 'getWorkspaceCallEvents');
  await page.getByLabel('call_id').fill(call);
  await page.getByLabel('Response format').selectOption('text/event-stream');
  await send(page);
  await page.locator('.received pre', { hasText: 'event: state' }).waitFor();
  await page.getByText('Still receiving …').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Still receiving …').waitFor({ state: 'detached' });
  t.regex(await answerOf(page), /event: state/);
});

consoleTest('finds operations by word, field and error code, each under its own URL', async (t, world) => {
  const page = await openReference(world, '', { isSignedIn: false });
  const search = page.getByRole('searchbox');
  const found = page.locator('nav section li a');
  await search.fill('max_duration_sec invalid_to');
  await page.getByText('1 operation found.').waitFor();
  t.is(await found.count(), 1);
  await found.click();
  await page.getByRole('heading', { name: 'Place a call', level: 1 }).waitFor();
  t.is(new URL(page.url()).hash, '#/createCall');
  await search.fill('nothinglikeit');
  await page.getByText('No matching operations.').waitFor();
  await page.goto(`${world.gateway.credentials.base_url}/docs#/Calls/hangUp`);
  await page.getByRole('heading', { name: 'Ask a call to hang up', level: 1 }).waitFor();
});

// Korean texts

const { operations, tags, schemas } = referenceOf(JSON.parse(storedDocument));

/** Shown texts of a schema, at any depth. */
const toldIn = (schema: unknown): string[] => {
  if (Array.isArray(schema)) return schema.flatMap(toldIn);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) =>
    name === 'description' && typeof value === 'string' ? [value] : toldIn(value),
  );
};

const bodies = operations.map(({ body, answers }) => [body?.schema, answers.map(({ schema }) => schema)]);
const named = Object.entries(schemas).filter(([name]) => !name.startsWith('Problem.'));

const shown = new Set([
  ...toldIn([named.map(([, schema]) => schema), bodies]),
  ...operations.flatMap(({ parameters }) =>
    parameters.flatMap(({ description, schema }) => description ?? toldIn(schema)),
  ),
  ...tags.flatMap(({ name, description }) => [name, description]),
  ...operations.flatMap(({ summary, description }) => [summary, description]),
  ...operations.flatMap(({ answers }) => answers.map(({ description }) => description)),
  ...operations.flatMap(({ refusals }) => refusals.map(({ title }) => title)),
]);

test('has Korean texts for all operations, fields, responses and errors (src/console/language/ko/document)', (t) => {
  t.deepEqual(
    [...shown].filter((text) => documentTexts[text] === undefined),
    [],
  );
});

test('has no Korean text without a text in the document', (t) => {
  const all = JSON.stringify({ operations, tags, schemas });
  const isThere = (text: string): boolean => all.includes(JSON.stringify(text).slice(1, -1));
  t.deepEqual(
    Object.keys(documentTexts).filter((text) => !isThere(text)),
    [],
  );
});

test('keeps the names of fields, codes and URLs in Korean texts', (t) => {
  for (const [english, korean] of Object.entries(documentTexts)) {
    const marked = (text: string): string[] => (text.match(/`[^`]+`/g) ?? []).toSorted();
    const names = new Set(marked(english));
    t.deepEqual(
      marked(korean).filter((name) => !names.has(name)),
      [],
      english,
    );
    for (const name of names) t.true(korean.includes(name), `${english}: ${name}`);
  }
});

// Explanations of API errors

test('translates common API errors into Korean and keeps their numbers', (t) => {
  t.is(explain('Too small: expected number to be >=60', koreanSayings), '60 이상이어야 합니다.');
  t.is(
    explain('The URL must begin with https://.', koreanSayings),
    'https://로 시작하는 주소만 사용할 수 있습니다.',
  );
});

test('in English, replaces only terse texts of the API', (t) => {
  t.is(explain('Too big: expected number to be <=1800', englishSayings), 'This must be at most 1800.');
  t.is(explain('The URL must begin with https://.', englishSayings), 'The URL must begin with https://.');
});

test('explains in Korean why a control of an agent was skipped in a trial', (t) => {
  const leftOut = [
    ...['keys/', 'collect digits="0"/', 'transfer/', 'language/', 'dance/'].map(readControlTag),
    ...readListedControls('hangup'),
    unclosed,
  ].map((control) => (typeof control === 'object' && 'leftOut' in control ? control.leftOut : ''));
  t.is(leftOut.length, 7);
  for (const why of leftOut) {
    t.is(explain(why, englishSayings), why);
    t.regex(explain(why, koreanSayings), /[가-힣]/, why);
  }
});

test('leaves API errors without a translation unchanged', (t) => {
  for (const sayings of [englishSayings, koreanSayings])
    t.is(explain('Something new.', sayings), 'Something new.');
});
