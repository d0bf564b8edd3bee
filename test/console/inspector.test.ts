/** The inspector of the console, and the page of the Stately inspector. */
import test from 'ava';
import type { BrowserContext } from 'playwright-core';
import {
  type Actor,
  filteredEntries,
  inspectionAfter,
  mostActors,
  mostEntries,
  nothingSeen,
  readMessage,
  stateOf,
  stateText,
  type Told,
} from '#src/console/inspector/inspection.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, turnInto, turnTo } from './in-browser.ts';
import { heldCallee, placeHeldCall } from './lasting-calls.ts';

// Inspector of the console

/** Real speed of simulated lines, so that a held call outlasts its test. */
const inspecting = { GW_INSPECT: '1', GW_SIMULATOR_SPEED: '1' };

consoleTest(
  'shows, filters, opens, pauses and clears the actors of a call and their messages',
  async (t, { gateway, open }) => {
    const script = [{ listen: true }, { say: '네, 말씀하세요.' }, { listen: true }];
    const call = await placeHeldCall(gateway, script, '내일 오후 3시 예약을 확인해 주세요');
    const page = await open({ page: `/calls/${call}` });
    await page.locator('.chart .current[data-state="on-hold"]').waitFor();
    await page.getByRole('link', { name: 'Inspector', exact: true }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    const rows = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    const actors = page.locator('.inspector-actors');
    await actors.getByRole('button', { name: 'conversation on-hold' }).waitFor();
    await actors.getByRole('button', { name: /^line-life/ }).waitFor();
    await actors.getByRole('button', { name: /^line answered\./ }).waitFor();
    t.regex(await actors.locator('small').first().innerHTML(), /^active\.<wbr>/);

    // Times are in the time zone of the workspace, on every device.
    const at = (await rows.first().locator('time').getAttribute('datetime')) ?? '';
    const inSeoul = new Date(Date.parse(at) + 9 * 3_600_000).toISOString().slice(11, 23);
    await page.locator(`time[datetime="${at}"]`).filter({ hasText: inSeoul }).first().waitFor();

    // A DTMF digit of the other party: an external event to the call, and from there to its line.
    const press = () => gateway.client.post(`/api/v1/calls/${call}/keys`, { keys: '1' });
    await press();
    const pressed = rows.filter({ hasText: 'keys.requested' }).filter({ hasText: 'Event' });
    await pressed.first().waitFor();
    await page.getByLabel('Event type').selectOption('keys.requested');
    await page.getByLabel('Kind').selectOption('event');
    await pressed.first().click();
    await page.locator('.inspector-entries pre').getByText('(1 characters)').waitFor();
    await everybodyCanUse(t, page, 'the inspector');
    await page.getByLabel('Event type').selectOption('');
    await page.getByRole('searchbox').fill('keys.requested');
    await pressed.first().waitFor();
    t.is(await rows.filter({ hasNotText: 'keys.requested' }).count(), 0);

    await page.getByRole('button', { name: 'Pause' }).click();
    const before = await rows.count();
    await press();
    await page.getByRole('button', { name: /Continue \(\d+ new\)/ }).waitFor();
    t.is(await rows.count(), before);
    await page.getByRole('button', { name: /Continue/ }).click();
    await rows.nth(before).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await rows.first().waitFor({ state: 'detached' });
    await actors.getByRole('button', { name: /^line-life/ }).waitFor();

    await turnInto(page, { width: 390, dark: true, locale: 'ko-KR' });
    await turnTo(page, '/inspect');
    const listed = page.locator('.inspected-calls a');
    await listed.first().waitFor();
    await everybodyCanUse(t, page, 'the calls of the inspector, narrow');
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('진행 중인 통화가 없습니다.').waitFor();
    await page.getByRole('searchbox').fill(call.slice(0, 8));
    await listed.first().click();
    await page.locator('.inspector-actors button').first().waitFor();
    await everybodyCanUse(t, page, 'the inspector of a call, narrow', 'look');
    await turnInto(page, { locale: 'en-US' });
    await gateway.client.post(`/api/v1/calls/${call}/hangup`, { immediate: true });
    await page.getByText('The call is over').waitFor();
  },
  inspecting,
);

consoleTest(
  'lists the newest calls in progress, and finds others at the gateway by four digits or by the id',
  async (t, { gateway, open }) => {
    const call = await placeHeldCall(gateway);
    const page = await open();
    // As if many newer calls were in progress.
    await page.route(/\/api\/v1\/admin\/calls\?/, async (route) => {
      const isSearch = new URL(route.request().url()).searchParams.has('q');
      if (isSearch) await route.continue();
      else await route.fulfill({ json: { calls: [], next_cursor: 'more' } });
    });
    await turnTo(page, '/inspect');
    await page.getByText('Only the newest 50 active').waitFor();
    await everybodyCanUse(t, page, 'the newest calls of the inspector');
    const listed = page.locator('.inspected-calls a');
    for (const search of [heldCallee.slice(-4), call.slice(0, 8)]) {
      await page.getByRole('searchbox').fill(search);
      await listed.waitFor();
      t.is(await listed.getAttribute('href'), `#/inspect/${call}`);
      await page.getByRole('searchbox').fill('555');
      await listed.waitFor({ state: 'detached' });
    }
  },
  inspecting,
);

consoleTest('explains how to switch the inspector on if GW_INSPECT is not set', async (t, { open }) => {
  const page = await open({ page: '/inspect' });
  await page.getByText('GW_INSPECT=1').waitFor();
  await everybodyCanUse(t, page, 'the inspector that is off');
});

// Stately inspector

/** Stands in for the Stately inspector: it announces itself, and shows the messages that it receives. */
const statelyPage = `<!doctype html><html lang="en"><title>Inspector</title><main><h1>Inspector</h1><p id="seen"></p></main><script>
  addEventListener('message', ({ data }) => { seen.textContent += ' ' + (data.name ?? '') + (JSON.parse(data.definition ?? '{}').id === 'call' ? '(chart)' : ''); });
  (opener ?? parent).postMessage({ type: '@statelyai.connected' }, '*');
</script>`;

const answerAsStately = (context: BrowserContext) =>
  context.route('https://stately.ai/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'access-control-allow-origin': '*' },
      body: statelyPage,
    }),
  );

const away = (context: BrowserContext) => context.route('https://stately.ai/**', (route) => route.abort());

consoleTest(
  "reports when stately.ai is unreachable, and offers a window, the console and the console's own inspector",
  async (t, { open, gateway: { credentials }, complaints }) => {
    const page = await open();
    await away(page.context());
    await page.goto(`${credentials.base_url}/inspect`);
    for (const [locale, width, dark, said, console, checks] of [
      ['en-US', 390, true, 'stately.ai cannot be reached', 'Console', 'everything'],
      ['ko-KR', 768, false, 'stately.ai에 연결할 수 없어', '콘솔', 'look'],
    ] as const) {
      await turnInto(page, { locale, width, dark });
      await page.getByRole('alert').getByText(said).waitFor();
      t.is(await page.locator('iframe').count(), 0);
      t.is(await page.getByRole('button', { name: /Open in a window|새 창에서 열기/ }).count(), 1);
      t.is(await page.getByRole('alert').getByRole('link').getAttribute('href'), '/#/inspect');
      t.true(await page.getByRole('link', { name: console, exact: true }).isVisible());
      await everybodyCanUse(t, page, `the inspector, ${locale}`, checks);
    }
    await page.getByRole('button', { name: '메뉴' }).click();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('alert').getByText('stately.ai cannot be reached').waitFor();
    t.deepEqual(complaints, []);
  },
  inspecting,
);

consoleTest(
  'shows a call in the Stately inspector, in a frame and in a window',
  async (t, { open, gateway }) => {
    const page = await open({ locale: 'en-US' });
    await answerAsStately(page.context());
    const call = await placeHeldCall(gateway);
    await page.goto(`${gateway.credentials.base_url}/inspect#call=${call}`);
    await page
      .frameLocator('iframe')
      .getByText(/call\(chart\).*line/)
      .waitFor();
    await page.getByRole('status').getByText('Watching.', { exact: true }).waitFor();
    t.is(await page.getByRole('alert').count(), 0);
    t.is(await page.getByLabel('Admin token').count(), 0, 'the session lets in');
    const popup = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Open in a window' }).click();
    const opened = await popup;
    await opened.getByText(/call\(chart\).*line/).waitFor();
    t.is(await page.locator('iframe').count(), 0);

    // The gateway sends each chart once for all calls; the inspector has it for every call.
    await placeHeldCall(gateway);
    await page.getByLabel('Call').fill('');
    await page.getByRole('button', { name: 'Watch' }).click();
    await opened.getByText(/(call\(chart\).*){3}/).waitFor();
  },
  inspecting,
);

consoleTest(
  'watches with a token of the address, which it removes from there, and says when there is no call',
  async (t, { open, gateway: { credentials } }) => {
    const page = await open({ isSignedIn: false });
    await answerAsStately(page.context());
    await page.goto(`${credentials.base_url}/inspect#token=${credentials.admin_token}`);
    await page.getByText('The charts appear as soon as a call is in progress.').waitFor();
    t.is(page.url(), `${credentials.base_url}/inspect`);
    await page.getByLabel('Admin token').fill('gw_admin_nobody');
    await page.getByRole('button', { name: 'Watch' }).click();
    await page.getByText(/^Rejected/).waitFor();
  },
  inspecting,
);

// Messages that the inspector stores

const told = (message: object): Told => {
  const read = readMessage({ createdAt: '1764115200000', rootId: 'x:0', ...message });
  if (read === undefined) throw new Error('It is no message of the protocol.');
  return read;
};

const appears = (sessionId: string, name: string, value?: unknown): Told =>
  told({ type: '@xstate.actor', sessionId, name, parentId: 'x:0', snapshot: { status: 'active', value } });

const sends = (sourceId: string | undefined, sessionId: string, event: object): Told =>
  told({ type: '@xstate.event', sessionId, sourceId, event });

const moves = (sessionId: string, snapshot: object): Told =>
  told({ type: '@xstate.snapshot', sessionId, event: { type: 'line.answered' }, snapshot });

const missing: Actor = {
  id: '',
  name: '',
  parent: null,
  root: '',
  callId: null,
  state: null,
  isOver: false,
};

const everything = { actor: '', kind: '', type: '', search: '' };

test('shows an actor with its name and the state of its last snapshot', (t) => {
  const { actors, entries } = inspectionAfter(nothingSeen, [
    appears('x:0', 'call', { ringing: 'alerting' }),
    appears('x:1', 'line'),
    sends('x:1', 'x:0', { type: 'line.answered', at: 5 }),
    moves('x:0', { status: 'active', value: { active: { talking: 'conversing' } } }),
    moves('x:1', { status: 'stopped' }),
  ]);
  t.deepEqual(
    [...actors.values()].map(({ name, state, isOver }) => [name, state, isOver]),
    [
      ['call', 'active.talking.conversing', false],
      ['line', null, true],
    ],
  );
  t.deepEqual(
    entries.map(({ id, kind, source, type, state }) => [id, kind, source, type, state]),
    [
      [1, 'actor', null, '', 'ringing.alerting'],
      [2, 'actor', null, '', null],
      [3, 'event', 'x:1', 'line.answered', null],
      [4, 'state', null, 'line.answered', 'active.talking.conversing'],
      [5, 'state', null, 'line.answered', null],
    ],
  );
});

test('shows the line in the state of its chart, until that has ended', (t) => {
  const stateOfLine = (...later: Told[]): string | null => {
    const { actors } = inspectionAfter(nothingSeen, [
      appears('x:1', 'line'),
      appears('x:2', 'line-life', { answered: 'connected' }),
      told({ type: '@xstate.actor', sessionId: 'y:1', rootId: 'y:0', name: 'line', snapshot: {} }),
      ...later,
    ]);
    t.is(stateOf(actors.get('y:1') ?? missing, actors), null, 'that of another call has no chart');
    return stateOf(actors.get('x:1') ?? missing, actors);
  };
  t.is(stateOfLine(), 'answered.connected');
  t.is(stateOfLine(moves('x:2', { status: 'done', value: 'over' })), null);
});

test('shows a mark of skipped messages under every filter, and no actor for it', (t) => {
  const mark = { type: '@trunkline.skipped', sessionId: '', rootId: '', skipped: 12 };
  const seen = inspectionAfter(nothingSeen, [appears('x:0', 'call'), told(mark)]);
  t.is(seen.actors.size, 1);
  t.like(filteredEntries(seen, { ...everything, actor: 'x:9', search: 'nowhere' }), [
    { kind: 'skipped', payload: 12 },
  ]);
});

test('ignores messages that are not inspection events', (t) => {
  for (const message of [null, 'text', [], {}, { type: '@xstate.event' }, { type: 'other', sessionId: 'x' }])
    t.is(readMessage(message), undefined);
  t.is(stateText({ a: { b: 'c' } }), 'a.b.c');
});

test('keeps the last messages and all existing actors, up to their limits', (t) => {
  let seen = nothingSeen;
  const calls = mostActors + 100;
  for (let call = 0; call < calls; call += 1)
    seen = inspectionAfter(seen, [
      appears(`${call}`, `call ${call}`),
      sends(undefined, `${call}`, { type: 'a' }),
      ...(call % 2 === 0 && call < 400 ? [moves(`${call}`, { status: 'done' })] : []),
    ]);
  t.is(seen.entries.length, mostEntries);
  t.is(seen.entries.at(-1)?.id, calls * 2 + 200, 'each has its number');
  t.is(seen.actors.size, mostActors);
  t.true(seen.actors.has('1'), 'one that is there stays');
  t.false(seen.actors.has('0'), 'one that is over goes first');
});

test('filters messages by actor, kind, type and content, newest first', (t) => {
  const seen = inspectionAfter(nothingSeen, [
    appears('x:0', 'call'),
    appears('x:1', 'line'),
    sends('x:1', 'x:0', { type: 'line.digit', digit: '(1 characters)' }),
    sends(undefined, 'x:0', { type: 'hangup.requested' }),
  ]);
  const found = (wanted: object): number[] =>
    filteredEntries(seen, { ...everything, ...wanted }).map(({ id }) => id);
  t.deepEqual(found({}), [4, 3, 2, 1]);
  t.deepEqual(found({ actor: 'x:1' }), [3, 2], 'as source, too');
  t.deepEqual(found({ kind: 'event' }), [4, 3]);
  t.deepEqual(found({ type: 'line.digit' }), [3]);
  t.deepEqual(found({ search: ' CHARACTERS ' }), [3]);
  t.deepEqual(found({ search: 'line' }), [3, 2]);
  t.deepEqual(found({ search: 'nowhere' }), []);
});
