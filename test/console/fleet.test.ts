/** The calls by state on the chart, a call as a file, and two calls replayed in step. */
import test from 'ava';
import { partingOf, stepMs, turnAt } from '#src/console/compare/in-step.ts';
import type { LoadedCall } from '#src/console/compare/loaded-call.ts';
import { isProblem, readCallFile } from '#src/console/compare/read-call-file.ts';
import { arrowNamed, callsIn, stateRows, statesInPicture, timesTaken } from '#src/console/fleet/tallies.ts';
import { until } from '#test/helpers/until.ts';
import { downloadedText } from './downloaded.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest } from './in-browser.ts';
import { allowLongSilence, hangUp, placeHeldCall } from './lasting-calls.ts';

const onHold = { GW_SIMULATOR_SPEED: '1' };

consoleTest(
  'shows how many calls are in each state now and where they went, and leads to them',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const over = await placeHeldCall(gateway);
    await hangUp(gateway, over);
    await gateway.untilStatus(over, 'completed');
    const held = [await placeHeldCall(gateway), await placeHeldCall(gateway)];
    await until('the transitions of three calls are stored', async () => {
      const { body } = await gateway.admin.get(
        '/api/v1/admin/call-count?visited=call.active.talking.conversing',
      );
      return body['calls'] === 3 || undefined;
    });
    const page = await open({ page: '/fleet' });
    await page.getByText('2 calls in progress at one gateway.').waitFor();
    // The table and the picture show the same number, and the picture shows it on the outer states, too.
    const state = page.locator('.chart [data-state="active.talking.conversing"]');
    await state.locator(':scope > .tally').getByText('2', { exact: true }).waitFor();
    await page.locator('.chart [data-state="active"] > .tally').getByText('2', { exact: true }).waitFor();
    const row = page.getByRole('row', { name: /active\.\s*talking\.\s*conversing/ });
    await row.getByRole('link', { name: '2 in active.talking.conversing' }).waitFor();
    await row.getByRole('link', { name: /^3 times into/ }).waitFor();
    t.regex((await row.locator('td').nth(2).textContent()) ?? '', /\d/, 'the median time in the state');
    await page
      .locator('.chart .edge.taken text')
      .getByText(/^\d+ × /)
      .first()
      .waitFor();
    await page.getByRole('table', { name: 'Where calls went' }).getByText('completed').first().waitFor();
    await page.getByText(/^Past: 3 calls\. As of \d\d:\d\d:\d\d\.$/).waitFor();
    await everybodyCanUse(t, page, 'the calls by state');

    // One call fewer, without a reload.
    await hangUp(gateway, held[0] ?? '');
    await page.getByText('1 call in progress at one gateway.').waitFor();
    await state.locator(':scope > .tally').getByText('1', { exact: true }).waitFor();

    // The past is a minute old at most, and is read at once on request.
    const completed = page.getByRole('row', { name: /^completed/ }).getByRole('link', { name: /^2 times/ });
    await until('the end of the call is shown', async () => {
      await page.getByRole('button', { name: 'Read the past again' }).click();
      return (await completed.count()) === 1 || undefined;
    });

    // A click on a state leads to its calls, as does the table.
    await state.locator(':scope > text').click();
    await page.getByRole('button', { name: /Now in: call\.active\.talking\.conversing/ }).waitFor();
    const rows = page.locator('.call-table tbody tr');
    await rows.first().waitFor();
    t.is(await rows.count(), 1);
    t.is(await page.locator(`#party-${held[1]}`).count(), 1);
    await page.goBack();
    await page.getByRole('link', { name: /times into active\.talking\.conversing/ }).click();
    await page.getByRole('button', { name: /Was in: call\.active/ }).waitFor();
    await rows.nth(2).waitFor();
    t.is(await rows.count(), 3);

    const narrow = await open({ page: '/fleet', width: 390, dark: true, locale: 'ko-KR' });
    await narrow.getByText('게이트웨이 1개에서 통화 1건이 진행 중입니다.').waitFor();
    await narrow.locator('.chart .busy').first().waitFor();
    await everybodyCanUse(t, narrow, 'the calls by state, narrow');
  },
  onHold,
);

consoleTest(
  'saves a call as a file, opens it again, and replays it beside another call',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const script = [{ listen: true }, { say: '네, 말씀하세요.' }, { listen: true }];
    const one = await placeHeldCall(gateway, script, '내일 오후 3시 예약을 확인해 주세요');
    const other = await gateway.call('01000000003');
    await gateway.untilStatus(other, 'no_answer');

    const page = await open({ page: `/calls/${one}` });
    await page.locator('.turns .user').getByText('말씀하세요').waitFor();
    await hangUp(gateway, one);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a file' }).click();
    const saved = await saving;
    t.is(saved.suggestedFilename(), `${one}.call.json`);
    const text = await downloadedText(saved);
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.getByText('Step 1 of', { exact: false }).first().waitFor();
    const first = page.getByRole('region', { name: 'First call' });
    await first.locator('.chart .current').waitFor();

    // Anything else than a call is refused with its reason.
    const second = page.getByRole('region', { name: 'Second call' });
    const give = (name: string, content: string) =>
      second.getByLabel('Open a file').setInputFiles({
        name,
        mimeType: 'application/json',
        buffer: Buffer.from(content),
      });
    await give('a.txt', 'garbage');
    await second
      .getByRole('alert')
      .getByText('a.txt: This is not a file of a call: it is not JSON.')
      .waitFor();
    await give('b.json', '{"format": "other"}');
    await second.getByRole('alert').getByText('it was not exported by Trunkline').waitFor();
    await give('c.json', text.replace('"direction":"outbound"', '"direction":"sideways"'));
    await second.getByRole('alert').getByText('call.direction is missing or wrong').waitFor();
    await everybodyCanUse(t, page, 'a call and the choice of another');

    // The same call as a file goes the same way.
    await give('call.json', text);
    await page.getByText('Both calls go the same way.').waitFor();
    await second.getByText('From the file call.json.').waitFor();
    await second.locator('.turns').getByText('말씀하세요').waitFor();

    // Another call parts from it.
    await second.getByRole('button', { name: 'Choose another call' }).click();
    await second
      .getByRole('button', { name: /No answer|Cancelled|Busy/ })
      .first()
      .click();
    await page.getByText(/They part at step \d+\./).waitFor();
    await page.getByRole('button', { name: 'Go to where they part' }).click();
    await page.getByText('From here on they differ.').waitFor();
    await first.locator('.chart .current').waitFor();
    await page.getByRole('slider', { name: 'Step in both calls' }).press('End');
    await second.getByText('the call is over').waitFor();
    await first.locator('.turns [aria-current]').waitFor();
    await everybodyCanUse(t, page, 'two calls');

    const narrow = await open({
      page: `/compare?one=${one}&other=${other}`,
      width: 390,
      dark: true,
      locale: 'ko-KR',
    });
    await narrow.getByText(/\d+단계에서 갈라집니다\./).waitFor();
    await narrow.locator('.compared .chart .current').nth(1).waitFor();
    await everybodyCanUse(t, narrow, 'two calls, narrow');
  },
  onHold,
);

// Numbers on the chart

test('counts the calls of a state and of its inner states', (t) => {
  const now = { 'active.talking.conversing': 3, 'active.bridged': 1, 'active-ish': 5 };
  t.deepEqual(
    ['active', 'active.talking', 'active.talking.conversing', 'ringing', ''].map((box) => callsIn(now, box)),
    [4, 3, 3, 0, 9],
  );
});

test('finds the innermost arrow of a transition', (t) => {
  const arrows = [
    '(any) → failed',
    'active → completed',
    'active.talking → completed',
    'ringing → active',
  ].map(arrowNamed);
  const taken = timesTaken(arrows, [
    { from: null, to: 'ringing', count: 9 },
    { from: 'ringing.alerting', to: 'active.talking.conversing', count: 5 },
    { from: 'active.talking.conversing', to: 'completed', count: 3 },
    { from: 'active.bridged', to: 'completed', count: 1 },
    { from: 'ringing.alerting', to: 'failed', count: 2 },
    { from: 'completed', to: 'ringing', count: 7 },
  ]);
  t.deepEqual(
    arrows.map((arrow) => taken.get(arrow)),
    [2, 1, 3, 5],
  );
});

test('lists the states of now and of the past in the order of the picture', (t) => {
  const picture = '<g data-state=""><g data-state="ringing"/><g data-state="active"/></g>';
  const counts = { calls: 1, gateways: 1, states: { call: { active: 1 }, conversation: {}, voicemail: {} } };
  const told = (chart: 'call' | 'conversation', state: string) => ({
    chart,
    state,
    entries: 2,
    median_ms: 5,
    failed: 1,
  });
  const history = {
    since: '',
    until: '',
    calls: 2,
    is_whole: true,
    states: [told('call', 'newer'), told('call', 'ringing'), told('conversation', 'opening')],
    transitions: [],
  };
  t.deepEqual(
    stateRows('call', statesInPicture(picture), counts, history).map(({ state, now, entries }) => [
      state,
      now,
      entries,
    ]),
    [
      ['ringing', 0, 2],
      ['active', 1, 0],
      ['newer', 0, 2],
    ],
  );
});

// Two calls in step

const stepAt = (second: number, conversation: string, event = 'line.heard') => ({
  at: new Date(Date.UTC(2026, 10, 21, 3, 0, second)).toISOString(),
  event,
  fact: null,
  call: 'active.talking.conversing',
  conversation,
  voicemail: null,
});

test('finds the first step at which two calls differ in event or state', (t) => {
  const path = [stepAt(0, 'opening'), stepAt(2, 'listening.silent'), stepAt(5, 'awaiting')];
  const later = path.map((step) => ({ ...step, at: '2026-11-22T00:00:00.000Z', fact: 3 }));
  t.is(partingOf(path, later), null, 'times may differ');
  t.is(partingOf(path, [...path.slice(0, 2), stepAt(5, 'replying.speaking')]), 2);
  t.is(partingOf(path, [path[0] ?? stepAt(0, ''), stepAt(2, 'listening.silent', '(time)')]), 1);
  t.is(partingOf(path, path.slice(0, 2)), 2, 'one of them is over');
  t.is(partingOf([], []), null);
});

const emptyCall: LoadedCall = {
  source: { is: 'stored' },
  call: {
    id: 'a',
    direction: 'outbound',
    counterparty: '010',
    status: 'completed',
    end_reason: 'agent_hangup',
    language: 'ko',
    started_at: '2026-11-21T02:59:55.000Z',
    answered_at: '2026-11-21T03:00:00.000Z',
  },
  steps: [stepAt(0, 'opening'), stepAt(1, 'listening.silent'), stepAt(9, 'awaiting')],
  turns: [
    { sequence: 1, role: 'assistant', text: 'one', t_offset_sec: 0.5 },
    { sequence: 2, role: 'user', text: 'two', t_offset_sec: 3 },
  ],
  sip: [],
  audio: null,
};

test('knows the turn and the time of a step', (t) => {
  t.deepEqual(
    emptyCall.steps.map((step) => turnAt(emptyCall, step)),
    [undefined, 1, 2],
  );
  t.deepEqual(
    [0, 1, 2].map((index) => stepMs([emptyCall], index)),
    [1_000, 1_500, 150],
  );
});

// Files

const callFile = {
  format: 'trunkline.call',
  version: 1,
  masked: true,
  call: { ...emptyCall.call, more: 'is ignored' },
  steps: emptyCall.steps,
  turns: emptyCall.turns,
  sip: { messages: [] },
  audio: { content_type: 'audio/ogg', base64: 'T2dnUw==' },
};

const problemOf = (json: unknown): unknown => {
  const read = readCallFile(typeof json === 'string' ? json : JSON.stringify(json), 'a.json');
  return isProblem(read) ? read : null;
};

test('reads a call from its file, and says what is wrong with another one', async (t) => {
  const read = readCallFile(JSON.stringify(callFile), 'a.json');
  if (isProblem(read)) return t.fail(JSON.stringify(read));
  t.like(read, { source: { is: 'file', name: 'a.json', masked: true }, turns: emptyCall.turns });
  t.is(await read.audio?.text(), 'OggS');
  t.deepEqual(problemOf('{'), { is: 'not_json' });
  t.deepEqual(problemOf('null'), { is: 'other_format' });
  t.deepEqual(problemOf([callFile]), { is: 'other_format' });
  t.deepEqual(problemOf({ ...callFile, version: 2 }), { is: 'newer' });
  t.deepEqual(problemOf({ ...callFile, turns: [{ ...emptyCall.turns[0], text: 1 }] }), {
    is: 'wrong_field',
    field: 'turns.0.text',
  });
  t.deepEqual(problemOf({ ...callFile, audio: { content_type: 'text/html', base64: '' } }), {
    is: 'wrong_field',
    field: 'audio.content_type',
  });
  return undefined;
});
